//! One request, from its headers to rmcp.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{CallError, RequestMeta};
use futures::StreamExt;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use scope::{Principal, Scope};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::body::{self, Bounds, Unread, Whole};
use super::direct;
use super::media::{self, Wanted};
use super::memory::Memory;
use super::proxies::{Peer, Proxies};
use super::sessions::{self, SessionFlight, Sessions, Standing};
use super::watch::{Watch, credential, is_stream, watched};
use crate::admission::{self, Addresses, Admission, Asked, Rejection};
use crate::config::ToolNames;
use crate::endpoint::Refused;
use crate::long::{self, LONG_BYTES};
use crate::mcp::{self, Arrived, Handler};
use crate::message::{Message, MessageKind, error_response};
use crate::trace::{self, Given};
use crate::{Endpoint, in_flight};

const SESSION: &str = "mcp-session-id";
const PROTOCOL: &str = "mcp-protocol-version";
const STATELESS_SINCE: &str = "2026-07-28";

type Service = StreamableHttpService<Handler, Sessions>;

/// What a door is made of.
pub struct DoorParts {
    pub endpoint: Arc<Endpoint>,
    pub admission: Arc<Admission>,
    pub addresses: Addresses,
    pub proxies: Proxies,
    pub ready: Arc<AtomicBool>,
    /// Shared by all doors.
    pub memory: Memory,
    pub stopping: CancellationToken,
}

/// The door of one endpoint.
pub struct Door {
    endpoint: Arc<Endpoint>,
    admission: Arc<Admission>,
    addresses: Addresses,
    proxies: Proxies,
    ready: Arc<AtomicBool>,
    memory: Memory,
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
    pub fn new(parts: DoorParts) -> Self {
        let DoorParts { endpoint, admission, addresses, proxies, ready, memory, stopping } = parts;
        let sessions = Arc::new(Sessions::new(
            endpoint.seal.clone(),
            &endpoint.capability.manifest().name,
            &endpoint.config.limits,
        ));
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
        Self { endpoint, admission, addresses, proxies, ready, memory, sessions, in_session, single, stopping }
    }

    async fn pass(&self, request: Request) -> Result<Response, Ended> {
        if !self.ready.load(Ordering::Relaxed) {
            self.refused("stopping", request.headers(), None);
            return Err(refused(
                StatusCode::SERVICE_UNAVAILABLE,
                None,
                -32603,
                "the server is stopping; try again in a moment",
            ));
        }
        let (mut parts, body) = request.into_parts();
        // First what needs no message: no byte is read for somebody who may not come in.
        self.addresses.check_target(&parts.uri).map_err(|rejection| self.rejected(&rejection, None, &parts.headers))?;
        if carries_token(parts.uri.query()) {
            return Err(self.rejected(&Rejection::TokenPlace, None, &parts.headers));
        }
        let from = parts.extensions.get().map(|peer: &Peer| self.proxies.client(*peer, &parts.headers));
        let met = match self.admission.meet(Asked { from, ..self.asked(&parts.headers) }).await {
            Ok(met) => met,
            Err(rejection) => {
                if matches!(rejection, Rejection::Pace { .. } | Rejection::AddressPace { .. }) {
                    body::discard(body, self.read_timeout()).await;
                }
                return Err(self.rejected(&rejection, None, &parts.headers));
            }
        };
        let message = match parts.method {
            Method::POST => Some(self.message(&parts.headers, body).await?),
            Method::GET | Method::DELETE => None,
            _ => {
                self.refused("method", &parts.headers, None);
                return Err(refused(
                    StatusCode::METHOD_NOT_ALLOWED,
                    None,
                    -32600,
                    "use POST; initialize-era sessions also GET and DELETE",
                ));
            }
        };
        // What a body takes is taken until its call is answered.
        let (mut message, bytes, _held) = message
            .map_or((None, Bytes::new(), None), |(message, Whole { bytes, held })| (Some(message), bytes, Some(held)));
        let admitted = met
            .admit(message.as_ref(), self.endpoint.capability.manifest())
            .map_err(|rejection| self.rejected(&rejection, message.as_ref(), &parts.headers))?;

        let wanted = media::put_right(&mut parts.headers, &parts.method);
        let request = self.request_meta(&parts.headers, message.as_ref());
        let arrived =
            Arrived { admitted, request, names: names_wanted(parts.uri.query()), is_sessionless: false, client: None };
        if let Some(message) = message.as_ref().filter(|message| message.inexact.is_some()) {
            let arrived = Arrived { client: client(&parts.headers, message), ..arrived };
            let status = if message.tool().is_some() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
            let refusal = mcp::refuse_inexact(&self.endpoint, arrived, message).await;
            return Err(json_response(status, &refusal));
        }
        let long = bytes.len() > LONG_BYTES;
        let take = || message.as_mut().and_then(|message| direct::plain(&self.endpoint, &parts.headers, message));
        if let Some(call) = long::work_on(bytes.len(), take) {
            // All of them are in the call now, and they may be a file.
            drop(bytes);
            return Ok(direct::answer(self.endpoint.clone(), arrived, call, long).await);
        }
        let endless = message.as_ref().filter(|message| message.method == "subscriptions/listen");
        if let (Wanted::Json, Some(message)) = (wanted, endless) {
            self.refused("accept", &parts.headers, Some(message));
            let text = "changes are sent as they happen; send Accept: text/event-stream";
            return Err(refused(StatusCode::NOT_ACCEPTABLE, message.id.clone(), -32600, text));
        }
        // The way through rmcp is long, and plain calls do not carry the room for it.
        let response = Box::pin(self.through_rmcp(parts, message, bytes, arrived)).await?;
        Ok(match wanted {
            Wanted::Json => media::as_json(response).await,
            Wanted::Either => response,
        })
    }

    /// Hands a request to rmcp, in its session where it has one.
    async fn through_rmcp(
        &self,
        mut parts: Parts,
        message: Option<Message>,
        bytes: Bytes,
        mut arrived: Arrived,
    ) -> Result<Response, Ended> {
        let caller = arrived.admitted.caller();
        if message.as_ref().is_some_and(|message| message.method == "initialize") {
            // It opens a session, and must not reach into one that is named beside it.
            parts.headers.remove(SESSION);
        }
        let service = self.service_for(&parts, message.as_ref(), &caller).await.inspect_err(|_| {
            self.refused("session", &parts.headers, message.as_ref());
        })?;
        let mut flight = None;
        if let Some(message) = &message {
            if std::ptr::eq(service, &self.single) {
                (arrived.is_sessionless, arrived.client) = (true, client(&parts.headers, message));
            } else if let (Some(session), MessageKind::Request) = (text(&parts.headers, SESSION), message.kind) {
                let begun = message.request_id().and_then(|id| self.sessions.begin(session, id));
                let twice = || {
                    self.refused("in_flight", &parts.headers, Some(message));
                    refused(StatusCode::BAD_REQUEST, message.id.clone(), -32600, in_flight::REFUSAL)
                };
                flight = Some(begun.ok_or_else(twice)?);
            }
        }
        if let Some(flight) = flight.clone() {
            parts.extensions.insert(flight);
        }
        let who = (arrived.admitted.principal.clone(), arrived.admitted.scope.clone());
        let expires = arrived.admitted.expires;
        let meta = arrived.request.clone();
        parts.extensions.insert(arrived);
        let follows = parts.method == Method::GET;
        let watch = expires.map(|expires| Watch {
            admission: self.admission.clone(),
            endpoint: self.endpoint.clone(),
            credential: credential(&parts.headers),
            expires,
        });
        let id = message.and_then(|message| message.id);
        let long = bytes.len() > LONG_BYTES;
        let request = Request::from_parts(parts, Body::from(bytes));
        let handling = Box::pin(sessions::opening_for(caller, service.handle(request)));
        let response = if long { long::to_the_end(handling).await } else { handling.await }.into_response();
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            // rmcp's word for a message that it cannot read.
            self.endpoint.record_refused(Refused::unread("http", "malformed", &meta).by(Some(who)));
            return Err(refused(StatusCode::BAD_REQUEST, id, -32600, "this is not a message of the protocol"));
        }
        let response = match watch {
            Some(watch) if is_stream(&response) => watched(response, watch),
            _ => response,
        };
        Ok(match (follows, flight) {
            (true, _) => ending_with(response, self.stopping.clone()),
            (false, Some(flight)) => holding(response, flight),
            (false, None) => response,
        })
    }

    fn read_timeout(&self) -> Duration {
        Duration::from_millis(self.endpoint.config.limits.read_timeout_ms)
    }

    /// The body, read within its bounds and parsed once.
    async fn message(&self, headers: &HeaderMap, body: Body) -> Result<(Message, Whole), Ended> {
        media::check(headers).map_err(|text| {
            self.refused("media_type", headers, None);
            refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, None, -32600, text)
        })?;
        let limits = &self.endpoint.config.limits;
        let bounds = Bounds {
            bytes_max: self.endpoint.body_bytes_max(),
            read_timeout: self.read_timeout(),
            turn_timeout: Duration::from_millis(limits.call_timeout_ms),
            memory: &self.memory,
            sender_waits: headers.contains_key(header::EXPECT),
        };
        let mut whole = bounds.read(body).await.map_err(|unread| self.unread(&unread, headers))?;
        let _parsing = if whole.bytes.len() > LONG_BYTES { self.memory.parsing().await } else { None };
        let parsed = long::work_on(whole.bytes.len(), || Message::parse(&whole.bytes, limits.depth_max));
        let message = parsed.map_err(|malformed| {
            self.refused("malformed", headers, None);
            let status = if malformed.is_too_large { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST };
            json_response(status, &malformed.response())
        })?;
        let room = self.memory.take_values(&mut whole.held, message.values);
        room.map_err(|full| self.unread(&full.into(), headers))?;
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
        let reason = match unread {
            Unread::TooLarge { .. } => "too_large",
            Unread::Broken => "broken",
            Unread::Slow => "slow",
            Unread::Busy => "busy",
        };
        self.refused(reason, headers, None);
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
                let text = "the requests under way take all the memory there is for them; try again in a moment";
                refused(StatusCode::SERVICE_UNAVAILABLE, None, -32603, text)
            }
        }
    }

    /// With or without a session.
    async fn service_for(&self, parts: &Parts, message: Option<&Message>, caller: &str) -> Result<&Service, Ended> {
        let text = |name| text(&parts.headers, name);
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
            if open >= self.endpoint.config.limits.sessions_max || !self.sessions.has_room_for(caller) {
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
            agent_id: said("agent_id").or_else(|| header("x-agent-id")),
            agent_type: said("agent_type").or_else(|| header("x-agent-type")),
        };
        given.request_meta(self.endpoint.ids.next())
    }

    fn asked<'a>(&'a self, headers: &'a HeaderMap) -> Asked<'a> {
        let endpoint = &self.endpoint.capability.manifest().name;
        Asked { door: admission::Door::Http(headers), endpoint, now: self.endpoint.clock.now(), from: None }
    }

    fn who(&self, headers: &HeaderMap) -> Option<(Principal, Scope)> {
        self.admission.who(&self.asked(headers))
    }

    /// Leaves the record of a request that does not become a call.
    fn refused(&self, reason: &'static str, headers: &HeaderMap, message: Option<&Message>) {
        let request = self.request_meta(headers, message);
        let refused = Refused::unread("http", reason, &request).saying(message).by(self.who(headers));
        self.endpoint.record_refused(refused);
    }

    /// Refuses, counts and records.
    fn rejected(&self, rejection: &Rejection, message: Option<&Message>, headers: &HeaderMap) -> Ended {
        let request = self.request_meta(headers, message);
        let known = rejection.knows_who().then(|| self.who(headers)).flatten();
        let turned_away = Refused::unread("http", rejection.reason(), &request).saying(message).by(known);
        self.endpoint.record_refused(turned_away);
        let id = message.and_then(|message| message.id.clone());
        let status = StatusCode::from_u16(rejection.status()).unwrap_or(StatusCode::FORBIDDEN);
        let mut response = match rejection.oauth_error() {
            Some(error) => json_response(status, &error),
            None => refused(status, id, -32600, &rejection.to_string()),
        };
        if let Rejection::Pace { retry_after_s } | Rejection::AddressPace { retry_after_s } = rejection {
            let error = CallError::rate_limited(*retry_after_s);
            response = json_response(status, &self.endpoint.capability.envelope(&request, &error));
        }
        if let Some(retry_after_s) = rejection.retry_after_s() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after_s));
        }
        let challenge = self.admission.challenge(rejection, &self.endpoint.capability.manifest().name);
        if let Some(challenge) = challenge.and_then(|text| HeaderValue::from_str(&text).ok()) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
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
    // axum moves what it is given more than once.
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

/// A stream that follows a session has no end of its own.
fn ending_with(response: Response, stopping: CancellationToken) -> Response {
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(stopping.cancelled_owned())))
}

/// The body holds the id of its request until it is over.
fn holding(response: Response, flight: SessionFlight) -> Response {
    let hold = move |_: &Result<Bytes, axum::Error>| {
        let _ = &flight;
    };
    response.map(|body| Body::from_stream(body.into_data_stream().inspect(hold)))
}

/// Who calls without a session: what the message says, or else the header.
fn client(headers: &HeaderMap, message: &Message) -> Option<String> {
    message.client().or_else(|| text(headers, "user-agent").map(trace::user_agent))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A token in an address ends up in logs and histories.
fn carries_token(query: Option<&str>) -> bool {
    query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some("access_token")))
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
