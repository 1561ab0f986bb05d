//! A token for a person at a terminal, by the device flow (RFC 8628): the server says who issues tokens, the issuer gives a
//! code, the person confirms it in any browser.

use std::time::Duration;

use outbound::{Address, Bounds, Client, Request};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

const BOUNDS: Bounds = Bounds { timeout: Duration::from_secs(15), body_bytes_max: 256 * 1024 };
const FORM: &str = "application/x-www-form-urlencoded";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// How long to wait between questions when the issuer does not say, and how much longer when it asks for patience.
const INTERVAL_S: u64 = 5;
/// Longest wait for the person, whatever the issuer says.
const PATIENCE_S: u64 = 1800;

/// What to log in to.
#[derive(Debug, Clone)]
pub struct Login {
    /// The address of an endpoint, such as `https://mcp.example.org/CAPABILITY/mcp`.
    pub endpoint: String,
    /// The client id that the issuer knows us by.
    pub client: String,
    /// Scopes to ask for; those that the server names when empty.
    pub scopes: Vec<String>,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("{address} {reason}")]
    Outbound { address: String, reason: outbound::Error },
    #[error("{address} answered with status {status}")]
    Status { address: String, status: u16 },
    #[error("{address} answered with something that is not what was asked for: {lacks} is missing")]
    Lacks { address: String, lacks: &'static str },
    #[error("the metadata at {address} is of {named}, and not of what was asked for")]
    Other { address: String, named: String },
    #[error("{0} has no device flow; enable it there, or use a client with a browser")]
    NoDeviceFlow(String),
    #[error("the issuer refused: {0}")]
    Refused(String),
    #[error("nobody confirmed the code in time")]
    Expired,
}

/// What the person has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub address: String,
    pub code: String,
    /// The address with the code in it, if the issuer gives one.
    pub complete: Option<String>,
}

impl Login {
    /// Gets a token. `ask` is told what the person has to do.
    pub async fn token(&self, client: &Client, ask: impl FnOnce(&Question)) -> Result<String, LoginError> {
        let resource = self.resource(client).await?;
        let issuer =
            issuer_of(client, &text(&resource.document, "authorization_servers/0", &resource.address)?).await?;
        let begin = issuer.document["device_authorization_endpoint"].as_str();
        let begin = begin.ok_or_else(|| LoginError::NoDeviceFlow(issuer.address.clone()))?;
        let redeem = text(&issuer.document, "token_endpoint", &issuer.address)?;
        let named = text(&resource.document, "resource", &resource.address)?;
        let scope = match self.scopes.as_slice() {
            [] => words(&resource.document["scopes_supported"]),
            chosen => chosen.join(" "),
        };
        let form = [("client_id", self.client.as_str()), ("scope", scope.as_str()), ("resource", named.as_str())];
        let begun = post(client, begin, &form).await?;
        let begun = begun.or_refused()?;
        let question = Question {
            address: text(&begun, "verification_uri", begin)?,
            code: text(&begun, "user_code", begin)?,
            complete: begun["verification_uri_complete"].as_str().map(str::to_owned),
        };
        let device = text(&begun, "device_code", begin)?;
        ask(&question);
        let form = [
            ("grant_type", GRANT),
            ("device_code", device.as_str()),
            ("client_id", self.client.as_str()),
            ("resource", named.as_str()),
        ];
        let patience_s = begun["expires_in"].as_u64().unwrap_or(PATIENCE_S).min(PATIENCE_S);
        let waiting = wait_for_token(client, &redeem, &form, begun["interval"].as_u64().unwrap_or(INTERVAL_S));
        tokio::time::timeout(Duration::from_secs(patience_s), waiting).await.unwrap_or(Err(LoginError::Expired))
    }

    /// The metadata of the endpoint, at the place that belongs to it.
    async fn resource(&self, client: &Client) -> Result<Found, LoginError> {
        let (origin, path) = split(&self.endpoint);
        let address = format!("{origin}/.well-known/oauth-protected-resource{path}");
        let document = get(client, &address).await?;
        let named = text(&document, "resource", &address)?;
        // A page that names another server would have us carry our token there.
        if named.trim_end_matches('/') != self.endpoint.trim_end_matches('/') {
            return Err(LoginError::Other { address, named });
        }
        Ok(Found { address, document })
    }
}

struct Found {
    address: String,
    document: Value,
}

/// The metadata of an issuer, at either of the places where clients look.
async fn issuer_of(client: &Client, url: &str) -> Result<Found, LoginError> {
    let (origin, path) = split(url);
    let path = path.trim_end_matches('/');
    let places = [
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{}/.well-known/openid-configuration", url.trim_end_matches('/')),
    ];
    let mut outcome = Err(LoginError::NoDeviceFlow(url.to_owned()));
    for address in places {
        outcome = get(client, &address).await.map(|document| Found { address, document });
        if outcome.is_ok() {
            break;
        }
    }
    let found = outcome?;
    let named = text(&found.document, "issuer", &found.address)?;
    if named == url { Ok(found) } else { Err(LoginError::Other { address: found.address, named }) }
}

/// Asks until the person has confirmed.
async fn wait_for_token(
    client: &Client,
    address: &str,
    form: &[(&str, &str)],
    mut interval_s: u64,
) -> Result<String, LoginError> {
    loop {
        tokio::time::sleep(Duration::from_secs(interval_s)).await;
        let answer = post(client, address, form).await?;
        let error = answer.document["error"].as_str().map(str::to_owned);
        match error.as_deref() {
            None => return text(&answer.or_refused()?, "access_token", address),
            Some("authorization_pending") => {}
            Some("slow_down") => interval_s += INTERVAL_S,
            Some("expired_token") => return Err(LoginError::Expired),
            Some(_) => return answer.or_refused().map(|_| String::new()),
        }
    }
}

struct Answered {
    address: String,
    status: u16,
    document: Value,
}

impl Answered {
    fn or_refused(self) -> Result<Value, LoginError> {
        if let Some(error) = self.document["error"].as_str() {
            let reason = self.document["error_description"].as_str().unwrap_or(error);
            // It goes to a terminal.
            return Err(LoginError::Refused(reason.chars().filter(|char| !char.is_control()).take(300).collect()));
        }
        match self.status {
            200 => Ok(self.document),
            status => Err(LoginError::Status { address: self.address, status }),
        }
    }
}

async fn get(client: &Client, address: &str) -> Result<Value, LoginError> {
    let answer = exchange(client, address, Request::get()).await?;
    match answer.status {
        200 => Ok(answer.document),
        status => Err(LoginError::Status { address: answer.address, status }),
    }
}

async fn post(client: &Client, address: &str, form: &[(&str, &str)]) -> Result<Answered, LoginError> {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let body: Vec<String> = form.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    exchange(client, address, Request::post(FORM, body.join("&"))).await
}

async fn exchange(client: &Client, address: &str, request: Request) -> Result<Answered, LoginError> {
    let failed = |reason| LoginError::Outbound { address: address.to_owned(), reason };
    let parsed: Address = address.parse().map_err(failed)?;
    let answer = client.exchange(&parsed, request, BOUNDS).await.map_err(failed)?;
    let document = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
    Ok(Answered { address: address.to_owned(), status: answer.status.as_u16(), document })
}

/// A text of a document, by a path of names and places.
fn text(document: &Value, lacks: &'static str, address: &str) -> Result<String, LoginError> {
    let found = document.pointer(&format!("/{lacks}")).and_then(Value::as_str);
    found.map(str::to_owned).ok_or_else(|| LoginError::Lacks { address: address.to_owned(), lacks })
}

fn words(list: &Value) -> String {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

/// Scheme and host, and the path.
fn split(url: &str) -> (&str, &str) {
    let start = url.find("://").map_or(0, |at| at + 3);
    let at = url[start..].find('/').map_or(url.len(), |at| start + at);
    let (origin, path) = url.split_at(at);
    (origin, path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_an_origin_and_a_path() {
        assert_eq!(split("https://h/x/mcp"), ("https://h", "/x/mcp"));
        assert_eq!(split("https://h"), ("https://h", ""));
        assert_eq!(split("http://127.0.0.1:8080/mcp/"), ("http://127.0.0.1:8080", "/mcp"));
    }
}
