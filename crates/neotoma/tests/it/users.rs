//! Whose data a call is about: the caller's, whatever the arguments say.

use std::collections::BTreeMap;

use neotoma::domain::ids;
use neotoma::projection::row::kind;
use serde_json::{Value, json};

use crate::desk::{ANN, Caller, Desk};

const BOB: Caller<'static> = Caller { tenant: "local", user: "bob" };
const OTHER_ANN: Caller<'static> = Caller { tenant: "elsewhere", user: "ann" };

/// The user id of a caller.
fn user(caller: Caller<'_>) -> String {
    ids::user(&format!("local|{}", caller.user))
}

fn company(name: &str) -> Value {
    json!([{"entity_type": "company", "name": name}])
}

// N-015, N-016, N-137
#[tokio::test]
async fn user_id_may_be_left_out_or_be_the_callers_own() {
    let desk = Desk::new();
    let without = desk.ok("ingest", json!({"entities": company("Acme")})).await;
    for own in [user(ANN), user(ANN).to_uppercase()] {
        let with = desk.ok("ingest", json!({"user_id": own, "entities": company("Acme")})).await;
        assert_eq!((&with["source_id"], &with["deduplicated"]), (&without["source_id"], &json!(true)));
        let listed = desk.ok("retrieve_entities", json!({"user_id": own})).await;
        assert_eq!(listed["total"], 1);
        let corrected =
            json!({"user_id": own, "entity_id": "Acme", "entity_type": "company", "field": "country", "value": "DE"});
        desk.ok("correct", corrected).await;
    }
    let other = desk.store(company("Acme Holding")).await;
    desk.ok("merge_entities", json!({"user_id": user(ANN), "from_entity_id": other, "to_entity_id": "Acme"})).await;
}

// N-015, N-016, N-017, N-137
#[tokio::test]
async fn a_user_id_of_anybody_else_is_refused_in_the_same_words() {
    let desk = Desk::new();
    desk.call_as(BOB, "ingest", json!({"entities": company("Acme")})).await.unwrap();
    desk.store(company("Acme")).await;
    desk.store(company("Birke")).await;
    let calls = |user_id: &str| {
        [
            ("ingest", json!({"user_id": user_id, "entities": company("New")})),
            ("ingest", json!({"user_id": user_id, "file_content": "SGVsbG8=", "mime_type": "text/plain"})),
            ("retrieve_entities", json!({"user_id": user_id})),
            (
                "correct",
                json!({"user_id": user_id, "entity_id": "Acme", "entity_type": "company", "field": "country", "value": "DE"}),
            ),
            ("merge_entities", json!({"user_id": user_id, "from_entity_id": "Acme", "to_entity_id": "Birke"})),
        ]
    };
    let head = desk.head().await;
    let nobody = calls("00000000-0000-4000-8000-000000000000");
    for given in [user(BOB), "bob".to_owned(), "no uuid".to_owned()] {
        for ((tool, theirs), (_, nobodys)) in calls(&given).into_iter().zip(nobody.clone()) {
            let refused = desk.refused(tool, theirs).await;
            assert_eq!(refused, desk.refused(tool, nobodys).await, "{tool}");
            assert_eq!(
                (&refused["code"], &refused["details"]["field"]),
                (&json!("VALIDATION_ERROR"), &json!("user_id"))
            );
            assert!(!refused.to_string().contains(&given), "{refused}");
        }
    }
    assert_eq!(desk.head().await, head, "nothing was written");
}

// N-018
#[tokio::test]
async fn the_same_words_of_two_users_are_two_entities_two_sources_and_two_files() {
    let desk = Desk::new();
    let file = json!({"file_content": "SGVsbG8=", "mime_type": "text/plain"});
    let mut seen = Vec::new();
    for caller in [ANN, BOB] {
        let said = desk.call_as(caller, "ingest", json!({"entities": company("Acme")})).await.unwrap();
        let kept = desk.call_as(caller, "ingest", file.clone()).await.unwrap();
        assert_eq!((&said["deduplicated"], &kept["deduplicated"]), (&json!(false), &json!(false)));
        seen.push(
            [&said["source_id"], &said["entities"][0]["id"], &kept["source_id"], &kept["file_path"]].map(Value::clone),
        );
        seen.last_mut().unwrap().sort_by_key(Value::to_string);
        assert_eq!(said["content_hash"], ids::content_hash(ids::canonical(&company("Acme"))));
    }
    let shared = seen[0].iter().filter(|id| seen[1].contains(id)).count();
    assert_eq!(shared, 0, "{seen:?}");
}

// N-018: whatever is stored of anything.
#[tokio::test]
async fn every_record_belongs_to_one_user() {
    let desk = Desk::new();
    for caller in [ANN, BOB] {
        let call = async |tool: &str, arguments: Value| desk.call_as(caller, tool, arguments).await.unwrap();
        let contact =
            json!({"entity_type": "contact", "name": "Jo", "organization": "Acme", "connected_on": "2027-01-01"});
        call("ingest", json!({"entities": [contact, {"entity_type": "recipe", "name": "Soup"}]})).await;
        call("ingest", json!({"file_content": "SGVsbG8=", "mime_type": "text/plain"})).await;
        call("register_schema", json!({"relationship_type": "MENTORS"})).await;
        let corrected = json!({"entity_id": "Jo", "entity_type": "contact", "field": "role", "value": "cook"});
        call("correct", corrected).await;
        call("ingest", json!({"entities": company("Former")})).await;
        call("merge_entities", json!({"from_entity_id": "Former", "to_entity_id": "Acme"})).await;
    }
    let tenant = scope::TenantId::new(ANN.tenant).unwrap();
    for of in [
        kind::SOURCE,
        kind::ENTITY,
        kind::EVENT,
        kind::RELATIONSHIP,
        kind::MERGE,
        kind::RUN,
        kind::SCHEMA,
        kind::RELATION_TYPE,
    ] {
        let find = ledger::Find { limit: 1000, ..ledger::Find::all(of) };
        let found = desk.ledger.find(&tenant, ledger::LIVE, find).await.unwrap().items;
        let owners: BTreeMap<&str, &str> =
            found.iter().map(|one| (one.record.key.id.as_str(), one.record.scope.as_str())).collect();
        // An observation stands under its entity, which is somebody's.
        let owner = |record: &ledger::Record| {
            let body: Value = serde_json::from_str(&record.body).unwrap();
            let entity = body["observation"]["entity_id"].as_str().map(|id| owners[id].to_owned());
            entity.unwrap_or_else(|| record.scope.clone())
        };
        // What is merged into another is kept apart, under the same user.
        let of_user =
            |caller: Caller<'_>| found.iter().filter(|one| owner(&one.record).starts_with(&user(caller))).count();
        assert!(of_user(ANN) > 0, "{of}");
        assert_eq!((of_user(ANN), of_user(ANN) + of_user(BOB)), (of_user(BOB), found.len()), "{of}");
    }
}

// N-018
#[tokio::test]
async fn tenants_share_nothing_even_where_ids_are_the_same() {
    let desk = Desk::new();
    let file = json!({"file_content": "SGVsbG8=", "mime_type": "text/plain"});
    let say = |country: &str| json!({"entities": [{"entity_type": "company", "name": "Acme", "country": country}]});
    for (caller, country) in [(ANN, "FR"), (OTHER_ANN, "DE")] {
        let said = desk.call_as(caller, "ingest", say(country)).await.unwrap();
        assert_eq!(said["entities"][0]["action"], "created");
        assert_eq!(desk.call_as(caller, "ingest", file.clone()).await.unwrap()["deduplicated"], false);
    }
    for (caller, country) in [(ANN, "FR"), (OTHER_ANN, "DE")] {
        let snapshot = desk.call_as(caller, "get_entity_snapshot", json!({"entity_id": "Acme"})).await.unwrap();
        assert_eq!((&snapshot["snapshot"]["country"], &snapshot["observation_count"]), (&json!(country), &json!(1)));
    }
}

// N-019, N-020
#[tokio::test]
async fn writes_about_what_others_have_answer_as_about_nothing() {
    let desk = Desk::having(|parts, folder| {
        std::fs::write(folder.join("note.txt"), "hello").unwrap();
        parts.roots = std::sync::Arc::new(blobs::jail::Roots::open(&[folder.to_owned()]).unwrap());
    });
    let stored = desk.ok(
        "ingest",
        json!({"entities": [
            {"entity_type": "company", "name": "Hidden Treasure"}, {"entity_type": "company", "name": "Hidden Company"},
        ]}),
    );
    let stored = stored.await;
    let (id, other) = (stored["entities"][0]["id"].clone(), stored["entities"][1]["id"].clone());
    let edge = json!({"relationship_type": "REFERS_TO", "source_entity_id": id, "target_entity_id": other});
    let edge = desk.ok("create_relationship", edge).await["id"].clone();
    let file = desk.ok("ingest", json!({"file_content": "SGVsbG8=", "mime_type": "text/plain"})).await;
    let before = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;

    let calls = |id: &Value, edge: &Value, name: &str, source: &Value, path: &Value| {
        let correction = json!({"entity_type": "company", "field": "country", "value": "DE"});
        let correct = |of: Value| {
            let mut arguments = correction.clone();
            arguments["entity_id"] = of;
            arguments
        };
        vec![
            ("correct", correct(id.clone())),
            ("correct", correct(name.into())),
            ("merge_entities", json!({"from_entity_id": id, "to_entity_id": "Own"})),
            ("merge_entities", json!({"from_entity_id": "Own", "to_entity_id": id})),
            ("merge_entities", json!({"from_entity_id": name, "to_entity_id": "Own"})),
            ("unmerge_entities", json!({"from_entity_id": id})),
            (
                "create_relationship",
                json!({"relationship_type": "REFERS_TO", "source_entity_id": "Own", "target_entity_id": id}),
            ),
            (
                "create_relationship",
                json!({"relationship_type": "REFERS_TO", "source_entity_id": name, "target_entity_id": "Own"}),
            ),
            ("delete", json!({"id": id})),
            ("delete", json!({"id": edge})),
            ("restore", json!({"id": id})),
            ("reinterpret", json!({"source_id": source, "interpretation_config": {}})),
            ("upload_file", json!({"file_path": "note.txt", "source_material_id": source})),
            ("get_file_url", json!({"file_path": path})),
        ]
    };
    let theirs = calls(&id, &edge, "Hidden Treasure", &file["source_id"], &file["file_path"]);
    let (nothing, no_uuid) = (json!("ent_0123456789abcdef01234567"), json!("6f1f8a2e-1111-8222-8333-444455556666"));
    let no_path = json!(format!("files/6f1f8a2e-1111-8222-8333-444455556666/{}", "0".repeat(64)));
    let nobodys = calls(&nothing, &no_uuid, "Wobbly Nonsense", &no_uuid, &no_path);
    for caller in [BOB, OTHER_ANN] {
        desk.call_as(caller, "ingest", json!({"entities": company("Own")})).await.unwrap();
        for ((tool, arguments), (_, unknown)) in theirs.iter().zip(&nobodys) {
            let seen = desk.refused_as(caller, tool, arguments.clone()).await;
            assert_eq!(seen, desk.refused_as(caller, tool, unknown.clone()).await, "{tool} {arguments}");
            assert!(seen["code"].as_str().unwrap().ends_with("_NOT_FOUND"), "{tool}: {seen}");
            assert!(!seen.to_string().contains("Hidden"), "{tool}: {seen}");
        }
        // To say the same as somebody else is to say it for oneself, without a hint of the other.
        let said = desk.call_as(caller, "ingest", json!({"entities": company("Hidden")})).await.unwrap();
        assert_eq!(said["entities"][0]["action"], "created");
        assert_eq!(said["entities"][0].get("possible_duplicates"), None);
    }
    let mut after = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;
    after["read_point"] = before["read_point"].clone();
    assert_eq!(after, before, "nobody has touched it");
}

#[tokio::test]
async fn a_refusal_names_the_user_id_of_the_caller() {
    let desk = Desk::new();
    let asked = |user_id: &str| json!({"user_id": user_id});
    let refused = desk.refused("retrieve_entities", asked("somebody")).await;
    let own = neotoma::user_id_of("local|ann");
    assert!(refused["details"]["fix"].as_str().unwrap().contains(&own), "{refused}");
    desk.ok("retrieve_entities", asked(&own)).await;
    desk.ok("retrieve_entities", asked(&format!("urn:uuid:{}", own.to_uppercase()))).await;
    // A user may be named by a UUID of their own, as the setting `user` allows.
    let uuid = "0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968";
    let named = crate::desk::Caller { tenant: "local", user: uuid };
    assert!(desk.call_as(named, "retrieve_entities", asked(uuid)).await.is_ok());
    let refused = desk.refused_as(named, "retrieve_entities", asked(&own)).await;
    assert!(refused["details"]["fix"].as_str().unwrap().contains(uuid), "{refused}");
}
