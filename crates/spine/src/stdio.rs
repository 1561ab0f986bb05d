//! The stdio door: one message per line, and nothing else on stdout.
//!
//! Lines are read and checked here before rmcp sees them, so that a line which is not a message, or is too long, gets an
//! answer instead of silence, and a notification that comes too early does not end the process.

use std::pin::pin;
use std::sync::Arc;

use rmcp::model::ProtocolVersion;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::Endpoint;
use crate::admission::{Admission, Arrival, Door};
use crate::mcp::Handler;
use crate::message::{Message, MessageKind, error_response};
use crate::trace::Given;

/// Bytes that may wait between the door and rmcp.
const PIPE_BYTES: usize = 256 * 1024;

/// Serves one client until its input ends or `stop` fires.
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
    let (to_rmcp, rmcp_reads) = tokio::io::duplex(PIPE_BYTES);
    let (rmcp_writes, from_rmcp) = tokio::io::duplex(PIPE_BYTES);
    let (lines, outgoing) = mpsc::channel(64);

    let writer = tokio::spawn(write_lines(output, outgoing));
    let relay = tokio::spawn(relay_lines(from_rmcp, lines.clone()));
    let outcome = {
        let reading = read_lines(input, to_rmcp, lines, &endpoint, admission, &stop);
        let ending = stop.child_token();
        let handler = Handler::new(endpoint.clone(), Some(admitted), ending.clone());
        let transport = AsyncRwTransport::new_server(rmcp_reads, rmcp_writes);
        let (mut reading, mut serving) = (pin!(reading), pin!(serve_messages(handler, transport)));
        tokio::select! {
            outcome = &mut serving => outcome,
            // The input ended or we were told to stop: streams end, and what is under way may finish.
            () = &mut reading => {
                ending.cancel();
                serving.await
            }
        }
    };
    let _ = relay.await;
    let _ = writer.await;
    outcome
}

async fn serve_messages(handler: Handler, transport: impl Transport<RoleServer> + 'static) -> Result<(), String> {
    match handler.serve(transport).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
        // The input ended before a first message: nobody to serve is not a failure.
        Err(_) => Ok(()),
    }
}

/// Checks and admits each line; what is not let through is answered here.
async fn read_lines(
    input: impl AsyncRead + Unpin,
    mut to_rmcp: DuplexStream,
    lines: mpsc::Sender<Vec<u8>>,
    endpoint: &Endpoint,
    admission: &Admission,
    stop: &CancellationToken,
) {
    let (limits, bytes_max) = (&endpoint.config.limits, endpoint.body_bytes_max());
    let mut input = BufReader::new(input);
    let mut started = false;
    loop {
        let line = tokio::select! {
            line = next_line(&mut input, bytes_max) => line,
            () = stop.cancelled() => return,
        };
        let line = match line {
            Line::End => return,
            Line::TooLong => {
                let _ = lines.send(error_line(too_long(endpoint, bytes_max))).await;
                continue;
            }
            Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
            Line::Whole(line) => line,
        };
        let message = match Message::parse(&line, limits.depth_max) {
            Ok(message) => message,
            Err(malformed) => {
                let _ = lines.send(error_line(malformed.response())).await;
                continue;
            }
        };
        // rmcp ends the connection over anything but a request before it has started.
        if message.kind != MessageKind::Request && !started {
            continue;
        }
        if let Err(refusal) = admit(&message, endpoint, admission) {
            let _ = lines.send(error_line(refusal)).await;
            continue;
        }
        started |= starts(&message);
        if message.unwrapped {
            endpoint.metrics.unwrapped(1);
        }
        let mut forward = if message.rewritten { message.to_bytes() } else { line };
        if forward.last() != Some(&b'\n') {
            forward.push(b'\n');
        }
        if to_rmcp.write_all(&forward).await.is_err() {
            return;
        }
    }
}

/// Lets a message in, or words the refusal.
fn admit(message: &Message, endpoint: &Endpoint, admission: &Admission) -> Result<(), Value> {
    if message.kind != MessageKind::Request {
        return Ok(());
    }
    let arrival = Arrival { door: Door::Stdio, message: Some(message), now: endpoint.clock.now() };
    admission.admit(&arrival, endpoint.capability.manifest()).map(|_| ()).map_err(|rejection| {
        let request = Given::default().request_meta(endpoint.ids.next());
        endpoint.record_rejection("stdio", &rejection, Some(message), &request);
        error_response(message.id.clone(), -32600, &rejection.to_string(), None)
    })
}

/// The answer to a line that was passed over, with the capability's own words where it has some.
fn too_long(endpoint: &Endpoint, bytes_max: usize) -> Value {
    let text = format!("the message is larger than {bytes_max} bytes");
    let bytes_max = bytes_max as u64;
    let envelope = endpoint.capability.too_large(bytes_max + 1, bytes_max).map(|error| {
        let request = Given::default().request_meta(endpoint.ids.next());
        endpoint.capability.envelope(&request, &error)
    });
    error_response(None, -32600, &text, envelope)
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

enum Line {
    Whole(Vec<u8>),
    TooLong,
    End,
}

/// One line within a bound; the rest of a longer one is passed over.
async fn next_line(input: &mut (impl AsyncBufReadExt + Unpin), bytes_max: usize) -> Line {
    let mut line = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    match input.take(limit).read_until(b'\n', &mut line).await {
        Ok(0) | Err(_) => return Line::End,
        Ok(_) => {}
    }
    if line.len() <= bytes_max || line.last() == Some(&b'\n') {
        return Line::Whole(line);
    }
    loop {
        let (found, used) = match input.fill_buf().await {
            Ok([]) | Err(_) => return Line::TooLong,
            Ok(buffer) => match buffer.iter().position(|byte| *byte == b'\n') {
                Some(position) => (true, position + 1),
                None => (false, buffer.len()),
            },
        };
        input.consume(used);
        if found {
            return Line::TooLong;
        }
    }
}

async fn relay_lines(from_rmcp: DuplexStream, lines: mpsc::Sender<Vec<u8>>) {
    let mut from_rmcp = BufReader::new(from_rmcp);
    loop {
        let mut line = Vec::new();
        match from_rmcp.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if lines.send(line).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn write_lines(mut output: impl AsyncWrite + Unpin, mut outgoing: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = outgoing.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

fn error_line(response: Value) -> Vec<u8> {
    let mut line = response.to_string().into_bytes();
    line.push(b'\n');
    line
}
