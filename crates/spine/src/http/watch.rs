//! Streams end when the credential of whoever opened them does: at its expiry, or soon after it was revoked.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use futures::StreamExt as _;
use scope::Timestamp;

use crate::Endpoint;
use crate::admission::{Admission, Asked, Door};

/// How often the credential of an open stream is looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// What is needed to look at a credential again.
pub struct Watch {
    pub admission: Arc<Admission>,
    pub endpoint: Arc<Endpoint>,
    /// The headers that identify the caller, and nothing else.
    pub credential: HeaderMap,
    pub expires: Timestamp,
}

impl Watch {
    /// Returns when the credential is no longer good.
    async fn until_over(mut self) {
        loop {
            let left = self.expires.0.saturating_sub(self.endpoint.clock.now().0);
            let left = Duration::from_micros(u64::try_from(left).unwrap_or_default());
            tokio::time::sleep(left.min(LOOK_AGAIN)).await;
            let now = self.endpoint.clock.now();
            if now >= self.expires {
                return;
            }
            let endpoint = &self.endpoint.capability.manifest().name;
            let asked = Asked { door: Door::Http(&self.credential), endpoint, now, from: None };
            match self.admission.identify(asked).await {
                Ok(who) => self.expires = who.expires.unwrap_or(self.expires),
                // Whoever cannot be asked now is asked again.
                Err(crate::admission::Rejection::IssuerDown { .. }) => {}
                Err(_) => return,
            }
        }
    }
}

/// What of a request says who sent it.
pub fn credential(headers: &HeaderMap) -> HeaderMap {
    headers.get(header::AUTHORIZATION).map(|value| (header::AUTHORIZATION, value.clone())).into_iter().collect()
}

pub fn is_stream(response: &Response) -> bool {
    let media = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media.is_some_and(|media| media.starts_with("text/event-stream"))
}

/// The same stream, which ends with the credential.
pub fn watched(response: Response, watch: Watch) -> Response {
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(watch.until_over()))))
}
