//! What an ingest costs without a door: on SQLite, and on the ledger in memory.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use std::sync::Arc;
use std::time::Instant;

use contract::{Capability as _, Context, NoClient, RequestMeta};
use ledger::SharedLedger;
use neotoma::interpret::Rules;
use neotoma::{Config, Neotoma, Parts};
use scope::{Clock as _, Principal, RandomIds, Scope, SystemClock};
use serde_json::{Value, json};

fn cpu() -> f64 {
    let text = std::fs::read_dir("/proc/self/task").unwrap();
    text.map(|task| {
        let stat = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap_or_default();
        stat.split(' ').next().unwrap_or("0").parse::<f64>().unwrap_or_default()
    })
    .sum::<f64>()
        / 1e3
}

fn context() -> Context {
    Context {
        scope: Scope::local(),
        principal: Principal::local("owner"),
        request: RequestMeta::default(),
        now: SystemClock.now(),
        ids: Arc::new(RandomIds),
        client: Arc::new(NoClient),
        cancelled: tokio_util::sync::CancellationToken::new(),
        effect: None,
        verdict: contract::Verdict::default(),
        audit: contract::AuditDraft::default(),
    }
}

fn task(number: usize) -> Value {
    json!({"entity_type": "task", "title": format!("Task number {number}"), "status": "open", "description": "Something that has to be done before long", "priority": "high", "assignee": format!("Person {}", number % 50)})
}

async fn measure(what: &str, ledger: SharedLedger, callers: usize, calls: usize, size: usize) {
    let folder = tempfile::tempdir().unwrap();
    let neotoma = Arc::new(Neotoma::new(Parts {
        search: search::Search::in_memory(ledger.clone()),
        ledger,
        config: Config::default(),
        interpreter: Arc::new(Rules::default()),
        blobs: Arc::new(blobs::FileBlobs::open(folder.path().join("blobs")).unwrap()),
        links: blobs::sign::Links::new(&[7; 32], "http://x"),
        tokens: desk::PageTokens::new(&[7; 32]),
        roots: Arc::new(blobs::jail::Roots::open(&[]).unwrap()),
    }));
    let (begin, wall) = (cpu(), Instant::now());
    let workers: Vec<_> = (0..callers)
        .map(|caller| {
            let neotoma = neotoma.clone();
            tokio::spawn(async move {
                for call in 0..calls / callers {
                    let first = (caller * calls + call) * size;
                    let entities: Vec<Value> = (first..first + size).map(task).collect();
                    let Value::Object(arguments) = json!({ "entities": entities }) else { unreachable!() };
                    neotoma.call(&context(), "ingest", arguments).await.unwrap();
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    let each = (calls * size) as f64;
    println!(
        "{what}, {callers} callers, {size} at once: {:.0} us CPU, {:.0} us wall each",
        (cpu() - begin) / each,
        wall.elapsed().as_secs_f64() * 1e6 / each
    );
}

/// Callers, calls and entities of a call; on SQLite, then on the ledger in memory. An argument picks one by its place.
const RUNS: [(&str, usize, usize, usize); 5] = [
    ("sqlite", 1, 500, 1),
    ("sqlite", 16, 12000, 1),
    ("sqlite", 4, 300, 100),
    ("memory", 1, 5, 100),
    ("memory", 1, 300, 1),
];

#[tokio::main]
async fn main() {
    let only: Option<usize> = std::env::args().nth(1).and_then(|only| only.parse().ok());
    for (place, (store, callers, calls, size)) in RUNS.into_iter().enumerate() {
        if only.is_some_and(|only| only != place) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let ledger: SharedLedger = match store {
            "sqlite" => {
                Arc::new(ledger_sqlite::SqliteLedger::open(folder.path(), ledger_sqlite::Options::default()).unwrap())
            }
            _ => Arc::new(ledger::model::ModelLedger::new(Arc::new(SystemClock))),
        };
        measure(store, ledger, callers, calls, size).await;
    }
}
