//! How many refused requests of one caller have a record of their own.

use std::sync::Mutex;

use quick_cache::unsync::Cache;
use scope::Timestamp;

/// How many callers are remembered. Those who have not called for longest are forgotten first.
const CALLERS_MAX: usize = 10_000;
/// So many in a minute, and as many at once.
const RECORDS_PER_MINUTE: i64 = 60;
const PER_RECORD_US: i64 = 60_000_000 / RECORDS_PER_MINUTE;
const BURST_US: i64 = PER_RECORD_US * RECORDS_PER_MINUTE;

/// Requests that were refused before they became calls. Whoever sends many of them must not fill the disk with their
/// records, so most are only counted; the next record says how many there were.
pub struct Refusals(Mutex<Cache<String, Counted>>);

#[derive(Clone, Copy, Default)]
struct Counted {
    /// Until when the records of this caller are accounted for.
    busy_until: i64,
    left_out: u64,
}

impl Default for Refusals {
    fn default() -> Self {
        Self(Mutex::new(Cache::new(CALLERS_MAX)))
    }
}

impl Refusals {
    /// How many refusals were left out before this one, if it has a record; `None` when it is left out too.
    pub fn take(&self, who: &str, now: Timestamp) -> Option<u64> {
        let mut callers = self.0.lock().expect("nothing panics while holding this");
        let counted = callers.get(who).copied().unwrap_or_default();
        // A clock that was set back leaves out no more than an empty bucket does.
        let accounted = counted.busy_until.clamp(now.0, now.0 + BURST_US);
        let is_left_out = accounted + PER_RECORD_US > now.0 + BURST_US;
        let next = if is_left_out {
            Counted { busy_until: accounted, left_out: counted.left_out + 1 }
        } else {
            Counted { busy_until: accounted + PER_RECORD_US, left_out: 0 }
        };
        callers.insert(who.to_owned(), next);
        (!is_left_out).then_some(counted.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_has_some_records_and_the_next_says_how_many_it_left_out() {
        let refusals = Refusals::default();
        let take = |who: &str, seconds: i64| refusals.take(who, Timestamp(seconds * 1_000_000));
        let recorded = (0..1000).filter(|_| take("mallory", 0).is_some()).count();
        assert_eq!(recorded, 60);
        assert_eq!(take("alice", 0), Some(0));
        assert_eq!(take("mallory", 1), Some(940));
        assert_eq!(take("mallory", 1), None);
        assert_eq!(take("mallory", 2), Some(1));
        // Set back by an hour.
        assert_eq!(take("mallory", -3600), None);
        assert_eq!(take("mallory", -3540), Some(1));
    }
}
