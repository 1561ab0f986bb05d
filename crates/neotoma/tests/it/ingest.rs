//! Entities go in, snapshots come out.

use serde_json::json;

use crate::desk::Desk;

// N-046, N-053, N-054, N-056, N-060, N-067, N-269
#[tokio::test]
async fn an_invoice_is_stored_and_its_snapshot_read() {
    let desk = Desk::new();
    let stored = desk
        .ok("ingest", json!({"entities": [{"entity_type": "invoice", "invoice_number": "INV-001", "amount": 100}]}))
        .await;
    assert_eq!(stored["interpretation"]["entities_created"], 1);
    assert_eq!(stored["interpretation"]["observations_created"], 1);
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": stored["entities"][0]["id"]})).await;
    assert_eq!(snapshot["snapshot"], json!({"amount": 100, "invoice_number": "INV-001"}));
    assert_eq!(snapshot["provenance"]["amount"], stored["entities"][0]["observation_id"]);
}

// N-294, N-295, N-336
#[tokio::test]
async fn what_is_said_again_counts_only_when_it_is_not_current() {
    let desk = Desk::new();
    let say = |status: &str| json!({"entities": [{"entity_type": "task", "title": "Ship", "status": status}]});
    for (status, deduplicated, observations) in
        [("open", false, 1), ("open", true, 0), ("done", false, 1), ("open", true, 1), ("open", true, 0)]
    {
        let answer = desk.ok("ingest", say(status)).await;
        assert_eq!(answer["deduplicated"], deduplicated, "{status}");
        assert_eq!(answer["interpretation"]["observations_created"], observations, "{status}");
    }
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": "Ship"})).await;
    assert_eq!(snapshot["snapshot"]["status"], "open");
    assert_eq!(snapshot["observation_count"], 3);
}
