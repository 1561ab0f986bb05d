use serde_json::{Value, json};

use crate::domain::fixture::{entity, named, observation, plan, settled};

/// Says something about the contact `a`, called Ann, when Bob is the name of another.
#[track_caller]
fn check(fields: Value, expected: &[&str]) {
    let mut plan = plan();
    plan.hold(named("a", "Ann"));
    plan.observe(observation("a", 2, fields.clone()));
    let rows = settled(plan, &[], &[("Bob", "b")]).unwrap();
    assert_eq!(rows[1..], *expected, "{fields}");
}

#[test]
fn an_entity_takes_the_name_that_its_snapshot_has_and_keeps_the_old_one_as_an_alias() {
    check(json!({"role": "x"}), &[r#"entity a "Ann""#]);
    check(json!({"name": "Anna"}), &[r#"entity a "Anna" also Ann"#]);
    // Another notation is no other name.
    check(json!({"name": "ANN"}), &[r#"entity a "ANN""#]);
}

#[test]
fn a_name_that_another_entity_has_is_not_taken() {
    check(json!({"name": "Bob"}), &[r#"entity a "Ann""#]);
}

#[test]
fn the_events_of_an_entity_follow_its_dates() {
    check(
        json!({"connected_on": "2027-02-01"}),
        &["event ConnectedOn at 2027-02-01T00:00:00.000000Z", r#"entity a "Ann""#],
    );
    let mut plan = plan();
    plan.hold(entity("a", &[observation("a", 1, json!({"name": "Ann", "connected_on": "2027-02-01"}))]));
    plan.observe(observation("a", 2, json!({"connected_on": null})));
    assert_eq!(settled(plan, &[], &[]).unwrap()[1..], [r#"entity a "Ann""#, "end event"]);
}

#[test]
fn what_others_were_merged_into_keeps_its_name_until_it_is_called_something_else() {
    let check = |fields: Value, expected: &str| {
        // The part was named last, so the snapshot has its name.
        let mut whole =
            entity("a", &[observation("a", 1, json!({"name": "Ann"})), observation("b", 2, json!({"name": "Bea"}))]);
        whole.row.name = "Ann".to_owned();
        whole.row.members = vec!["b".to_owned()];
        let mut plan = plan();
        plan.hold(whole);
        plan.observe(observation("a", 3, fields));
        assert_eq!(settled(plan, &[], &[]).unwrap()[1], expected);
    };
    check(json!({"role": "x"}), r#"entity a "Ann" with b"#);
    check(json!({"name": "Cleo"}), r#"entity a "Cleo" also Ann with b"#);
}

#[test]
fn what_is_only_looked_at_is_not_stored() {
    let mut plan = plan();
    plan.hold(named("a", "Ann"));
    plan.create("b", "contact", "Bob");
    assert!(plan.is_new("b") && !plan.is_new("a"));
    assert_eq!(settled(plan, &[], &[]).unwrap(), [r#"entity b "Bob""#]);
}

#[test]
fn what_is_stored_about_an_entity_is_later_than_what_was_stored_before() {
    let mut plan = plan();
    let mut ahead = named("a", "Ann");
    ahead.row.updated_at = plan.now.plus_micros(5);
    plan.hold(ahead);
    plan.hold(named("b", "Bob"));
    assert_eq!((plan.moment_for("a"), plan.moment_for("b")), (plan.now.plus_micros(6), plan.now));
}
