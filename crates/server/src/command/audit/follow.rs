//! `chancery audit --follow`.

use std::collections::BTreeSet;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use ledger_sqlite::audit::{AuditFind, AuditRow};
use scope::{Clock as _, SystemClock, TenantId, Timestamp};

use super::output;
use crate::command::http::stop_signal;
use crate::platform::Trail;

/// Records come from several processes and two files, so they are asked for.
const POLL: Duration = Duration::from_millis(250);
/// A record may be written this long after the moment that it bears.
const LATE_US: i64 = 10_000_000;

/// Prints the records that fit, oldest first, and goes on with new ones.
pub async fn print(
    trail: &Trail,
    tenant: &TenantId,
    find: AuditFind,
    shown: impl Fn(&AuditRow) -> String,
) -> anyhow::Result<ExitCode> {
    let mut stop = pin!(stop_signal());
    let mut seen: BTreeSet<(Timestamp, String, String)> = BTreeSet::new();
    let mut next = find.clone();
    loop {
        let mut rows = trail.find(tenant, next).await?;
        rows.reverse();
        for row in &rows {
            if seen.insert((row.at, row.audit_id.clone(), row.outcome.to_string())) {
                output::line(&shown(row))?;
            }
        }
        let recent = SystemClock.now().plus_micros(-LATE_US);
        seen.retain(|(at, ..)| *at >= recent);
        let since = find.since.map_or(recent, |since| since.max(recent));
        next = AuditFind { since: Some(since), limit: usize::MAX, ..find.clone() };
        tokio::select! { () = &mut stop => return Ok(ExitCode::SUCCESS), () = tokio::time::sleep(POLL) => {} }
    }
}
