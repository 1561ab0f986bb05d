//! The short way of the commonest request: a plain tool call, answered without rmcp.
//!
//! rmcp reads a message once more, writes it once more to compare it with the headers, and serves each request with tasks
//! and channels of its own. A call that wants nothing of this is taken out of the message that the door has read already.
//! Whatever is rare, doubtful or wrong goes on to rmcp, which has the words for it.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rmcp::model::{ErrorCode, ServerJsonRpcMessage};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::Endpoint;
use crate::mcp::{self, Arrived, Plain, Prepared};
use crate::message::{Message, PlainCall, REVISION};

static PROTOCOL: HeaderName = HeaderName::from_static("mcp-protocol-version");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");
static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Niceness of the thread of a long call.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// How a name begins that stands encoded in a header.
const ENCODED: &str = "=?base64?";

/// The call in a message, taken out of it, when rmcp would let it pass and has nothing to add.
pub fn plain(endpoint: &Endpoint, headers: &HeaderMap, message: &mut Message) -> Option<PlainCall> {
    let name = message.tool()?;
    let agree = header_equals(headers, &PROTOCOL, REVISION)
        && header_equals(headers, &METHOD, "tools/call")
        && header_equals(headers, &NAME, name)
        && !name.starts_with(ENCODED)
        && !headers.contains_key(&SESSION)
        && accepts(headers);
    if !agree || Prepared::of(endpoint).is_headed(endpoint, name) {
        return None;
    }
    message.take_plain_call()
}

/// True when a header is given exactly once, with this value.
fn header_equals(headers: &HeaderMap, name: &HeaderName, expected: &str) -> bool {
    let mut values = headers.get_all(name).iter();
    let first = values.next().and_then(|value| value.to_str().ok());
    first == Some(expected) && values.next().is_none()
}

/// rmcp asks for both, whichever it answers with.
fn accepts(headers: &HeaderMap) -> bool {
    let given = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.contains("application/json") && given.contains("text/event-stream")
}

/// Makes the call and answers it. A `long` one has a thread of its own.
pub async fn answer(endpoint: Arc<Endpoint>, arrived: Arrived, call: PlainCall, long: bool) -> Response {
    endpoint.metrics.went_the_short_way();
    let cancelled = CancellationToken::new();
    // Boxed where it is made: it is long, and every function that it is handed to would copy it.
    let call = AssertUnwindSafe(mcp::answer_plain(endpoint, arrived, call, cancelled.clone())).catch_unwind();
    let answered = run_detached(Box::pin(call), cancelled, long).await;
    let body = answered.and_then(|message| Some((status(&message), serde_json::to_vec(&message).ok()?)));
    match body {
        Some((status, body)) => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
        None => (StatusCode::INTERNAL_SERVER_ERROR, "the call ended without an answer").into_response(),
    }
}

/// Runs a call to completion, also when its client has gone: then it is cancelled, and leaves its record like any other. Returns `None` when it panicked outside of the handlers.
async fn run_detached<T: Send + 'static>(
    call: BoxFuture<'static, std::thread::Result<T>>,
    cancelled: CancellationToken,
    long: bool,
) -> Option<T> {
    let _over = cancelled.drop_guard();
    if long { on_own_thread(call).await?.ok() } else { DetachOnDrop(Some(call)).await.ok() }
}

/// A future that is spawned as a detached task when it is dropped before it is done.
struct DetachOnDrop<T: Send + 'static>(Option<BoxFuture<'static, T>>);

impl<T: Send + 'static> Future for DetachOnDrop<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let work = self.0.as_mut().expect("work that is done is not polled again");
        let done = std::task::ready!(work.as_mut().poll(cx));
        self.0 = None;
        Poll::Ready(done)
    }
}

impl<T: Send + 'static> Drop for DetachOnDrop<T> {
    fn drop(&mut self) {
        // Without a runtime the server has ended, and with it everything that the work could wait for.
        if let (Some(work), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(work);
        }
    }
}

/// Runs a call on a thread of its own with lower priority. Returns `None` if no thread can be spawned.
async fn on_own_thread<T: Send + 'static>(call: BoxFuture<'static, T>) -> Option<T> {
    let (runtime, (done, outcome)) = (Handle::current(), oneshot::channel());
    let work = move || {
        lower_priority();
        // Nobody listens any more when the caller has gone.
        let _ = done.send(runtime.block_on(call));
    };
    std::thread::Builder::new().name("long-call".to_owned()).spawn(work).ok()?;
    outcome.await.ok()
}

/// Lowers the priority of this thread. Linux only: elsewhere niceness is that of the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "a long call has the priority of all others");
    }
}

/// As rmcp has it: of our faults, only a client that cannot answer what must be asked made a bad request.
fn status(message: &Plain) -> StatusCode {
    let Plain::Other(message) = message else { return StatusCode::OK };
    match &**message {
        ServerJsonRpcMessage::Error(fault) if fault.error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}
