use serde_json::json;

use super::*;
use crate::domain::fixture::{entity, observation, plan, settled};
use crate::domain::schema::define as defined;

fn definition(of: &str, said: &serde_json::Value) -> Schema {
    defined(of, said.as_object().unwrap()).unwrap()
}

/// What a definition of `recipe` becomes among these names.
#[track_caller]
fn check(said: serde_json::Value, names: &Names, expected: &str) {
    let mut plan = plan();
    plan.hold_schemas(["recipe"].into_iter(), BTreeMap::new());
    let shown = match define(&mut plan, &definition("recipe", &said), names) {
        Ok(Some(schema)) => format!("{} with {}", schema.entity_type, schema.fields.len()),
        Ok(None) => "nothing new".to_owned(),
        Err(refusal) => refusal.to_string(),
    };
    assert_eq!(shown, expected);
}

#[test]
fn names_that_mean_something_else_are_refused() {
    let fields = json!({"title": {"type": "string"}});
    check(json!({"fields": fields}), &Names::default(), "recipe with 1");
    let meant = Names { meant: Some("dish".to_owned()), ..Names::default() };
    check(json!({"fields": fields}), &meant, "entity_type is another name of a type");
    let taken = "definition.aliases[0] is the name or alias of another type";
    let with_alias = json!({"fields": fields, "aliases": ["dish"]});
    check(with_alias.clone(), &Names::default(), "recipe with 1");
    check(with_alias.clone(), &Names { types: ["dish".to_owned()].into(), ..Names::default() }, taken);
    let of = |other: &str| Names { aliases: [("dish".to_owned(), other.to_owned())].into(), ..Names::default() };
    check(with_alias.clone(), &of("meal"), taken);
    check(with_alias, &of("recipe"), "recipe with 1");
}

#[test]
fn a_relationship_type_keeps_its_rule() {
    let check = |known: Option<bool>, expected: &str| {
        let mut plan = plan();
        let of = |acyclic| RelationType { name: "OWNS".to_owned(), acyclic };
        let shown = match relate_by(&mut plan, &of(true), known.map(of).as_ref()) {
            Ok(()) => settled(plan, &[], &[]).unwrap().join(";"),
            Err(refusal) => refusal.to_string(),
        };
        assert_eq!(shown, expected);
    };
    check(None, "relation OWNS");
    check(Some(true), "");
    check(Some(false), "acyclic is another rule than the registered one");
}

#[test]
fn a_snapshot_is_made_again_when_it_is_reduced_otherwise() {
    let mut plan = plan();
    let said = [observation("a", 1, json!({"name": "Ann"})), observation("a", 2, json!({"name": "Bea"}))];
    let schema = plan.schema("contact").clone();
    recompute(&mut plan, &schema, entity("a", &said[..1]), Some(&said));
    assert_eq!(settled(plan, &[], &[]).unwrap(), [r#"entity a "Bea" also Ann"#]);
}
