//! Relationships that files state are stored between the entities that they gave, with what says so.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use neotoma::interpret::Rules;
use serde_json::{Value, json};

use crate::desk::Desk;

const CARD: &str =
    "BEGIN:VCARD\nVERSION:3.0\nN:Linde;Ada;;;\nFN:Ada Linde\nORG:Birke GmbH\nEMAIL:ada@example.org\nEND:VCARD\n";

fn desk() -> Desk {
    Desk::having(|parts, _| parts.interpreter = Arc::new(Rules::default()))
}

fn card() -> Value {
    json!({"file_content": STANDARD.encode(CARD), "mime_type": "text/vcard", "original_filename": "ada.vcf"})
}

#[tokio::test]
async fn a_card_relates_a_person_to_a_company() {
    let desk = desk();
    let stored = desk.ok("ingest", card()).await;
    let id = |at: usize| stored["entities"][at]["id"].clone();
    assert_eq!(
        (&stored["entities"][0]["entity_type"], &stored["entities"][1]["entity_type"]),
        (&json!("person"), &json!("company"))
    );
    let answer = desk.ok("list_relationships", json!({"entity_id": id(0)})).await;
    let edge = &answer["relationships"][0];
    assert_eq!(edge["relationship_type"], "WORKS_FOR");
    assert_eq!((&edge["source_entity_id"], &edge["target_entity_id"]), (&id(0), &id(1)));
    assert_eq!(edge["metadata"]["evidence"], "ORG Birke GmbH");
    assert_eq!(edge["metadata"]["interpretation_run_id"], stored["interpretation"]["run_id"]);
    assert_eq!(answer["relationships"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_file_that_comes_again_relates_nothing_twice() {
    let desk = desk();
    let first = desk.ok("ingest", card()).await;
    desk.ok("ingest", card()).await;
    let answer = desk.ok("list_relationships", json!({"entity_id": first["entities"][0]["id"]})).await;
    assert_eq!(answer["relationships"].as_array().unwrap().len(), 1);
}
