//! Every call leaves a record, also the one that was refused.

use ledger::{AuditFind, Ledger as _};
use scope::{Clock as _, Scope, SystemClock};
use serde_json::{Value, json};

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
