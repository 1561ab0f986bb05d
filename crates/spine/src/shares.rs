//! What one caller has under way or open at once, so that nobody takes all there is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts by caller. Cheap to clone; all clones count together.
#[derive(Clone)]
pub struct Shares {
    most: usize,
    by_caller: Arc<Mutex<HashMap<String, usize>>>,
}

/// One of a caller's share, given back when it is dropped.
pub struct Share {
    shares: Shares,
    caller: String,
}

impl Shares {
    /// So many for each caller; 0 for as many as there are.
    pub fn of(most: usize) -> Self {
        Self { most: if most == 0 { usize::MAX } else { most }, by_caller: Arc::default() }
    }

    /// `None` when the caller has its share already.
    pub fn take(&self, caller: String) -> Option<Share> {
        let mut by_caller = self.lock();
        match by_caller.get_mut(&caller) {
            Some(count) if *count >= self.most => return None,
            Some(count) => *count += 1,
            None => drop(by_caller.insert(caller.clone(), 1)),
        }
        drop(by_caller);
        Some(Share { shares: self.clone(), caller })
    }

    /// Whether the caller has some of its share left.
    pub fn has_room(&self, caller: &str) -> bool {
        self.lock().get(caller).is_none_or(|count| *count < self.most)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.by_caller.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut by_caller = self.shares.lock();
        if let Some(count) = by_caller.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                by_caller.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_share_and_nothing_is_kept_of_those_who_went() {
        let shares = Shares::of(2);
        let take = |caller: &str| shares.take(caller.to_owned());
        let (one, two) = (take("me").unwrap(), take("me").unwrap());
        assert!(take("me").is_none() && !shares.has_room("me"));
        assert!(take("you").is_some() && shares.has_room("you"));
        drop(one);
        assert!(take("me").is_some());
        drop(two);
        assert!(shares.lock().is_empty());
        let unlimited = Shares::of(0);
        let taken: Vec<Share> = (0..1000).filter_map(|_| unlimited.take("me".to_owned())).collect();
        assert_eq!(taken.len(), 1000);
    }
}
