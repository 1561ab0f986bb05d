use ledger::RecordKey;
use serde_json::json;

use super::*;
use crate::domain::fixture::{at, edge, entity, named, observation, plan, settled, stored};
use crate::domain::relationship::Relationship;
use crate::domain::row::kind;

/// Takes `b` out of `a`, which has the other parts too; the edges are all at `a`, named as their text says.
fn unmerged(others: &[&str], edges: Vec<Stored<Relationship>>) -> Vec<String> {
    let mut plan = plan();
    let own = observation("a", 1, json!({"name": "Ann"}));
    let part = observation("b", 2, json!({"name": "Bea", "role": "x"}));
    let rest: Vec<Observation> = others.iter().map(|id| observation(id, 3, json!({ "name": id }))).collect();
    let all: Vec<Observation> = [&own, &part].into_iter().chain(&rest).cloned().collect();
    let mut whole = entity("a", &all);
    whole.row.name = "Ann".to_owned();
    whole.row.members = std::iter::once("b").chain(others.iter().copied()).map(str::to_owned).collect();
    whole.row.aliases = std::iter::once("Bea").chain(others.iter().copied()).map(str::to_owned).collect();
    let mut from = entity("b", std::slice::from_ref(&part));
    from.row.merged_into = Some("a".to_owned());
    let merge =
        Merge { from: "b".to_owned(), to: "a".to_owned(), reason: None, merged_at: at(5), observations_moved: 1 };
    let parts = others.iter().map(|id| Entity { merged_into: Some("a".to_owned()), ..named(id, id).row }).collect();
    let written = std::iter::once(own).chain(rest).collect();
    let loaded = Loaded {
        from,
        written: vec![part],
        merge: stored(RecordKey::new(kind::MERGE, "b"), merge),
        chain: vec![Around { entity: whole, written, parts }],
        edges: Edges::new(edges, 7),
    };
    let done = unmerge(&mut plan, loaded);
    assert_eq!(done, Unmerged { from: "b".to_owned(), to: "a".to_owned(), observations_returned: 1 });
    settled(plan, &[], &[]).unwrap()
}

#[test]
fn both_are_as_if_they_had_never_been_together() {
    assert_eq!(unmerged(&[], Vec::new()), [r#"entity a "Ann""#, r#"entity b "Bea""#, "end merge"]);
}

#[test]
fn other_parts_stay_and_do_not_name_the_survivor() {
    assert_eq!(unmerged(&["c"], Vec::new())[0], r#"entity a "Ann" also c with c"#);
}

#[test]
fn an_edge_goes_back_to_the_end_that_it_was_named_by() {
    let mut led = edge("REFERS_TO b d");
    led.row.source = "a".to_owned();
    let rows = unmerged(&[], vec![led, edge("REFERS_TO a e")]);
    assert_eq!(rows[0], "edge REFERS_TO b d Live");
    assert!(rows[1].starts_with("entity a"), "{rows:?}");
}

#[test]
fn what_is_not_merged_cannot_be_taken_apart() {
    let refusal = merge_of(&named("a", "Ann").row, None).unwrap_err();
    assert_eq!(refusal.to_string(), "from_entity_id is not merged");
}
