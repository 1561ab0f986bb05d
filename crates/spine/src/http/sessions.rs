//! Sessions of the initialize era: bounded in number, and bound to the caller that opened them.
//!
//! A session id is sealed for its caller and its endpoint. Another caller's id, or another endpoint's, is not found; an id
//! that we made but no longer hold, after a restart or a long pause, is served without a session, so a client need not start
//! again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{RestoreOutcome, SessionManager};

use crate::config::Limits;
use crate::in_flight::{Flight, InFlight};
use crate::shares::{Share, Shares};
use crate::{Seal, seal};

/// How many closed sessions are remembered, so that their ids stay dead.
const CLOSED_MAX: usize = 4096;

tokio::task_local! {
    /// The caller on whose behalf rmcp opens a session.
    static OPENING_FOR: String;
}

/// Runs `work`, in which rmcp may open a session, on behalf of a caller.
pub async fn opening_for<T>(caller: String, work: impl Future<Output = T>) -> T {
    OPENING_FOR.scope(caller, work).await
}

pub struct Sessions {
    inner: LocalSessionManager,
    seal: Seal,
    /// The capability whose sessions these are.
    endpoint: String,
    /// Requests that are not answered yet, by session and id.
    in_flight: InFlight<SessionRequest>,
    closed: Mutex<VecDeque<Arc<str>>>,
    /// The sessions of each caller.
    shares: Shares,
    held: Mutex<HashMap<SessionId, Share>>,
}

type SessionRequest = (String, RequestId);

/// Keeps the id of a request from being used again in its session until all clones are dropped: one goes with the request
/// through rmcp, the other with the answer.
pub type SessionFlight = Arc<Flight<SessionRequest>>;

/// What a session id means for a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Open,
    /// Ours and this caller's, but no longer held.
    Forgotten,
    /// Closed, made up, or another caller's.
    Unknown,
}

impl Sessions {
    pub fn new(seal: Seal, endpoint: &str, limits: &Limits) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(Duration::from_secs(limits.session_idle_s));
        inner.session_config.sse_retry = None;
        let (endpoint, in_flight) = (endpoint.to_owned(), InFlight::default());
        let shares = Shares::of(limits.caller_sessions_max);
        Self { inner, seal, endpoint, in_flight, closed: Mutex::default(), shares, held: Mutex::default() }
    }

    /// Whether a caller may open another session.
    pub fn has_room_for(&self, caller: &str) -> bool {
        self.shares.has_room(caller)
    }

    /// Takes the id of a request; `None` when one of this session is under way with it.
    pub fn begin(&self, session: &str, id: RequestId) -> Option<SessionFlight> {
        self.in_flight.begin((session.to_owned(), id)).map(Arc::new)
    }

    pub async fn count(&self) -> usize {
        self.inner.sessions.read().await.len()
    }

    pub async fn standing(&self, id: &str, caller: &str) -> Standing {
        if !self.seal.made(id, &self.purpose(caller)) || self.is_closed(id) {
            return Standing::Unknown;
        }
        let held = self.inner.sessions.read().await.contains_key(id);
        if held { Standing::Open } else { Standing::Forgotten }
    }

    /// Remembers that the caller closed this session itself. One that merely idled away is served without a session.
    pub fn bury(&self, id: &str) {
        let mut closed = self.closed.lock().expect("nothing panics while holding this");
        if closed.len() == CLOSED_MAX {
            closed.pop_front();
        }
        closed.push_back(id.into());
    }

    fn held(&self) -> MutexGuard<'_, HashMap<SessionId, Share>> {
        self.held.lock().expect("nothing panics while holding this")
    }

    fn purpose(&self, caller: &str) -> String {
        seal::purpose(&["session", &self.endpoint, caller])
    }

    fn is_closed(&self, id: &str) -> bool {
        self.closed.lock().expect("nothing panics while holding this").iter().any(|closed| closed.as_ref() == id)
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let caller = OPENING_FOR.try_with(Clone::clone).unwrap_or_default();
        let id: SessionId = self.seal.close_for_ever(&uuid::Uuid::new_v4().to_string(), &self.purpose(&caller)).into();
        // Several that are opened at one moment may each have found room.
        let Some(share) = self.shares.take(caller) else { return Err(LocalSessionManagerError::SessionNotFound(id)) };
        match self.inner.restore_session(id.clone()).await? {
            RestoreOutcome::Restored(transport) => {
                self.held().insert(id.clone(), share);
                Ok((id, transport))
            }
            _ => Err(LocalSessionManagerError::SessionNotFound(id)),
        }
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.held().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_idle_session_is_forgotten_and_a_closed_one_unknown() {
        let sessions = |endpoint| Sessions::new(Seal::new([3; 32]), endpoint, &Limits::default());
        let (sessions, others) = (sessions("one"), sessions("other"));
        let (id, _transport) = opening_for("me".to_owned(), sessions.create_session()).await.unwrap();
        assert_eq!(sessions.standing(&id, "me").await, Standing::Open);
        assert_eq!(sessions.standing(&id, "you").await, Standing::Unknown);
        assert_eq!(others.standing(&id, "me").await, Standing::Unknown);
        // rmcp does this when a session has idled away.
        sessions.close_session(&id).await.unwrap();
        assert_eq!(sessions.standing(&id, "me").await, Standing::Forgotten);
        sessions.bury(&id);
        assert_eq!(sessions.standing(&id, "me").await, Standing::Unknown);
    }
}
