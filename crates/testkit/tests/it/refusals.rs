//! Wrong arguments as long as they may be: the refusal is short, and others are served meanwhile.

use serde_json::{Map, Value, json};
use testkit::raw::Request;

use crate::harness::{call, in_session, legacy_call, refusal, site};

/// Largest refusal, in bytes.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;
const LONG: usize = 3_900_000;
/// As many values as a message may hold, but for a few.
const MANY: usize = spine::json::VALUES_MAX - 1_000;

fn names(count: usize) -> Value {
    (0..count).map(|number| (format!("name{number}"), json!(number))).collect::<Map<_, _>>().into()
}

/// Arguments of `probe.echo` that are wrong in one way each, as large as a request may be, with the field at fault.
fn wrong() -> Vec<(&'static str, Value)> {
    vec![
        ("name0", names(200_000)),
        ("color", json!({ "color": "red".repeat(LONG / 3) })),
        ("color", json!({ "color": names(200_000) })),
        ("count", json!({ "count": "9".repeat(LONG) })),
        ("words.0", json!({ "words": vec![0; MANY] })),
        ("filter", json!({ "filter": vec!["x"; MANY] })),
        ("text", json!({ "text": vec![vec![0; 1000]; MANY / 1001] })),
        ("text", json!({ "text": "x".repeat(LONG) + "\0" })),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_of_the_longest_arguments_is_short_and_names_the_field() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    for (field, arguments) in wrong() {
        for request in [
            call("probe.echo", arguments.clone()),
            in_session(legacy_call(1, "probe.echo", arguments.clone()), &session),
        ] {
            let mut busy = site.connect().await;
            busy.send(&request).await.unwrap();
            assert_eq!(site.ask(&Request::new("GET", "/health")).await.status, 200);
            let answer = busy.answer().await.unwrap();
            assert!(answer.body.len() < REFUSAL_BYTES_MAX, "{field}: {} bytes", answer.body.len());
            let error = refusal(&answer);
            assert_eq!((&error["code"], &error["field"]), (&json!("VALIDATION_ERROR"), &json!(field)), "{error}");
        }
    }
}

#[tokio::test]
async fn a_long_unknown_name_is_cut() {
    let site = site().await;
    let error = refusal(&site.ask(&call("probe.echo", json!({ "x".repeat(LONG): 1 }))).await);
    let field = error["field"].as_str().unwrap();
    assert!(field.starts_with("xxx") && field.ends_with('…') && field.chars().count() < 200, "{field}");
}
