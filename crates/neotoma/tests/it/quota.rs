//! How many interpretations a user may have of a model that costs something.

use std::sync::Arc;

use futures::future::BoxFuture;
use neotoma::interpret::{Document, Failure, Interpreter, Rules, Understood};
use neotoma::projection::row::kind;
use serde_json::json;

use crate::desk::{ANN, Caller};
use crate::files::{code, desk, file};

const BOB: Caller<'static> = Caller { tenant: "local", user: "bob" };

/// The embedded rules behind a door that charges for each run.
pub struct Metered(Rules);

impl Metered {
    pub fn rules() -> Arc<Self> {
        Arc::new(Self(Rules::default()))
    }
}

impl Interpreter for Metered {
    fn version(&self) -> String {
        "metered/1".to_owned()
    }

    fn interpret<'a>(
        &'a self,
        document: Document<'a>,
        config: &'a contract::Object,
    ) -> BoxFuture<'a, Result<Understood, Failure>> {
        self.0.interpret(document, config)
    }
}

// N-063, N-071, N-208, N-265
#[tokio::test]
async fn interpretations_have_a_quota() {
    let desk = desk(|parts, _| {
        parts.config.interpretations_max = 2;
        parts.interpreter = Metered::rules();
    });
    let first = desk.ok("ingest", file(b"one", "text/plain")).await;
    desk.tick(1_000_000);
    desk.ok("upload_file", json!({"file_path": "note.txt"})).await;
    let head = desk.head().await;
    let again = json!({"source_id": first["source_id"], "interpretation_config": {"model_id": "new"}});
    for (tool, arguments) in [
        ("ingest", file(b"three", "text/plain")),
        ("upload_file", json!({"file_path": "tasks.csv"})),
        ("reinterpret", again),
    ] {
        let refused = desk.refused(tool, arguments).await;
        assert_eq!(code(&refused), "QUOTA_EXCEEDED", "{tool}");
        // Thirty days after the oldest run that counts.
        assert!(refused["details"]["resets_at"].as_str().unwrap().starts_with("2027-02-14T08:00:00"), "{refused}");
        let fix = refused["details"]["fix"].as_str().unwrap();
        assert!(fix.contains("interpret false") && fix.contains("neotoma.interpretations_max"), "{refused}");
        assert_eq!(refused["details"]["setting"], "neotoma.interpretations_max");
    }
    assert_eq!(desk.head().await, head, "nothing was stored");
    // What was interpreted already, what needs no interpretation, and what another user does are not held up.
    desk.ok("ingest", file(b"one", "text/plain")).await;
    let mut plain = file(b"three", "text/plain");
    plain["interpret"] = json!(false);
    desk.ok("ingest", plain).await;
    desk.ok("upload_file", json!({"file_path": "tasks.csv", "properties": "{}"})).await;
    desk.call_as(BOB, "ingest", file(b"three", "text/plain")).await.unwrap();
    // Thirty days later there is room again.
    desk.tick(30 * 24 * 60 * 60 * 1_000_000);
    desk.ok("ingest", file(b"three", "text/plain")).await;
    assert_eq!(neotoma::Config::default().interpretations_max, 100);
}

// N-265: it is for a model that costs something.
#[tokio::test]
async fn the_embedded_rules_have_no_quota() {
    let unlimited = desk(|parts, _| parts.config.interpretations_max = 0);
    let stored = unlimited.ok("ingest", file(b"one", "text/plain")).await;
    unlimited.ok("upload_file", json!({"file_path": "note.txt"})).await;
    let again = json!({"source_id": stored["source_id"], "interpretation_config": {"model_id": "new"}});
    unlimited.ok("reinterpret", again).await;
    assert_eq!(unlimited.records(kind::RUN).await.len(), 3);
}

// N-063, N-265
#[tokio::test]
async fn calls_at_the_same_time_share_the_quota() {
    let desk = desk(|parts, _| {
        parts.config.interpretations_max = 3;
        parts.interpreter = Metered::rules();
    });
    let store = |caller: Caller<'static>, number: usize| {
        let content = format!("file {number}");
        let desk = &desk;
        async move {
            let outcome = desk.call_as(caller, "ingest", file(content.as_bytes(), "text/plain")).await;
            outcome.map_or_else(|error| error.code.to_string(), |_| "stored".to_owned())
        }
    };
    let all = futures::future::join_all((0..8).map(|number| store(ANN, number))).await;
    assert_eq!(all.iter().filter(|outcome| *outcome == "stored").count(), 3, "{all:?}");
    assert_eq!(all.iter().filter(|outcome| *outcome == "QUOTA_EXCEEDED").count(), 5, "{all:?}");
    assert_eq!(desk.records(kind::RUN).await.len(), 3);
    let elsewhere = Caller { tenant: "elsewhere", user: "ann" };
    for caller in [BOB, elsewhere] {
        assert_eq!(store(caller, 0).await, "stored");
    }
}
