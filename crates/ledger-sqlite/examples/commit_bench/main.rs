//! How close the ledger comes to what SQLite alone can do, and whether listings grow with what is stored.
//!
//! `cargo run --release -p ledger-sqlite --example commit_bench`. Both sides write the same rows, in rotation,
//! so a busy machine slows both; read the ratio. Numbers of writers may be given as arguments; then only they run.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]
#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first failure")]

mod raw;
mod rows;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ledger::{Direction, Find, FindOrder, Ledger};
use ledger_sqlite::{Options, SqliteLedger};

const SLICE: Duration = Duration::from_millis(1500);
const ROUNDS: usize = 3;

#[tokio::main]
async fn main() {
    let asked: Vec<usize> = std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    for writers in if asked.is_empty() { vec![1, 16, 64] } else { asked.clone() } {
        let (mut ours, mut alone, mut shared) = (Vec::new(), Vec::new(), 0.0);
        let (mut cpu, mut cpu_alone) = (Vec::new(), Vec::new());
        let (mut unaudited, mut cpu_unaudited) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let start = cpu_seconds();
            unaudited.push(ledger_rate(writers, rows::create).await.0);
            let before = cpu_seconds();
            cpu_unaudited.push((before - start) / SLICE.as_secs_f64() / unaudited[unaudited.len() - 1] * 1e6);
            let (rate, per_transaction) = ledger_rate(writers, rows::audited).await;
            let between = cpu_seconds();
            ours.push(rate);
            shared = per_transaction;
            alone.push(tokio::task::spawn_blocking(move || raw::rate(writers, SLICE)).await.unwrap());
            let slice = SLICE.as_secs_f64();
            cpu.push((between - before) / slice / ours[ours.len() - 1] * 1e6);
            cpu_alone.push((cpu_seconds() - between) / slice / alone[alone.len() - 1] * 1e6);
        }
        let (ours, alone, cpu, cpu_alone) = (median(ours), median(alone), median(cpu), median(cpu_alone));
        let (unaudited, cpu_unaudited) = (median(unaudited), median(cpu_unaudited));
        println!(
            "{writers:>3} writers: ledger {ours:>6.0}/s ({shared:.1} per sync, {cpu:.0} us CPU), \
             SQLite alone {alone:>6.0}/s ({cpu_alone:.0} us CPU), ratio {:.2}; \
             without audit records {unaudited:>6.0}/s ({cpu_unaudited:.0} us CPU), ratio {:.2}",
            ours / alone,
            ours / unaudited
        );
    }
    if asked.is_empty() {
        listings().await;
    }
}

/// Durable creates per second through the ledger, and changes per transaction.
async fn ledger_rate(writers: usize, create: fn(u64) -> ledger::Change) -> (f64, f64) {
    let directory = tempfile::tempdir().unwrap();
    let ledger = Arc::new(SqliteLedger::open(directory.path(), Options::default()).unwrap());
    let (number, start) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let tasks: Vec<_> = (0..writers)
        .map(|_| {
            let (ledger, number) = (ledger.clone(), number.clone());
            tokio::spawn(async move {
                while start.elapsed() < SLICE {
                    ledger.commit(create(number.fetch_add(1, Ordering::Relaxed))).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let stats = ledger.write_stats();
    (stats.changes as f64 / start.elapsed().as_secs_f64(), stats.changes as f64 / stats.transactions as f64)
}

async fn listings() {
    let mut costs: Vec<Vec<(&str, f64)>> = Vec::new();
    for records in [1_000, 100_000] {
        let directory = tempfile::tempdir().unwrap();
        let ledger = SqliteLedger::open(directory.path(), Options::default()).unwrap();
        for first in (0..records).step_by(1000) {
            ledger.commit(rows::import(first..first + 1000)).await.unwrap();
        }
        let mut row = Vec::new();
        for (name, find) in listing_queries() {
            row.push((name, listing_cost_us(&ledger, find).await));
        }
        row.push(("get of one", get_cost_us(&ledger).await));
        costs.push(row);
    }
    for ((name, small), (_, large)) in costs[0].iter().zip(&costs[1]) {
        println!("{name:<18}: 1k {small:>6.1} us, 100k {large:>6.1} us, ratio {:.2}", large / small);
    }
}

fn listing_queries() -> Vec<(&'static str, Find)> {
    let base = Find { scope: Some("m1".to_owned()), ..Find::all(rows::KIND) };
    vec![
        ("100 by scope", base.clone()),
        ("100 by type", Find { r#type: Some("Application".to_owned()), ..base.clone() }),
        ("100 by tag", Find { tag: Some("even".to_owned()), ..base.clone() }),
        ("100 by name prefix", Find { name_prefix: Some("element".to_owned()), order: FindOrder::Name, ..base }),
        ("100 by touching", Find { touching: Some(("hub".to_owned(), Direction::Both)), ..Find::all(rows::LINK) }),
    ]
}

async fn listing_cost_us(ledger: &SqliteLedger, find: Find) -> f64 {
    let tenant = rows::tenant();
    let head = ledger.point(&tenant, ledger::At::Head).await.unwrap();
    let mut costs = Vec::new();
    for _ in 0..300 {
        let start = Instant::now();
        assert_eq!(ledger.find(&tenant, head, find.clone()).await.unwrap().items.len(), 100);
        costs.push(start.elapsed().as_secs_f64() * 1e6);
    }
    median(costs)
}

/// A read of one record by its key, with the head looked up first, as a tool call does.
async fn get_cost_us(ledger: &SqliteLedger) -> f64 {
    let tenant = rows::tenant();
    let mut costs = Vec::new();
    for number in 0..2000 {
        let keys = [rows::element(number % 1000).key];
        let start = Instant::now();
        let head = ledger.point(&tenant, ledger::At::Head).await.unwrap();
        assert!(ledger.get(&tenant, head, &keys).await.unwrap()[0].is_some());
        costs.push(start.elapsed().as_secs_f64() * 1e6);
    }
    median(costs)
}

/// What this process used so far, in user and kernel mode; barely moved by what else runs on the machine.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
