//! An issuer: where its keys are, and the ones that are known.
//!
//! Keys are read when they are first needed, again every few minutes while tokens come in, and once more when a token names
//! a key that is not known. While the issuer cannot be reached, the known ones go on to serve for a day.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use outbound::{Address, Bounds, Client, Request};
use scope::Timestamp;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use crate::Error;
use crate::keys::Keys;

const BOUNDS: Bounds = Bounds { timeout: Duration::from_secs(5), body_bytes_max: 256 * 1024 };
/// After this the keys are read again, while the known ones serve.
const FRESH_S: i64 = 5 * 60;
/// After this they are no good any more.
const KEPT_S: i64 = 24 * 60 * 60;
/// So long nobody looks again for a key that is not known, or at an issuer that could not be reached.
const COOL_DOWN_S: i64 = 30;
/// The same while nothing is known of an issuer, which may only be starting.
const FIRST_COOL_DOWN_S: i64 = 5;
const SECOND_US: i64 = 1_000_000;

pub struct Issuer {
    url: String,
    jwks: Option<Address>,
    /// Where its metadata may be, in the order in which clients ask too.
    places: Vec<Address>,
    client: Client,
    known: RwLock<Known>,
    /// Held by whoever reads keys, so that all who wait share what it finds.
    reading: Mutex<()>,
}

#[derive(Default, Clone)]
struct Known {
    keys: Arc<Keys>,
    metadata: Option<Arc<Value>>,
    /// When they were read.
    at: Option<Timestamp>,
    /// When somebody last tried, whatever came of it.
    tried: Option<Timestamp>,
    /// When a key that was not known last made somebody read them.
    looked: Option<Timestamp>,
}

/// Why keys could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    #[error("{place} {reason}")]
    Place { place: &'static str, reason: outbound::Error },
    #[error("{place} answered with status {status}")]
    Status { place: &'static str, status: u16 },
    #[error("{0} is not of its form")]
    Form(&'static str),
    #[error("the metadata is of another issuer")]
    OtherIssuer,
}

impl Issuer {
    pub fn new(url: &str, jwks_url: &str, client: Client) -> Result<Self, Error> {
        let address = |setting, text: &str| {
            let misplaced = |reason| Error::Address { setting, address: text.to_owned(), reason };
            let address: Address = text.parse().map_err(misplaced)?;
            client.prepare(&address).map_err(misplaced)?;
            Ok::<_, Error>(address)
        };
        address("issuers", url)?;
        let places = places(url).iter().map(|place| address("issuers", place)).collect::<Result<_, _>>()?;
        let jwks = (!jwks_url.is_empty()).then(|| address("jwks_url", jwks_url)).transpose()?;
        Ok(Self { url: url.to_owned(), jwks, places, client, known: RwLock::default(), reading: Mutex::default() })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// The keys that are good now; `None` when there are none.
    pub fn keys(&self, now: Timestamp) -> Option<Arc<Keys>> {
        let known = self.known();
        known.at.filter(|at| !is_past(*at, KEPT_S, now)).map(|_| known.keys)
    }

    /// What the issuer says about itself, if it could be asked.
    pub fn metadata(&self) -> Option<Arc<Value>> {
        self.known().metadata
    }

    /// Reads the keys again in the background when they have become old.
    pub fn refresh_when_due(self: &Arc<Self>, now: Timestamp) {
        let known = self.known();
        let is_due = known.at.is_none_or(|at| is_past(at, FRESH_S, now));
        let is_cool = known.tried.is_none_or(|tried| is_past(tried, COOL_DOWN_S, now));
        if let (true, true, Ok(runtime)) = (is_due, is_cool, Handle::try_current()) {
            let issuer = self.clone();
            self.change(|known| known.tried = Some(now));
            runtime.spawn(async move { issuer.refresh(now).await });
        }
    }

    /// Reads the keys. False when that was not possible; then the known ones stay.
    pub async fn refresh(&self, now: Timestamp) -> bool {
        let _reading = self.reading.lock().await;
        self.read(now).await
    }

    /// Looks for a key that is not known, unless somebody just did. True when the issuer's keys are known afterwards, with
    /// this one among them or not.
    pub async fn look_for(&self, kid: Option<&str>, now: Timestamp) -> bool {
        let _reading = self.reading.lock().await;
        let Some(keys) = self.keys(now) else {
            let is_cool = self.known().tried.is_none_or(|tried| is_past(tried, FIRST_COOL_DOWN_S, now));
            return is_cool && self.read(now).await;
        };
        // Somebody else may have read it while this one waited.
        if !keys.find(kid).is_empty() {
            return true;
        }
        if self.known().looked.is_none_or(|looked| is_past(looked, COOL_DOWN_S, now)) {
            self.change(|known| known.looked = Some(now));
            self.read(now).await;
        }
        true
    }

    /// What the issuer says about itself, asked for when it is not known.
    pub async fn metadata_now(&self, now: Timestamp) -> Result<Arc<Value>, Unread> {
        if let Some(metadata) = self.metadata() {
            return Ok(metadata);
        }
        let _reading = self.reading.lock().await;
        let metadata = Arc::new(self.discover().await?);
        self.change(|known| (known.metadata, known.tried) = (Some(metadata.clone()), Some(now)));
        Ok(metadata)
    }

    async fn read(&self, now: Timestamp) -> bool {
        self.change(|known| known.tried = Some(now));
        match self.fetch().await {
            Ok((keys, metadata)) => {
                tracing::info!(issuer = self.url, keys = keys.count(), "read the keys of an issuer");
                self.change(|known| {
                    (known.keys, known.at) = (Arc::new(keys), Some(now));
                    if let Some(metadata) = metadata {
                        known.metadata = Some(Arc::new(metadata));
                    }
                });
                true
            }
            Err(error) => {
                tracing::warn!(issuer = self.url, %error, "the keys of an issuer could not be read");
                false
            }
        }
    }

    async fn fetch(&self) -> Result<(Keys, Option<Value>), Unread> {
        // Where the keys are configured, an issuer without metadata is as good.
        let metadata = match &self.jwks {
            Some(_) => self.discover().await.ok(),
            None => Some(self.discover().await?),
        };
        let stated = || metadata.as_ref()?.get("jwks_uri")?.as_str()?.parse().ok();
        let place = self.jwks.clone().or_else(stated).ok_or(Unread::Form("the address of the keys"))?;
        let text = self.get(&place, "the set of keys").await?;
        let keys = Keys::read(&text).ok_or(Unread::Form("the set of keys"))?;
        Ok((keys, metadata))
    }

    async fn discover(&self) -> Result<Value, Unread> {
        let mut outcome = Err(Unread::Form("the metadata"));
        for place in &self.places {
            outcome = self.metadata_at(place).await;
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    async fn metadata_at(&self, place: &Address) -> Result<Value, Unread> {
        let text = self.get(place, "the metadata").await?;
        let metadata: Value = serde_json::from_slice(&text).map_err(|_| Unread::Form("the metadata"))?;
        if metadata["issuer"] != self.url.as_str() {
            return Err(Unread::OtherIssuer);
        }
        Ok(metadata)
    }

    async fn get(&self, address: &Address, place: &'static str) -> Result<Vec<u8>, Unread> {
        let answer = self.client.exchange(address, Request::get(), BOUNDS).await;
        let answer = answer.map_err(|reason| Unread::Place { place, reason })?;
        match answer.status.as_u16() {
            200 => Ok(answer.body.to_vec()),
            status => Err(Unread::Status { place, status }),
        }
    }

    fn known(&self) -> Known {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Whether a moment is longer ago than so many seconds; also when a clock was set back behind it.
fn is_past(moment: Timestamp, seconds: i64, now: Timestamp) -> bool {
    now < moment || now.0 - moment.0 >= seconds * SECOND_US
}

/// Where the metadata of an issuer may be: the well-known name before its path (RFC 8414), and behind it (OpenID Connect).
fn places(issuer: &str) -> [String; 2] {
    let trimmed = issuer.trim_end_matches('/');
    let start = trimmed.find("://").map_or(0, |at| at + 3);
    let at = trimmed[start..].find('/').map_or(trimmed.len(), |at| start + at);
    let (origin, path) = trimmed.split_at(at);
    [
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{trimmed}/.well-known/openid-configuration"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_where_clients_do() {
        assert_eq!(
            places("https://id.example.org/realms/r"),
            [
                "https://id.example.org/.well-known/oauth-authorization-server/realms/r",
                "https://id.example.org/realms/r/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            places("https://id.example.org/")[0],
            "https://id.example.org/.well-known/oauth-authorization-server"
        );
    }
}
