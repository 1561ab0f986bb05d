//! Two builds of the server against each other: the same calls in turns, so that a slow moment of the machine slows both.

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::load::{Era, Request, Running};
use crate::report::{Report, median};
use crate::subject::program;

/// Turns of which the median counts.
const TURNS: usize = 9;
/// A build may cost this much more than the one before.
const MORE_MAX: f64 = 1.10;

/// A build with a store of each capability, filled through the tools.
struct Build {
    transformation: Running,
    neotoma: Running,
    elements: Vec<String>,
    entities: Vec<String>,
    _folders: [tempfile::TempDir; 2],
}

/// Compares this build with the program at `before`.
pub async fn run(report: &mut Report, before: &str, quick: bool) -> anyhow::Result<()> {
    let (now, before) = (Build::start(&program("chancery")?).await?, Build::start(before).await?);
    let calls = if quick { 400 } else { 2000 };
    for (what, era, connections, share, request) in operations() {
        let calls = (calls / share).max(connections * 2);
        let (mut ratios, mut costs) = (Vec::new(), [Vec::new(), Vec::new()]);
        for turn in 0..=TURNS {
            let mut cost = [0.0; 2];
            for (side, build) in [&now, &before].into_iter().enumerate() {
                let server = if what.starts_with("neotoma") { &build.neotoma } else { &build.transformation };
                let nth = |call: usize| request(build, turn * calls + call);
                cost[side] = server.load_as(era, connections, calls, nth).await?.cpu_us;
            }
            // The first turn warms up.
            if turn > 0 {
                ratios.push(cost[0] / cost[1]);
                costs[0].push(cost[0]);
                costs[1].push(cost[1]);
            }
        }
        let [is, was] = costs.map(median);
        let ratio = median(ratios);
        let measured = format!("{is:.0} us, before {was:.0} us");
        report.judged(what, measured, format!("{ratio:.2}"), "at most 1.10", ratio <= MORE_MAX);
    }
    Ok(())
}

type Nth = fn(&Build, usize) -> Request;

/// Name, era, connections, how many times fewer calls than a read, and the nth call.
fn operations() -> Vec<(&'static str, Era, usize, usize, Nth)> {
    let get: Nth = |build, call| {
        let id = &build.elements[call % build.elements.len()];
        Request::read(&format!("transformation://element/{id}"))
    };
    let list: Nth =
        |_, _| Request::tool("transformation.listElements", &json!({ "model_id": "default", "page_size": 100 }));
    let create: Nth = |_, call| {
        let arguments =
            json!({ "type": "Node", "name": format!("Node {call}"), "client_request_id": format!("n-{call}") });
        Request::tool("transformation.createElement", &arguments)
    };
    let snapshot: Nth = |build, call| {
        Request::tool("get_entity_snapshot", &json!({ "entity_id": build.entities[call % build.entities.len()] }))
    };
    let provenance: Nth = |build, call| {
        let id = &build.entities[call % build.entities.len()];
        Request::tool("get_field_provenance", &json!({ "entity_id": id, "field": "status" }))
    };
    let retrieve: Nth = |_, _| Request::tool("retrieve_entities", &json!({ "entity_type": "task", "limit": 100 }));
    let ingest: Nth = |_, call| tasks(100_000 + call..100_001 + call);
    let batch: Nth = |_, call| tasks(1_000_000 + call * 100..1_000_100 + call * 100);
    let correct: Nth = |build, call| {
        let id = &build.entities[call % build.entities.len()];
        let arguments =
            json!({ "entity_id": id, "entity_type": "task", "field": "status", "value": format!("state {call}") });
        Request::tool("correct", &arguments)
    };
    vec![
        ("transformation getElement", Era::Stateless, 8, 1, get),
        ("transformation getElement, in sessions", Era::Sessions, 8, 1, get),
        ("transformation listElements, 100", Era::Stateless, 4, 4, list),
        ("transformation createElement, 16 writers", Era::Stateless, 16, 2, create),
        ("neotoma snapshot", Era::Stateless, 8, 1, snapshot),
        ("neotoma snapshot, in sessions", Era::Sessions, 8, 1, snapshot),
        ("neotoma field provenance", Era::Stateless, 8, 1, provenance),
        ("neotoma retrieve_entities, 100", Era::Stateless, 4, 4, retrieve),
        ("neotoma ingest of one, 16 callers", Era::Stateless, 16, 2, ingest),
        ("neotoma ingest of 100, 4 callers", Era::Stateless, 4, 40, batch),
        ("neotoma correct, 16 callers", Era::Stateless, 16, 2, correct),
    ]
}

impl Build {
    async fn start(program: &str) -> anyhow::Result<Self> {
        let folders = [tempfile::tempdir()?, tempfile::tempdir()?];
        let [one, two] = [0, 1].map(|at: usize| folders[at].path().display().to_string());
        let serve = async |data: &str, path| {
            let unlimited = "limits.tools=ingest=0,retrieve_entities=0";
            let arguments = ["serve", "--open", "--listen", "127.0.0.1:0", "--data", data, "--set", unlimited];
            Running::start(program, &arguments, path).await
        };
        let (transformation, neotoma) = (serve(&one, "/transformation/mcp").await?, serve(&two, "/neotoma/mcp").await?);
        let mut connection = transformation.connect().await?;
        let mut elements = Vec::new();
        for number in 0..1000 {
            let arguments = json!({ "type": "ApplicationComponent", "name": format!("Component {number}") });
            let made = connection.call(&Request::tool("transformation.createElement", &arguments)).await?;
            let made: Value = serde_json::from_slice(&made)?;
            let id = made["result"]["structuredContent"]["element"]["id"].as_str().context("an element has an id")?;
            elements.push(id.to_owned());
        }
        let mut connection = neotoma.connect().await?;
        let mut entities = Vec::new();
        for start in (0..2000).step_by(100) {
            let stored: Value = serde_json::from_slice(&connection.call(&tasks(start..start + 100)).await?)?;
            let listed = stored["result"]["structuredContent"]["entities"].as_array().context("entities are listed")?;
            entities.extend(listed.iter().filter_map(|entity| entity["id"].as_str()).map(str::to_owned));
        }
        Ok(Self { transformation, neotoma, elements, entities, _folders: folders })
    }
}

fn tasks(numbers: std::ops::Range<usize>) -> Request {
    let entities: Vec<Value> = numbers.map(crate::neotoma::task).collect();
    Request::tool("ingest", &json!({ "entities": entities }))
}
