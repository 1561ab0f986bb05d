//! Keys of checkpoints, in the text forms of signed notes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest, Sha256};

use crate::Error;

/// What stands before an Ed25519 key in a signed note.
const ALGORITHM: u8 = 1;

/// Signs checkpoints. Its text is `PRIVATE+KEY+name+id+base64`.
pub struct SigningKey {
    name: String,
    seed: [u8; 32],
    pair: Ed25519KeyPair,
}

/// Checks what was signed. Its text is `name+id+base64`, which is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyingKey {
    pub name: String,
    id: [u8; 4],
    bytes: [u8; 32],
}

impl SigningKey {
    /// A new key with a name that no other installation has.
    pub fn generate() -> Self {
        let name = format!("chancery/{}", hex::encode(rand::random::<[u8; 6]>()));
        Self::of(name, rand::random()).expect("any 32 bytes are a seed")
    }

    /// Reads what [`Self::text`] wrote.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let rest = text.trim().strip_prefix("PRIVATE+KEY+").ok_or(Error::Key("it does not begin with PRIVATE+KEY"))?;
        let (name, id, seed) = split(rest)?;
        let key = Self::of(name, seed)?;
        if key.verifying().id == id { Ok(key) } else { Err(Error::Key("its id does not fit")) }
    }

    pub fn text(&self) -> String {
        let VerifyingKey { name, id, .. } = self.verifying();
        format!("PRIVATE+KEY+{name}+{}+{}", hex::encode(id), encoded(&self.seed))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn verifying(&self) -> VerifyingKey {
        let public = self.pair.public_key().as_ref();
        VerifyingKey::of(self.name.clone(), public.try_into().expect("an Ed25519 key has 32 bytes"))
    }

    pub(crate) fn sign(&self, text: &str) -> Vec<u8> {
        self.pair.sign(text.as_bytes()).as_ref().to_vec()
    }

    fn of(name: String, seed: [u8; 32]) -> Result<Self, Error> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| Error::Key("it is no Ed25519 seed"))?;
        Ok(Self { name, seed, pair })
    }
}

impl VerifyingKey {
    /// Reads what [`Self::text`] wrote.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (name, id, bytes) = split(text.trim())?;
        let key = Self::of(name, bytes);
        if key.id == id { Ok(key) } else { Err(Error::Key("its id does not fit")) }
    }

    pub fn text(&self) -> String {
        format!("{}+{}+{}", self.name, hex::encode(self.id), encoded(&self.bytes))
    }

    pub(crate) fn id(&self) -> [u8; 4] {
        self.id
    }

    pub(crate) fn verifies(&self, text: &str, signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.bytes).verify(text.as_bytes(), signature).is_ok()
    }

    fn of(name: String, bytes: [u8; 32]) -> Self {
        let mut hash = Sha256::new();
        hash.update(name.as_bytes());
        hash.update([b'\n', ALGORITHM]);
        hash.update(bytes);
        let id = hash.finalize()[..4].try_into().expect("a hash has more than four bytes");
        Self { name, id, bytes }
    }
}

fn encoded(bytes: &[u8; 32]) -> String {
    STANDARD.encode([&[ALGORITHM][..], bytes].concat())
}

/// Name, id and key of `name+id+base64`.
fn split(text: &str) -> Result<(String, [u8; 4], [u8; 32]), Error> {
    let mut parts = text.splitn(3, '+');
    let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Error::Key("it is not name+id+key"));
    };
    if name.is_empty() || name.chars().any(char::is_whitespace) {
        return Err(Error::Key("its name is empty or has a space"));
    }
    let id = hex::decode(id).ok().and_then(|id| id.try_into().ok()).ok_or(Error::Key("its id is not 8 hex digits"))?;
    let key = STANDARD.decode(key).map_err(|_| Error::Key("it is not base64"))?;
    match key.split_first() {
        Some((&ALGORITHM, key)) => {
            let key = key.try_into().map_err(|_| Error::Key("it does not have 32 bytes"))?;
            Ok((name.to_owned(), id, key))
        }
        _ => Err(Error::Key("it is no Ed25519 key")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The key of the example in golang.org/x/mod/sumdb/note, which other implementations read too.
    const KNOWN: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

    #[test]
    fn keys_have_the_text_that_other_programs_read() {
        assert_eq!(VerifyingKey::parse(KNOWN).unwrap().text(), KNOWN);
        let key = SigningKey::generate();
        assert_eq!(SigningKey::parse(&key.text()).unwrap().verifying(), key.verifying());
        let signature = key.sign("text\n");
        assert!(key.verifying().verifies("text\n", &signature));
        assert!(!key.verifying().verifies("Text\n", &signature));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let id = KNOWN.replace("c74f20a3", "c74f20a4");
        let short = KNOWN.replace("10TW", "1A==");
        for wrong in ["", "a+b", "a b+c74f20a3+AQ==", "+c74f20a3+AQ==", &id, &short, "n+00000000+AgAA", "n+zz+AQ=="] {
            assert!(VerifyingKey::parse(wrong).is_err(), "{wrong}");
            assert!(SigningKey::parse(&format!("PRIVATE+KEY+{wrong}")).is_err(), "{wrong}");
        }
        assert!(SigningKey::parse(KNOWN).is_err());
    }
}
