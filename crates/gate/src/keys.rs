//! The keys of an issuer (RFC 7517), as far as a token may be signed with them.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

/// A modulus of fewer bits is refused.
const RSA_BITS_MIN: usize = 2048;

/// A key and the only algorithms that may be used with it.
#[derive(Clone)]
pub struct Key {
    pub algorithms: Vec<Algorithm>,
    pub decoding: DecodingKey,
}

/// The keys of one issuer.
#[derive(Default, Clone)]
pub struct Keys {
    named: HashMap<String, Vec<Key>>,
    nameless: Vec<Key>,
}

#[derive(Deserialize)]
struct Set {
    keys: Vec<Value>,
}

impl Keys {
    /// Reads a set; keys that are no signature keys of a known kind are left out. `None` if it is no set.
    pub fn read(text: &[u8]) -> Option<Self> {
        let set: Set = serde_json::from_slice(text).ok()?;
        let mut keys = Self::default();
        for jwk in set.keys {
            let Ok(jwk) = serde_json::from_value::<Jwk>(jwk) else { continue };
            let Some(key) = Key::of(&jwk) else { continue };
            match jwk.common.key_id {
                Some(name) => keys.named.entry(name).or_default().push(key),
                None => keys.nameless.push(key),
            }
        }
        Some(keys)
    }

    pub fn count(&self) -> usize {
        self.named.values().map(Vec::len).sum::<usize>() + self.nameless.len()
    }

    /// The keys that a token may be signed with. A token that names none is only good when there is no choice.
    pub fn find(&self, kid: Option<&str>) -> &[Key] {
        match kid {
            Some(kid) => self.named.get(kid).map_or(&[], Vec::as_slice),
            None if self.count() == 1 => self.named.values().next().map_or(&self.nameless, |keys| keys),
            None => &[],
        }
    }
}

impl Key {
    fn of(jwk: &Jwk) -> Option<Self> {
        if !matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature)) {
            return None;
        }
        let mut algorithms = match &jwk.algorithm {
            AlgorithmParameters::RSA(rsa) if bits(&rsa.n)? >= RSA_BITS_MIN => vec![Algorithm::RS256, Algorithm::PS256],
            AlgorithmParameters::EllipticCurve(point) if point.curve == EllipticCurve::P256 => vec![Algorithm::ES256],
            AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => vec![Algorithm::EdDSA],
            _ => return None,
        };
        if let Some(stated) = jwk.common.key_algorithm {
            algorithms.retain(|algorithm| is_same(*algorithm, stated));
        }
        let decoding = DecodingKey::from_jwk(jwk).ok()?;
        (!algorithms.is_empty()).then_some(Self { algorithms, decoding })
    }
}

fn is_same(algorithm: Algorithm, stated: KeyAlgorithm) -> bool {
    matches!(
        (algorithm, stated),
        (Algorithm::RS256, KeyAlgorithm::RS256)
            | (Algorithm::PS256, KeyAlgorithm::PS256)
            | (Algorithm::ES256, KeyAlgorithm::ES256)
            | (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
    )
}

/// How many bits a number has.
fn bits(encoded: &str) -> Option<usize> {
    let bytes = URL_SAFE_NO_PAD.decode(encoded).ok()?;
    let first = bytes.iter().position(|byte| *byte != 0)?;
    Some((bytes.len() - first) * 8 - bytes[first].leading_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rsa(bytes: usize, more: &str) -> String {
        let n = URL_SAFE_NO_PAD.encode(vec![0xff; bytes]);
        format!(r#"{{"kty":"RSA","n":"{n}","e":"AQAB"{more}}}"#)
    }

    const EC: &str = r#"{"kty":"EC","crv":"P-256","kid":"e","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#;

    #[track_caller]
    fn check(keys: &[&str], kid: Option<&str>, expected: &[Algorithm]) {
        let read = Keys::read(format!(r#"{{"keys":[{}]}}"#, keys.join(",")).as_bytes()).unwrap();
        let found: Vec<Algorithm> = read.find(kid).iter().flat_map(|key| key.algorithms.clone()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_key_is_for_the_algorithms_of_its_kind() {
        let both = [Algorithm::RS256, Algorithm::PS256];
        check(&[&rsa(256, "")], None, &both);
        check(&[&rsa(256, r#","kid":"r","use":"sig""#)], Some("r"), &both);
        check(&[&rsa(256, r#","kid":"r","alg":"PS256""#)], Some("r"), &[Algorithm::PS256]);
        check(&[EC], Some("e"), &[Algorithm::ES256]);
    }

    #[test]
    fn keys_of_another_use_or_kind_are_left_out() {
        check(&[&rsa(255, "")], None, &[]);
        check(&[&rsa(256, r#","use":"enc""#)], None, &[]);
        check(&[&rsa(256, r#","alg":"RS512""#)], None, &[]);
        check(&[r#"{"kty":"oct","k":"c2VjcmV0","kid":"o"}"#], Some("o"), &[]);
        check(&[r#"{"kty":"quantum","kid":"q"}"#, "7", EC], Some("e"), &[Algorithm::ES256]);
    }

    #[test]
    fn a_token_names_its_key_where_there_is_a_choice() {
        check(&[EC], None, &[Algorithm::ES256]);
        check(&[EC, &rsa(256, "")], None, &[]);
        check(&[EC], Some("other"), &[]);
    }

    #[test]
    fn what_is_no_set_is_none() {
        assert!(Keys::read(b"{}").is_none());
        assert!(Keys::read(b"<html>").is_none());
    }
}
