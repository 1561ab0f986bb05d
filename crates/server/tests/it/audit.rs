//! Every call leaves a record, also the one that was refused.

use scope::{Clock as _, Scope, SystemClock};
use serde_json::json;

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
