//! How often one caller may call.

use std::sync::Mutex;

use quick_cache::unsync::Cache;
use scope::{Principal, TenantId, Timestamp};

use super::Rejection;

/// How many callers are remembered. Those who have not called for longest are forgotten first.
const CALLERS_MAX: usize = 10_000;
const MINUTE_US: i64 = 60_000_000;
const SECOND_US: u64 = 1_000_000;

/// One caller's calls of everything, over one listener.
pub struct Pace {
    calls_per_minute: u32,
    buckets: Buckets,
}

impl Pace {
    /// 0 for no limit.
    pub fn per_minute(calls: u32) -> Self {
        Self { calls_per_minute: calls, buckets: Buckets::default() }
    }

    /// Accounts for one call, or says when to come back.
    pub fn take(&self, (tenant, principal): (&TenantId, &Principal), now: Timestamp) -> Result<(), Rejection> {
        self.buckets
            .take((tenant, principal, ""), self.calls_per_minute, now)
            .map_err(|retry_after_s| Rejection::Pace { retry_after_s })
    }
}

/// Token buckets: an even flow of so many calls a minute, with a burst of as many.
pub struct Buckets {
    /// For each caller and what it calls, until when its calls are accounted for.
    busy_until: Mutex<Cache<(TenantId, String, String), i64>>,
}

impl Default for Buckets {
    fn default() -> Self {
        Self { busy_until: Mutex::new(Cache::new(CALLERS_MAX)) }
    }
}

impl Buckets {
    /// Accounts for one call, or says after how many seconds it will succeed. 0 calls a minute is no limit.
    pub fn take(
        &self,
        (tenant, principal, called): (&TenantId, &Principal, &str),
        calls_per_minute: u32,
        now: Timestamp,
    ) -> Result<(), u64> {
        if calls_per_minute == 0 {
            return Ok(());
        }
        let calls = i64::from(calls_per_minute);
        let per_call_us = (MINUTE_US + calls - 1) / calls;
        let burst_us = per_call_us * calls;
        let who = (tenant.clone(), principal.id(), called.to_owned());
        let mut busy_until = self.busy_until.lock().expect("nothing panics while holding this");
        // A clock that was set back must not shut anybody out for longer than an empty bucket does.
        let accounted = busy_until.get(&who).map_or(now.0, |until| (*until).clamp(now.0, now.0 + burst_us));
        let until = accounted + per_call_us;
        let wait_us = u64::try_from(until - now.0 - burst_us).unwrap_or(0);
        busy_until.insert(who, if wait_us > 0 { accounted } else { until });
        if wait_us > 0 { Err(wait_us.div_ceil(SECOND_US)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(buckets: &Buckets, subject: &str, tool: &str, calls: u32, at_ms: i64) -> Result<(), u64> {
        let tenant = TenantId::new("t").expect("a literal that is a valid id");
        buckets.take((&tenant, &Principal::local(subject), tool), calls, Timestamp(at_ms * 1000))
    }

    #[test]
    fn a_burst_is_a_minutes_worth_and_refills_evenly() {
        for calls in [1, 7, 10, 100, 300, 9_999] {
            let buckets = Buckets::default();
            let admitted = (0..calls + 5).filter(|_| take(&buckets, "me", "t", calls, 0).is_ok()).count();
            assert_eq!(admitted, calls as usize);
            let wait = take(&buckets, "me", "t", calls, 0).unwrap_err();
            assert_eq!(wait, u64::from(60_u32.div_ceil(calls)), "{calls}");
            assert_eq!(take(&buckets, "me", "t", calls, i64::try_from(wait).unwrap() * 1000), Ok(()));
        }
    }

    #[test]
    fn each_caller_and_tool_has_its_own() {
        let buckets = Buckets::default();
        assert_eq!(take(&buckets, "me", "t", 1, 0), Ok(()));
        assert_eq!(take(&buckets, "me", "t", 1, 0), Err(60));
        assert_eq!(take(&buckets, "you", "t", 1, 0), Ok(()));
        assert_eq!(take(&buckets, "me", "u", 1, 0), Ok(()));
        assert_eq!(take(&buckets, "me", "t", 0, 0), Ok(()));
    }

    #[test]
    fn a_clock_that_was_set_back_shuts_nobody_out() {
        let buckets = Buckets::default();
        assert_eq!(take(&buckets, "me", "t", 1, 3_600_000), Ok(()));
        assert_eq!(take(&buckets, "me", "t", 1, 0), Err(60));
        assert_eq!(take(&buckets, "me", "t", 1, 60_000), Ok(()));
    }
}
