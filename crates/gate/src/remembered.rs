//! Tokens that were found good a short while ago, by their hash.

use quick_cache::sync::Cache;
use scope::Timestamp;
use sha2::{Digest as _, Sha256};
use spine::admission::{Asked, Identified};

/// How many are remembered. Those that were not used for longest are forgotten first.
const TOKENS_MAX: usize = 10_000;
const SECOND_US: i64 = 1_000_000;

pub struct Remembered(Cache<[u8; 32], Kept>);

#[derive(Clone)]
struct Kept {
    who: Identified,
    from: Timestamp,
    until: Timestamp,
}

impl Default for Remembered {
    fn default() -> Self {
        Self(Cache::new(TOKENS_MAX))
    }
}

impl Remembered {
    pub fn get(&self, token: &str, asked: &Asked<'_>) -> Option<Identified> {
        let kept = self.0.get(&key(token, asked.endpoint))?;
        // A clock that was set back makes nothing good for longer.
        (kept.from <= asked.now && asked.now < kept.until).then_some(kept.who)
    }

    /// Remembers a caller for so many seconds, and never beyond the end of the token.
    pub fn keep(&self, token: &str, asked: &Asked<'_>, who: &Identified, seconds: i64) {
        let until = asked.now.plus_micros(seconds * SECOND_US);
        let until = who.expires.map_or(until, |expires| expires.min(until));
        self.0.insert(key(token, asked.endpoint), Kept { who: who.clone(), from: asked.now, until });
    }
}

fn key(token: &str, endpoint: &str) -> [u8; 32] {
    Sha256::new().chain_update(endpoint).chain_update([0]).chain_update(token).finalize().into()
}
