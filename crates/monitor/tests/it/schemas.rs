//! The published schemas are the specification's, member by member.

use contract::generated::monitor::manifest;
use serde_json::{Map, Value};

/// What our tools take beyond the specification; nothing of it is required.
const ADDED: &[(&str, &str)] = &[
    ("*", "client_request_id"),
    ("*", "read_context"),
    ("mongodb_create_scene", "gm_notes"),
    ("composite_assemble_scene_context", "token_budget"),
];

//
//
//
#[test]
fn the_input_schemas_are_those_of_the_specification() {
    let specified: Map<String, Value> = serde_json::from_str(include_str!("specification.json")).unwrap();
    assert_eq!(specified.len(), 21);
    let published = manifest();
    let mut found = Vec::new();
    for (name, wanted) in &specified {
        let tool = published.tools.iter().find(|tool| tool.name == *name);
        let tool = tool.unwrap_or_else(|| panic!("there is no tool {name}"));
        compare(name, name, wanted, &Value::Object(tool.input_schema.clone()), &mut found);
        assert_eq!(tool.toolset, "core", "{name}");
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let core = published.tools.iter().filter(|tool| tool.toolset == "core").count();
    assert_eq!((core, published.tools.len()), (21, 45));
}

/// Lists every member in which two schemas differ, except for descriptions, `additionalProperties: false` and what is added.
fn compare(tool: &str, at: &str, wanted: &Value, given: &Value, found: &mut Vec<String>) {
    let empty = Map::new();
    let of = |schema: &Value, name: &str| schema.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
    for name in ["type", "enum", "format", "minimum", "maximum", "default"] {
        let (wanted, given) = (wanted.get(name), given.get(name));
        let same = match (wanted.and_then(Value::as_f64), given.and_then(Value::as_f64)) {
            (Some(wanted), Some(given)) => (wanted - given).abs() < f64::EPSILON,
            _ => wanted == given,
        };
        if !same {
            found.push(format!("{at}: {name} is {given:?}, not {wanted:?}"));
        }
    }
    let is_open = |schema: &Value| schema.get("additionalProperties") == Some(&Value::Bool(true));
    if is_open(wanted) != is_open(given) {
        found.push(format!("{at}: additionalProperties"));
    }
    let required = |schema: &Value| {
        let mut names: Vec<Value> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        names.sort_by_key(Value::to_string);
        names
    };
    if required(wanted) != required(given) {
        found.push(format!("{at}: required is {:?}, not {:?}", required(given), required(wanted)));
    }
    let known = [
        "type",
        "description",
        "enum",
        "format",
        "minimum",
        "maximum",
        "default",
        "items",
        "properties",
        "required",
        "additionalProperties",
    ];
    for (name, _) in given.as_object().unwrap_or(&empty).iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        found.push(format!("{at}: {name} is not in the specification"));
    }
    let (wanted_fields, given_fields) = (of(wanted, "properties"), of(given, "properties"));
    for (name, inner) in &wanted_fields {
        match given_fields.get(name) {
            Some(given) => compare(tool, &format!("{at}.{name}"), inner, given, found),
            None => found.push(format!("{at}.{name} is missing")),
        }
    }
    let added =
        |name: &String| at == tool && ADDED.iter().any(|(of, added)| (*of == "*" || *of == tool) && added == name);
    for name in given_fields.keys().filter(|name| !wanted_fields.contains_key(*name) && !added(name)) {
        found.push(format!("{at}.{name} is not in the specification"));
    }
    match (wanted.get("items"), given.get("items")) {
        (Some(wanted), Some(given)) => compare(tool, &format!("{at}[]"), wanted, given, found),
        (None, None) => {}
        other => found.push(format!("{at}: items {other:?}")),
    }
}

#[test]
fn the_comparison_sees_what_differs() {
    let wanted = serde_json::json!({ "type": "object", "properties": { "a": { "type": "integer", "default": 50 } }, "required": ["a"] });
    for (path, value) in [
        ("/properties/a/default", serde_json::json!(51)),
        ("/properties/a/type", serde_json::json!("number")),
        ("/properties/a/minimum", serde_json::json!(1)),
        ("/properties/a/pattern", serde_json::json!("x")),
        ("/properties/b", serde_json::json!({})),
        ("/required", serde_json::json!([])),
    ] {
        let mut given = wanted.clone();
        let (parent, last) = path.rsplit_once('/').unwrap();
        given.pointer_mut(parent).unwrap()[last] = value;
        let mut found = Vec::new();
        compare("t", "t", &wanted, &given, &mut found);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
    }
}

//
#[test]
fn every_get_and_query_reads_at_a_point_and_every_write_can_be_repeated() {
    for tool in manifest().tools {
        let takes = |name: &str| tool.input_schema["properties"].get(name).is_some();
        let wanted = match tool.side {
            contract::Side::Query => "read_context",
            contract::Side::Command => "client_request_id",
        };
        assert!(takes(wanted), "{} takes no {wanted}", tool.name);
    }
    let names: Vec<String> = manifest().tools.into_iter().map(|tool| tool.name).collect();
    for name in [
        "neo4j_create_multiverse",
        "neo4j_create_universe",
        "neo4j_get_universe",
        "neo4j_query_universes",
        "neo4j_get_story",
        "neo4j_query_stories",
        "neo4j_get_source",
        "neo4j_query_sources",
        "mongodb_query_scenes",
        "mongodb_get_proposed_change",
        "mongodb_create_document",
        "mongodb_create_snippet",
        "mongodb_create_resolution",
        "mongodb_get_resolution",
        "neo4j_create_axiom",
        "neo4j_query_axioms",
        "neo4j_query_events",
        "neo4j_get_fact",
        "neo4j_get_event",
        "neo4j_create_relationship",
        "neo4j_query_relationships",
        "neo4j_update_fact_canon_level",
        "neo4j_update_story",
        "composite_batch_call",
    ] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
}
