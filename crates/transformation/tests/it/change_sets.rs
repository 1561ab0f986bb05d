//! Whole changes: what belongs together is decided, refused and recorded together.

use serde_json::{Value, json};

use crate::world::{Dice, World, column, outcome};

/// A fraud check between checkout and payment: three elements, five relationships, a view.
pub fn fraud_check() -> Value {
    json!({"changes": [
        {"op": "view", "name": "Fraud check", "shows": ["$check", "$score", "Checkout", "Payment"]},
        {"op": "relate", "type": "Realization", "source_id": "$check", "target_id": "$score"},
        {"op": "relate", "type": "Serving", "source_id": "$score", "target_id": "Checkout"},
        {"op": "relate", "type": "Flow", "source_id": "Checkout", "target_id": "$check"},
        {"op": "relate", "type": "Flow", "source_id": "$check", "target_id": "Payment"},
        {"op": "relate", "type": "Access", "source_id": "$check", "target_id": "$list", "access_type": "read"},
        {"op": "create", "key": "check", "type": "ApplicationComponent", "name": "Fraud check", "description": "d"},
        {"op": "create", "key": "score", "type": "ApplicationService", "name": "Scoring", "description": "d"},
        {"op": "create", "key": "list", "type": "DataObject", "name": "Block list", "description": "d"},
    ]})
}

pub async fn shop() -> World {
    let world = World::new().await;
    world.element("ApplicationComponent", "Checkout").await;
    world.element("ApplicationComponent", "Payment").await;
    world
}

fn refusals(answer: &Value) -> Vec<String> {
    let listed = answer["error"]["details"]["refusals"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let line = |refusal: &Value| {
        assert!(refusal["suggestions"]["hint"].is_string(), "{refusal}");
        format!("{} {}", refusal["field"].as_str().unwrap(), refusal["code"].as_str().unwrap())
    };
    listed.iter().map(line).collect()
}

#[tokio::test]
async fn a_set_in_any_order_is_one_commit_and_maps_keys_to_ids() {
    let world = shop().await;
    let before = world.facts().await;
    let answer = world.call("applyChanges", fraud_check()).await;
    assert_eq!((&answer["outcome"], &answer["summary"]), (&json!("committed"), &json!("+9 ~0 -0")), "{answer}");
    let facts = world.ledger.facts(&world.scope.tenant, before as u64, 50).await.unwrap();
    assert_eq!(facts.len(), 9);
    assert!(facts.iter().all(|fact| fact.at == facts[0].at), "one moment, so one commit");
    let mut keys: Vec<&String> = answer["ids"].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["check", "list", "score"]);
    let check = answer["ids"]["check"].as_str().unwrap();
    let links = world.call("listRelationships", json!({"element_id": check})).await;
    assert_eq!(links["relationships"].as_array().unwrap().len(), 4);
    let view = world.call("getView", json!({"view_id": "Fraud check"})).await;
    assert_eq!((view["nodes"].as_array().unwrap().len(), view["edges"].as_array().unwrap().len()), (4, 4));
}

#[tokio::test]
async fn all_refusals_come_at_once_each_at_its_path_with_its_fix_and_nothing_is_written() {
    let world = shop().await;
    let before = world.facts().await;
    let mut set = fraud_check();
    set["changes"][4]["target_id"] = json!("Paymnt");
    set["changes"][5]["type"] = json!("Composition");
    set["changes"][5].as_object_mut().unwrap().remove("access_type");
    set["changes"][7]["type"] = json!("AppService");
    let answer = world.call("applyChanges", set.clone()).await;
    assert_eq!(outcome(&answer), "CHANGES_REFUSED changes[4].target_id");
    assert_eq!(
        refusals(&answer),
        [
            "changes[4].target_id ELEMENT_NOT_FOUND",
            "changes[5].type INVALID_RELATIONSHIP",
            "changes[7].type INVALID_ELEMENT_TYPE",
        ]
    );
    // What names the refused service is judged once that is repaired.
    assert_eq!(answer["error"]["details"]["not_judged_yet"], json!(["changes[0]", "changes[1]", "changes[2]"]));
    assert_eq!(world.facts().await, before);

    // Repaired from the answer alone.
    let listed = answer["error"]["details"]["refusals"].as_array().unwrap().clone();
    set["changes"][4]["target_id"] = listed[0]["suggestions"]["similar_elements"][0]["name"].clone();
    set["changes"][5]["type"] = listed[1]["suggestions"]["valid_relationships"][0].clone();
    set["changes"][7]["type"] = listed[2]["suggestions"]["did_you_mean"][0].clone();
    assert_eq!(outcome(&world.call("applyChanges", set).await), "ok");
}

#[tokio::test]
async fn a_dry_run_shows_what_would_happen_and_writes_nothing() {
    let world = shop().await;
    let before = world.facts().await;
    let set = json!({"dry_run": true, "changes": [
        {"op": "update", "id": "Checkout", "name": "Cash desk", "properties": {"tier": 1}},
        {"op": "delete", "id": "Payment"},
        {"op": "create", "key": "n", "type": "Node", "name": "Box"},
    ]});
    let answer = world.call("applyChanges", set).await;
    assert_eq!(answer["message"], "Nothing changed: this is what the changes would do.");
    assert_eq!(answer["summary"], "+1 ~1 -1");
    let fields = &answer["changes"][0]["fields"];
    assert_eq!(fields[0], json!({"field": "name", "before": "Checkout", "after": "Cash desk"}));
    assert_eq!(fields[1], json!({"field": "properties.tier", "before": null, "after": 1}));
    assert_eq!(world.facts().await, before);
}

#[tokio::test]
async fn what_cannot_be_one_change_is_refused_whole() {
    let world = shop().await;
    let before = world.facts().await;
    let create = |key: &str, name: &str, parent: &str| json!({"op": "create", "key": key, "type": "ApplicationComponent", "name": name, "parent_id": parent});
    let circle = json!({"changes": [create("a", "A", "$b"), create("b", "B", "$a")]});
    check(&world, circle, &["changes[0].parent_id VALIDATION_ERROR", "changes[1].parent_id VALIDATION_ERROR"]).await;
    let update = |name: &str| json!({"op": "update", "id": "Checkout", "name": name});
    check(&world, json!({"changes": [update("A"), update("B")]}), &["changes[1].name VALIDATION_ERROR"]).await;
    let gone = json!({"op": "delete", "id": "Checkout"});
    check(&world, json!({"changes": [update("A"), gone]}), &["changes[1].id VALIDATION_ERROR"]).await;
    let linked = json!({"op": "relate", "type": "Flow", "source_id": "Checkout", "target_id": "Payment"});
    check(&world, json!({"changes": [linked, gone]}), &["changes[1].id VALIDATION_ERROR"]).await;
    check(&world, json!({"changes": [gone, gone]}), &["changes[1].id VALIDATION_ERROR"]).await;
    let many: Vec<Value> =
        (0..201).map(|number| json!({"op": "create", "type": "Node", "name": format!("N{number}")})).collect();
    assert_eq!(outcome(&world.call("applyChanges", json!({"changes": many})).await), "VALIDATION_ERROR changes");
    assert_eq!(world.facts().await, before);
}

async fn check(world: &World, set: Value, expected: &[&str]) {
    assert_eq!(refusals(&world.call("applyChanges", set.clone()).await), expected, "{set}");
}

#[tokio::test]
async fn a_set_is_governed_by_the_highest_risk_of_its_parts() {
    let world = shop().await;
    let writer = world.as_caller("writer", scope::PrincipalKind::User, &["architect"]);
    let made = writer.call("applyChanges", json!({"changes": [{"op": "create", "type": "Node", "name": "A"}]})).await;
    assert_eq!(made["outcome"], "committed", "{made}");
    let with_delete =
        json!({"changes": [{"op": "create", "type": "Node", "name": "B"}, {"op": "delete", "id": "Payment"}]});
    let filed = writer.call("applyChanges", with_delete).await;
    assert_eq!((&filed["outcome"], &filed["proposal"]["risk_level"]), (&json!("proposed"), &json!("high")));
    assert!(filed["message"].as_str().unwrap().starts_with("Not yet in the model"));
}

#[tokio::test]
async fn an_intent_takes_a_set_too() {
    let world = shop().await;
    let set = fraud_check();
    let intent = json!({"operation": "applyChanges", "apply_changes": {"changes": set["changes"]}});
    let answer = world.call("submitArchitectureIntent", intent).await;
    assert_eq!(answer["changes"].as_array().unwrap_or_else(|| panic!("{answer}")).len(), 9);
    assert!(answer["ids"]["check"].is_string());
}

/// The same elements, made one by one and as a set, are the same model; and a set that is refused is as if it never was.
#[tokio::test]
async fn random_sets_lead_where_single_calls_lead() {
    for seed in 0..6 {
        let (single, whole) = (shop().await, shop().await);
        let mut dice = Dice(seed);
        for round in 0..4_u64 {
            let mut changes = Vec::new();
            for number in 0..6 {
                let name = format!("E{}", dice.below(20));
                changes.push(match dice.below(4) {
                    0 => json!({"op": "relate", "type": "Flow", "source_id": "Checkout", "target_id": "Payment", "name": format!("f{round}{number}")}),
                    1 => json!({"op": "update", "id": dice.pick(&["Checkout", "Payment"]), "properties": {"p": format!("{round}")}}),
                    _ => json!({"op": "create", "type": "Node", "name": name, "description": "d"}),
                });
            }
            let refused = outcome(&whole.call("applyChanges", json!({"changes": changes})).await) != "ok";
            if refused {
                continue;
            }
            for change in changes {
                let mut arguments = change.as_object().unwrap().clone();
                let tool = match arguments.remove("op").unwrap().as_str().unwrap() {
                    "relate" => "createRelationship",
                    "update" => "updateElement",
                    _ => "createElement",
                };
                assert_eq!(outcome(&single.call(tool, Value::Object(arguments)).await), "ok");
            }
        }
        for tool in ["listElements", "listRelationships"] {
            let shown = |answer: Value| {
                let key = tool.trim_start_matches("list").to_lowercase();
                let mut lines: Vec<String> = answer[&key]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|item| format!("{} {} {} {}", item["type"], item["name"], item["properties"], item["version"]))
                    .collect();
                lines.sort();
                lines
            };
            let arguments = json!({"model_id": "default", "page_size": 200});
            assert_eq!(
                shown(whole.call(tool, arguments.clone()).await),
                shown(single.call(tool, arguments).await),
                "seed {seed}"
            );
        }
        assert_eq!(column(&whole.call("listModels", json!({})).await["models"], "key"), ["default"]);
    }
}
