//! Asking an issuer about a token that only it can read (RFC 7662).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, header};
use outbound::{Address, Bounds, Client, Request};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use scope::Timestamp;

use crate::Config;
use crate::claims::Claims;
use crate::issuer::{Issuer, Unread};

const BOUNDS: Bounds = Bounds { timeout: Duration::from_secs(5), body_bytes_max: 64 * 1024 };
/// How long an answer is good, and with it a token that was revoked meanwhile.
pub const REMEMBERED_FOR_S: i64 = 10;
const FORM: &str = "application/x-www-form-urlencoded";

/// As whom issuers are asked.
pub struct Introspection {
    client: Client,
    credential: HeaderValue,
}

impl Introspection {
    /// `None` when nobody is to be asked.
    pub fn of(config: &Config, client: Client) -> Option<Self> {
        if config.introspection_client.is_empty() {
            return None;
        }
        let (name, secret) = (encoded(&config.introspection_client), encoded(&config.introspection_secret));
        let mut credential =
            HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(format!("{name}:{secret}")))).ok()?;
        credential.set_sensitive(true);
        Some(Self { client, credential })
    }

    /// What an issuer says about a token; `None` when it is not good.
    pub async fn ask(&self, issuer: &Issuer, token: &str, now: Timestamp) -> Result<Option<Claims>, Unread> {
        const PLACE: &str = "the introspection endpoint";
        let metadata = issuer.metadata_now(now).await?;
        let stated = metadata.get("introspection_endpoint").and_then(|value| value.as_str());
        let address: Address =
            stated.and_then(|text| text.parse().ok()).ok_or(Unread::Form("the address for introspection"))?;
        let mut request = Request::post(FORM, format!("token={}&token_type_hint=access_token", encoded(token)));
        request.headers.insert(header::AUTHORIZATION, self.credential.clone());
        request.headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        let answer = self.client.exchange(&address, request, BOUNDS).await;
        let answer = answer.map_err(|reason| Unread::Place { place: PLACE, reason })?;
        if answer.status.as_u16() != 200 {
            return Err(Unread::Status { place: PLACE, status: answer.status.as_u16() });
        }
        let claims = Claims::read(&answer.body, true).map_err(|_| Unread::Form("the answer about a token"))?;
        let is_active = claims.get("active").and_then(|value| value.as_bool()).unwrap_or(false);
        Ok(is_active.then_some(claims))
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
