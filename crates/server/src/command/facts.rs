//! `chancery facts`: what happened, one CloudEvent per line.

use std::future::ready;
use std::io::{ErrorKind, Write as _};
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use contract::generated::transformation::{CloudEvent, FactQueryService as _, ListFactsRequest};
use ledger::SharedLedger;
use transformation::query::FactQuery;

use super::http::stop_signal;
use crate::Config;
use crate::platform::{open_ledger, own_context};

/// Other processes' commits do not tick here, so the facts are also asked for this often.
const POLL: Duration = Duration::from_millis(250);
const PAGE: u64 = 500;

#[derive(Debug, Args)]
pub struct Facts {
    /// Start after this sequence number; that of the last event seen, to go on where one stopped.
    #[arg(long, value_name = "SEQUENCE", default_value_t = 0)]
    after: u64,
    /// Go on with what happens from now on, until Ctrl-C or until nobody reads any more.
    #[arg(long)]
    follow: bool,
    /// Stop after this many events.
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u64>,
}

pub async fn print(config: &Config, options: &Facts) -> anyhow::Result<ExitCode> {
    let ledger: SharedLedger = open_ledger(config)?;
    let (feed, context) = (FactQuery::new(ledger.clone()), own_context(config));
    let mut ticks = ledger.ticks();
    let mut stop = pin!(stop_signal());
    let (mut after, mut left) = (options.after, options.limit.unwrap_or(u64::MAX));
    while left > 0 {
        // Asked before each page, so that a stop counts from the first line on.
        tokio::select! { biased; () = &mut stop => break, () = ready(()) => {} }
        let page_size = u32::try_from(left.min(PAGE)).unwrap_or(u32::MAX);
        let page = feed.list_facts(&context, ListFactsRequest { after, page_size }).await?;
        if !write_lines(&page.events)? {
            break;
        }
        left -= u64::try_from(page.events.len()).unwrap_or(left);
        after = page.last_sequence;
        if page.more {
            continue;
        }
        if !options.follow {
            break;
        }
        tokio::select! { () = &mut stop => break, _ = tokio::time::timeout(POLL, ticks.changed()) => {} }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes each event as a line; false when nobody reads any more.
fn write_lines(events: &[CloudEvent]) -> anyhow::Result<bool> {
    let mut text = String::new();
    for event in events {
        text.push_str(&serde_json::to_string(event)?);
        text.push('\n');
    }
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot write to stdout"),
    }
}
