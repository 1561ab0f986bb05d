//! `chancery audit`: who asked for what, and how it ended.

mod follow;
mod trust;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, Subcommand, ValueEnum};
use ledger_sqlite::audit::{AuditFind, AuditLog, AuditRow};
use scope::{Clock as _, Scope, SystemClock, TenantId, Timestamp};
use serde_json::json;

use super::output;
use crate::Config;
use crate::mounts::MODULES;
use crate::platform::{Trail, open_ledger};

pub use trust::Opened;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Audit {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    list: List,
}

/// What else to do about audit records.
#[derive(Debug, Subcommand)]
enum Action {
    /// Read every fact and every audit record again, and name the first that is not what was sealed.
    Verify(trust::Verify),
    /// Print the newest signed checkpoints of a tenant, to be kept elsewhere.
    Checkpoint {
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Print the public key that checkpoints are checked with.
    Key,
    /// Print the audit records of a tenant in the order of their leaves, each line a leaf.
    Export {
        #[arg(long)]
        tenant: Option<String>,
        /// Start with this leaf.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        from: u64,
    },
    /// Remove the records of calls that changed nothing and are older; their leaves stay.
    Remove {
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=36_500))]
        older_than_days: u32,
    },
}

/// Which records are listed.
#[derive(Debug, Args)]
struct List {
    /// Only calls since then: a date or moment, or how long ago, such as 90m, 12h or 7d.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only calls of this caller.
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// Only calls of this tool or resource.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only calls that ended like this.
    #[arg(long, value_enum)]
    outcome: Option<Outcome>,
    /// At most this many, the newest.
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
    /// Only calls of this task, as its callers name it.
    #[arg(long, value_name = "ID")]
    correlation: Option<String>,
    /// Only calls in this tenant; that of this machine when it is not given, and `-` for callers that were not known.
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Go on with what is called from now on, oldest first, until Ctrl-C or until nobody reads any more.
    #[arg(long, conflicts_with = "before")]
    follow: bool,
    /// Only calls before then: the moment of the last line, to see older ones.
    #[arg(long, value_name = "TIME")]
    before: Option<String>,
    /// Print every call as a line of JSON, with its redacted arguments.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Outcome {
    Ok,
    /// The caller was asked something first.
    Asked,
    Refused,
    Failed,
}

pub async fn run(config: &Config, options: Audit) -> anyhow::Result<ExitCode> {
    match options.action {
        None => print(config, options.list).await,
        Some(Action::Verify(verify)) => trust::verify(config, &verify).await,
        Some(Action::Checkpoint { tenant }) => trust::checkpoint(config, &tenant_of(tenant)?).await,
        Some(Action::Key) => trust::key(config),
        Some(Action::Export { tenant, from }) => trust::export(config, &tenant_of(tenant)?, from).await,
        Some(Action::Remove { older_than_days }) => trust::remove(config, older_than_days).await,
    }
}

async fn print(config: &Config, options: List) -> anyhow::Result<ExitCode> {
    let now = SystemClock.now();
    let since = options.since.as_deref().map(|text| moment("--since", text, now)).transpose()?;
    let before = options.before.as_deref().map(|text| moment("--before", text, now)).transpose()?;
    let outcome = options.outcome.and_then(|outcome| outcome.to_possible_value());
    let tenant = tenant_of(options.tenant)?;
    let find = AuditFind {
        since,
        principal: options.principal,
        target: options.tool,
        outcome: outcome.map(|value| value.get_name().to_owned()),
        correlation_id: options.correlation,
        before,
        limit: options.limit,
    };
    let trail = Trail::new(open_ledger(config, MODULES)?, Arc::new(AuditLog::open(&config.data)?));
    let shown = |row: &AuditRow| if options.json { as_json(row) } else { as_line(row) };
    if options.follow {
        return follow::print(&trail, &tenant, find, shown).await;
    }
    let rows = trail.find(&tenant, find).await?;
    for row in &rows {
        output::line(&shown(row))?;
    }
    if let Some(last) = rows.last().filter(|_| rows.len() >= options.limit && !options.json) {
        output::note(&format!("older ones with --before {}", last.at));
    }
    Ok(ExitCode::SUCCESS)
}

/// The tenant that an option names, or that of this machine.
pub fn tenant_of(name: Option<String>) -> anyhow::Result<TenantId> {
    Ok(name.map_or_else(|| Ok(Scope::local().tenant), TenantId::new)?)
}

/// The moment that a text stands for.
fn moment(option: &str, text: &str, now: Timestamp) -> anyhow::Result<Timestamp> {
    let midnight = format!("{text}T00:00:00Z");
    if let Some(moment) = [text, &midnight].iter().find_map(|text| text.parse::<Timestamp>().ok()) {
        return Ok(moment);
    }
    let seconds = |unit: char| match unit {
        's' => Some(1),
        'm' => Some(60),
        'h' => Some(60 * 60),
        'd' => Some(24 * 60 * 60),
        _ => None,
    };
    let ago = text.chars().next_back().and_then(seconds).zip(text.get(..text.len().saturating_sub(1)));
    match ago.and_then(|(unit, number)| number.parse::<i64>().ok()?.checked_mul(unit)?.checked_mul(1_000_000)) {
        Some(ago) if ago >= 0 => Ok(Timestamp(now.0.saturating_sub(ago))),
        _ => {
            bail!("{option} cannot be {text:?}; give a date such as 2026-07-28, a moment, or how long ago, such as 12h")
        }
    }
}

fn as_line(row: &AuditRow) -> String {
    let code = row.error_code.as_ref().map(|code| format!("  {code}")).unwrap_or_default();
    let milliseconds = row.duration_us / 1000;
    format!(
        "{}  {:<7} {} {}  {}  {}  {milliseconds} ms{code}",
        row.at, row.outcome, row.method, row.target, row.principal, row.transport
    )
}

fn as_json(row: &AuditRow) -> String {
    json!({
        "at": row.at.to_string(),
        "outcome": row.outcome,
        "error_code": row.error_code,
        "method": row.method,
        "target": row.target,
        "arguments": row.arguments,
        "principal": row.principal,
        "principal_kind": row.principal_kind,
        "transport": row.transport,
        "client": row.client,
        "decision": row.decision,
        "duration_us": row.duration_us,
        "request_id": row.request_id,
        "correlation_id": row.correlation_id,
        "trace_id": row.trace_id,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_date_a_moment_or_how_long_ago() {
        check("2026-07-28T10:00:00Z", "2026-07-28T10:00:00.000000Z");
        check("2026-07-28", "2026-07-28T00:00:00.000000Z");
        check("90m", "2026-07-28T08:30:00.000000Z");
        check("7d", "2026-07-21T10:00:00.000000Z");
        for wrong in ["", "yesterday", "7", "-7d", "7w", "99999999999999999d", "é"] {
            check(
                wrong,
                &format!(
                    "--since cannot be {wrong:?}; give a date such as 2026-07-28, a moment, or how long ago, such as 12h"
                ),
            );
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let now = "2026-07-28T10:00:00Z".parse().unwrap();
        let shown = moment("--since", text, now).map_or_else(|error| error.to_string(), |moment| moment.to_string());
        assert_eq!(shown, expected);
    }
}
