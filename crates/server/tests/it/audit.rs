//! Every call leaves a record, also the one that was refused.

use ledger::{AuditFind, Ledger as _};
use scope::{Clock as _, Scope, SystemClock};
use serde_json::{Value, json};

use crate::neotoma::client::Served;
use crate::process;
use crate::world::World;

// R-291, R-387, R-388, R-389
#[tokio::test]
async fn answered_refused_and_unknown_calls_are_recorded() {
    let world = World::new().await;
    let began = SystemClock.now();
    world.call("createElement", json!({ "type": "Node", "name": "host" })).await;
    world.call("createElement", json!({ "type": "Nod", "name": "host" })).await;
    world.call("dropEverything", json!({})).await;
    world.platform.audit.flush().await;
    let rows = world.platform.audit.by_correlation(&Scope::local().tenant, "c1").await.unwrap();
    let seen: Vec<(&str, &str, Option<&str>)> =
        rows.iter().map(|row| (row.target.as_str(), row.outcome.as_ref(), row.error_code.as_deref())).collect();
    assert_eq!(
        seen,
        [
            ("transformation.createElement", "ok", None),
            ("transformation.createElement", "refused", Some("INVALID_ELEMENT_TYPE")),
            ("transformation.dropEverything", "refused", Some("UNKNOWN_TOOL")),
        ]
    );
    let first = &rows[0];
    assert_eq!((first.principal.as_str(), &*first.method), ("local|owner", "tools/call"));
    assert_eq!(first.arguments, r#"{"type":"Node","name":"host"}"#);
    assert!(first.at > began && first.at <= rows[1].at && rows[1].at <= SystemClock.now(), "{first:?}");
    assert_eq!(first.decision, "commit: admins and curators commit");
}

/// The targets of the records that are part of commits, and of the others, oldest first.
async fn targets(world: &World) -> (Vec<String>, Vec<String>) {
    world.platform.audit.flush().await;
    let tenant = Scope::local().tenant;
    let find = AuditFind { correlation_id: None, before: None, limit: 100 };
    let commits = world.platform.ledger.audit(&tenant, find).await.unwrap();
    let target = |body: &str| serde_json::from_str::<Value>(body).unwrap()["target"].as_str().unwrap().to_owned();
    let committed = commits.iter().rev().map(|audited| target(&audited.entry.body)).collect();
    let others = world.platform.audit.log.recent(&tenant, 100).await.unwrap();
    (committed, others.into_iter().rev().map(|row| row.target).collect())
}

// For a write the record is part of its commit; for the rest there is one in the log.
#[tokio::test]
async fn every_write_has_its_record_in_its_commit_and_only_there() {
    let world = World::new().await;
    let create = |name: &str| json!({ "type": "Node", "name": name, "client_request_id": name });
    world.call("createElement", create("a")).await;
    world.call("createElement", create("a")).await;
    world.call("createElement", json!({ "type": "Nod", "name": "b" })).await;
    world.call("listModels", json!({})).await;
    world.call("createElement", json!({ "type": "Node", "name": "c" })).await;
    let (committed, others) = targets(&world).await;
    let (create, list) = ("transformation.createElement", "transformation.listModels");
    assert_eq!(committed, [create, create]);
    // The repetition, the refusal and the read.
    assert_eq!(others, [create, create, list]);
    let rows = world.platform.audit.recent(&Scope::local().tenant, 10).await.unwrap();
    let shown: Vec<(&str, &str)> = rows.iter().map(|row| (row.target.as_str(), row.outcome.as_ref())).collect();
    assert_eq!(shown, [(create, "ok"), (list, "ok"), (create, "refused"), (create, "ok"), (create, "ok")]);
    // A record of a commit says all that another one does.
    let (first, last) = (&rows[4], &rows[0]);
    for row in [first, last] {
        assert_eq!((row.principal.as_str(), row.principal_kind.as_ref()), ("local|owner", "user"));
        assert_eq!((row.transport.as_ref(), row.method.as_ref(), row.arguments_hash.len()), ("cli", "tools/call", 64));
        assert!(row.decision.starts_with("commit"), "{}", row.decision);
    }
    assert_eq!(last.arguments, r#"{"type":"Node","name":"c"}"#);
    assert_eq!(world.platform.audit.log.dropped(), 0);
}

// A full disk for everything: a clear refusal, /health answers, /ready says why, and nothing that was answered is lost.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_refuses_writes_and_loses_no_record() {
    if std::process::Command::new("prlimit").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut served =
        Served::start_under(&["bash", "-c", "trap '' XFSZ; exec \"$@\"", "bash"], folder.path(), &[]).await;
    let limit = |bytes: &str| {
        let pid = served.child.id().unwrap().to_string();
        let limit = format!("--fsize={bytes}:unlimited");
        let set = std::process::Command::new("prlimit").args(["--pid", &pid, &limit]).status();
        assert!(set.unwrap().success());
    };
    let entity = |number: usize| {
        let long = "x".repeat(20_000);
        json!({ "entities": [{ "entity_type": "note", "title": format!("n{number}"), "text": long }] })
    };
    let get = async |path: &str| {
        let answer = served.http.send("GET", path, &[], b"").await;
        (answer.status, String::from_utf8(answer.body).unwrap())
    };
    served.http.ok("ingest", entity(0)).await;
    assert_eq!(
        get("/ready").await,
        (
            200,
            "ready
"
            .to_owned()
        )
    );
    limit("1000000");
    // Reads are answered while their records wait, and operators are told.
    let mut lists = 0;
    while get("/ready").await.0 == 200 {
        assert!(served.http.ask("tools/list", json!({}), &[]).await.message()["result"]["tools"].is_array());
        lists += 1;
    }
    let wait = "the disk is full: audit records wait to be written until there is space
";
    assert_eq!(get("/ready").await, (503, wait.to_owned()));
    let mut stored = 1;
    let refusal = loop {
        let result = served.http.call("ingest", entity(stored)).await;
        if result["isError"] == true {
            break result;
        }
        stored += 1;
    };
    assert!(refusal["content"][0]["text"].as_str().unwrap().contains("SERVICE_UNAVAILABLE"), "{refusal}");
    assert_eq!(
        get("/ready").await,
        (
            503,
            "the disk is full: changes are refused until there is space
"
            .to_owned()
        )
    );
    assert_eq!(
        get("/health").await,
        (
            200,
            "ok
"
            .to_owned()
        )
    );
    limit("unlimited");
    // Asking is enough to find out that there is space again.
    while get("/ready").await.0 != 200 {}
    served.http.ok("ingest", entity(stored)).await;
    stored += 1;
    let pid = served.child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    assert!(served.child.wait().await.unwrap().success());
    let audit = process::run(folder.path(), &["audit", "--json", "--limit", "100000"]).await;
    let rows: Vec<Value> = audit.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |target: &str, outcome: &str| {
        rows.iter().filter(|row| row["target"] == target && row["outcome"] == outcome).count()
    };
    assert_eq!((count("ingest", "ok"), count("ingest", "failed")), (stored, 1));
    assert_eq!(rows.iter().filter(|row| row["method"] == "tools/list").count(), lists);
}

#[tokio::test]
async fn a_write_of_neotoma_has_its_record_in_its_commit_too() {
    let world = World::new().await;
    let entities = json!({ "entities": [{ "entity_type": "note", "title": "a" }] });
    let stored = world.call_neotoma("ingest", entities).await;
    assert!(stored.get("error").is_none(), "{stored}");
    assert_eq!(targets(&world).await, (vec!["ingest".to_owned()], Vec::new()));
}
