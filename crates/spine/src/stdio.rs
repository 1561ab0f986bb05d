//! The stdio door: one message per line, and nothing else on stdout.
//!
//! [`line`] reads lines within a bound, and each is checked and admitted here before rmcp sees it, so that a line which is not
//! a message, or is too long, gets an answer instead of silence, and a notification that comes too early does not end the
//! process. A request has [room](Room) from when it is read until its answer is written: a client that does not read what we
//! write is not read from either.

mod line;
mod wire;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _, ProtocolVersion};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt};
use scope::{Principal, Scope};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::admission::{Admission, Admitted, Arrival, Asked, Door};
use crate::endpoint::Refused;
use crate::mcp::{self, Arrived, Handler};
use crate::message::{Message, MessageKind, error_response};
use crate::trace::Given;
use crate::{Endpoint, in_flight, long};
use line::Line;
use wire::{Outgoing, Room, Unanswered, Wire};

/// Messages that may wait between the door and rmcp; what they take is bounded by their room.
const MESSAGES_MAX: usize = 64;

/// Serves one client until its input ends, its output is closed, or `stop` fires.
pub async fn serve(
    endpoint: Arc<Endpoint>,
    admission: &Admission,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<(), String> {
    let arrival = Arrival { door: Door::Stdio, message: None, now: endpoint.clock.now() };
    let admitted =
        admission.admit(&arrival, endpoint.capability.manifest()).map_err(|rejection| rejection.to_string())?;
    let (messages, incoming) = mpsc::channel(MESSAGES_MAX);
    let (lines, outgoing) = mpsc::channel(MESSAGES_MAX);
    let unanswered = Unanswered::default();
    let patience = Duration::from_millis(endpoint.config.limits.shutdown_ms);

    let mut writing = tokio::spawn(write_lines(output, outgoing));
    let ending = stop.child_token();
    let outcome = {
        let wire = Wire { incoming, outgoing: lines.clone(), unanswered: unanswered.clone() };
        let handler = Handler::new(endpoint.clone(), Some(admitted), ending.clone());
        let reader = Reader {
            endpoint: &endpoint,
            admission,
            room: Room::new(endpoint.body_bytes_max()),
            unanswered,
            lines,
            messages,
        };
        let (mut reading, mut serving) = (pin!(reader.read(input, &stop)), pin!(serve_messages(handler, wire)));
        tokio::select! {
            outcome = &mut serving => outcome,
            // Nobody reads what we write, so there is nobody to serve.
            _ = &mut writing => return Ok(()),
            // The input ended or we were told to stop: streams end, and what is under way may finish.
            () = &mut reading => {
                ending.cancel();
                timeout(patience, serving).await.unwrap_or(Ok(()))
            }
        }
    };
    // A client that has stopped reading is not waited for.
    let _ = timeout(patience, writing).await;
    outcome
}

async fn serve_messages(handler: Handler, transport: impl Transport<RoleServer> + 'static) -> Result<(), String> {
    match handler.serve(transport).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
        // The input ended before a first message: nobody to serve is not a failure.
        Err(_) => Ok(()),
    }
}

/// What reads, checks and admits lines.
struct Reader<'a> {
    endpoint: &'a Endpoint,
    admission: &'a Admission,
    room: Room,
    unanswered: Unanswered,
    /// To the client.
    lines: mpsc::Sender<Outgoing>,
    /// To rmcp.
    messages: mpsc::Sender<ClientJsonRpcMessage>,
}

impl Reader<'_> {
    /// Reads until the input ends or `stop` fires. What is not let through is answered here.
    async fn read(self, input: impl AsyncRead + Unpin, stop: &CancellationToken) {
        let bytes_max = self.endpoint.body_bytes_max();
        let mut input = BufReader::new(input);
        let mut started = false;
        loop {
            let passing = async {
                match line::next(&mut input, bytes_max).await {
                    Line::End => false,
                    Line::Whole(line) => self.pass(line, &mut started).await,
                    Line::TooLong { id } => {
                        self.refused("too_large", None);
                        self.answer(self.too_long(id, bytes_max)).await
                    }
                }
            };
            let goes_on = tokio::select! { goes_on = passing => goes_on, () = stop.cancelled() => false };
            if !goes_on {
                return;
            }
        }
    }

    /// Lets one line through, or answers it. False when there is nobody any more to pass it to.
    async fn pass(&self, line: Vec<u8>, started: &mut bool) -> bool {
        let parsed = long::work_on(line.len(), || {
            let is_blank = line.iter().all(u8::is_ascii_whitespace);
            (!is_blank).then(|| Message::parse(&line, self.endpoint.config.limits.depth_max))
        });
        let message = match parsed {
            None => return true,
            Some(Ok(message)) => message,
            Some(Err(malformed)) => {
                self.refused("malformed", None);
                return self.answer(malformed.response()).await;
            }
        };
        // rmcp ends the connection over anything but a request before it has started.
        if message.kind != MessageKind::Request && !*started {
            return true;
        }
        if let Err(refusal) = self.admit(&message).await {
            return self.answer(refusal).await;
        }
        let mut ticket = None;
        if let Some(id) = message.request_id().filter(|_| message.kind == MessageKind::Request) {
            let Some(flight) = self.unanswered.begin(id) else {
                self.refused("in_flight", Some(&message));
                return self.answer(error_response(message.id, -32600, in_flight::REFUSAL, None)).await;
            };
            ticket = Some(self.room.ticket(flight, line.len()).await);
        }
        if message.unwrapped {
            self.endpoint.metrics.unwrapped(1);
        }
        let typed = long::work_on(line.len(), || {
            let rewritten = message.rewritten.then(|| message.to_bytes());
            serde_json::from_slice::<ClientJsonRpcMessage>(rewritten.as_deref().unwrap_or(&line))
        });
        let Ok(mut typed) = typed else {
            return match message.kind {
                MessageKind::Request => {
                    self.refused("malformed", Some(&message));
                    let text = "this is not a message of the protocol";
                    self.answer(error_response(message.id, -32600, text, None)).await
                }
                MessageKind::Notification | MessageKind::Response => true,
            };
        };
        *started |= starts(&message);
        if let (ClientJsonRpcMessage::Request(request), Some(ticket)) = (&mut typed, ticket) {
            self.unanswered.keep(request.id.clone(), ticket.clone());
            request.request.extensions_mut().insert(ticket);
        }
        if let ClientJsonRpcMessage::Notification(notification) = &typed {
            self.unanswered.forget_cancelled(&notification.notification);
        }
        self.messages.send(typed).await.is_ok()
    }

    /// Lets a message in, or words the refusal.
    async fn admit(&self, message: &Message) -> Result<(), Value> {
        if message.kind != MessageKind::Request {
            return Ok(());
        }
        let arrival = Arrival { door: Door::Stdio, message: Some(message), now: self.endpoint.clock.now() };
        match self.admission.admit(&arrival, self.endpoint.capability.manifest()) {
            Ok(admitted) if message.inexact.is_some() => Err(self.inexact(admitted, message).await),
            Ok(_) => Ok(()),
            Err(rejection) => {
                self.refused(rejection.reason(), Some(message));
                Err(error_response(message.id.clone(), -32600, &rejection.to_string(), None))
            }
        }
    }

    /// Leaves the record of a message that is not let through. Over stdio it is always known who sent it.
    fn refused(&self, reason: &'static str, message: Option<&Message>) {
        let request = Given::default().request_meta(self.endpoint.ids.next());
        let refused = Refused::unread("stdio", reason, &request).saying(message).by(self.who());
        self.endpoint.record_refused(refused);
    }

    fn who(&self) -> Option<(Principal, Scope)> {
        let endpoint = &self.endpoint.capability.manifest().name;
        self.admission.who(&Asked { door: Door::Stdio, endpoint, now: self.endpoint.clock.now(), from: None })
    }

    async fn inexact(&self, admitted: Admitted, message: &Message) -> Value {
        let request = Given::default().request_meta(self.endpoint.ids.next());
        let arrived = Arrived { admitted, request, names: None, is_sessionless: true, client: message.client() };
        mcp::refuse_inexact(self.endpoint, arrived, message).await
    }

    /// The answer to a line that was passed over, with the capability's own words where it has some.
    fn too_long(&self, id: Option<Value>, bytes_max: usize) -> Value {
        let text = format!("the message is larger than {bytes_max} bytes");
        let bytes_max = bytes_max as u64;
        let envelope = self.endpoint.capability.too_large(bytes_max + 1, bytes_max).map(|error| {
            let request = Given::default().request_meta(self.endpoint.ids.next());
            self.endpoint.capability.envelope(&request, &error)
        });
        error_response(id, -32600, &text, envelope)
    }

    /// False when the output is closed.
    async fn answer(&self, response: Value) -> bool {
        let mut line = response.to_string().into_bytes();
        line.push(b'\n');
        self.lines.send(Outgoing { line, _ticket: None }).await.is_ok()
    }
}

/// True for the request with which rmcp's connection begins: a sound `initialize`, or a sound stateless request.
fn starts(message: &Message) -> bool {
    match message.method.as_str() {
        "initialize" => message.is_sound_initialize(),
        "server/discover" | "ping" => false,
        _ => message.is_stateless() && message.protocol_version().is_some_and(is_known),
    }
}

fn is_known(version: &str) -> bool {
    ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version)
}

/// Writes until nobody sends any more, or nobody reads.
async fn write_lines(mut output: impl AsyncWrite + Unpin, mut outgoing: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { line, _ticket }) = outgoing.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
