use serde_json::json;

use super::*;
use crate::domain::fixture::{entity, observation, plan, settled};

/// Corrects a field of the contact `a`, which is called Ann and whose role a person corrected to `x`.
#[track_caller]
fn check(field: &str, value: Value, expected: &[&str]) {
    check_by(Speaker::Person, field, value, expected);
}

#[track_caller]
fn check_by(by: Speaker, field: &str, value: Value, expected: &[&str]) {
    let mut plan = plan();
    let corrected = Observation { source_priority: CORRECTION_PRIORITY, ..observation("a", 2, json!({"role": "x"})) };
    plan.hold(entity("a", &[observation("a", 1, json!({"name": "Ann", "role": "y"})), corrected]));
    let correction = Correction { entity_id: "a".to_owned(), field: field.to_owned(), value, by };
    let loaded = Loaded { source: None, references: Vec::new(), known: Known::default() };
    match correct(&mut plan, &correction, loaded) {
        Err(refusal) => assert_eq!([refusal.to_string()], expected),
        Ok(Corrected { repeated: true, observation_id }) => assert_eq!([observation_id], expected),
        Ok(_) => assert_eq!(settled(plan, &[], &[]).unwrap(), expected),
    }
}

#[test]
fn a_correction_is_an_observation_with_a_source_of_its_own() {
    check(
        "phone",
        json!("9"),
        &[r#"observation of a: {"phone":"9"}"#, "content", "source internal", r#"entity a "Ann""#],
    );
    check(
        "name",
        json!("Anna"),
        &[r#"observation of a: {"name":"Anna"}"#, "content", "source internal", r#"entity a "Anna" also Ann"#],
    );
}

#[test]
fn a_correction_that_is_in_force_is_not_made_again() {
    check("role", json!("x"), &["a@2"]);
    check(
        "role",
        json!("y"),
        &[r#"observation of a: {"role":"y"}"#, "content", "source internal", r#"entity a "Ann""#],
    );
}

#[test]
fn a_machine_does_not_overrule_what_a_person_corrected() {
    let refusal = "You may not overrule the correction of this field: a person made it";
    check_by(Speaker::Agent, "role", json!("y"), &[refusal]);
    check_by(Speaker::Agent, "role", json!("x"), &["a@2"]);
    let said = [r#"observation of a: {"phone":"9"}"#, "content", "source internal", r#"entity a "Ann""#];
    check_by(Speaker::Agent, "phone", json!("9"), &said);
}
