//! The real server, measured from outside.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;

use crate::load::{Era, Request, Running};
use crate::report::{Report, median};
use crate::{seed, store};

/// The programs that xtask built beside this one.
pub fn program(name: &str) -> anyhow::Result<String> {
    let folder = std::env::current_exe()?.parent().map(PathBuf::from).unwrap_or_default();
    Ok(folder.join(name).display().to_string())
}

pub async fn chancery(data: &std::path::Path) -> anyhow::Result<Running> {
    let data = data.display().to_string();
    let arguments = ["serve", "--open", "--listen", "127.0.0.1:0", "--data", &data];
    Running::start(&program("chancery")?, &arguments, "/transformation/mcp").await
}

/// Without the limits that tools state: here it is about what they cost.
pub async fn neotoma(data: &std::path::Path) -> anyhow::Result<Running> {
    let data = data.display().to_string();
    let unlimited = "limits.tools=ingest=0,retrieve_entities=0";
    let arguments = ["serve", "--open", "--listen", "127.0.0.1:0", "--data", &data, "--set", unlimited];
    Running::start(&program("chancery")?, &arguments, "/neotoma/mcp").await
}

pub async fn monitor(data: &std::path::Path) -> anyhow::Result<Running> {
    let data = data.display().to_string();
    let arguments = ["serve", "--open", "--listen", "127.0.0.1:0", "--data", &data];
    Running::start(&program("chancery")?, &arguments, "/monitor/mcp").await
}

/// An echo tool: axum, rmcp, ours.
pub async fn echo(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let bench = program("bench")?;
    let calls = if quick { 4000 } else { 20_000 };
    let mut costs: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); 3];
    for _round in 0..3 {
        for (position, (mode, tool)) in
            [("axum", "echo"), ("rmcp", "echo"), ("echo", "bench.echo")].into_iter().enumerate()
        {
            let server = Running::start(&bench, &[mode], "/mcp").await?;
            let call = |_| Request::tool(tool, &json!({ "text": "hello" }));
            server.load(8, calls / 10, call).await?;
            let cost = server.load(8, calls, call).await?;
            costs[position].0.push(cost.cpu_us);
            costs[position].1.push(cost.per_s);
        }
    }
    let [axum, rmcp, ours] = [0, 1, 2].map(|position| median(costs[position].0.clone()));
    report.row("echo, bare axum", format!("{axum:.0} us CPU"), String::new());
    report.row("echo, bare rmcp", format!("{rmcp:.0} us CPU"), format!("{:.2} of axum", rmcp / axum));
    report.row("echo, ours", format!("{ours:.0} us CPU"), format!("{:.2} of rmcp", ours / rmcp));
    Ok(())
}

/// The same read by clients of both eras, in turns.
pub async fn eras(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (ledger, ids) = seed::elements(folder.path(), 1000).await?;
    drop(ledger);
    let server = chancery(folder.path()).await?;
    let get = |call: usize| Request::read(&format!("transformation://element/{}", ids[call * 7919 % ids.len()]));
    let calls = if quick { 2000 } else { 6000 };
    let (mut ratios, mut costs) = (Vec::new(), [Vec::new(), Vec::new()]);
    for _round in 0..9 {
        let stateless = server.load_as(Era::Stateless, 8, calls, get).await?.cpu_us;
        let sessions = server.load_as(Era::Sessions, 8, calls, get).await?.cpu_us;
        ratios.push(sessions / stateless);
        costs[0].push(sessions);
        costs[1].push(stateless);
    }
    let [sessions, stateless] = costs.map(median);
    let measured = format!("{sessions:.0} us, stateless {stateless:.0} us");
    report.row("getElement in sessions of the initialize era", measured, format!("{:.2}", median(ratios)));
    Ok(())
}

/// A server with nothing but an echo on rmcp: the yardstick.
pub async fn bare_echo() -> anyhow::Result<Running> {
    Running::start(&program("bench")?, &["rmcp"], "/mcp").await
}

/// What it is asked.
pub fn hello(_: usize) -> Request {
    Request::tool("echo", &json!({ "text": "hello" }))
}

/// A read against an echo on rmcp alone, in turns, so that a slow moment of the machine slows both.
pub async fn read_to_echo(
    report: &mut Report,
    quick: bool,
    server: &Running,
    what: &str,
    get: impl Fn(usize) -> Request + Sync,
) -> anyhow::Result<()> {
    let bare = bare_echo().await?;
    let (rounds, calls) = if quick { (9, 2000) } else { (15, 6000) };
    let (mut gets, mut echoes, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _round in 0..rounds {
        let echo_us = bare.load(8, calls, hello).await?.cpu_us;
        let get_us = server.load(8, calls, &get).await?.cpu_us;
        ratios.push(get_us / echo_us);
        gets.push(get_us);
        echoes.push(echo_us);
    }
    let ratio = median(ratios);
    let measured = format!("{:.0} us, {:.0} us", median(gets), median(echoes));
    report.judged(&format!("{what} to a bare rmcp echo"), measured, format!("{ratio:.2}"), "at most 2", ratio <= 2.0);
    Ok(())
}

/// One element, and a hundred of a thousand up to a million.
pub async fn reads(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let sizes: &[usize] = if quick { &[1000, 10_000] } else { &[1000, 100_000, 1_000_000] };
    let list = |_| Request::tool("transformation.listElements", &json!({ "model_id": "default", "page_size": 100 }));
    let mut servers = Vec::new();
    for size in sizes {
        let folder = tempfile::tempdir()?;
        let begin = Instant::now();
        let (ledger, ids) = seed::elements(folder.path(), *size).await?;
        drop(ledger);
        println!("seeded {size} elements in {:.0} s", begin.elapsed().as_secs_f64());
        let server = chancery(folder.path()).await?;
        let uri = |call: usize| format!("transformation://element/{}", ids[call * 7919 % ids.len()]);
        let get = |call: usize| Request::read(&uri(call));
        server.load(8, 1000, get).await?;
        let cost = server.load(8, 10_000, get).await?;
        report.row(&format!("getElement of {size}"), format!("{:.0} us CPU", cost.cpu_us), String::new());
        if *size == sizes[0] {
            read_to_echo(report, quick, &server, "getElement", get).await?;
        }
        server.load(4, 100, list).await?;
        let cost = server.load(4, 1000, list).await?;
        report.row(&format!("listElements, 100 of {size}"), format!("{:.0} us CPU", cost.cpu_us), String::new());
        servers.push((server, folder));
    }
    let (small, large) = (&servers[0].0, &servers[servers.len() - 1].0);
    let (mut of_small, mut of_large, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _round in 0..9 {
        let (before, after) = (small.load(4, 400, list).await?.cpu_us, large.load(4, 400, list).await?.cpu_us);
        ratios.push(after / before);
        of_small.push(before);
        of_large.push(after);
    }
    let what = format!("list 100 of {} to 100 of {}", sizes[sizes.len() - 1], sizes[0]);
    let (measured, ratio) = (format!("{:.0} us, {:.0} us", median(of_large), median(of_small)), median(ratios));
    report.judged(&what, measured, format!("{ratio:.2}"), "at most 1.5", ratio <= 1.5);
    Ok(())
}

/// Durable creates over HTTP at 1, 16 and 64 writers, and the same through the capability without HTTP.
pub async fn writes(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let alone = store::group_commit(report).await?;
    for (writers, calls) in [(1, 400), (16, 4000), (64, 12_000)] {
        let calls = if quick { calls / 4 } else { calls };
        let folder = tempfile::tempdir()?;
        let server = chancery(folder.path()).await?;
        let create = |call: usize| {
            let arguments = json!({ "type": "ApplicationComponent", "name": format!("Component {call}"), "client_request_id": format!("c-{call}") });
            Request::tool("transformation.createElement", &arguments)
        };
        let cost = server.load(writers, calls, create).await?;
        let measured = format!("{:.0}/s, {:.0} us CPU", cost.per_s, cost.cpu_us);
        report.row(
            &format!("createElement over HTTP, {writers} writers"),
            measured,
            format!("{:.2} of SQLite alone", cost.per_s / alone[&writers]),
        );
        let per_s = store::creates_in_process(writers, calls).await?;
        report.row(
            &format!("createElement in process, {writers} writers"),
            format!("{per_s:.0}/s"),
            format!("{:.2} of SQLite alone", per_s / alone[&writers]),
        );
    }
    Ok(())
}

/// Start, memory, sizes.
pub async fn resources(report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    drop(chancery(folder.path()).await?);
    let mut starts = Vec::new();
    let mut bytes = 0;
    for _ in 0..7 {
        let begin = Instant::now();
        let server = chancery(folder.path()).await?;
        bytes = server.connect().await?.call(&Request::list_tools()).await?.len();
        starts.push(begin.elapsed().as_secs_f64() * 1000.0);
    }
    let start_ms = median(starts);
    report.judged(
        "start to first tools/list",
        format!("{start_ms:.1} ms"),
        String::new(),
        "under 50 ms",
        start_ms < 50.0,
    );
    let server = chancery(folder.path()).await?;
    server.connect().await?.call(&Request::list_tools()).await?;
    let memory = server.memory_mb();
    report.judged("idle memory", format!("{memory:.1} MB"), String::new(), "under 30 MB", memory < 30.0);
    #[expect(clippy::cast_precision_loss, reason = "a file size needs no 53 bits")]
    let size = std::fs::metadata(program("chancery")?)?.len() as f64 / 1e6;
    report.judged("binary", format!("{size:.1} MB"), String::new(), "under 40 MB", size < 40.0);
    report.row("tools/list", format!("{bytes} bytes"), String::new());
    Ok(())
}
