use std::path::Path;

use super::*;
use crate::metamodel::{Profile, derivation};

#[test]
fn the_table_has_the_measured_size() {
    let table = Profile::Strict.table();
    assert_eq!(CONCEPTS * CONCEPTS * RelationshipType::COUNT, 42_284);
    assert_eq!(table.permitted_count(), 11_569);
}

#[test]
fn the_derivation_gives_the_same_table() {
    check_equal(Profile::Strict.table(), derivation::table());
}

#[test]
fn the_published_rules_give_the_same_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/archimate/rules.md");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("SKIPPED: {} is not here, so the table was not compared with the published rules", path.display());
        return;
    };
    let published = Table::from_rules(fenced(&text, "sets"), fenced(&text, "rules")).unwrap();
    check_equal(Profile::Strict.table(), &published);
}

#[test]
fn a_bad_line_is_named() {
    assert_eq!(Table::from_rules("", "c : Nothing -> Node"), Err("c : Nothing -> Node".to_owned()));
    assert_eq!(Table::from_rules("X = Nothing", ""), Err("X = Nothing".to_owned()));
}

#[track_caller]
fn check_equal(ours: &Table, theirs: &Table) {
    let mut compared = 0;
    for of in RelationshipType::ALL {
        for source in Concept::all() {
            for target in Concept::all() {
                let cell = (of, source, target);
                assert_eq!(ours.permits(of, source, target), theirs.permits(of, source, target), "{cell:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 42_284);
}

fn fenced<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("```{name}\n")).unwrap();
    rest.split_once("```").unwrap().0
}
