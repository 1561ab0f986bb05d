//! Files on their way out: what a signed address gives access to.
//!
//! The signature is the credential, so no token is asked for. Whatever is wrong with an address, the answer is the same.
//! The bytes are never shown inside a page: a browser saves them.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use blobs::sign::{Granted, Links};
use blobs::{Blobs, CHUNK_BYTES, Error, FileBlobs};
use contract::RequestMeta;
use scope::{Clock, IdSource as _, RandomIds, SystemClock, TenantId};
use spine::audit::{AuditRecord, AuditSink, Refusals};
use spine::metrics::Metrics;
use spine::trace::Given;
use tokio_util::io::ReaderStream;

use crate::Config;

mod range;

use range::Part;

/// The files of a platform, and the addresses under which they are served. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    pub blobs: Arc<dyn Blobs>,
    pub links: Arc<Links>,
    pub clock: Arc<dyn Clock>,
    pub audit: Arc<dyn AuditSink>,
    pub metrics: Metrics,
    /// Requests with addresses that are none.
    pub refusals: Arc<Refusals>,
}

impl Files {
    /// Opens the files of the configured data directory. Every request for one leaves its record.
    pub fn open(config: &Config, audit: Arc<dyn AuditSink>, metrics: Metrics) -> anyhow::Result<Self> {
        let blobs = FileBlobs::open(config.blobs())?;
        let links = Links::new(&crate::platform::secret(&config.data)?, &config.public_base());
        let (blobs, links, clock) = (Arc::new(blobs), Arc::new(links), Arc::new(SystemClock));
        Ok(Self { blobs, links, clock, audit, metrics, refusals: Arc::default() })
    }

    /// `/files/…`, for GET and HEAD.
    pub fn router(&self) -> Router {
        Router::new().route("/files/{*path}", get(serve)).with_state(self.clone())
    }

    /// Leaves the record of a request. Whoever has an address is as nameless as the address.
    async fn record(&self, method: &Method, granted: Option<&Granted>, status: StatusCode, started: Instant) {
        let now = self.clock.now();
        let unknown = || TenantId::new("-").expect("a literal that is a valid id");
        let left_out = if granted.is_some() { Some(0) } else { self.refusals.take("", now) };
        let Some(left_out) = left_out else { return self.metrics.summarized() };
        let arguments = if left_out > 0 { format!(r#"{{"refusals_left_out":{left_out}}}"#) } else { String::new() };
        let (outcome, decision) = match status.as_u16() {
            200..300 => ("ok", "signed address"),
            500.. => ("failed", "signed address"),
            _ if granted.is_none() => ("refused", "no signed address"),
            _ => ("refused", "signed address"),
        };
        let RequestMeta { request_id, correlation_id, trace_id, .. } = Given::default().request_meta(RandomIds.next());
        let appending = self.audit.append(AuditRecord {
            at: now,
            tenant: granted.map_or_else(unknown, |granted| granted.key.folder().tenant().clone()),
            principal: String::new(),
            principal_kind: "address",
            transport: "http",
            client: None,
            method: if *method == Method::HEAD { "files/head" } else { "files/get" }.into(),
            target: granted.map(|granted| granted.key.to_string()).unwrap_or_default(),
            arguments: arguments.into(),
            arguments_hash: "".into(),
            request_id,
            correlation_id,
            trace_id,
            decision: decision.into(),
            outcome,
            error_code: (outcome != "ok").then(|| status.as_u16().to_string()),
            duration_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        });
        if let Some(appending) = appending {
            appending.await;
        }
    }

    async fn answer(&self, granted: &Granted, asked: Option<&str>) -> Result<Response, Error> {
        let size = self.blobs.len(&granted.key).await?;
        let part = match asked {
            None => Part::whole(size),
            Some(asked) => Part::asked(asked, size),
        };
        let Some(part) = part else {
            let everything = format!("bytes */{size}");
            return Ok((StatusCode::RANGE_NOT_SATISFIABLE, [(header::CONTENT_RANGE, everything)]).into_response());
        };
        let reader = self.blobs.read(&granted.key, part.start, part.length).await?;
        let mut response = Body::from_stream(ReaderStream::with_capacity(reader, CHUNK_BYTES)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(part.length));
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        if let Ok(media) = HeaderValue::from_str(&granted.media) {
            headers.insert(header::CONTENT_TYPE, media);
        }
        if part.is_partial {
            let text = format!("bytes {}-{}/{size}", part.start, part.start + part.length - 1);
            headers.extend(HeaderValue::from_str(&text).ok().map(|text| (header::CONTENT_RANGE, text)));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        }
        Ok(response)
    }
}

async fn serve(State(files): State<Files>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let address = uri.path_and_query().map_or("", |address| address.as_str());
    let started = Instant::now();
    let granted = files.links.granted(address, files.clock.now()).ok();
    let mut response = match &granted {
        None => StatusCode::FORBIDDEN.into_response(),
        Some(granted) => {
            let mut ranges = headers.get_all(header::RANGE).iter();
            // A range is a matter of GET, and only one of them.
            let asked = ranges.next().filter(|_| method == Method::GET && ranges.next().is_none());
            match files.answer(granted, asked.and_then(|asked| asked.to_str().ok())).await {
                Ok(response) => response,
                Err(Error::NotFound) => StatusCode::NOT_FOUND.into_response(),
                Err(error) => {
                    tracing::error!(%error, cause = ?std::error::Error::source(&error), "a file could not be served");
                    StatusCode::INTERNAL_SERVER_ERROR.into_response()
                }
            }
        }
    };
    files.record(&method, granted.as_ref(), response.status(), started).await;
    let always = [
        (header::CONTENT_DISPOSITION, "attachment"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "private, no-store"),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    response.headers_mut().extend(always.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}
