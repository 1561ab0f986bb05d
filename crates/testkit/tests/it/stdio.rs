//! One message per line, and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use scope::{Principal, Scope};
use serde_json::{Value, json};
use spine::admission::LocalIdentity;
use testkit::conformance::Conformance;
use testkit::probe::{Probe, Seen};
use testkit::raw::PATIENCE;
use testkit::site::Plan;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The far end of a pipe to a served capability.
struct Pipe {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    stop: CancellationToken,
    served: JoinHandle<Result<(), String>>,
}

fn pipe(plan: Plan) -> Pipe {
    let prepared = plan.prepare();
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reads, writes) = tokio::io::split(near);
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let serving =
        async move { spine::stdio::serve(prepared.endpoint, &prepared.admission, reads, writes, stopping).await };
    let (output, input) = tokio::io::split(far);
    Pipe { input, output: BufReader::new(output).lines(), stop, served: tokio::spawn(serving) }
}

fn probe() -> (Pipe, Arc<Seen>) {
    let probe = Probe::default();
    let seen = probe.seen();
    (pipe(Plan::of(probe)), seen)
}

impl Pipe {
    async fn write(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    async fn send(&mut self, message: Value) {
        self.write(&message.to_string()).await;
    }

    /// The next line, which is a message; nothing when the output ended.
    async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await.expect("a line in time").unwrap()?;
        Some(serde_json::from_str(&line).expect("every line is JSON"))
    }

    async fn ask(&mut self, message: Value) -> Value {
        self.send(message).await;
        self.next().await.expect("an answer")
    }

    async fn initialize(&mut self) {
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        let answer = self.ask(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }

    /// Closes the input and returns what still came.
    async fn close(mut self) -> Vec<Value> {
        self.input.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(message) = self.next().await {
            rest.push(message);
        }
        tokio::time::timeout(PATIENCE, self.served).await.expect("it ends").unwrap().unwrap();
        rest
    }
}

fn call(id: i64, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

// R-035, R-038
#[tokio::test]
async fn a_session_answers_line_by_line() {
    let (mut pipe, _) = probe();
    pipe.initialize().await;
    let answer = pipe.ask(call(1, "probe.echo", json!({ "text": "a\nb" }))).await;
    assert_eq!(answer["result"]["structuredContent"], json!({ "text": "a\nb" }));
    let answer = pipe.ask(call(2, "probe_echo", json!("{\"text\":\"wrapped\"}"))).await;
    assert_eq!(answer["result"]["structuredContent"], json!({ "text": "wrapped" }));
    let answer = pipe.ask(call(3, "probe.panic", json!({}))).await;
    assert_eq!(answer["result"]["isError"], true);
    let answer = pipe.ask(call(4, "probe.echo", json!(7))).await;
    assert_eq!(answer["error"]["code"], -32602);
    let answer = pipe.ask(call(5, "probe.nothing", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(pipe.close().await, Vec::<Value>::new());
}

// R-035, R-034
#[tokio::test]
async fn the_stateless_era_is_served_too() {
    let (mut pipe, _) = probe();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discover = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": meta } });
    assert!(pipe.ask(discover).await["result"]["supportedVersions"].is_array());
    let params = json!({ "name": "probe.echo", "arguments": { "count": 1 }, "_meta": meta });
    let answer = pipe.ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params })).await;
    assert_eq!(answer["result"]["structuredContent"], json!({ "count": 1 }));
}

// R-035, N-329
#[tokio::test]
async fn garbage_is_answered_and_the_connection_lives() {
    let (mut pipe, _) = probe();
    for (line, code) in [("garbage", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, -32600)] {
        pipe.write(line).await;
        let error = pipe.next().await.unwrap()["error"].clone();
        assert_eq!(error["code"], code, "{line}");
        let text = error.to_string();
        assert!(text.len() < 300 && !text.contains(['/', '<']) && !text.contains("panicked"), "{text}");
    }
    pipe.write("").await;
    pipe.write("   ").await;
    pipe.initialize().await;
    pipe.write("{").await;
    assert_eq!(pipe.next().await.unwrap()["error"]["code"], -32700);
    assert_eq!(pipe.ask(call(1, "probe.echo", json!({}))).await["id"], 1);
}

// R-361
#[tokio::test]
async fn a_line_too_long_is_answered_and_passed_over() {
    let mut plan = Plan::of(Probe::default());
    plan.config.limits.body_bytes_max = 10_000;
    let mut pipe = pipe(plan);
    pipe.initialize().await;
    let refused = pipe.ask(call(1, "probe.echo", json!({ "text": "x".repeat(200_000) }))).await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
    assert_eq!(refused["error"]["message"], "the message is larger than 10000 bytes");
    assert_eq!(pipe.ask(call(2, "probe.echo", json!({}))).await["id"], 2);
}

#[tokio::test]
async fn a_capability_may_take_longer_lines() {
    let mut pipe = pipe(Plan::of(Probe::taking(6_000_000)));
    pipe.initialize().await;
    let answer = pipe.ask(call(1, "probe.echo", json!({ "text": "x".repeat(5_000_000) }))).await;
    assert_eq!(answer["result"]["structuredContent"]["text"].as_str().map(str::len), Some(5_000_000));
    pipe.send(call(2, "probe.echo", json!({ "text": "x".repeat(7_000_000) }))).await;
    let refused = pipe.next().await.unwrap();
    assert_eq!(refused["error"]["data"]["error"]["code"], "FILE_TOO_LARGE");
    assert_eq!(pipe.ask(call(3, "probe.echo", json!({}))).await["id"], 3);
}

// Longer than the sixteen mebibytes that rmcp takes by itself.
#[tokio::test]
async fn a_promised_file_fits_in_a_line() {
    let mut pipe = pipe(Plan::of(Probe::taking(20_000_000)));
    pipe.initialize().await;
    let answer = pipe.ask(call(1, "probe.echo", json!({ "text": "x".repeat(17_000_000) }))).await;
    assert_eq!(answer["result"]["structuredContent"]["text"].as_str().map(str::len), Some(17_000_000));
}

#[tokio::test]
async fn an_id_that_is_under_way_is_refused() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    pipe.send(call(1, "probe.wait", json!({}))).await;
    seen.reaches(&seen.begun, 1).await;
    let refused = pipe.ask(call(1, "probe.echo", json!({}))).await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
    assert!(refused["error"]["message"].as_str().unwrap().contains("a request with this id is under way"));
    assert_eq!(pipe.ask(call(2, "probe.echo", json!({}))).await["id"], 2);
    seen.release.notify_one();
    assert_eq!(pipe.next().await.unwrap()["result"]["structuredContent"], json!({ "waited": true }));
    assert_eq!(pipe.ask(call(1, "probe.echo", json!({ "text": "x" }))).await["result"]["isError"], false);
}

// A client that does not read is not read from, and gets every answer when it does.
#[tokio::test(start_paused = true)]
async fn requests_wait_until_answers_are_read() {
    const REQUESTS: i64 = 5_000;
    let (mut pipe, _) = probe();
    pipe.initialize().await;
    let sent = Arc::new(AtomicI64::new(0));
    let (mut input, counted) = (pipe.input, sent.clone());
    let writing = tokio::spawn(async move {
        for id in 1..=REQUESTS {
            input.write_all(format!("{}\n", call(id, "probe.echo", json!({}))).as_bytes()).await.unwrap();
            counted.store(id, Ordering::Relaxed);
        }
        input
    });
    settled().await;
    let taken = sent.load(Ordering::Relaxed);
    assert!(taken < REQUESTS / 2, "{taken}");
    settled().await;
    assert_eq!(sent.load(Ordering::Relaxed), taken);
    let mut ids = Vec::new();
    while ids.len() < 5_000 {
        let line = pipe.output.next_line().await.unwrap().unwrap();
        ids.push(serde_json::from_str::<Value>(&line).unwrap()["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=REQUESTS).collect::<Vec<_>>());
    drop(writing.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_up_no_stop() {
    let (mut pipe, _) = probe();
    pipe.initialize().await;
    let mut input = pipe.input;
    let writing = tokio::spawn(async move {
        for id in 1.. {
            input.write_all(format!("{}\n", call(id, "probe.echo", json!({}))).as_bytes()).await.unwrap();
        }
    });
    settled().await;
    pipe.stop.cancel();
    assert_eq!(pipe.served.await.unwrap(), Ok(()));
    writing.abort();
}

#[tokio::test]
async fn the_end_of_the_output_ends_the_process() {
    let prepared = Plan::of(Probe::default()).prepare();
    let ((mut input, reads), (writes, output)) = (tokio::io::duplex(64 * 1024), tokio::io::duplex(64 * 1024));
    let serving = tokio::spawn(async move {
        spine::stdio::serve(prepared.endpoint, &prepared.admission, reads, writes, CancellationToken::new()).await
    });
    drop(output);
    input.write_all(b"garbage\n").await.unwrap();
    let ended = tokio::time::timeout(PATIENCE, serving).await.expect("it ends although its input is open");
    assert_eq!(ended.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_number_that_would_be_rounded_is_refused_with_its_field() {
    let (mut pipe, _) = probe();
    pipe.initialize().await;
    let params = r#"{"name":"probe.echo","arguments":{"filter":{"a":18446744073709551616}}}"#;
    pipe.write(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)).await;
    let answer = pipe.next().await.unwrap();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(true)), "{answer}");
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains(r#""field":"filter.a""#), "{answer}");
}

// N-263
#[tokio::test]
async fn whoever_started_us_may_call_as_often_as_they_like() {
    let (mut pipe, _) = probe();
    pipe.initialize().await;
    for id in 1..6 {
        assert_ne!(pipe.ask(call(id, "probe.rare", json!({}))).await["result"]["isError"], true);
    }
}

// R-035
#[tokio::test]
async fn what_comes_before_initialize_does_not_end_the_connection() {
    let (mut pipe, _) = probe();
    pipe.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    pipe.send(json!({ "jsonrpc": "2.0", "id": 9, "result": {} })).await;
    assert_eq!(pipe.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await["result"], json!({}));
    pipe.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    let early = pipe.ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })).await;
    assert_eq!((&early["id"], early["error"]["code"].is_i64()), (&json!(2), true));
    let odd = pipe.ask(json!({ "jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {} })).await;
    assert!(odd["error"]["code"].is_i64(), "{odd}");
    pipe.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    pipe.initialize().await;
    assert_eq!(pipe.ask(call(4, "probe.echo", json!({}))).await["id"], 4);
}

#[tokio::test]
async fn the_end_of_input_lets_calls_finish() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    pipe.send(call(1, "probe.wait", json!({}))).await;
    seen.reaches(&seen.begun, 1).await;
    let closing = tokio::spawn(pipe.close());
    seen.release.notify_one();
    let rest = closing.await.unwrap();
    assert_eq!((rest.len(), &rest[0]["result"]["structuredContent"]), (1, &json!({ "waited": true })));
}

#[tokio::test]
async fn a_stop_lets_calls_finish() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    pipe.send(call(1, "probe.wait", json!({}))).await;
    seen.reaches(&seen.begun, 1).await;
    pipe.stop.cancel();
    seen.release.notify_one();
    assert_eq!(pipe.next().await.unwrap()["result"]["structuredContent"], json!({ "waited": true }));
    assert_eq!(pipe.next().await, None);
    assert_eq!(pipe.served.await.unwrap(), Ok(()));
}

// R-800 (doors)
#[tokio::test]
async fn a_notification_cancels() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    pipe.send(call(1, "probe.wait", json!({}))).await;
    seen.reaches(&seen.begun, 1).await;
    pipe.send(cancel(1)).await;
    seen.reaches(&seen.over, 1).await;
    assert_eq!(pipe.ask(call(2, "probe.echo", json!({}))).await["id"], 2);
}

fn write(id: i64, key: &str) -> Value {
    call(id, "probe.write", json!({ "client_request_id": key }))
}

fn cancel(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

/// Lets everything happen that happens by itself; the clock of these tests stands still otherwise.
async fn settled() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

// R-247, R-287
#[tokio::test(start_paused = true)]
async fn a_call_waits_five_seconds_for_the_one_with_its_key() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    pipe.send(write(1, "k")).await;
    seen.reaches(&seen.begun, 1).await;
    let started = Instant::now();
    let refused = pipe.ask(write(2, "k")).await;
    assert_eq!((&refused["id"], &refused["result"]["isError"]), (&json!(2), &json!(true)));
    assert_eq!(started.elapsed(), Duration::from_secs(5));
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    let error = serde_json::from_str::<Value>(text).unwrap()["error"].clone();
    assert_eq!((&error["code"], &error["field"]), (&json!("IDEMPOTENCY_IN_PROGRESS"), &json!("client_request_id")));
    assert!(error["details"]["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0), "{error}");
    seen.release.notify_one();
    assert_eq!(pipe.next().await.unwrap()["result"]["structuredContent"], json!({ "waited": true }));
    let again = pipe.ask(write(3, "k")).await;
    assert_eq!(again["result"]["structuredContent"]["idempotent_replay"], true, "{again}");
    assert_eq!(*seen.begun.borrow(), 1);
}

// R-287
#[tokio::test(start_paused = true)]
async fn a_call_that_waited_gets_the_answer_of_the_first() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    for id in 1..=8 {
        pipe.send(write(id, "k")).await;
    }
    settled().await;
    assert_eq!(*seen.begun.borrow(), 1);
    seen.release.notify_one();
    let mut replays = 0;
    for _ in 1..=8 {
        let answer = pipe.next().await.unwrap()["result"]["structuredContent"].clone();
        assert_eq!(answer["waited"], true, "{answer}");
        replays += usize::from(answer["idempotent_replay"] == true);
    }
    assert_eq!((replays, *seen.begun.borrow()), (7, 1));
}

// R-281, R-285, R-287
#[tokio::test(start_paused = true)]
async fn calls_without_a_key_or_with_another_do_not_wait() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    pipe.send(write(1, "k")).await;
    pipe.send(write(2, "other")).await;
    pipe.send(call(3, "probe.write", json!({}))).await;
    pipe.send(call(4, "probe.write", json!({}))).await;
    settled().await;
    assert_eq!(*seen.begun.borrow(), 4);
}

// R-287, R-800 (doors)
#[tokio::test(start_paused = true)]
async fn a_cancelled_call_leaves_its_key_to_the_next() {
    let (mut pipe, seen) = probe();
    pipe.initialize().await;
    for id in 1..=3 {
        pipe.send(write(id, "k")).await;
        settled().await;
    }
    // The second gives up while it waits, the first while it works.
    for id in [2, 1] {
        pipe.send(cancel(id)).await;
        settled().await;
    }
    assert_eq!((*seen.begun.borrow(), *seen.over.borrow()), (2, 1));
    seen.release.notify_one();
    let answer = pipe.next().await.unwrap();
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]), (&json!(3), &json!({ "waited": true })));
}

// R-807 (mcp): the same admission decides on every message, here as over HTTP.
#[tokio::test]
async fn a_viewer_may_not_write() {
    let viewer = Principal { roles: ["viewer".to_owned()].into_iter().collect(), ..Principal::local("viewer") };
    let mut plan = Plan::of(Probe::default());
    plan.identity = Arc::new(LocalIdentity::of(viewer, Scope::local()));
    let mut pipe = pipe(plan);
    pipe.initialize().await;
    assert_eq!(pipe.ask(call(1, "probe.echo", json!({}))).await["result"]["structuredContent"], json!({}));
    let refused = pipe.ask(call(2, "probe.erase", json!({ "id": "e1" }))).await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(2), &json!(-32600)));
}

// R-038
#[tokio::test]
async fn the_tools_are_the_same_on_both_transports() {
    let plan = Plan::of(Conformance::default());
    let tools = plan.capability.manifest().tools.len();
    let mut pipe = pipe(plan.clone());
    pipe.initialize().await;
    let listed = pipe.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })).await;
    let over_stdio = listed["result"]["tools"].clone();
    assert_eq!(over_stdio.as_array().unwrap().len(), tools);
    let running = crate::harness::start(plan).await;
    let mut connection = testkit::raw::Connection::open(running.address).await.unwrap();
    let request = crate::harness::legacy(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let over_http = connection.ask(&request).await.unwrap().message()["result"]["tools"].clone();
    assert_eq!(over_stdio, over_http);
}
