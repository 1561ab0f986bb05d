//! One request, from its headers to rmcp.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{CallError, RequestMeta};
use futures::StreamExt;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::body::{Bounds, Turns, Unread, Whole};
use super::direct;
use super::sessions::{self, Sessions, Standing};
use crate::Endpoint;
use crate::admission::{self, Addresses, Admission, Arrival, Rejection};
use crate::config::ToolNames;
use crate::mcp::{Arrived, Handler};
use crate::message::{Message, MessageKind, error_response};
use crate::trace::Given;

const SESSION: &str = "mcp-session-id";
const PROTOCOL: &str = "mcp-protocol-version";
const STATELESS_SINCE: &str = "2026-07-28";
/// A message that is longer is read, and a call in it made, on a thread of its own, so that others need not wait for it.
const LONG_BYTES: usize = 128 * 1024;

type Service = StreamableHttpService<Handler, Sessions>;

/// What a door hangs on.
pub struct Hinges {
    pub endpoint: Arc<Endpoint>,
    pub admission: Arc<Admission>,
    pub addresses: Addresses,
    pub ready: Arc<AtomicBool>,
    /// Shared by all doors.
    pub turns: Turns,
    pub stopping: CancellationToken,
}

/// The door of one endpoint.
pub struct Door {
    endpoint: Arc<Endpoint>,
    admission: Arc<Admission>,
    addresses: Addresses,
    ready: Arc<AtomicBool>,
    turns: Turns,
    sessions: Arc<Sessions>,
    /// With sessions, for the initialize era.
    in_session: Service,
    /// Without: the stateless era, and single requests of any era.
    single: Service,
    /// Fires when the server stops: streams end, calls go on.
    stopping: CancellationToken,
}

/// Why a request ends here, as a response.
type Ended = Box<Response>;

impl Door {
    pub fn new(hinges: Hinges) -> Self {
        let Hinges { endpoint, admission, addresses, ready, turns, stopping } = hinges;
        let sessions = Arc::new(Sessions::new(endpoint.seal.clone(), &endpoint.config.limits));
        let service = |with_sessions: bool| {
            // Host and Origin are checked by admission, with the same answer for every refusal.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .disable_allowed_origins()
                .with_json_response(true)
                .with_legacy_session_mode(with_sessions)
                .with_sse_retry(None)
                .with_max_request_body_bytes(endpoint.body_bytes_max());
            let handler = (endpoint.clone(), stopping.clone());
            let make = move || Ok(Handler::new(handler.0.clone(), None, handler.1.clone()));
            StreamableHttpService::new(make, sessions.clone(), config)
        };
        let (in_session, single) = (service(true), service(false));
        Self { endpoint, admission, addresses, ready, turns, sessions, in_session, single, stopping }
    }

    async fn pass(&self, request: Request) -> Result<Response, Ended> {
        if !self.ready.load(Ordering::Relaxed) {
            return Err(refused(
                StatusCode::SERVICE_UNAVAILABLE,
                None,
                -32603,
                "the server is stopping; try again in a moment",
            ));
        }
        // Cheap and first: no byte of a foreign page's body is read.
        self.addresses.check(request.headers()).map_err(|rejection| self.rejected(&rejection, None, None))?;
        let (mut parts, body) = request.into_parts();
        let message = match parts.method {
            Method::POST => Some(self.message(&parts.headers, body).await?),
            Method::GET | Method::DELETE => None,
            _ => {
                return Err(refused(
                    StatusCode::METHOD_NOT_ALLOWED,
                    None,
                    -32600,
                    "use POST; initialize-era sessions also GET and DELETE",
                ));
            }
        };
        // A large body's turn lasts until its call is answered.
        let (mut message, bytes, _turn) =
            message.map_or((None, Bytes::new(), None), |(message, Whole { bytes, turn })| (Some(message), bytes, turn));
        let now = self.endpoint.clock.now();
        let arrival = Arrival { door: admission::Door::Http(&parts.headers), message: message.as_ref(), now };
        let admitted = self
            .admission
            .admit(&arrival, self.endpoint.capability.manifest())
            .map_err(|rejection| self.rejected(&rejection, message.as_ref(), Some(&parts.headers)))?;

        put_media_right(&mut parts.headers, &parts.method);
        let request = self.request_meta(&parts.headers, message.as_ref());
        let arrived = Arrived { admitted, request, names: names_wanted(parts.uri.query()) };
        let long = bytes.len() > LONG_BYTES;
        let plain = if long {
            let (endpoint, headers, mut looked_at) = (self.endpoint.clone(), parts.headers.clone(), message);
            let look = move || (looked_at.as_mut().and_then(|it| direct::plain(&endpoint, &headers, it)), looked_at);
            let (plain, left) = apart(look).await?;
            message = left;
            plain
        } else {
            message.as_mut().and_then(|it| direct::plain(&self.endpoint, &parts.headers, it))
        };
        if let Some(call) = plain {
            // All of them are in the call now, and they may be a file.
            drop(bytes);
            return Ok(direct::answer(self.endpoint.clone(), arrived, call, long).await);
        }

        let caller = format!("{}|{}", arrived.admitted.scope.tenant, arrived.admitted.principal.id());
        if message.as_ref().is_some_and(|message| message.method == "initialize") {
            // It opens a session, and must not reach into one that is named beside it.
            parts.headers.remove(SESSION);
        }
        let service = self.service_for(&parts, message.as_ref(), &caller).await?;
        parts.extensions.insert(arrived);
        let follows = parts.method == Method::GET;
        let id = message.and_then(|message| message.id);
        let request = Request::from_parts(parts, Body::from(bytes));
        let response = sessions::opening_for(caller, service.handle(request)).await.into_response();
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            // rmcp's word for a message that it cannot read.
            return Err(refused(StatusCode::BAD_REQUEST, id, -32600, "this is not a message of the protocol"));
        }
        Ok(if follows { ending_with(response, self.stopping.clone()) } else { response })
    }

    /// The body, read within its bounds and parsed once.
    async fn message(&self, headers: &HeaderMap, body: Body) -> Result<(Message, Whole), Ended> {
        let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
            return Err(refused(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                None,
                -32600,
                "send Content-Type: application/json",
            ));
        }
        let limits = &self.endpoint.config.limits;
        let bounds = Bounds {
            bytes_max: self.endpoint.body_bytes_max(),
            read_timeout: Duration::from_millis(limits.read_timeout_ms),
            turn_timeout: Duration::from_millis(limits.call_timeout_ms),
            turns: &self.turns,
            sender_waits: headers.contains_key(header::EXPECT),
        };
        let known = || self.admission.knows(headers, self.endpoint.clock.now());
        let mut whole = bounds.read(body, known).await.map_err(|unread| self.unread(&unread, headers))?;
        let depth_max = limits.depth_max;
        let parsed = if whole.bytes.len() > LONG_BYTES {
            let bytes = whole.bytes.clone();
            apart(move || Message::parse(&bytes, depth_max)).await?
        } else {
            Message::parse(&whole.bytes, depth_max)
        };
        let message = parsed.map_err(|malformed| json_response(StatusCode::BAD_REQUEST, &malformed.response()))?;
        if message.unwrapped {
            self.endpoint.metrics.unwrapped(1);
        }
        if message.rewritten {
            whole.bytes = Bytes::from(message.to_bytes());
        }
        Ok((message, whole))
    }

    /// The answer to a body that was not read.
    fn unread(&self, unread: &Unread, headers: &HeaderMap) -> Ended {
        let refusal = |status, text: &str| refused(status, None, -32600, text);
        match unread {
            Unread::TooLarge { bytes } => {
                let bytes_max = self.endpoint.body_bytes_max();
                match self.endpoint.capability.too_large(*bytes, bytes_max as u64) {
                    Some(error) => {
                        let request = self.request_meta(headers, None);
                        let envelope = self.endpoint.capability.envelope(&request, &error);
                        json_response(StatusCode::PAYLOAD_TOO_LARGE, &envelope)
                    }
                    None => {
                        let text = format!("the body is larger than {bytes_max} bytes");
                        refusal(StatusCode::PAYLOAD_TOO_LARGE, &text)
                    }
                }
            }
            Unread::Broken => refusal(StatusCode::BAD_REQUEST, "the body could not be read"),
            Unread::Slow => refusal(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive"),
            Unread::Busy => {
                let text = "too many large requests are under way; try again in a moment";
                refused(StatusCode::SERVICE_UNAVAILABLE, None, -32603, text)
            }
            Unread::Rejected(rejection) => self.rejected(rejection, None, Some(headers)),
        }
    }

    /// With or without a session.
    async fn service_for(
        &self,
        parts: &axum::http::request::Parts,
        message: Option<&Message>,
        caller: &str,
    ) -> Result<&Service, Ended> {
        let text = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let id = message.and_then(|message| message.id.clone());
        if let Some(lacking) = message.and_then(lacking) {
            return Err(refused(StatusCode::BAD_REQUEST, id, -32602, lacking));
        }
        let stateless = message
            .is_some_and(|message| message.protocol_version().is_some() || message.method == "server/discover")
            || text(PROTOCOL)
                .is_some_and(|version| version >= STATELESS_SINCE && version.len() == STATELESS_SINCE.len());
        if stateless {
            return Ok(&self.single);
        }
        if message.is_some_and(|message| message.method == "initialize") {
            let open = self.sessions.count().await;
            self.endpoint.metrics.sessions.set(i64::try_from(open).unwrap_or(i64::MAX));
            if open >= self.endpoint.config.limits.sessions_max {
                return Err(refused(
                    StatusCode::SERVICE_UNAVAILABLE,
                    id,
                    -32603,
                    "too many sessions are open; try again later",
                ));
            }
            return Ok(&self.in_session);
        }
        let Some(session) = text(SESSION) else {
            // A single request needs no session; a stream without one has nothing to carry.
            return if message.is_some() {
                Ok(&self.single)
            } else {
                Err(refused(
                    StatusCode::METHOD_NOT_ALLOWED,
                    None,
                    -32600,
                    "a stream needs a session; open one with initialize",
                ))
            };
        };
        let standing = self.sessions.standing(session, caller).await;
        if parts.method == Method::DELETE && standing != Standing::Unknown {
            self.sessions.bury(session);
        }
        match standing {
            Standing::Open => Ok(&self.in_session),
            Standing::Forgotten if message.is_some_and(|message| message.kind != MessageKind::Response) => {
                Ok(&self.single)
            }
            Standing::Forgotten | Standing::Unknown => {
                Err(refused(StatusCode::NOT_FOUND, id, -32600, "there is no such session; open one with initialize"))
            }
        }
    }

    fn request_meta(&self, headers: &HeaderMap, message: Option<&Message>) -> RequestMeta {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let said = |name: &str| message.and_then(|message| message.meta(name));
        let given = Given {
            correlation: said("correlation_id").or_else(|| header("x-correlation-id")),
            traceparent: said("traceparent").or_else(|| header("traceparent")),
            tracestate: said("tracestate").or_else(|| header("tracestate")),
        };
        given.request_meta(self.endpoint.ids.next())
    }

    /// Refuses, counts and records.
    fn rejected(&self, rejection: &Rejection, message: Option<&Message>, headers: Option<&HeaderMap>) -> Ended {
        let empty = HeaderMap::new();
        let request = self.request_meta(headers.unwrap_or(&empty), message);
        self.endpoint.record_rejection("http", rejection, message, &request);
        let id = message.and_then(|message| message.id.clone());
        let status = StatusCode::from_u16(rejection.status()).unwrap_or(StatusCode::FORBIDDEN);
        let mut response = refused(status, id, -32600, &rejection.to_string());
        if let Rejection::Pace { retry_after_s } = rejection {
            let error = CallError::rate_limited(*retry_after_s);
            response = json_response(status, &self.endpoint.capability.envelope(&request, &error));
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(*retry_after_s));
        }
        response
    }
}

/// Works on a thread that may be busy for long.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Ended> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| refused(StatusCode::INTERNAL_SERVER_ERROR, None, -32603, "the message could not be read"))
}

/// What a first message does not bring, though it must.
fn lacking(message: &Message) -> Option<&'static str> {
    match message.method.as_str() {
        _ if message.is_stateless() => None,
        "server/discover" => Some("server/discover needs protocolVersion and clientCapabilities in _meta"),
        "initialize" if !message.is_sound_initialize() => {
            Some("initialize needs protocolVersion, capabilities and clientInfo")
        }
        _ => None,
    }
}

/// Serves one request of an endpoint.
pub async fn enter(State(door): State<Arc<Door>>, request: Request) -> Response {
    let ends_session = request.method() == Method::DELETE;
    // The way through rmcp is long, and axum moves what it is given more than once.
    let mut response = match Box::pin(door.pass(request)).await {
        Ok(response) => response,
        Err(ended) => *ended,
    };
    if ends_session && response.status() == StatusCode::ACCEPTED {
        // The session has ended already, and some clients take "accepted" for a failure.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    if !door.ready.load(Ordering::Relaxed) {
        // So that no client sends its next call on a connection that is about to close.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// rmcp demands that both media types are named, and in lower case; a client that takes anything takes these.
fn put_media_right(headers: &mut HeaderMap, method: &Method) {
    if method == Method::POST {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let given = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
    let anything = given
        .split(',')
        .any(|media| matches!(media.split(';').next().unwrap_or_default().trim(), "*/*" | "application/*"));
    if anything {
        let both = if method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        headers.insert(header::ACCEPT, HeaderValue::from_static(both));
    }
}

/// A stream that follows a session has no end of its own.
fn ending_with(response: Response, stopping: CancellationToken) -> Response {
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(stopping.cancelled_owned())))
}

/// `?names=underscore` or `?names=dot` on the endpoint.
fn names_wanted(query: Option<&str>) -> Option<ToolNames> {
    query?.split('&').find_map(|pair| match pair {
        "names=underscore" => Some(ToolNames::Underscore),
        "names=dot" => Some(ToolNames::Dot),
        _ => None,
    })
}

fn refused(status: StatusCode, id: Option<Value>, code: i64, message: &str) -> Ended {
    json_response(status, &error_response(id, code, message, None))
}

fn json_response(status: StatusCode, body: &Value) -> Ended {
    Box::new((status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response())
}
