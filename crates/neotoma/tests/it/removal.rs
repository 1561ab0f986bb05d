//! Deleting and restoring.

use serde_json::{Value, json};

use crate::desk::{Caller, Desk};

/// A contact with a date, connected with a company.
async fn contact(desk: &Desk) -> (String, String, String) {
    let id = desk
        .store(json!([{"entity_type": "contact", "name": "Ann", "organization": "Acme", "connected_on": "2027-01-01"}]))
        .await;
    let edges = desk.ok("list_relationships", json!({"entity_id": id})).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (id, text(&edges["relationships"][0]["target_entity_id"]), text(&edges["relationships"][0]["id"]))
}

async fn edges(desk: &Desk, id: &str) -> Value {
    desk.ok("list_relationships", json!({"entity_id": id})).await["total"].clone()
}

// N-188, N-293, N-323, N-292
#[tokio::test]
async fn a_deleted_entity_is_not_seen_and_comes_back_as_it_was() {
    let desk = Desk::new();
    let (id, company, _) = contact(&desk).await;
    let before = desk.snapshot(&id).await;
    let deleted = desk.ok("delete", json!({"id": id})).await;
    assert_eq!(deleted["id"], json!(id));
    assert_eq!(desk.refused("get_entity_snapshot", json!({"entity_id": id})).await["code"], "ENTITY_NOT_FOUND");
    assert_eq!(desk.refused("get_entity_snapshot", json!({"entity_id": "Ann"})).await["code"], "ENTITY_NOT_FOUND");
    let listed = desk.ok("retrieve_entities", json!({"entity_type": "contact"})).await;
    assert_eq!(listed["total"], 0);
    assert_eq!(desk.ok("list_timeline_events", json!({})).await["total"], 0);
    assert_eq!(edges(&desk, &company).await, 0);

    let restored = desk.ok("restore", json!({"id": id})).await;
    assert_ne!(restored["observation_id"], deleted["observation_id"]);
    let after = desk.snapshot(&id).await;
    assert_eq!((&after["snapshot"], &after["provenance"]), (&before["snapshot"], &before["provenance"]));
    assert_eq!(desk.ok("list_timeline_events", json!({})).await["total"], 1);
    assert_eq!(edges(&desk, &company).await, 1);
    let observations = desk.ok("list_observations", json!({"entity_id": id})).await;
    let marked: Vec<(&Value, &Value)> = observations["observations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|seen| seen.get("marker").is_some_and(|marker| !marker.is_null()))
        .map(|seen| (&seen["marker"], &seen["source_priority"]))
        .collect();
    assert_eq!(marked, [(&json!("restored"), &json!(1001.0)), (&json!("deleted"), &json!(1000.0))]);
    desk.verify().await;
}

// N-323
#[tokio::test]
async fn deleting_and_restoring_twice_adds_nothing() {
    let desk = Desk::new();
    let (id, _, edge) = contact(&desk).await;
    for about in [&id, &edge] {
        let commits = desk.commits().await;
        desk.ok("restore", json!({"id": about})).await;
        assert_eq!(desk.commits().await, commits, "what is live needs no restoring");
        let deleted = desk.ok("delete", json!({"id": about})).await;
        assert_eq!(desk.ok("delete", json!({"id": about})).await["observation_id"], deleted["observation_id"]);
        assert_eq!(desk.commits().await, commits + 1);
        let restored = desk.ok("restore", json!({"id": about})).await;
        assert_eq!(desk.ok("restore", json!({"id": about})).await["observation_id"], restored["observation_id"]);
        assert_eq!(desk.commits().await, commits + 2);
        // Deleting again is another deletion.
        assert_ne!(desk.ok("delete", json!({"id": about})).await["observation_id"], deleted["observation_id"]);
        desk.ok("restore", json!({"id": about})).await;
    }
    desk.ok("delete", json!({"id": "Ann"})).await;
    assert_eq!(desk.ok("restore", json!({"id": "Ann"})).await["id"], json!(id));
}

// N-323
#[tokio::test]
async fn a_deleted_relationship_is_hidden_until_it_is_restored() {
    let desk = Desk::new();
    let (id, company, edge) = contact(&desk).await;
    desk.ok("delete", json!({"id": edge})).await;
    assert_eq!((edges(&desk, &id).await, edges(&desk, &company).await), (json!(0), json!(0)));
    desk.ok("restore", json!({"id": edge})).await;
    assert_eq!((edges(&desk, &id).await, edges(&desk, &company).await), (json!(1), json!(1)));
    // Saying it again restores it too.
    desk.ok("delete", json!({"id": edge})).await;
    let said = json!({"relationship_type": "works_at", "source_entity_id": id, "target_entity_id": company});
    assert_eq!(desk.ok("create_relationship", said).await["id"], json!(edge));
    assert_eq!(edges(&desk, &id).await, 1);
    desk.verify().await;
}

// N-323
#[tokio::test]
async fn an_edge_is_seen_again_when_both_ends_and_itself_are() {
    let desk = Desk::new();
    let (id, company, edge) = contact(&desk).await;
    for about in [&edge, &id, &company] {
        desk.ok("delete", json!({"id": about})).await;
    }
    for about in [&id, &edge, &company] {
        desk.ok("restore", json!({"id": about})).await;
    }
    assert_eq!(edges(&desk, &id).await, 1);
    for order in [[&id, &company], [&company, &id]] {
        for about in [&id, &company] {
            desk.ok("delete", json!({"id": about})).await;
        }
        desk.ok("restore", json!({"id": order[0]})).await;
        assert_eq!(edges(&desk, order[0]).await, 0);
        desk.ok("restore", json!({"id": order[1]})).await;
        assert_eq!(edges(&desk, order[0]).await, 1);
    }
}

// N-323
#[tokio::test]
async fn deleting_one_of_folded_edges_deletes_what_they_stand_for() {
    let desk = Desk::new();
    let stored = desk
        .ok("ingest", json!({"entities": [{"entity_type": "task", "title": "a"}, {"entity_type": "task", "title": "b"}, {"entity_type": "task", "title": "x"}]}))
        .await;
    let id = |index: usize| stored["entities"][index]["id"].as_str().unwrap().to_owned();
    let mut made = Vec::new();
    for index in [0, 1] {
        let edge = json!({"relationship_type": "PART_OF", "source_entity_id": id(index), "target_entity_id": id(2)});
        made.push(desk.ok("create_relationship", edge).await["id"].clone());
    }
    desk.ok("merge_entities", json!({"from_entity_id": id(1), "to_entity_id": id(0)})).await;
    assert_eq!(edges(&desk, &id(2)).await, 1);
    desk.ok("delete", json!({"id": made[0]})).await;
    assert_eq!(edges(&desk, &id(2)).await, 0);
    desk.ok("restore", json!({"id": made[1]})).await;
    assert_eq!(edges(&desk, &id(2)).await, 1);
    desk.ok("unmerge_entities", json!({"from_entity_id": id(1)})).await;
    assert_eq!((edges(&desk, &id(0)).await, edges(&desk, &id(1)).await), (json!(0), json!(1)));
    desk.verify().await;
}

// N-323
#[tokio::test]
async fn what_is_not_there_cannot_be_deleted() {
    let desk = Desk::new();
    let (id, _, edge) = contact(&desk).await;
    for tool in ["delete", "restore"] {
        for about in ["ent_0123456789abcdef01234567", "0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968", "nobody"] {
            let refused = desk.refused(tool, json!({"id": about})).await;
            assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("ENTITY_NOT_FOUND"), &json!("id")));
        }
        for about in [&id, &edge] {
            let bob = Caller { tenant: "local", user: "bob" };
            assert_eq!(desk.call_as(bob, tool, json!({"id": about})).await.unwrap_err().code, "ENTITY_NOT_FOUND");
        }
    }
}

// N-339
#[tokio::test]
async fn a_plain_write_does_not_revive() {
    let desk = Desk::new();
    let (id, ..) = contact(&desk).await;
    desk.ok("delete", json!({"id": id})).await;
    let commits = desk.commits().await;
    let again = json!({"entities": [
        {"entity_type": "note", "title": "New", "content": "text"},
        {"entity_type": "contact", "name": "Ann", "phone": "2"},
    ]});
    let refused = desk.refused("ingest", again.clone()).await;
    assert_eq!((&refused["code"], &refused["details"]["entity_id"]), (&json!("ENTITY_DELETED"), &json!(id)));
    assert_eq!(desk.commits().await, commits);
    assert_eq!(desk.refused("get_entity_snapshot", json!({"entity_id": "New"})).await["code"], "ENTITY_NOT_FOUND");
    desk.ok("restore", json!({"id": id})).await;
    desk.ok("ingest", again).await;
    assert_eq!(desk.snapshot(&id).await["snapshot"]["phone"], "2");
}

// N-323
#[tokio::test]
async fn a_deletion_is_recalled_by_its_key() {
    let desk = Desk::new();
    contact(&desk).await;
    let once = json!({"id": "Ann", "client_request_id": "once"});
    let first = desk.ok("delete", once.clone()).await;
    let again = desk.ok("delete", once).await;
    assert_eq!((&again["observation_id"], &again["idempotent_replay"]), (&first["observation_id"], &json!(true)));
}
