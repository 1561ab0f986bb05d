//! Locks by name: writes about the same thing in this process go one after the other, so that they need not decide twice.
//!
//! The expectations of a commit keep the data right, also between processes; locks only save work.

use std::hash::{BuildHasher, RandomState};

use tokio::sync::{Mutex, MutexGuard};

const SHARDS: usize = 1024;

/// One lock for each of many groups of names.
pub struct Locks {
    shards: Vec<Mutex<()>>,
    hasher: RandomState,
}

/// Locks that are held until this is dropped.
pub type LocksHeld<'a> = Vec<MutexGuard<'a, ()>>;

impl Default for Locks {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }
}

impl Locks {
    /// Waits until nobody else holds any of these names. Always in one order, so that there is no deadlock.
    pub async fn lock(&self, names: impl IntoIterator<Item = &str>) -> LocksHeld<'_> {
        #[expect(clippy::cast_possible_truncation, reason = "any bits of the hash will do")]
        let mut shards: Vec<usize> =
            names.into_iter().map(|name| self.hasher.hash_one(name) as usize % SHARDS).collect();
        shards.sort_unstable();
        shards.dedup();
        let mut held = Vec::with_capacity(shards.len());
        for shard in shards {
            held.push(self.shards[shard].lock().await);
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_name_is_held_by_one_at_a_time_and_twice_by_nobody() {
        let locks = Locks::default();
        let held = locks.lock(["a", "b", "a"]).await;
        assert!(locks.lock(["b"]).now_or_never().is_none());
        drop(held);
        assert!(locks.lock(["b"]).now_or_never().is_some());
    }
}
