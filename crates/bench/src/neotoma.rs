//! Neotoma: the operations that its peer was measured with, each commit synced to disk. Like the peer's, figures with a
//! target are medians of three runs. Machines differ, and one machine from hour to hour, so targets in microseconds are
//! for a speed: they grow and shrink with what a bare echo takes in the same run.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::load::{Cost, Request, Running};
use crate::report::{Report, median};
use crate::subject::{bare_echo, hello, neotoma, read_to_echo};

/// Runs of which the median counts.
const RUNS: usize = 3;
/// What a bare echo takes where the targets hold as they are written, in microseconds of CPU.
const ECHO_US: f64 = 65.0;
/// Entities of one large call.
const LARGE: usize = 5000;
/// What one related entity has around it, and each of those.
const FAN: usize = 10;

pub async fn run(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let pace = Pace { bare: bare_echo().await? };
    stores(report, quick, &pace).await?;
    reads(report, quick, &pace).await?;
    health(report).await
}

/// How fast this machine is at the moment.
struct Pace {
    bare: Running,
}

impl Pace {
    /// How much longer a bare echo takes than where the targets hold as they are written.
    async fn slowness(&self) -> anyhow::Result<f64> {
        Ok(self.bare.load(8, 2000, hello).await?.cpu_us / ECHO_US)
    }
}

/// A row with a target in microseconds, given with how slow the machine is.
fn judge_us(report: &mut Report, what: &str, measured: String, cost: &Cost, (target, slow): (f64, f64)) {
    let most = target * slow;
    let text = format!("at most {target:.0} us, here {most:.0}");
    report.judged(what, measured, echoes(slow), &text, cost.cpu_us <= most);
}

fn echoes(slow: f64) -> String {
    format!("a bare echo takes {:.0} us", slow * ECHO_US)
}

pub fn task(number: usize) -> Value {
    json!({
        "entity_type": "task",
        "title": format!("Task number {number}"),
        "status": "open",
        "description": "Something that has to be done before long",
        "priority": "high",
        "assignee": format!("Person {}", number % 50),
    })
}

fn ingest(numbers: std::ops::Range<usize>) -> Request {
    let entities: Vec<Value> = numbers.map(task).collect();
    Request::tool("ingest", &json!({ "entities": entities }))
}

/// One entity per call, and a hundred.
async fn stores(report: &mut Report, quick: bool, pace: &Pace) -> anyhow::Result<()> {
    for (writers, calls) in [(1, 400), (16, 4000)] {
        let calls = if quick { calls / 2 } else { calls };
        let (mut costs, mut slow) = (Vec::new(), Vec::new());
        for _run in 0..RUNS {
            let folder = tempfile::tempdir()?;
            let server = neotoma(folder.path()).await?;
            server.load(writers, calls / 8, |call| ingest(1_000_000 + call..1_000_001 + call)).await?;
            slow.push(pace.slowness().await?);
            costs.push(server.load(writers, calls, |call| ingest(call..call + 1)).await?);
        }
        let (cost, slow) = (middle(&costs), median(slow));
        let what = format!("ingest of one entity, {writers} callers");
        let measured = format!("{:.0}/s, {:.0} us CPU", cost.per_s, cost.cpu_us);
        // A single caller shares its sync with nobody, so that it pays for the disk and not for us.
        if writers == 1 {
            report.row(&what, measured, String::new());
        } else {
            judge_us(report, &what, measured, &cost, (300.0, slow));
        }
    }
    let calls = if quick { 100 } else { 400 };
    let (mut costs, mut slow) = (Vec::new(), Vec::new());
    let (server, _folder) = loop {
        let folder = tempfile::tempdir()?;
        let server = neotoma(folder.path()).await?;
        slow.push(pace.slowness().await?);
        costs.push(server.load(4, calls, |call| ingest(call * 100..call * 100 + 100)).await?);
        if costs.len() == RUNS {
            break (server, folder);
        }
    };
    let cost = middle(&costs);
    let (per_s, each) = (cost.per_s * 100.0, cost.cpu_us / 100.0);
    let measured = format!("{per_s:.0} entities/s, {each:.0} us CPU each");
    let (slow, least) = (median(slow.clone()), 10_000.0 / median(slow));
    let target = format!("at least 10000/s, here {least:.0}");
    report.judged("ingest of 100 entities", measured, echoes(slow), &target, per_s >= least);
    let correct = |call: usize| {
        let arguments = json!({ "entity_id": format!("Task number {}", call % 100), "entity_type": "task", "field": "status", "value": format!("state {call}") });
        Request::tool("correct", &arguments)
    };
    let cost = server.load(16, if quick { 800 } else { 3200 }, correct).await?;
    report.row("correct, 16 callers", format!("{:.0}/s, {:.0} us CPU", cost.per_s, cost.cpu_us), String::new());
    Ok(())
}

/// Reads of a small and of a large store.
async fn reads(report: &mut Report, quick: bool, pace: &Pace) -> anyhow::Result<()> {
    let sizes: &[usize] = if quick { &[1000, 10_000] } else { &[1000, 100_000] };
    for size in sizes {
        let folder = tempfile::tempdir()?;
        let server = neotoma(folder.path()).await?;
        let mut connection = server.connect().await?;
        let mut ids = Vec::new();
        for batch in 0..size / 100 {
            let answer = connection.call(&ingest(batch * 100..batch * 100 + 100)).await?;
            let answer: Value = serde_json::from_slice(&answer)?;
            let listed = answer["result"]["structuredContent"]["entities"].as_array().context("entities are listed")?;
            ids.extend(listed.iter().filter_map(|entity| entity["id"].as_str()).map(str::to_owned));
        }
        let id = |call: usize| &ids[call * 7919 % ids.len()];
        let snapshot = |call: usize| Request::tool("get_entity_snapshot", &json!({ "entity_id": id(call) }));
        let provenance =
            |call: usize| Request::tool("get_field_provenance", &json!({ "entity_id": id(call), "field": "status" }));
        server.load(8, 400, snapshot).await?;
        read_to_echo(report, quick, &server, &format!("snapshot of {size}"), snapshot).await?;
        read_to_echo(report, quick, &server, &format!("field provenance of {size}"), provenance).await?;
        let list = |_| Request::tool("retrieve_entities", &json!({ "entity_type": "task" }));
        server.load(4, 100, list).await?;
        let (mut costs, mut slow) = (Vec::new(), Vec::new());
        for _run in 0..RUNS {
            slow.push(pace.slowness().await?);
            costs.push(server.load(4, 1000, list).await?);
        }
        let cost = middle(&costs);
        let (what, measured) = (format!("retrieve_entities, 100 of {size}"), format!("{:.0} us CPU", cost.cpu_us));
        judge_us(report, &what, measured, &cost, (1000.0, median(slow)));
        let named = |call: usize| {
            Request::tool(
                "get_entity_by_identifier",
                &json!({ "identifier": format!("task number {}", call * 7919 % size) }),
            )
        };
        let cost = server.load(4, 1000, named).await?;
        report.row(&format!("identifier of {size}"), format!("{:.0} us CPU", cost.cpu_us), String::new());
        graph(report, &server, &ids, pace).await?;
    }
    Ok(())
}

/// Two hops over ten times ten edges.
async fn graph(report: &mut Report, server: &Running, ids: &[String], pace: &Pace) -> anyhow::Result<()> {
    let mut connection = server.connect().await?;
    let edge = |from: &str, to: &str| {
        let arguments = json!({ "relationship_type": "REFERS_TO", "source_entity_id": from, "target_entity_id": to });
        Request::tool("create_relationship", &arguments)
    };
    for near in 1..=FAN {
        connection.call(&edge(&ids[0], &ids[near])).await?;
        for far in 0..FAN {
            connection.call(&edge(&ids[near], &ids[FAN + 1 + near * FAN + far])).await?;
        }
    }
    let related = |_| Request::tool("get_related_entities", &json!({ "entity_id": ids[0], "max_hops": 2 }));
    server.load(4, 40, related).await?;
    let (slow, cost) = (pace.slowness().await?, server.load(4, 400, related).await?);
    let measured = format!("{:.0} us CPU", cost.cpu_us);
    judge_us(report, "related, 110 entities in two hops", measured, &cost, (1000.0, slow));
    Ok(())
}

/// The median of each figure.
fn middle(costs: &[Cost]) -> Cost {
    let of = |figure: fn(&Cost) -> f64| median(costs.iter().map(figure).collect());
    Cost { cpu_us: of(|cost| cost.cpu_us), per_s: of(|cost| cost.per_s) }
}

/// How long the health check takes while a large batch is stored.
async fn health(report: &mut Report) -> anyhow::Result<()> {
    let (mut longest, mut usual, mut seconds, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _run in 0..RUNS {
        let (waits, took, answered) = large_batch().await?;
        longest.push(waits.iter().copied().fold(0.0, f64::max));
        usual.push(median(waits));
        seconds.push(took);
        bytes = answered;
    }
    let (longest, usual, seconds) = (median(longest), median(usual), median(seconds));
    let measured = format!("{longest:.1} ms at most, {usual:.1} ms median");
    report.judged("health during a batch of 5000", measured, String::new(), "under 10 ms", longest < 10.0);
    let measured = format!("{seconds:.2} s, answer of {bytes} bytes");
    report.judged("ingest of 5000 entities", measured, String::new(), "under 1 s", seconds < 1.0);
    Ok(())
}

/// Waits of the health check in ms, seconds that the batch took, and bytes of its answer.
async fn large_batch() -> anyhow::Result<(Vec<f64>, f64, usize)> {
    let folder = tempfile::tempdir()?;
    let server = neotoma(folder.path()).await?;
    let (mut connection, request) = (server.connect().await?, ingest(0..LARGE));
    let begin = Instant::now();
    let batch = tokio::spawn(async move {
        let outcome = connection.call(&request).await.map(|answer| answer.len());
        (outcome, begin.elapsed())
    });
    let mut waits = Vec::new();
    while !batch.is_finished() {
        let asked = Instant::now();
        ask_health(&server.address).await?;
        waits.push(asked.elapsed().as_secs_f64() * 1000.0);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let (answer, took) = batch.await?;
    Ok((waits, took.as_secs_f64(), answer?))
}

async fn ask_health(address: &str) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    stream
        .write_all(format!("GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes())
        .await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    anyhow::ensure!(answer.starts_with(b"HTTP/1.1 200"), "the health check failed");
    Ok(())
}
