use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::domain::fixture::{USER, at, entity, named, observation, plan, settled};
use crate::domain::source::SourceKind;

fn source() -> Source {
    Source {
        id: "s".to_owned(),
        kind: SourceKind::Structured,
        content_hash: "h".to_owned(),
        created_at: at(0),
        mime_type: None,
        file_size: None,
        original_filename: None,
        files: Vec::new(),
        content_seq: None,
        provenance: None,
        entities: BTreeMap::new(),
        properties: None,
    }
}

fn origin(is_new: bool) -> Origin {
    Origin { run_id: None, observed_at: None, source_priority: 100.0, specificity_score: 1.0, kind: None, is_new }
}

/// What becomes of contacts that a source names with a role, when Ann with the role `x` is known.
fn became(sent: &[(&str, &str)], is_new: bool) -> Result<Vec<String>, Error> {
    let mut plan = plan();
    let id = |plan: &Plan, name: &str| item(plan, 0, "contact".to_owned(), fields(name, "")).unwrap().entity_id;
    let known = id(&plan, "Ann");
    plan.hold(entity(&known, &[observation(&known, 1, json!({"name": "Ann", "role": "x"}))]));
    let items: Vec<Item> = sent
        .iter()
        .enumerate()
        .map(|(index, (name, role))| item(&plan, index, "contact".to_owned(), fields(name, role)).unwrap())
        .collect();
    let (mut source, origin) = (source(), origin(is_new));
    let heard = Heard { repeats: true, ..Heard::default() };
    let mut absorbing = Absorbing::new(&mut plan, &mut source, &origin, heard);
    for (index, item) in items.into_iter().enumerate() {
        absorbing.take(index, item, vec!["twin".to_owned()])?;
    }
    let absorbed = absorbing.finish();
    let said = absorbed.observations_created;
    assert_eq!(absorbed.entities.iter().filter(|one| one.observation_id.is_some()).count() as u64, said);
    let rows = settled(plan, &[], &[])?;
    assert_eq!(rows.iter().filter(|row| row.starts_with("observation")).count() as u64, said);
    Ok(absorbed.entities.iter().map(|one| format!("{:?} {}", one.action, one.possible_duplicates.len())).collect())
}

fn fields(name: &str, role: &str) -> Map {
    json!({"name": name, "role": role}).as_object().cloned().unwrap()
}

#[track_caller]
fn check(sent: &[(&str, &str)], is_new: bool, expected: &[&str]) {
    assert_eq!(became(sent, is_new).unwrap(), expected, "{sent:?}");
}

#[test]
fn a_source_creates_extends_or_matches() {
    check(&[("Bob", "y")], true, &["Created 1"]);
    check(&[("Ann", "y")], true, &["Extended 0"]);
    // A new source says it once more, and that counts; a source that repeats itself says nothing.
    check(&[("Ann", "x")], true, &["Extended 0"]);
    check(&[("Ann", "x")], false, &["Matched 0"]);
}

#[test]
fn what_one_batch_says_twice_counts_once() {
    check(&[("Bob", "y"), ("Bob", "y")], true, &["Created 1", "Matched 0"]);
    check(&[("Bob", "y"), ("Bob", "z")], true, &["Created 1", "Extended 0"]);
}

#[test]
fn nothing_is_said_about_what_was_deleted() {
    let mut plan = plan();
    let mut gone = observation("a", 2, json!({}));
    (gone.marker, gone.source_priority) = (Some(crate::domain::Marker::Deleted), 1000.0);
    plan.hold(entity("a", &[observation("a", 1, json!({"name": "Ann"})), gone]));
    let sent = Item { entity_id: "a".to_owned(), ..item(&plan, 0, "contact".to_owned(), fields("Ann", "x")).unwrap() };
    let (mut source, origin) = (source(), origin(true));
    let mut absorbing = Absorbing::new(&mut plan, &mut source, &origin, Heard::default());
    let refusal = absorbing.take(3, sent, Vec::new()).unwrap_err();
    assert_eq!(refusal.to_string(), "entities[3] names an entity that was deleted");
}

#[test]
fn an_entity_that_a_field_names_is_created_and_connected() {
    let mut plan = plan();
    plan.hold(named("a", "Ann"));
    let referred = |id: &str| Referred {
        relationship_type: "works_at".to_owned(),
        entity_type: "contact".to_owned(),
        entity_id: id.to_owned(),
        name: "Acme".to_owned(),
        fields: fields("Acme", ""),
    };
    let mut known = Known::default();
    known.hold_relation(crate::domain::relation::builtin_relation("works_at").unwrap());
    let (mut source, mut absorbed) = (source(), Absorbed::default());
    let references = vec![referred("acme"), referred("a")];
    refer(&mut plan, &mut source, &origin(true), "a", references, &known, &mut absorbed).unwrap();
    assert_eq!((absorbed.entities_created, source.occurrences("acme")), (1, 1));
    let rows = settled(plan, &[], &[]).unwrap();
    assert_eq!(rows[1..], ["edge works_at a acme Live", r#"entity acme "Acme""#], "{USER}");
}
