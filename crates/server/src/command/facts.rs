//! `chancery facts`: what happened in every capability, one CloudEvent per line.

use std::future::ready;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use desk::Module;
use desk::feed::{self, Event};
use ledger::{Fact, SharedLedger};

use super::http::stop_signal;
use super::output;
use crate::platform::{open_ledger, own_context};
use crate::{Config, MODULES};

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
    let ledger: SharedLedger = open_ledger(config, MODULES)?;
    let context = own_context(config);
    let mut ticks = ledger.ticks();
    let mut stop = pin!(stop_signal());
    let (mut after, mut left) = (options.after, options.limit.unwrap_or(u64::MAX));
    while left > 0 {
        // Asked before each page, so that a stop counts from the first line on.
        tokio::select! { biased; () = &mut stop => break, () = ready(()) => {} }
        let page_size = u32::try_from(left.min(PAGE)).unwrap_or(u32::MAX);
        let page = feed::page(ledger.as_ref(), &context, after, page_size, |fact| Some(event_type(fact))).await?;
        output::write(&lines(&page.events)?)?;
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

/// The type of a fact's event, whichever capability it belongs to and whether that is mounted or not.
fn event_type(fact: &Fact) -> String {
    let is_owner =
        |module: &&&dyn Module| fact.kind.strip_prefix(module.name()).is_some_and(|rest| rest.starts_with('.'));
    MODULES.iter().find(is_owner).map_or_else(|| feed::plain_type(fact), |module| module.event_type(fact))
}

fn lines(events: &[Event]) -> anyhow::Result<String> {
    let mut text = String::new();
    for event in events {
        text.push_str(&serde_json::to_string(event)?);
        text.push('\n');
    }
    Ok(text)
}
