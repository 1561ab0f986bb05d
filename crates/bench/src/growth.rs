//! What must not grow with what is stored: each question at two sizes, in turns.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::load::{Request, Running};
use crate::report::{Report, median};
use crate::{seed, subject};

/// Turns of which the median counts.
const TURNS: usize = 7;
/// From the small to the large size a call may cost this much more.
const MORE_MAX: f64 = 1.5;

pub async fn run(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let (small, large) = (1000, if quick { 10_000 } else { 100_000 });
    let (one, two) = (entities(small).await?, entities(large).await?);
    let rare = json!({ "entity_type": "task", "filters": [{ "field": "code", "value": "c-77" }] });
    let range =
        json!({ "entity_type": "task", "filters": [{ "field": "effort", "op": "gte", "value": 990 }], "limit": 10 });
    let sorted = json!({ "entity_type": "task", "sort": "-effort", "limit": 100 });
    let timeline = json!({ "limit": 100 });
    let words = json!({ "identifier": "77 task number", "entity_type": "task", "limit": 10 });
    let name = json!({ "identifier": "Task number 77", "limit": 10 });
    for (what, tool, arguments) in [
        ("retrieve_entities, few of many match", "retrieve_entities", rare),
        ("retrieve_entities, a range", "retrieve_entities", range),
        ("retrieve_entities, sorted", "retrieve_entities", sorted),
        ("list_timeline_events, 100", "list_timeline_events", timeline),
        ("get_entity_by_identifier, by words", "get_entity_by_identifier", words),
        ("get_entity_by_identifier, by name", "get_entity_by_identifier", name),
    ] {
        let request = |_| Request::tool(tool, &arguments);
        judge(report, what, [&one.0, &two.0], [small, large], request).await?;
    }
    drop((one, two));
    let (one, two) = (elements(small).await?, elements(large).await?);
    let model = |_| Request::tool("transformation.getArchimateModel", &json!({ "model_id": "default" }));
    judge(report, "getArchimateModel", [&one.0, &two.0], [small, large], model).await
}

/// What a question costs a small and a large store, as a row with the ratio.
async fn judge(
    report: &mut Report,
    what: &str,
    servers: [&Running; 2],
    sizes: [usize; 2],
    request: impl Fn(usize) -> Request + Sync + Copy,
) -> anyhow::Result<()> {
    judge_each(report, what, servers.map(|server| (server, &())), sizes, |(), call| request(call)).await
}

/// The same where the question depends on what the store holds.
pub async fn judge_each<Held: Sync>(
    report: &mut Report,
    what: &str,
    stores: [(&Running, &Held); 2],
    sizes: [usize; 2],
    request: impl Fn(&Held, usize) -> Request + Sync + Copy,
) -> anyhow::Result<()> {
    let (mut ratios, mut costs) = (Vec::new(), [Vec::new(), Vec::new()]);
    for turn in 0..=TURNS {
        let mut cost = [0.0; 2];
        for (side, (server, held)) in stores.into_iter().enumerate() {
            cost[side] = server.load(2, 60, |call| request(held, call)).await?.cpu_us;
        }
        // The first turn warms up.
        if turn > 0 {
            ratios.push(cost[1] / cost[0]);
            costs[0].push(cost[0]);
            costs[1].push(cost[1]);
        }
    }
    let ratio = median(ratios);
    let mut measured = String::new();
    for (size, costs) in sizes.into_iter().zip(costs) {
        let _ = write!(measured, "{}{:.0} us of {size}", if measured.is_empty() { "" } else { ", " }, median(costs));
    }
    report.judged(&format!("growth: {what}"), measured, format!("{ratio:.2}"), "at most 1.5", ratio <= MORE_MAX);
    Ok(())
}

/// A server with this many tasks, each with a date, a number and a code of its own.
async fn entities(count: usize) -> anyhow::Result<(Running, tempfile::TempDir)> {
    let folder = tempfile::tempdir()?;
    let server = subject::neotoma(folder.path()).await?;
    let mut connection = server.connect().await?;
    let task = |number: usize| {
        json!({
            "entity_type": "task", "title": format!("Task number {number}"), "code": format!("c-{number}"),
            "effort": number % 1000, "due_date": format!("2026-{:02}-{:02}", number % 12 + 1, number % 28 + 1),
        })
    };
    for start in (0..count).step_by(500) {
        let batch: Vec<Value> = (start..(start + 500).min(count)).map(task).collect();
        connection.call(&Request::tool("ingest", &json!({ "entities": batch }))).await?;
    }
    Ok((server, folder))
}

async fn elements(count: usize) -> anyhow::Result<(Running, tempfile::TempDir)> {
    let folder = tempfile::tempdir()?;
    let (ledger, _) = seed::elements(folder.path(), count).await?;
    drop(ledger);
    Ok((subject::chancery(folder.path()).await?, folder))
}
