//! Tests of schemas.

use serde_json::{Value, json};

use super::*;
use crate::domain::Map;

fn map(value: Value) -> Map {
    value.as_object().cloned().unwrap()
}

#[track_caller]
fn means(given: &str, expected: Result<&str, BadType>) {
    let known = |name: &str| name == "recipe" || name == "news";
    assert_eq!(entity_type(given, known), expected.map(str::to_owned), "{given:?}");
}

// N-300
#[test]
fn aliases_and_plurals_fold_onto_known_types() {
    for (given, expected) in [
        ("invoice", "invoice"),
        ("invoices", "invoice"),
        ("bill", "invoice"),
        ("Bills", "invoice"),
        ("facturas", "invoice"),
        ("companies", "company"),
        ("people", "person"),
        ("Feature Units", "feature_unit"),
        ("agent-session", "agent_session"),
        ("recipes", "recipe"),
        ("news", "news"),
        ("releases", "release"),
        ("gadgets", "gadgets"),
        ("my_type2", "my_type2"),
    ] {
        means(given, Ok(expected));
    }
}

// N-299, N-335
#[test]
fn anything_else_is_no_type() {
    let long = "a".repeat(65);
    for given in [
        "",
        "__proto__",
        "constructor",
        "../../etc",
        "Gadget",
        "my type",
        "a-b",
        "1a",
        "größe",
        "a\0",
        long.as_str(),
        &"x".repeat(5000),
    ] {
        means(given, Err(BadType));
    }
    means(&"a".repeat(64), Ok(&"a".repeat(64)));
}

// N-300
#[test]
fn an_inferred_schema_declares_what_was_sent() {
    let samples = [
        map(json!({"name": "x", "amount": 1, "when": "2024-01-15", "on": true, "tags": [], "more": {}, "gone": null})),
        map(json!({"amount": "unknown", "when": "2024-02-15"})),
    ];
    let schema = infer("gadget", &[&samples[0], &samples[1]]);
    let types: Vec<String> =
        schema.fields.iter().map(|(name, field)| format!("{name}:{}", field.r#type.name())).collect();
    assert_eq!(types.join(" "), "amount:string more:object name:string on:boolean tags:array when:date");
    assert_eq!((schema.schema_version.as_str(), schema.is_inferred()), ("0.6", true));
    assert_eq!(schema, infer("gadget", &[&samples[1], &samples[0]]));
}

// N-300
#[test]
fn an_inferred_schema_grows_to_the_same_version_in_any_order() {
    let (one, other) = (map(json!({"a": 1})), map(json!({"b": "x", "c": null})));
    let grown = infer("gadget", &[&one]).grown(&[&other]).unwrap();
    assert_eq!(grown, infer("gadget", &[&other]).grown(&[&one]).unwrap());
    assert_eq!(grown.schema_version, "0.2");
    assert_eq!(grown.grown(&[&one, &other]), None);
    assert_eq!(builtin("note").unwrap().grown(&[&one]), None);
}

// N-302
#[test]
fn what_a_schema_does_not_expect_is_reported_without_values() {
    let fields =
        map(json!({"invoice_number": "1", "amount_due": "secret", "invoice_date": "soon", "extra": 1, "items": {}}));
    let warnings: Vec<String> = builtin("invoice")
        .unwrap()
        .warnings(&fields)
        .iter()
        .map(|one| format!("{} {}", one.field, one.reason))
        .collect();
    assert_eq!(
        warnings,
        [
            "amount_due is a text and declared as number",
            "currency is required and missing",
            "invoice_date is a text and declared as date",
            "items is an object and declared as array",
        ]
    );
}

// N-297
#[test]
fn constraints_are_checked() {
    let field = |field: Value| -> Field { serde_json::from_value(field).unwrap() };
    let mut schema = builtin("note").unwrap().clone();
    schema.fields.insert("stars".into(), field(json!({"type": "number", "min": 1, "max": 5})));
    schema.fields.insert("mood".into(), field(json!({"type": "string", "enum": ["good", "bad"]})));
    schema
        .fields
        .insert("code".into(), field(json!({"type": "string", "pattern": "^[A-Z]{2}$", "sensitivity": "low"})));
    let refusal = |name: &str, value: Value| schema.accepts(name, &value).err();
    assert_eq!(refusal("stars", json!(0)).as_deref(), Some("is less than 1"));
    assert_eq!(refusal("stars", json!(6)).as_deref(), Some("is more than 5"));
    assert_eq!(refusal("mood", json!("odd")).as_deref(), Some("is none of the 2 values that are allowed"));
    assert_eq!(refusal("code", json!("abc")).as_deref(), Some("does not match the declared pattern"));
    for (name, value) in
        [("stars", json!(5)), ("mood", json!("bad")), ("code", json!("DE")), ("code", Value::Null), ("other", json!(1))]
    {
        assert_eq!(refusal(name, value), None, "{name}");
    }
}

#[test]
fn an_optional_text_may_be_several() {
    let note = builtin("note").unwrap();
    assert_eq!(note.accepts("tags", &json!(["a", "b"])), Ok(()));
    assert_eq!(note.accepts("title", &json!(["a"])).err().as_deref(), Some("is an array and declared as string"));
}

#[track_caller]
fn follows(from: &str, change: impl FnOnce(&mut Schema), expected: &str) {
    let schema = Schema { schema_version: from.to_owned(), ..builtin("note").unwrap().clone() };
    let mut definition = schema.clone();
    change(&mut definition);
    assert_eq!(schema.successor(definition).schema_version, expected);
}

// N-298
#[test]
fn adding_a_field_is_minor_and_removing_one_or_changing_identity_is_major() {
    follows("1.4", |schema| _ = schema.fields.insert("mood".into(), Field::default()), "1.5");
    follows("1.4", |schema| _ = schema.fields.remove("tags"), "2.0");
    follows("1.4", |schema| schema.identity.truncate(1), "2.0");
    follows("1.4", |schema| schema.fields.get_mut("tags").unwrap().r#type = FieldType::Array, "2.0");
    follows("1.4", |schema| schema.fields.get_mut("tags").unwrap().required = true, "1.5");
    follows("1.4", |schema| schema.scope = SchemaScope::User, "1.4");
    follows("0.7", |_| {}, "1.0");
}

// N-296
#[test]
fn a_schema_survives_being_stored() {
    for name in builtin_types() {
        let schema = builtin(name).unwrap();
        assert_eq!(&serde_json::from_str::<Schema>(&serde_json::to_string(schema).unwrap()).unwrap(), schema);
    }
    let short = json!({"entity_type": "x", "schema_version": "1.0", "fields": {"a": {}},
        "reducers": {"a": {"strategy": "merge_array", "tie_breaker": "source_priority"}}});
    let schema: Schema = serde_json::from_value(short).unwrap();
    assert_eq!(
        (schema.active, schema.scope, schema.field_type("a")),
        (true, SchemaScope::Global, Some(FieldType::String))
    );
}

#[test]
fn an_unusable_definition_says_why() {
    let mut schema = infer("thing", &[]);
    schema
        .fields
        .insert("code".into(), Field { pattern: Some("(".into()), min: Some(2.0), max: Some(1.0), ..Field::default() });
    schema.identity = vec![vec![], vec!["gone".into()]];
    let problems: Vec<String> = schema.problems().iter().map(|one| format!("{} {}", one.field, one.reason)).collect();
    assert_eq!(
        problems,
        [
            "code has a min above its max",
            "code has a pattern that is no regular expression, or too large a one",
            "identity holds a rule without fields",
            "gone is used by a rule of the schema and not declared",
        ]
    );
}
