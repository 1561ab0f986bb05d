//! Where it is certain what a call was meant to be, its refusal carries the call to send instead.

use serde_json::{Value, json};

use super::client::Served;

#[tokio::test]
async fn a_certain_fix_comes_as_arguments_that_can_be_sent() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    let notes = json!([{ "entity_type": "note", "title": "One" }, { "entity_type": "note", "title": "Two" }]);
    let stored = served.http.ok("ingest", json!({ "entities": notes })).await;
    let id = |index: usize| stored["entities"][index]["id"].as_str().unwrap().to_owned();
    let (one, two) = (id(0), id(1));
    let corrected = async |tool: &str, wrong: Value, right: Value| {
        let refused = served.http.refused(tool, wrong).await;
        assert_eq!(refused["details"]["corrected_arguments"], right, "{refused}");
        served.http.ok(tool, right).await;
    };
    let edge = |of: &str| json!({ "relationship_type": of, "source_entity_id": one, "target_entity_id": two });
    for (given, meant) in [("belongs_to", "PART_OF"), ("mentions", "REFERS_TO"), ("SUPERSEEDS", "SUPERSEDES")] {
        corrected("create_relationship", edge(given), edge(meant)).await;
    }
    let lost = format!("{}{}", &one[..12], &one[13..]);
    corrected("get_entity_snapshot", json!({ "entity_id": lost }), json!({ "entity_id": one })).await;
    corrected("get_entity_snapshot", json!({ "entityId": one }), json!({ "entity_id": one })).await;
    // What was said about people is not repeated, whatever is wrong with it.
    let personal = json!({ "entityId": "Ann Example", "entity_type": "person", "field": "name", "value": "Ann" });
    let refused = served.http.refused("correct", personal).await;
    assert!(refused["details"].get("corrected_arguments").is_none(), "{refused}");
}
