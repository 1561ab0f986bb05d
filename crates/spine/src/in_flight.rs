//! Requests that are not answered yet, by their ids.
//!
//! An answer finds its request by the id, so a connection cannot have two requests of one id under way.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a caller hears who uses an id again too early.
pub const REFUSAL: &str = "a request with this id is under way; give each request an id of its own";

/// The requests under way. Cheap to clone; all clones count together.
#[derive(Debug)]
pub struct InFlight<K>(Arc<Mutex<HashSet<K>>>);

/// Keeps an id in flight until it lands or is dropped.
#[derive(Debug)]
pub struct Flight<K: Eq + Hash> {
    all: InFlight<K>,
    key: K,
    landed: AtomicBool,
}

impl<K: Eq + Hash + Clone> InFlight<K> {
    /// `None` when a request of this id is under way.
    pub fn begin(&self, key: K) -> Option<Flight<K>> {
        let is_new = self.lock().insert(key.clone());
        is_new.then(|| Flight { all: self.clone(), key, landed: AtomicBool::new(false) })
    }
}

impl<K> InFlight<K> {
    fn lock(&self) -> MutexGuard<'_, HashSet<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Default for InFlight<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K> Clone for InFlight<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Eq + Hash> Flight<K> {
    /// Frees the id. Once only: by the time of a second call it may be another request's.
    pub fn land(&self) {
        if !self.landed.swap(true, Ordering::Relaxed) {
            self.all.lock().remove(&self.key);
        }
    }
}

impl<K: Eq + Hash> Drop for Flight<K> {
    fn drop(&mut self) {
        self.land();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_again_when_its_request_is_over() {
        let requests = InFlight::default();
        let first = requests.begin(1).unwrap();
        assert!(requests.begin(1).is_none());
        assert!(requests.begin(2).is_some());
        drop(first);
        assert!(requests.begin(1).is_some());
    }

    #[test]
    fn a_request_that_has_landed_frees_its_id_once() {
        let requests = InFlight::default();
        let first = requests.begin(1).unwrap();
        first.land();
        let _second = requests.begin(1).unwrap();
        drop(first);
        assert!(requests.begin(1).is_none());
    }
}
