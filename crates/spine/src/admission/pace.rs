//! How often one caller may call.

use std::collections::HashMap;
use std::sync::Mutex;

use scope::{Principal, TenantId, Timestamp};

use super::Rejection;

/// How many callers are remembered before the idle ones are forgotten.
const CALLERS_MAX: usize = 10_000;
const MINUTE_US: i64 = 60_000_000;

/// A generic cell rate limit: an even flow, with a burst of a minute's worth.
pub struct Pace {
    /// Microseconds that one call takes up; 0 for no limit.
    per_call_us: i64,
    /// For each caller, until when its calls are accounted for.
    busy_until: Mutex<HashMap<String, i64>>,
}

impl Pace {
    pub fn per_minute(calls: u32) -> Self {
        let per_call_us = if calls == 0 { 0 } else { MINUTE_US / i64::from(calls) };
        Self { per_call_us, busy_until: Mutex::default() }
    }

    /// Accounts for one call, or says when to come back.
    pub fn take(&self, (tenant, principal): (&TenantId, &Principal), now: Timestamp) -> Result<(), Rejection> {
        if self.per_call_us == 0 {
            return Ok(());
        }
        let caller = format!("{tenant}|{}", principal.id());
        let mut busy_until = self.busy_until.lock().expect("nothing panics while holding this");
        if busy_until.len() >= CALLERS_MAX {
            busy_until.retain(|_, until| *until > now.0);
        }
        let accounted = busy_until.get(&caller).copied().unwrap_or(now.0).max(now.0);
        let until = accounted + self.per_call_us;
        if until - now.0 > MINUTE_US {
            let wait_us = until - now.0 - MINUTE_US;
            return Err(Rejection::Pace { retry_after_s: u64::try_from(wait_us / 1_000_000 + 1).unwrap_or(1) });
        }
        busy_until.insert(caller, until);
        Ok(())
    }
}
