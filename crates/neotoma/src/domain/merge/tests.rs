use ledger::RecordKey;

use super::*;
use crate::domain::fixture::{edge, guards, named, plan, settled};
use crate::domain::row::kind;

/// Merges `from` into `to`; the edges are all at one of them. What happens, without the plain rows of the two.
fn merged(from: Stored<Entity>, to: Stored<Entity>, parts: Vec<Entity>, edges: &[&str]) -> Result<Vec<String>, Error> {
    let mut plan = plan();
    let found = edges.iter().map(|text| edge(text)).collect();
    let edges_at = Edges::new(found, 7).among(std::iter::empty(), ["PART_OF".to_owned()].into());
    merge(&mut plan, Loaded { from, to, parts, edges: edges_at }, None)?;
    assert_eq!(guards(&plan)[..2], ["links of a", "links of b"]);
    settled(plan, edges, &[])
}

#[track_caller]
fn check(edges: &[&str], expected: &[&str]) {
    let rows = merged(named("a", "Ann"), named("b", "Bea"), Vec::new(), edges);
    let rows = rows.map(|rows| rows.into_iter().filter(|row| row.starts_with("edge")).collect::<Vec<_>>());
    match rows {
        Ok(rows) => assert_eq!(rows, expected),
        Err(refusal) => assert_eq!([refusal.to_string()], expected),
    }
}

#[track_caller]
fn refuses(from: Stored<Entity>, to: Stored<Entity>, parts: Vec<Entity>, expected: &str) {
    assert_eq!(merged(from, to, parts, &[]).unwrap_err().to_string(), expected);
}

#[test]
fn the_survivor_keeps_its_name_and_takes_in_what_was_said() {
    // The part was named last, so the snapshot is called after it.
    let from = crate::domain::fixture::entity(
        "a",
        &[crate::domain::fixture::observation("a", 9, serde_json::json!({"name": "Ann"}))],
    );
    let rows = merged(from, named("b", "Bea"), Vec::new(), &[]).unwrap();
    let expected = ["merge a into b", r#"entity a "Ann" part of b"#, r#"entity b "Bea" also Ann with a"#];
    assert_eq!(rows, expected);
}

#[test]
fn edges_are_led_to_the_survivor_and_what_repeats_or_loops_is_folded() {
    check(&["REFERS_TO a c"], &["edge REFERS_TO b c Live"]);
    check(&["REFERS_TO b c"], &[]);
    check(&["REFERS_TO a b"], &["edge REFERS_TO b b Folded"]);
    check(&["REFERS_TO a c", "REFERS_TO b c"], &["edge REFERS_TO b c Live", "edge REFERS_TO b c Folded"]);
}

#[test]
fn a_merge_that_would_close_a_circle_is_refused() {
    check(&["PART_OF a c", "PART_OF c b"], &["The relationship would close a cycle"]);
    check(&["REFERS_TO a c", "REFERS_TO c b"], &["edge REFERS_TO b c Live"]);
}

#[test]
fn only_two_living_entities_of_one_type_are_merged() {
    let other = |change: &dyn Fn(&mut Entity)| {
        let mut other = named("b", "Bea");
        change(&mut other.row);
        other
    };
    let task = other(&|entity| entity.entity_type = "task".to_owned());
    refuses(named("a", "Ann"), task, Vec::new(), "to_entity_id is of another type than from_entity_id");
    refuses(named("a", "Ann"), named("a", "Ann"), Vec::new(), "to_entity_id is part of from_entity_id already");
    let check = |from: &Entity, to: &Entity| check_named(from, to).unwrap_err().to_string();
    let (ann, bea) = (named("a", "Ann").row, named("b", "Bea").row);
    assert_eq!(check(&ann, &ann), "to_entity_id is the same entity as from_entity_id");
    let part = Entity { merged_into: Some("c".to_owned()), ..ann };
    assert_eq!(check(&part, &bea), "from_entity_id has been merged already");
}

#[test]
fn a_chain_that_could_not_be_followed_is_not_made() {
    let chained = |length: usize| {
        let into = |number: usize| match number {
            0 => "a".to_owned(),
            number => format!("p{}", number - 1),
        };
        let part = |number: usize| Entity { merged_into: Some(into(number)), ..named(&format!("p{number}"), "P").row };
        (0..length).map(part).collect::<Vec<_>>()
    };
    let of = |parts: &[Entity]| {
        let members = parts.iter().map(|part| part.id.clone()).collect();
        let from = Entity { members, ..named("a", "Ann").row };
        crate::domain::fixture::stored(RecordKey::new(kind::ENTITY, "a"), from)
    };
    assert!(parts_wanted(&of(&chained(61)).row).is_empty());
    let long = chained(62);
    assert_eq!(parts_wanted(&of(&long).row).len(), 62);
    refuses(of(&long), named("b", "Bea"), long, "from_entity_id is the end of a chain of 62 merges");
}
