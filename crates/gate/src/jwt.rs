//! A signed token (RFC 7519, RFC 9068): its header, and its signature.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, Validation};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::claims::{Claims, Refusal};
use crate::keys::Key;

/// Why a text is no token that could be verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// Not of the form at all; its issuer may know what it is.
    Opaque,
    Header,
    Algorithm,
    Critical,
    Type,
}

/// A token whose header is in order.
pub struct Token<'a> {
    text: &'a str,
    header: Header,
    algorithm: Algorithm,
    is_typed: bool,
    /// What the payload claims about its issuer, before anything is verified.
    issuer: Option<String>,
}

/// What we look at. Addresses and keys that a header may bring are not among it, and no name may stand twice.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Claimed {
    iss: Option<String>,
}

impl<'a> Token<'a> {
    pub fn read(text: &'a str) -> Result<Self, Unread> {
        let mut parts = text.split('.');
        let (Some(head), Some(body), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
            return Err(Unread::Opaque);
        };
        let decoded = URL_SAFE_NO_PAD.decode(head).map_err(|_| Unread::Header)?;
        let header: Header = serde_json::from_slice(&decoded).map_err(|_| Unread::Header)?;
        if header.crit.is_some() {
            return Err(Unread::Critical);
        }
        let algorithm = match header.alg.as_str() {
            "RS256" => Algorithm::RS256,
            "PS256" => Algorithm::PS256,
            "ES256" => Algorithm::ES256,
            "EdDSA" => Algorithm::EdDSA,
            _ => return Err(Unread::Algorithm),
        };
        let is_typed = match header.typ.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("at+jwt" | "application/at+jwt") => true,
            Some("jwt") => false,
            _ => return Err(Unread::Type),
        };
        let claimed = URL_SAFE_NO_PAD.decode(body).map_err(|_| Unread::Header)?;
        let claimed: Claimed = serde_json::from_slice(&claimed).map_err(|_| Unread::Header)?;
        Ok(Self { text, header, algorithm, is_typed, issuer: claimed.iss })
    }

    pub fn text(&self) -> &str {
        self.text
    }

    pub fn kid(&self) -> Option<&str> {
        self.header.kid.as_deref()
    }

    /// False when the token says that it is another issuer's. What it says is checked once more when it is verified.
    pub fn may_be_of(&self, issuer: &str) -> bool {
        self.issuer.as_deref().is_none_or(|claimed| claimed == issuer)
    }

    /// The claims, once the signature is found to be the key's.
    pub fn verify(&self, key: &Key) -> Result<Claims, Refusal> {
        if !key.algorithms.contains(&self.algorithm) {
            return Err(Refusal::Signature);
        }
        let mut only_signature = Validation::new(self.algorithm);
        only_signature.required_spec_claims.clear();
        (only_signature.validate_exp, only_signature.validate_aud) = (false, false);
        let signed = jsonwebtoken::decode::<Box<RawValue>>(self.text, &key.decoding, &only_signature);
        let signed = signed.map_err(|_| Refusal::Signature)?;
        Claims::read(signed.claims.get().as_bytes(), self.is_typed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_strictly() {
        check(r#"{"alg":"RS256","typ":"at+jwt","kid":"k","jku":"https://evil.example"}"#, None);
        check(r#"{"alg":"EdDSA","typ":"application/AT+JWT"}"#, None);
        check(r#"{"alg":"ES256","typ":"JWT"}"#, None);
        for alg in ["none", "NoNe", "HS256", "RS512", "ES384", "rs256", ""] {
            check(&format!(r#"{{"alg":"{alg}","typ":"at+jwt"}}"#), Some(Unread::Algorithm));
        }
        check(r#"{"alg":"RS256","typ":"at+jwt","crit":["exp"]}"#, Some(Unread::Critical));
        check(r#"{"alg":"RS256","typ":"at+jwt","crit":[]}"#, Some(Unread::Critical));
        check(r#"{"alg":"RS256"}"#, Some(Unread::Type));
        check(r#"{"alg":"RS256","typ":"id+jwt"}"#, Some(Unread::Type));
        check(r#"{"alg":"RS256","alg":"none","typ":"at+jwt"}"#, Some(Unread::Header));
        check(r#"{"alg":["RS256","ES256"],"typ":"at+jwt"}"#, Some(Unread::Header));
        check(r#"{"typ":"at+jwt"}"#, Some(Unread::Header));
        check("[]", Some(Unread::Header));
    }

    #[test]
    fn three_parts_make_a_token() {
        for text in ["", "a", "a.b", "a.b.c.d", "a.b.c.d.e"] {
            assert_eq!(Token::read(text).err(), Some(Unread::Opaque), "{text}");
        }
        assert_eq!(Token::read("eyJhbGciOiJSUzI1NiJ9==.e30.x").err(), Some(Unread::Header));
    }

    #[track_caller]
    fn check(header: &str, expected: Option<Unread>) {
        let text = format!("{}.{}.c2ln", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode("{}"));
        assert_eq!(Token::read(&text).err(), expected, "{header}");
    }
}
