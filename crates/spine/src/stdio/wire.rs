//! What lies between the lines and rmcp: messages on their way, and the room that requests have until they are answered.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::in_flight::{Flight, InFlight};

/// What a request weighs besides its own bytes: about what its answer takes.
const ANSWER_BYTES: usize = 1024 * 1024;
/// What all requests that are not answered may weigh, at least: so many small ones.
const ROOM_BYTES: usize = 64 * ANSWER_BYTES;

/// Room for requests that are not answered yet.
pub struct Room {
    bytes: Arc<Semaphore>,
    bytes_max: usize,
}

/// Keeps the id and the room of a request. One clone goes with it through rmcp and the other with its answer.
pub type Ticket = Arc<(Flight<RequestId>, Option<OwnedSemaphorePermit>)>;

impl Room {
    /// There is always room for one message of the largest size.
    pub fn new(message_bytes_max: usize) -> Self {
        let bytes_max = ROOM_BYTES.max(message_bytes_max.saturating_add(ANSWER_BYTES));
        Self { bytes: Arc::new(Semaphore::new(bytes_max)), bytes_max }
    }

    /// Waits until there is room for a request of so many bytes.
    pub async fn ticket(&self, flight: Flight<RequestId>, bytes: usize) -> Ticket {
        let weight = bytes.saturating_add(ANSWER_BYTES).min(self.bytes_max);
        let permits = u32::try_from(weight).unwrap_or(u32::MAX);
        let room = self.bytes.clone().acquire_many_owned(permits).await;
        Arc::new((flight, room.ok()))
    }
}

/// The requests that are not answered yet. Cheap to clone.
#[derive(Clone, Default)]
pub struct Unanswered {
    ids: InFlight<RequestId>,
    tickets: Arc<Mutex<HashMap<RequestId, Ticket>>>,
}

impl Unanswered {
    /// `None` when a request of this id is under way.
    pub fn begin(&self, id: RequestId) -> Option<Flight<RequestId>> {
        self.ids.begin(id)
    }

    /// Keeps the ticket of a request until it is answered.
    pub fn keep(&self, id: RequestId, ticket: Ticket) {
        self.lock().insert(id, ticket);
    }

    /// A request that was cancelled is not answered. What works on it still has the other ticket.
    pub fn forget_cancelled(&self, notification: &ClientNotification) {
        if let ClientNotification::CancelledNotification(cancelled) = notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.lock().remove(id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Ticket>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line for the client, with the ticket of the request that it answers.
pub struct Outgoing {
    pub line: Vec<u8>,
    pub _ticket: Option<Ticket>,
}

/// rmcp's side.
pub struct Wire {
    pub incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    pub outgoing: mpsc::Sender<Outgoing>,
    pub unanswered: Unanswered,
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let answered = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let ticket = answered.and_then(|id| self.unanswered.lock().remove(id));
        // Who has read the answer may use the id again at once, so it is free before the answer is written.
        if let Some(ticket) = &ticket {
            ticket.0.land();
        }
        let outgoing = self.outgoing.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            outgoing.send(Outgoing { line, _ticket: ticket }).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.incoming.close();
        Ok(())
    }
}
