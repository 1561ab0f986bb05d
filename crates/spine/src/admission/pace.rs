//! How often one may call: a caller, a tenant, and an address before it is known who calls.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard};

use quick_cache::unsync::Cache;
use scope::{Principal, TenantId, Timestamp};

use super::Rejection;
use crate::config::Limits;

/// How many of a kind are remembered. Those that have not come for longest are forgotten first.
const KEPT_MAX: usize = 10_000;
const MINUTE_US: i64 = 60_000_000;
const SECOND_US: u64 = 1_000_000;
/// Of an address of IPv6 this much is given to one customer.
const PREFIX: u128 = !0 << 64;

/// The calls of everything over one listener.
pub struct Pace {
    caller_per_minute: u32,
    tenant_per_minute: u32,
    address_per_minute: u32,
    failures_per_minute: u32,
    callers: Buckets<(TenantId, String)>,
    tenants: Buckets<TenantId>,
    addresses: Buckets<IpAddr>,
    failures: Buckets<IpAddr>,
}

impl Pace {
    pub fn of(limits: &Limits) -> Self {
        Self {
            caller_per_minute: limits.calls_per_minute,
            tenant_per_minute: limits.tenant_calls_per_minute,
            address_per_minute: limits.address_requests_per_minute,
            failures_per_minute: limits.address_failures_per_minute,
            callers: Buckets::default(),
            tenants: Buckets::default(),
            addresses: Buckets::default(),
            failures: Buckets::default(),
        }
    }

    /// Accounts for one call of a caller, or says when to come back.
    pub fn take(&self, tenant: &TenantId, principal: &Principal, now: Timestamp) -> Result<(), Rejection> {
        let later = |retry_after_s| Rejection::Pace { retry_after_s };
        if self.caller_per_minute > 0 {
            let caller = (tenant.clone(), principal.id());
            self.callers.take(caller, self.caller_per_minute, now).map_err(later)?;
        }
        self.tenants.take(tenant.clone(), self.tenant_per_minute, now).map_err(later)
    }

    /// Accounts for one request from an address, whoever sent it.
    pub fn arrive(&self, address: IpAddr, now: Timestamp) -> Result<(), Rejection> {
        self.addresses
            .take(place(address), self.address_per_minute, now)
            .map_err(|retry_after_s| Rejection::AddressPace { retry_after_s })
    }

    /// Notes that somebody at an address could not say who they are.
    pub fn failed(&self, address: IpAddr, now: Timestamp) {
        // Whether this one was too many is asked when the next comes.
        let _ = self.failures.take(place(address), self.failures_per_minute, now);
    }

    /// Refuses those who are not known, while too many from their address were not.
    pub fn doubted(&self, address: IpAddr, now: Timestamp) -> Option<Rejection> {
        let retry_after_s = self.failures.wait_s(&place(address), self.failures_per_minute, now)?;
        Some(Rejection::AddressPace { retry_after_s })
    }
}

/// What counts as one address.
fn place(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & PREFIX)),
        address => address,
    }
}

/// Token buckets: an even flow of so many calls a minute, with a burst of as many.
pub struct Buckets<K> {
    /// Until when the calls of each are accounted for.
    busy_until: Mutex<Cache<K, i64>>,
}

impl<K: Hash + Eq> Default for Buckets<K> {
    fn default() -> Self {
        Self { busy_until: Mutex::new(Cache::new(KEPT_MAX)) }
    }
}

/// How long one call takes of a bucket, and all of them.
fn measures(calls_per_minute: u32) -> (i64, i64) {
    let calls = i64::from(calls_per_minute);
    let per_call_us = (MINUTE_US + calls - 1) / calls;
    (per_call_us, per_call_us * calls)
}

impl<K: Hash + Eq> Buckets<K> {
    /// Accounts for one call, or says after how many seconds it will succeed. 0 calls a minute is no limit.
    pub fn take(&self, who: K, calls_per_minute: u32, now: Timestamp) -> Result<(), u64> {
        if calls_per_minute == 0 {
            return Ok(());
        }
        let (per_call_us, burst_us) = measures(calls_per_minute);
        let mut busy_until = self.lock();
        // A clock that was set back must not shut anybody out for longer than an empty bucket does.
        let accounted = busy_until.get(&who).map_or(now.0, |until| (*until).clamp(now.0, now.0 + burst_us));
        let until = accounted + per_call_us;
        let wait_us = u64::try_from(until - now.0 - burst_us).unwrap_or(0);
        busy_until.insert(who, if wait_us > 0 { accounted } else { until });
        if wait_us > 0 { Err(wait_us.div_ceil(SECOND_US)) } else { Ok(()) }
    }

    /// After how many seconds a call would succeed; `None` when it would now.
    fn wait_s(&self, who: &K, calls_per_minute: u32, now: Timestamp) -> Option<u64> {
        if calls_per_minute == 0 {
            return None;
        }
        let (per_call_us, burst_us) = measures(calls_per_minute);
        let accounted = self.lock().get(who).map(|until| (*until).clamp(now.0, now.0 + burst_us))?;
        let wait_us = u64::try_from(accounted + per_call_us - now.0 - burst_us).unwrap_or(0);
        (wait_us > 0).then(|| wait_us.div_ceil(SECOND_US))
    }

    fn lock(&self) -> MutexGuard<'_, Cache<K, i64>> {
        self.busy_until.lock().expect("nothing panics while holding this")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Named = Buckets<(&'static str, &'static str)>;

    fn take(buckets: &Named, subject: &'static str, tool: &'static str, calls: u32, at_ms: i64) -> Result<(), u64> {
        let now = Timestamp(at_ms * 1000);
        let foretold = buckets.wait_s(&(subject, tool), calls, now);
        let taken = buckets.take((subject, tool), calls, now);
        assert_eq!(taken.err(), foretold);
        taken
    }

    #[test]
    fn a_burst_is_a_minutes_worth_and_refills_evenly() {
        for calls in [1, 7, 10, 100, 300, 9_999] {
            let buckets = Named::default();
            let admitted = (0..calls + 5).filter(|_| take(&buckets, "me", "t", calls, 0).is_ok()).count();
            assert_eq!(admitted, calls as usize);
            let wait = take(&buckets, "me", "t", calls, 0).unwrap_err();
            assert_eq!(wait, u64::from(60_u32.div_ceil(calls)), "{calls}");
            assert_eq!(take(&buckets, "me", "t", calls, i64::try_from(wait).unwrap() * 1000), Ok(()));
        }
    }

    #[test]
    fn each_caller_and_tool_has_its_own() {
        let buckets = Named::default();
        assert_eq!(take(&buckets, "me", "t", 1, 0), Ok(()));
        assert_eq!(take(&buckets, "me", "t", 1, 0), Err(60));
        assert_eq!(take(&buckets, "you", "t", 1, 0), Ok(()));
        assert_eq!(take(&buckets, "me", "u", 1, 0), Ok(()));
        assert_eq!(take(&buckets, "me", "t", 0, 0), Ok(()));
    }

    #[test]
    fn a_clock_that_was_set_back_shuts_nobody_out() {
        let buckets = Named::default();
        assert_eq!(take(&buckets, "me", "t", 1, 3_600_000), Ok(()));
        assert_eq!(take(&buckets, "me", "t", 1, 0), Err(60));
        assert_eq!(take(&buckets, "me", "t", 1, 60_000), Ok(()));
    }

    #[test]
    fn an_address_is_what_one_customer_has() {
        let same = |left: &str, right: &str| place(left.parse().unwrap()) == place(right.parse().unwrap());
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(same("10.0.0.7", "::ffff:10.0.0.7"));
        assert!(!same("10.0.0.7", "10.0.0.8"));
    }
}
