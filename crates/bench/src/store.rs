//! The ledger without a server around it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use contract::{NoClient, RequestMeta};
use ledger::{At, Direction, Find, FindOrder, Ledger as _, Traverse};
use scope::Scope;
use serde_json::json;
use server::Platform;
use spine::admission::{Arrival, Door};
use spine::{Called, Caller};
use tokio_util::sync::CancellationToken;

use crate::report::{Report, median};
use crate::seed;

/// Group commit of the ledger against SQLite alone on the same rows, as the engine's own example measures it.
/// Returns what SQLite alone reaches for each number of writers.
pub async fn group_commit(report: &mut Report) -> anyhow::Result<BTreeMap<usize, f64>> {
    let example = std::env::current_exe()?.with_file_name("examples").join("commit_bench");
    let output =
        tokio::process::Command::new(&example).output().await.with_context(|| example.display().to_string())?;
    let mut alone = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((writers, rest)) = line.split_once(" writers:") else {
            println!("{line}");
            continue;
        };
        let number = |after: &str| {
            let word = rest.split_once(after)?.1.trim_start().split(['/', ' ', ',']).next()?;
            word.parse::<f64>().ok()
        };
        let (Ok(writers), Some(ours), Some(raw)) = (writers.trim().parse::<usize>(), number("ledger"), number("alone"))
        else {
            continue;
        };
        let ratio = ours / raw;
        let measured = format!("{ours:.0}/s, SQLite alone {raw:.0}/s");
        let what = format!("group commit, {writers} writers");
        if writers == 64 {
            report.judged(&what, measured, format!("{ratio:.2}"), "at least 0.70", ratio >= 0.70);
        } else {
            report.row(&what, measured, format!("{ratio:.2}"));
        }
        alone.insert(writers, raw);
    }
    anyhow::ensure!(alone.len() == 3, "the example printed no figures");
    Ok(alone)
}

/// Durable creates per second through the capability, without HTTP.
pub async fn creates_in_process(writers: usize, calls: usize) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let platform = Arc::new(Platform::open(&seed::config(folder.path())).await?);
    let begin = Instant::now();
    let each = calls / writers;
    let worker = |worker: usize| {
        let platform = platform.clone();
        tokio::spawn(async move {
            let endpoint = &platform.endpoints[0];
            let arrival = Arrival { door: Door::CommandLine, message: None, now: endpoint.clock.now() };
            let admitted = platform.admission.admit(&arrival, endpoint.capability.manifest())?;
            let caller = Caller {
                admitted,
                request: RequestMeta::default(),
                client: Arc::new(NoClient),
                cancelled: CancellationToken::new(),
                verdict: contract::Verdict::default(),
                audit: contract::AuditDraft::default(),
            };
            for call in 0..each {
                let name = format!("Component {worker} {call}");
                let arguments = json!({ "type": "ApplicationComponent", "name": name, "client_request_id": name });
                let called = endpoint
                    .call(&caller, "transformation.createElement", arguments.as_object().cloned().unwrap_or_default())
                    .await;
                anyhow::ensure!(matches!(called, Called::Answered(_)), "{called:?}");
            }
            anyhow::Ok(())
        })
    };
    for task in (0..writers).map(worker).collect::<Vec<_>>() {
        task.await??;
    }
    #[expect(clippy::cast_precision_loss, reason = "a number of calls is small")]
    Ok((each * writers) as f64 / begin.elapsed().as_secs_f64())
}

/// A hundred of many as they were before every tenth was renamed, against a hundred of what is live.
pub async fn past(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let count = if quick { 10_000 } else { 1_000_000 };
    let folder = tempfile::tempdir()?;
    let (ledger, ids) = seed::elements(folder.path(), count).await?;
    let tenant = Scope::local().tenant;
    let then = ledger.point(&tenant, At::Head).await?;
    let one = ledger.find(&tenant, then, Find::all("transformation.element")).await?.items.remove(0).record;
    seed::rename_some(&ledger, &one.scope, &ids).await?;
    let now = ledger.point(&tenant, At::Head).await?;
    let all = Find { scope: Some(one.scope), ..Find::all(one.key.kind) };
    let listings = [
        ("by id", all.clone()),
        ("by name", Find { order: FindOrder::Name, ..all.clone() }),
        ("of a type", Find { r#type: Some(one.r#type), ..all.clone() }),
        ("of a layer", Find { tag: one.tags.first().cloned(), ..all }),
    ];
    for (what, find) in listings {
        let mut costs = [Vec::new(), Vec::new()];
        for _round in 0..9 {
            for (cost, at) in costs.iter_mut().zip([now, then]) {
                let begin = Instant::now();
                for _ in 0..50 {
                    ledger.find(&tenant, at, find.clone()).await?;
                }
                cost.push(begin.elapsed().as_secs_f64() * 1e6 / 50.0);
            }
        }
        let [head, past] = costs.map(median);
        let measured = format!("{past:.0} us, {head:.0} us");
        report.row(&format!("100 of {count} {what}, past to head"), measured, format!("{:.2}", past / head));
    }
    Ok(())
}

/// Two hops along links, in a small and in a large store.
pub async fn traversal(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let mut costs = Vec::new();
    for count in [1000, if quick { 10_000 } else { 100_000 }] {
        let folder = tempfile::tempdir()?;
        let (ledger, ids) = seed::elements(folder.path(), count).await?;
        let tenant = Scope::local().tenant;
        let head = ledger.point(&tenant, At::Head).await?;
        let begin = Instant::now();
        const WALKS: usize = 2000;
        for walk in 0..WALKS {
            let traverse = Traverse {
                from: ids[walk * 7919 % ids.len()].clone(),
                kind: "transformation.relationship".to_owned(),
                types: Vec::new(),
                direction: Direction::Both,
                hops_max: 2,
                records_max: 100,
            };
            ledger.traverse(&tenant, head, traverse).await?;
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of walks is small")]
        costs.push(begin.elapsed().as_secs_f64() * 1e6 / WALKS as f64);
    }
    let ratio = costs[1] / costs[0];
    report.row(
        "2-hop traversal, large store to small",
        format!("{:.0} us, {:.0} us", costs[1], costs[0]),
        format!("{ratio:.2}"),
    );
    Ok(())
}
