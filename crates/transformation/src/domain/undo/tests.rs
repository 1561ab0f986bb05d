use serde_json::json;

use super::*;

const NONE: Value = Value::Null;

#[test]
fn what_was_made_goes_and_what_was_deleted_comes_back() {
    let state = element("A", "d");
    check(NONE, state.clone(), state.clone(), "ElementDeleted A");
    check(state.clone(), NONE, NONE, "ElementCreated A");
    check(NONE, state.clone(), NONE, "nothing");
}

#[test]
fn fields_are_set_back_and_those_of_others_stay() {
    check(element("A", "d"), element("B", "d"), element("B", "other"), "ElementUpdated A");
    check(element("A", "d"), element("B", "d"), element("C", "d"), "was changed since in name");
    check(element("A", "d"), element("B", "d"), element("A", "d"), "nothing");
}

#[test]
fn properties_are_fields_of_their_own() {
    let with = |tier: i32, zone: &str| {
        let mut state = element("A", "d");
        state["properties"] = json!({"tier": tier, "zone": zone});
        state
    };
    check(with(1, "x"), with(2, "x"), with(2, "y"), "ElementUpdated A");
    check(with(1, "x"), with(2, "x"), with(3, "x"), "was changed since in properties.tier");
}

#[test]
fn what_others_built_upon_is_a_conflict() {
    check(NONE, element("A", "d"), element("A", "e"), "was changed since it was made");
    check(element("A", "d"), element("B", "d"), NONE, "was deleted since");
}

fn element(name: &str, description: &str) -> Value {
    json!({
        "id": "e", "repository_id": "r", "model_id": "m", "type": "Node", "name": name, "description": description,
        "properties": {}, "created_at": "2026-07-28T10:00:00.000000Z", "updated_at": "2026-07-28T10:00:00.000000Z",
    })
}

#[track_caller]
fn check(before: Value, after: Value, now: Value, expected: &str) {
    let state = |value: Value| value.as_object().cloned();
    let states = States { before: state(before), after: state(after), now: state(now) };
    let shown = match inverse(kind::ELEMENT, &states, Timestamp(2)) {
        Err(conflict) => conflict.reason,
        Ok(None) => "nothing".to_owned(),
        Ok(Some(fact)) => {
            let body: Value = serde_json::from_str(&fact.body()).unwrap();
            let kind = fact.kind().trim_start_matches("transformation.");
            format!("{kind} {}", body["name"].as_str().unwrap())
        }
    };
    assert_eq!(shown, expected);
}
