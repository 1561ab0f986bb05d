use serde_json::{Value, json};

use super::*;
use crate::domain::fixture::{USER, edge, named, plan, settled};
use crate::domain::relation::builtin_relation;

/// Connects two contacts, over what is stored; the edge `a b` of the type is known when it is among that.
fn connected(text: &str, stored: &[&str], metadata: Option<Value>) -> Result<Vec<String>, Error> {
    let wanted = edge(text).into_row();
    let wanted = Wanted { relationship_type: wanted.relationship_type, source: wanted.source, target: wanted.target };
    let mut known = Known::default();
    known.hold_relation(builtin_relation(&wanted.relationship_type).unwrap());
    if stored.contains(&text) {
        let mut known_edge = edge(text);
        known_edge.row.id = wanted.id(USER);
        known.hold(wanted.clone(), known_edge);
    }
    let mut plan = plan();
    for id in ["a", "b"] {
        plan.hold(named(id, id));
    }
    let metadata = metadata.map(|said| Object(said.as_object().unwrap().clone()));
    connect(&mut plan, &known, &wanted, metadata.clone())?;
    // Said twice in one call, it is said once.
    connect(&mut plan, &known, &wanted, metadata)?;
    settled(plan, stored, &[])
}

#[track_caller]
fn check(text: &str, stored: &[&str], metadata: Option<Value>, expected: &[&str]) {
    match connected(text, stored, metadata) {
        Ok(rows) => assert_eq!(rows, expected),
        Err(refusal) => assert_eq!([refusal.to_string()], expected),
    }
}

#[test]
fn an_edge_is_made_once_and_more_may_be_said_about_it() {
    check("REFERS_TO a b", &[], None, &["edge REFERS_TO a b Live"]);
    check("REFERS_TO a b", &["REFERS_TO a b"], None, &[]);
    check("REFERS_TO a b", &["REFERS_TO a b"], Some(json!({"page": 1})), &["edge REFERS_TO a b Live"]);
}

#[test]
fn no_edge_leads_back_where_its_type_has_no_circles_and_none_is_a_loop() {
    let cycle = "The relationship would close a cycle";
    check("PART_OF a b", &["PART_OF b c", "PART_OF c a"], None, &[cycle]);
    check("REFERS_TO a b", &["REFERS_TO b a"], None, &["edge REFERS_TO a b Live"]);
    check("REFERS_TO a a", &[], None, &[cycle]);
}
