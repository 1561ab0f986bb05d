//! Values we hand to a client and must recognise when they come back.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How long a sealed value is good for: as long as a person may take to answer.
const SEALED_FOR: Duration = Duration::from_secs(300);

/// What a sealed value is for, in parts of which none can pass for two: each carries its length.
pub fn purpose(parts: &[&str]) -> String {
    parts.iter().map(|part| format!("{}:{part}", part.len())).collect()
}

/// Signs values so that a client cannot change them, use them for another call, or keep them for long. Not secret.
#[derive(Clone)]
pub struct Seal {
    codec: RequestStateCodec,
}

/// The value was not sealed by us, for this call, in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

impl Seal {
    /// `key` is random and stays the same across processes that share a data directory.
    pub fn new(key: [u8; 32]) -> Self {
        Self { codec: RequestStateCodec::try_new(key.to_vec()).expect("32 bytes are enough") }
    }

    /// Seals `value` for a purpose: who, what and with which arguments.
    pub fn close<T: Serialize>(&self, value: &T, purpose: &str) -> String {
        self.close_within(SEALED_FOR, value, purpose)
    }

    fn close_within<T: Serialize>(&self, time: Duration, value: &T, purpose: &str) -> String {
        let options = SealOptions::new().associated_data(purpose.as_bytes()).ttl(time);
        self.codec.seal_json_with(value, &options).expect("a plain value serialises")
    }

    pub fn open<T: DeserializeOwned>(&self, sealed: &str, purpose: &str) -> Result<T, Broken> {
        self.codec.open_json_with(sealed, purpose.as_bytes()).map_err(|_| Broken)
    }

    /// Seals a text without an end date, for a purpose.
    pub fn close_for_ever(&self, text: &str, purpose: &str) -> String {
        self.codec.seal_with(text.as_bytes(), &SealOptions::new().associated_data(purpose.as_bytes()))
    }

    /// True when [`Seal::close_for_ever`] made this for the purpose.
    pub fn made(&self, sealed: &str, purpose: &str) -> bool {
        self.codec.open_with(sealed, purpose.as_bytes()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_purpose_do_not_run_together() {
        let split =
            [purpose(&["a\nb", "c"]), purpose(&["a", "b\nc"]), purpose(&["a", "b", "c"]), purpose(&["a:1", "b"])];
        for (place, one) in split.iter().enumerate() {
            assert!(split.iter().skip(place + 1).all(|other| other != one), "{one}");
        }
    }

    // what was sealed for no time at all is over.
    #[test]
    fn a_sealed_value_does_not_open_later() {
        let seal = Seal::new([7; 32]);
        let sealed = seal.close_within(Duration::ZERO, &42, "p");
        // Its last millisecond may still run.
        assert!((0..10_000_000).any(|_| seal.open::<i32>(&sealed, "p") == Err(Broken)));
        assert!(SEALED_FOR <= Duration::from_secs(300));
    }

    //
    #[test]
    fn a_sealed_value_opens_for_its_purpose_only() {
        let seal = Seal::new([7; 32]);
        let sealed = seal.close(&42, "delete e1");
        assert_eq!(seal.open::<i32>(&sealed, "delete e1"), Ok(42));
        assert_eq!(seal.open::<i32>(&sealed, "delete e2"), Err(Broken));
        assert_eq!(Seal::new([8; 32]).open::<i32>(&sealed, "delete e1"), Err(Broken));
    }
}
