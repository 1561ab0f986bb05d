//! What is a message, and what is said about what is not.

use serde_json::json;
use testkit::conformance::Conformance;
use testkit::raw::{Connection, Request};
use testkit::site::Plan;

use crate::harness::{call, fault, legacy, modern, refusal, site, start, structured};

async fn check_body(body: impl Into<Vec<u8>>, expected: (u16, i64)) {
    let request = Request::post(body);
    let response = site().await.ask(&request).await;
    assert_eq!(fault(&response), expected, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/json"));
}

// R-026
#[tokio::test]
async fn malformed_json_is_a_parse_error() {
    check_body("{", (400, -32700)).await;
    check_body("", (400, -32700)).await;
    check_body("{} {}", (400, -32700)).await;
    check_body(b"\xff\xfe".to_vec(), (400, -32700)).await;
}

// N-329
#[tokio::test]
async fn a_connection_survives_malformed_json() {
    let site = site().await;
    let mut connection = site.connect().await;
    for body in ["{", "garbage", "{\"jsonrpc\":\"2.0\",", "<html>"] {
        let answer = connection.ask(&Request::post(body)).await.unwrap();
        assert_eq!(fault(&answer), (400, -32700), "{answer:?}");
        let text = answer.message()["error"]["message"].as_str().unwrap().to_owned();
        assert!(text.len() < 200 && !text.contains(['/', '<']) && !text.contains("panicked"), "{text}");
        assert_eq!(structured(&connection.ask(&call("probe.echo", json!({}))).await.unwrap()), json!({}));
    }
}

// R-026
#[tokio::test]
async fn what_is_not_json_rpc_2_0_is_an_invalid_request() {
    check_body(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, (400, -32600)).await;
    check_body(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, (400, -32600)).await;
    check_body(r#"{"id":1,"method":"ping"}"#, (400, -32600)).await;
    check_body(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, (400, -32600)).await;
    check_body(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, (400, -32600)).await;
    check_body(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, (400, -32600)).await;
    check_body(r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#, (400, -32600)).await;
    check_body(r#"{"jsonrpc":"2.0","id":1,"result":5}"#, (400, -32600)).await;
    check_body(r#"{"jsonrpc":"2.0","id":1}"#, (400, -32600)).await;
    check_body("7", (400, -32600)).await;
}

// R-808 (headers)
#[tokio::test]
async fn a_name_given_twice_is_refused() {
    check_body(r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#, (400, -32700)).await;
}

#[tokio::test]
async fn params_of_another_shape_are_invalid_params() {
    check_body(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#, (400, -32602)).await;
    check_body(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":5}}"#, (400, -32602)).await;
    check_body(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, (400, -32602)).await;
    check_body(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, (400, -32602)).await;
    let site = site().await;
    let null = site.ask(&Request::post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#)).await;
    assert!(null.message()["result"]["tools"].is_array(), "{null:?}");
}

#[tokio::test]
async fn deep_nesting_and_lone_surrogates_are_refused() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"probe.echo","arguments":{{"filter":{}{}}}}}}}"#,
        r#"{"a":"#.repeat(500),
        "}".repeat(500),
    );
    check_body(deep, (400, -32700)).await;
    check_body("[".repeat(100_000), (400, -32700)).await;
    let lone = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"probe.echo","arguments":{"text":"\ud800"}}}"#;
    // Half a character is refused like a NUL, with the rest of the call understood.
    assert_eq!(refusal(&site().await.ask(&Request::post(lone)).await)["code"], "VALIDATION_ERROR");
}

#[tokio::test]
async fn arguments_as_json_text_are_understood() {
    let site = site().await;
    let response = site.ask(&call("probe.echo", json!(r#"{"text":"hello"}"#))).await;
    assert_eq!(structured(&response), json!({ "text": "hello" }));
    let inner = site.ask(&call("probe.echo", json!({ "filter": "{\"a\":1}", "words": "[\"x\"]" }))).await;
    assert_eq!(structured(&inner), json!({ "filter": { "a": 1 }, "words": ["x"] }));
}

#[tokio::test]
async fn arguments_of_a_wrong_type_are_invalid_params_and_not_an_unknown_method() {
    let site = site().await;
    for wrong in [json!("no object"), json!([1]), json!(7), json!(true)] {
        let modern = site.ask(&call("probe.echo", wrong.clone())).await;
        assert_eq!(fault(&modern).1, -32602, "{wrong} {modern:?}");
        assert_ne!(modern.status, 404);
        let params = json!({ "name": "probe.echo", "arguments": wrong });
        let legacy =
            site.ask(&legacy(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))).await;
        assert_eq!(fault(&legacy), (200, -32602), "{wrong} {legacy:?}");
    }
}

// R-043
#[tokio::test]
async fn an_unknown_method_is_not_found() {
    let site = site().await;
    assert_eq!(fault(&site.ask(&modern("no/such", json!({}))).await), (404, -32601));
    let legacy = legacy(&json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such" }));
    assert_eq!(fault(&site.ask(&legacy).await).1, -32601);
}

// R-043: what the stateless era removed is unknown there, whatever its params.
#[tokio::test]
async fn a_removed_method_is_not_found() {
    let running = start(Plan::of(Conformance::default())).await;
    let mut connection = Connection::open(running.address).await.unwrap();
    for (method, params) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({ "level": "info" })),
        ("logging/setLevel", json!({})),
        ("resources/subscribe", json!({ "uri": "test://watched-resource" })),
        ("resources/unsubscribe", json!({})),
    ] {
        let response = connection.ask(&modern(method, params)).await.unwrap();
        assert_eq!(fault(&response), (404, -32601), "{method} {response:?}");
    }
}

#[tokio::test]
async fn prompts_and_completions_check_what_they_are_given() {
    let running = start(Plan::of(Conformance::default())).await;
    let mut connection = Connection::open(running.address).await.unwrap();
    let mut code = async |method: &str, params| fault(&connection.ask(&modern(method, params)).await.unwrap()).1;
    let prompt = |arguments| json!({ "name": "test_prompt_with_arguments", "arguments": arguments });
    assert_eq!(code("prompts/get", prompt(json!({ "arg1": "a", "arg2": "b" }))).await, 0);
    assert_eq!(code("prompts/get", prompt(json!({ "arg1": "a" }))).await, -32602);
    assert_eq!(code("prompts/get", prompt(json!({ "arg1": "a", "arg2": 5 }))).await, -32602);
    let complete = |reference| json!({ "ref": reference, "argument": { "name": "arg1", "value": "par" } });
    let known = json!({ "type": "ref/prompt", "name": "test_prompt_with_arguments" });
    assert_eq!(code("completion/complete", complete(known)).await, 0);
    let template = json!({ "type": "ref/resource", "uri": "test://template/{id}/data" });
    assert_eq!(code("completion/complete", complete(template)).await, 0);
    let unknown = json!({ "type": "ref/prompt", "name": "nothing" });
    assert_eq!(code("completion/complete", complete(unknown)).await, -32602);
}

// R-045 (unknown), R-033
#[tokio::test]
async fn an_unknown_tool_prompt_or_resource_is_invalid_params() {
    let site = site().await;
    let answer = site.ask(&call("probe.nothing", json!({}))).await;
    assert_eq!(fault(&answer), (200, -32602));
    assert_eq!(answer.message()["id"], 7);
    let prompt = site.ask(&modern("prompts/get", json!({ "name": "nothing" }))).await;
    assert_eq!(fault(&prompt), (200, -32602));
    let resource = site.ask(&modern("resources/read", json!({ "uri": "probe://nothing" }))).await;
    assert_eq!(fault(&resource), (200, -32602));
    assert_eq!(resource.message()["error"]["data"]["uri"], "probe://nothing");
}

// R-045 (failure)
#[tokio::test]
async fn arguments_that_do_not_fit_are_an_answer_to_the_model() {
    let site = site().await;
    let unknown = refusal(&site.ask(&call("probe.echo", json!({ "txt": "x" }))).await);
    assert_eq!((&unknown["code"], &unknown["field"]), (&json!("VALIDATION_ERROR"), &json!("txt")));
    let missing = refusal(&site.ask(&call("probe.erase", json!({}))).await);
    assert_eq!(missing["field"], "id");
    let nul = refusal(&site.ask(&call("probe.echo", json!({ "text": "a\u{0}b" }))).await);
    assert_eq!(nul["field"], "text");
    assert!(nul["message"].as_str().unwrap().contains("NUL"), "{nul}");
}

/// A call whose arguments are written by hand.
fn call_with(arguments: &str) -> Request {
    let params = format!(r#"{{"name":"probe.echo","arguments":{arguments}}}"#);
    Request::post(format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#))
}

// A number is kept as it was written, or refused with its field and the fix.
#[tokio::test]
async fn a_number_that_would_be_rounded_is_refused_with_its_field() {
    let site = site().await;
    for number in
        ["18446744073709551616", "-9223372036854775809", "0.12345678901234567890", "1e-400", &"7".repeat(100_000)]
    {
        for arguments in [
            format!(r#"{{"filter":{{"a":[1.5,{{"b":{number}}}]}}}}"#),
            format!(r#""{{\"filter\":{{\"a\":[1.5,{{\"b\":{number}}}]}}}}""#),
        ] {
            let answer = site.ask(&call_with(&arguments)).await;
            let refused = refusal(&answer);
            assert_eq!(answer.message()["id"], 7);
            assert_eq!((&refused["code"], &refused["field"]), (&json!("VALIDATION_ERROR"), &json!("filter.a.1.b")));
            assert!(refused["message"].as_str().unwrap().contains("would be rounded"), "{refused}");
            assert!(answer.body.len() < 2_000, "{answer:?}");
        }
    }
    let kept = r#"{"filter":{"a":18446744073709551615,"b":-9223372036854775808,"c":0.30000000000000004,"d":1.5}}"#;
    let answer = site.ask(&call_with(kept)).await;
    assert!(answer.body.contains(&kept.replace('"', "\\\"")), "{answer:?}");
    let other = site.ask(&Request::post(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e-400}}"#)).await;
    assert_eq!(fault(&other), (400, -32602));
    assert!(other.body.contains("params.a: the number 1e-400 would be rounded; send it as text"), "{other:?}");
}
