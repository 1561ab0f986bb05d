//! Addresses of blobs that are good for a while, for whoever has them.
//!
//! `{public base}/files/{bucket}/{user}/{hash}?tenant=…&type=…&expires=…&sig=…`: the signature is over every part and is the
//! only credential. An address is good to the letter: another spelling of the same parts is another address.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use scope::{TenantId, Timestamp};
use sha2::Sha256;

use crate::Key;

/// What the path of every address starts with.
pub const PREFIX: &str = "/files/";
/// Keys for other purposes are made from the same secret with other words.
const PURPOSE: &[u8] = b"chancery: addresses of files, 1";
const SECOND_US: i64 = 1_000_000;
/// What stands in a query as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Makes addresses and recognises them.
#[derive(Clone)]
pub struct Links {
    signer: Hmac<Sha256>,
    base: String,
}

/// A fresh address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub url: String,
    /// From then on it is refused.
    pub expires_at: Timestamp,
}

/// What an address gives access to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    pub key: Key,
    pub media: String,
}

/// The address is not ours, was changed, or is too old. No caller learns which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotGranted;

impl Links {
    /// `secret` is the server's; `base` is how clients reach it, such as `https://mcp.example.org`.
    pub fn new(secret: &[u8; 32], base: &str) -> Self {
        let own = keyed(secret).chain_update(PURPOSE).finalize().into_bytes();
        Self { signer: keyed(&own), base: base.trim_end_matches('/').to_owned() }
    }

    /// An address that is good for so many seconds, counted from the next full one.
    pub fn link(&self, key: &Key, media: &str, now: Timestamp, seconds: u32) -> Link {
        let from = now.0.div_euclid(SECOND_US) + i64::from(now.0.rem_euclid(SECOND_US) > 0);
        let expires = from + i64::from(seconds);
        let url = format!("{}{}", self.base, self.address(key, media, expires));
        Link { url, expires_at: Timestamp(expires * SECOND_US) }
    }

    /// What the path and query of a request give access to.
    pub fn granted(&self, path_and_query: &str, now: Timestamp) -> Result<Granted, NotGranted> {
        let (granted, expires, signature) = parts(path_and_query).ok_or(NotGranted)?;
        let Granted { key, media } = &granted;
        let given = hex::decode(signature).map_err(|_| NotGranted)?;
        // In constant time, and before anything else is told apart.
        self.signed(key, media, expires).verify_slice(&given).map_err(|_| NotGranted)?;
        let to_the_letter = self.address(key, media, expires) == path_and_query;
        let in_time = now.0 < expires.saturating_mul(SECOND_US);
        if to_the_letter && in_time { Ok(granted) } else { Err(NotGranted) }
    }

    fn address(&self, key: &Key, media: &str, expires: i64) -> String {
        let escaped = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
        let mut address = format!("{PREFIX}{key}");
        let (tenant, media_text) = (escaped(key.folder().tenant().as_str()), escaped(media));
        let signature = hex::encode(self.signed(key, media, expires).finalize().into_bytes());
        write!(address, "?tenant={tenant}&type={media_text}&expires={expires}&sig={signature}")
            .expect("writing to a string does not fail");
        address
    }

    /// Over every part, each with its length, so that no two lists of parts run together.
    fn signed(&self, key: &Key, media: &str, expires: i64) -> Hmac<Sha256> {
        let folder = key.folder();
        let parts = [folder.tenant().as_str(), folder.user(), &key.to_string(), media, &expires.to_string()];
        parts.iter().fold(self.signer.clone(), |signer, part| {
            signer.chain_update((part.len() as u64).to_be_bytes()).chain_update(part)
        })
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}

/// What an address says, its expiry and its signature; nothing of it is believed yet.
fn parts(path_and_query: &str) -> Option<(Granted, i64, &str)> {
    let (path, query) = path_and_query.strip_prefix(PREFIX)?.split_once('?')?;
    let fields: Vec<(&str, &str)> =
        query.split('&').map(|field| field.split_once('=').unwrap_or((field, ""))).collect();
    let [("tenant", tenant), ("type", media), ("expires", expires), ("sig", signature)] = fields[..] else {
        return None;
    };
    let decoded = |text: &'_ str| percent_decode_str(text).decode_utf8().ok().map(|text| text.into_owned());
    let tenant = TenantId::new(decoded(tenant)?).ok()?;
    let key = Key::parse(&tenant, path).ok()?;
    Some((Granted { key, media: decoded(media)? }, expires.parse().ok()?, signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const NOW: Timestamp = Timestamp(1_000_000_500_000);

    fn links() -> Links {
        Links::new(&[7; 32], "https://mcp.example.org/")
    }

    fn key(tenant: &str) -> Key {
        Key::parse(&TenantId::new(tenant).unwrap(), &format!("sources/u1/{HASH}")).unwrap()
    }

    fn address() -> String {
        let url = links().link(&key("acme|x"), "text/plain", NOW, 60).url;
        url.strip_prefix("https://mcp.example.org").unwrap().to_owned()
    }

    // N-102
    #[test]
    fn an_address_gives_access_until_it_expires() {
        let link = links().link(&key("acme|x"), "text/plain", NOW, 60);
        assert_eq!(link.expires_at, Timestamp(1_000_061_000_000));
        let start = format!("https://mcp.example.org/files/sources/u1/{HASH}?tenant=acme%7Cx&type=text%2Fplain");
        assert!(link.url.starts_with(&format!("{start}&expires=1000061&sig=")), "{}", link.url);
        let granted = Granted { key: key("acme|x"), media: "text/plain".to_owned() };
        assert_eq!(links().granted(&address(), Timestamp(1_000_060_999_999)), Ok(granted));
        assert_eq!(links().granted(&address(), link.expires_at), Err(NotGranted));
        assert_eq!(Links::new(&[8; 32], "").granted(&address(), NOW), Err(NotGranted));
    }

    // N-102
    #[test]
    fn any_change_of_a_byte_is_refused() {
        let good = address();
        assert!(links().granted(&good, NOW).is_ok());
        for position in 0..good.len() {
            for byte in (b'!'..=b'~').filter(|byte| *byte != good.as_bytes()[position]) {
                let mut changed = good.clone().into_bytes();
                changed[position] = byte;
                let changed = String::from_utf8(changed).unwrap();
                assert_eq!(links().granted(&changed, NOW), Err(NotGranted), "{changed}");
            }
            let mut shorter = good.clone();
            shorter.remove(position);
            assert_eq!(links().granted(&shorter, NOW), Err(NotGranted), "{shorter}");
        }
    }

    #[test]
    fn another_spelling_is_another_address() {
        let good = address();
        let spellings = [
            good.replace("text%2Fplain", "text/plain"),
            good.replace("text%2Fplain", "text%2fplain"),
            good.replace("expires=1000061", "expires=01000061"),
            good.replace("expires=1000061", "expires=+1000061"),
            good.replace("/sources/", "/%73ources/"),
            format!("{good}&more=1"),
            format!("{good}#x"),
            good.to_uppercase(),
        ];
        for spelling in &spellings {
            assert_ne!(*spelling, good);
            assert_eq!(links().granted(spelling, NOW), Err(NotGranted), "{spelling}");
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        let one = links().signed(&key("acme"), "text/plain1", 5).finalize().into_bytes();
        let two = links().signed(&key("acme"), "text/plain", 15).finalize().into_bytes();
        assert_ne!(one, two);
    }
}
