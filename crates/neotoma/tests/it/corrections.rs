//! Corrections: what a caller says of one field, above every source.

use serde_json::{Value, json};

use crate::desk::{ANN, Caller, Desk};

fn correction(id: &str, entity_type: &str, field: &str, value: Value) -> Value {
    json!({"entity_id": id, "entity_type": entity_type, "field": field, "value": value})
}

async fn task(desk: &Desk) -> String {
    desk.store(json!([{"entity_type": "task", "title": "Ship", "status": "open", "due_date": "2027-03-01"}])).await
}

// N-191, N-192, N-193, N-194, N-198, N-292
#[tokio::test]
async fn a_correction_is_the_next_snapshot() {
    let desk = Desk::new();
    let id = task(&desk).await;
    let answer = desk.ok("correct", correction(&id, "task", "status", json!("done"))).await;
    assert_eq!(
        (&answer["entity_id"], &answer["field"], &answer["value"]),
        (&json!(id), &json!("status"), &json!("done"))
    );
    assert!(!answer["message"].as_str().unwrap().contains("done"));
    let snapshot = desk.snapshot(&id).await;
    assert_eq!(snapshot["snapshot"]["status"], "done");
    assert_eq!(snapshot["provenance"]["status"], answer["observation_id"]);
    let listed = desk.ok("list_observations", json!({"entity_id": id})).await;
    let stored = &listed["observations"][0];
    assert_eq!(stored["id"], answer["observation_id"]);
    assert_eq!(stored["source_priority"], json!(1000.0));
    assert_eq!(stored["specificity_score"], json!(1.0));
    assert_eq!(stored["fields"], json!({"status": "done"}));
    let whole = correction(&id, "task", "status", json!("done"));
    desk.requires("correct", &whole, &["entity_id", "entity_type", "field"]).await;
    let mut without = whole;
    without.as_object_mut().unwrap().shift_remove("value");
    let refused = desk.refused("correct", without).await;
    assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("value")));
    for value in [json!(7), json!(-0.5), json!(true), json!("text"), json!([1, [2]]), json!({"deep": {"x": null}})] {
        desk.ok("correct", correction(&id, "task", "anything", value.clone())).await;
        assert_eq!(desk.snapshot(&id).await["snapshot"]["anything"], value);
    }
    desk.verify().await;
}

// N-199, N-336
#[tokio::test]
async fn a_correction_survives_every_later_plain_write_under_every_strategy() {
    let desk = Desk::new();
    for strategy in ["last_write", "highest_priority", "most_specific", "merge_array"] {
        for tie_breaker in ["observed_at", "source_priority"] {
            let of = format!("{strategy}_{tie_breaker}");
            let reducers = json!({"state": {"strategy": strategy, "tie_breaker": tie_breaker}});
            let definition = json!({"fields": {"name": {}, "state": {"type": "array"}}, "reducers": reducers});
            desk.ok("register_schema", json!({"entity_type": of, "definition": definition})).await;
            let id = desk.store(json!([{"entity_type": of, "name": "x", "state": ["first"]}])).await;
            for value in ["b", "a", "c"] {
                desk.ok("correct", correction(&id, &of, "state", json!([value]))).await;
                let later = json!({"entity_type": of, "name": "x", "state": ["later", value]});
                desk.ok("ingest", json!({"entities": [later], "source_priority": 999})).await;
                let snapshot = desk.snapshot(&id).await;
                assert_eq!(snapshot["snapshot"]["state"], json!([value]), "{of}");
            }
        }
    }
}

// N-195
#[tokio::test]
async fn what_is_not_there_cannot_be_corrected() {
    let desk = Desk::new();
    let id = task(&desk).await;
    let refused = desk.refused("correct", correction("ent_0123456789abcdef01234567", "task", "status", json!(1))).await;
    assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("ENTITY_NOT_FOUND"), &json!("entity_id")));
    for (tenant, user) in [("local", "bob"), ("other", "ann")] {
        let refused =
            desk.call_as(Caller { tenant, user }, "correct", correction(&id, "task", "status", json!("x"))).await;
        assert_eq!(refused.unwrap_err().code, "ENTITY_NOT_FOUND");
    }
    desk.ok("delete", json!({"id": id})).await;
    let refused = desk.refused("correct", correction(&id, "task", "status", json!("x"))).await;
    assert_eq!(refused["code"], "ENTITY_NOT_FOUND");
}

// N-196
#[tokio::test]
async fn a_field_a_type_and_a_value_have_to_fit() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "invoice", "invoice_number": "I-1", "amount_due": 10}])).await;
    let before = desk.commits().await;
    let cases = [
        (correction(&id, "invoice", "amount_due", json!("ten SECRET")), "value"),
        (correction(&id, "invoice", "invoice_date", json!("SECRET someday")), "value"),
        (correction(&id, "invoice", "notes", json!("a\u{0}SECRET")), "value"),
        (correction(&id, "receipt", "notes", json!("SECRET")), "entity_type"),
        (correction(&id, "../SECRET", "notes", json!("x")), "entity_type"),
        (correction(&id, "invoice", "", json!("SECRET")), "field"),
        (correction(&id, "invoice", "a\u{1}SECRET", json!("x")), "field"),
        (correction(&id, "invoice", &"n".repeat(129), json!("SECRET")), "field"),
        (correction(&id, "invoice", "entity_type", json!("SECRET")), "field"),
        (correction("ent_SECRET", "invoice", "notes", json!("x")), "entity_id"),
    ];
    for (arguments, field) in cases {
        let refused = desk.refused("correct", arguments).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!(field)));
        assert!(!refused.to_string().contains("SECRET"), "{refused}");
    }
    let refused = desk.refused("correct", correction(&id, "invoice", "amount_due", json!("ten"))).await;
    assert!(refused["message"].as_str().unwrap().contains("number"), "{refused}");
    assert_eq!(desk.commits().await, before);
    // Other spellings of the type and a unique name are fine.
    for entity_type in ["bills", "Invoice", "factura"] {
        desk.ok("correct", correction("I-1", entity_type, "notes", json!(entity_type))).await;
    }
}

// N-200, N-201
#[tokio::test]
async fn a_repeated_correction_adds_nothing_while_it_is_in_force() {
    let desk = Desk::new();
    let id = task(&desk).await;
    let say = async |value: Value| {
        let answer = desk.ok("correct", correction(&id, "task", "status", value)).await;
        answer["observation_id"].as_str().unwrap().to_owned()
    };
    let first = say(json!("done")).await;
    let commits = desk.commits().await;
    assert_eq!(say(json!("done")).await, first);
    assert_eq!(desk.commits().await, commits);
    let between = say(json!("open")).await;
    let again = say(json!("done")).await;
    assert!(first != between && between != again && first != again);
    assert_eq!(say(json!("done")).await, again);
    assert_eq!(desk.snapshot(&id).await["snapshot"]["status"], "done");
    assert_eq!(desk.snapshot(&id).await["observation_count"], 4);

    // The same calls give the same observations elsewhere.
    let other = Desk::new();
    assert_eq!(task(&other).await, id);
    let answer = other.ok("correct", correction(&id, "task", "status", json!("done"))).await;
    assert_eq!(answer["observation_id"], json!(first));
}

// N-199
#[tokio::test]
async fn the_last_correction_counts_even_when_the_clock_runs_back() {
    let desk = Desk::new();
    let id = task(&desk).await;
    for status in ["b", "a", "c"] {
        desk.ok("correct", correction(&id, "task", "status", json!(status))).await;
        assert_eq!(desk.snapshot(&id).await["snapshot"]["status"], status);
        desk.tick(-60_000_000);
    }
}

// N-192, N-215
#[tokio::test]
async fn a_user_id_has_to_be_the_callers() {
    let desk = Desk::new();
    let id = task(&desk).await;
    let mut correct = correction(&id, "task", "status", json!("done"));
    let mut merge = json!({"from_entity_id": id, "to_entity_id": id});
    for (tool, arguments) in [("correct", &mut correct), ("merge_entities", &mut merge)] {
        arguments["user_id"] = json!("0190163d-8694-739b-aea5-966c26f8ad91");
        let refused = desk.refused(tool, arguments.clone()).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("user_id")));
    }
    correct["user_id"] = json!(neotoma::domain::ids::user(&scope::Principal::local(ANN.user).id()));
    desk.ok("correct", correct).await;
}

// N-202
#[tokio::test]
async fn null_clears_a_field_and_stays_in_the_observations() {
    let desk = Desk::new();
    let id = task(&desk).await;
    let answer = desk.ok("correct", correction(&id, "task", "due_date", Value::Null)).await;
    assert_eq!(answer["value"], Value::Null);
    assert!(desk.snapshot(&id).await["snapshot"].get("due_date").is_none());
    let refused = desk.refused("get_field_provenance", json!({"entity_id": id, "field": "due_date"})).await;
    assert_eq!(refused["code"], "FIELD_NOT_FOUND");
    let listed = desk.ok("list_observations", json!({"entity_id": id})).await;
    assert_eq!(listed["observations"][0]["fields"], json!({"due_date": null}));
    let events = desk.ok("list_timeline_events", json!({})).await;
    assert_eq!(events["total"], 0);
    assert_eq!(
        desk.ok("correct", correction(&id, "task", "due_date", Value::Null)).await["observation_id"],
        answer["observation_id"]
    );
}

// N-203
#[tokio::test]
async fn an_undeclared_field_is_visible_and_named() {
    let desk = Desk::new();
    let id = task(&desk).await;
    desk.ok("correct", correction(&id, "task", "__proto__", json!({"deep": [1]}))).await;
    let snapshot = desk.snapshot(&id).await;
    assert_eq!(snapshot["snapshot"]["__proto__"], json!({"deep": [1]}));
    assert_eq!(snapshot["unvalidated"], json!(["__proto__"]));
}

#[tokio::test]
async fn an_inferred_schema_grows_by_a_corrected_field() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "recipe", "name": "Soup"}])).await;
    desk.ok("correct", correction(&id, "recipe", "portions", json!(4))).await;
    let snapshot = desk.snapshot(&id).await;
    assert_eq!(snapshot["schema_version"], "0.2");
    assert!(snapshot.get("unvalidated").is_none_or(|unvalidated| *unvalidated == json!([])));
}

#[tokio::test]
async fn dates_and_references_follow_a_correction() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "contact", "name": "Ann", "connected_on": "2027-01-01"}])).await;
    desk.ok("correct", correction(&id, "contact", "connected_on", json!("2027-02-02"))).await;
    let events = desk.ok("list_timeline_events", json!({})).await;
    assert_eq!(events["total"], 1);
    assert!(events["events"][0]["event_timestamp"].as_str().unwrap().starts_with("2027-02-02"));
    desk.ok("correct", correction(&id, "contact", "organization", json!("Acme"))).await;
    let edges = desk.ok("list_relationships", json!({"entity_id": id})).await;
    assert_eq!(edges["relationships"][0]["relationship_type"], "works_at");
    let company = edges["relationships"][0]["target_entity_id"].as_str().unwrap();
    assert_eq!(desk.snapshot(company).await["canonical_name"], "Acme");
    desk.verify().await;
}

// N-284
#[tokio::test]
async fn a_corrected_name_renames_unless_it_is_taken() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "company", "name": "Acme"}])).await;
    desk.store(json!([{"entity_type": "company", "name": "Globex"}])).await;
    desk.ok("correct", correction(&id, "company", "name", json!("Initech"))).await;
    let snapshot = desk.snapshot("Initech").await;
    assert_eq!((&snapshot["entity_id"], &snapshot["canonical_name"]), (&json!(id), &json!("Initech")));
    assert_eq!(snapshot["aliases"], json!(["Acme"]));
    let taken = desk.ok("correct", correction(&id, "company", "name", json!("Globex"))).await;
    assert!(taken["message"].as_str().unwrap().contains("another entity has the new name"), "{taken}");
    let snapshot = desk.snapshot(&id).await;
    assert_eq!((&snapshot["canonical_name"], &snapshot["snapshot"]["name"]), (&json!("Initech"), &json!("Globex")));
}

// N-341
#[tokio::test]
async fn the_provenance_of_a_corrected_field_is_a_full_chain() {
    let desk = Desk::new();
    let id = task(&desk).await;
    let answer = desk.ok("correct", correction(&id, "task", "status", json!("done"))).await;
    let found = desk.ok("get_field_provenance", json!({"entity_id": id, "field": "status"})).await;
    assert_eq!(found["value"], "done");
    assert_eq!(found["source_observation"]["id"], answer["observation_id"]);
    assert_eq!(found["source_material"]["id"], found["source_observation"]["source_id"]);
    assert_eq!(found["source_material"]["kind"], "internal");
    assert_eq!(found["other_observations"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_correction_of_a_merged_entity_is_one_of_its_survivor() {
    let desk = Desk::new();
    let stored = desk
        .ok("ingest", json!({"entities": [{"entity_type": "company", "name": "Acme"}, {"entity_type": "company", "name": "Acme Group"}]}))
        .await;
    let id = |index: usize| stored["entities"][index]["id"].as_str().unwrap().to_owned();
    desk.ok("merge_entities", json!({"from_entity_id": id(0), "to_entity_id": id(1)})).await;
    let answer = desk.ok("correct", correction(&id(0), "company", "industry", json!("steel"))).await;
    assert_eq!(answer["entity_id"], json!(id(1)));
    assert_eq!(
        desk.call_as(ANN, "correct", correction("Acme", "company", "industry", json!("steel"))).await.unwrap()["observation_id"],
        answer["observation_id"]
    );
}
