//! Turns: writes about the same entity in this process take turns, so that they do not have to decide twice.
//!
//! The expectations of a commit keep the data right, also between processes; turns only save work.

use std::hash::{BuildHasher, RandomState};

use tokio::sync::{Mutex, MutexGuard};

const SHARDS: usize = 1024;

/// One lock for each of many groups of ids.
pub struct Turns {
    shards: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl Default for Turns {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }
}

impl Turns {
    /// Waits until nobody else writes about any of these. Always in one order, so that nobody waits for ever.
    pub async fn take(&self, ids: impl IntoIterator<Item = &str>) -> Vec<MutexGuard<'_, ()>> {
        #[expect(clippy::cast_possible_truncation, reason = "any bits of the hash will do")]
        let mut shards: Vec<usize> = ids.into_iter().map(|id| self.hasher.hash_one(id) as usize % SHARDS).collect();
        shards.sort_unstable();
        shards.dedup();
        let mut taken = Vec::with_capacity(shards.len());
        for shard in shards {
            taken.push(self.shards[shard].lock().await);
        }
        taken
    }
}
