//! What messages look like as JSON Schema.

use serde_json::{Map, Value, json};

use super::{input, output};
use crate::fixture::{STUB, changed, source};

#[track_caller]
fn schema_of(
    text: &str,
    message: &str,
    make: fn(&crate::Source, &prost_reflect::MessageDescriptor) -> Map<String, Value>,
) -> Value {
    let source = source(text).unwrap();
    let message = source.pool.get_message_by_name(&format!("stub.v1.{message}")).unwrap();
    Value::Object(make(&source, &message))
}

// R-372, R-809, R-810
#[test]
fn an_input_schema_says_what_the_options_say_in_proto_order() {
    let schema = schema_of(STUB, "ListThingsRequest", input);
    let expected = json!({
        "type": "object",
        "properties": {
            "page_size": {"type": "integer", "description": "How many, at most.", "minimum": 1, "maximum": 9, "default": 3},
            "colours": {"type": "array", "description": "At most 4.", "items": {"type": "string", "enum": ["DarkRed", "blue"]}},
            "near": {
                "type": "object",
                "description": "A place in the world.",
                "properties": {"street": {"type": "string"}},
                "additionalProperties": false
            },
            "filter": {"type": "object", "additionalProperties": true},
            "since": {"type": "string", "format": "date-time"}
        },
        "additionalProperties": false
    });
    assert_eq!(schema.to_string(), expected.to_string());
}

// R-810
#[test]
fn what_is_required_and_which_pattern_it_has_is_stated() {
    let schema = schema_of(STUB, "DeleteThingRequest", input);
    let expected = json!({
        "type": "object",
        "properties": {
            "thing_id": {"type": "string", "pattern": "^[a-z]+$"},
            "client_request_id": {"type": "string"}
        },
        "required": ["thing_id"],
        "additionalProperties": false
    });
    assert_eq!(schema, expected);
}

#[test]
fn an_unsigned_number_has_a_lower_bound() {
    let text = changed("string street = 1;", "uint64 number = 1; int32 floor = 2; double height = 3;");
    let schema = schema_of(&text, "Spot", input);
    let expected = json!({
        "number": {"type": "integer", "minimum": 0},
        "floor": {"type": "integer"},
        "height": {"type": "number"}
    });
    assert_eq!(schema["properties"].to_string(), expected.to_string());
}

#[test]
fn the_bounds_of_lists_stand_beside_the_schema() {
    let source = source(STUB).unwrap();
    let message = source.pool.get_message_by_name("stub.v1.ListThingsRequest").unwrap();
    assert_eq!(super::items_max(&source, &message), [("colours".to_owned(), 4)].into());
}

#[test]
fn what_is_brief_is_published_by_type_and_checked_in_full() {
    let text = changed("  Spot near = 3;", "  Spot near = 3 [(ameide.mcp.field) = { brief: true }];");
    let schema = schema_of(&text, "ListThingsRequest", input);
    let published = json!({"type": "object", "description": "A place in the world.", "additionalProperties": true});
    assert_eq!(schema["properties"]["near"], published);
    let source = source(&text).unwrap();
    let message = source.pool.get_message_by_name("stub.v1.ListThingsRequest").unwrap();
    let whole = Value::Object(super::briefs(&source, &message)["near"].clone());
    assert_eq!(whole["properties"], json!({"street": {"type": "string"}}));
    assert_eq!(whole["additionalProperties"], false);
}

#[test]
fn an_output_schema_names_every_member() {
    let schema = schema_of(STUB, "GetThingResponse", output);
    let expected = json!({
        "type": "object",
        "properties": {
            "thing": {"type": "object"},
            "found": {"type": "boolean"}
        }
    });
    assert_eq!(schema.to_string(), expected.to_string());
}

// R-371
#[test]
fn a_changed_field_changes_the_schema() {
    let text = changed("string street = 1;", "string avenue = 1;");
    let schema = schema_of(&text, "ListThingsRequest", input);
    assert_eq!(schema["properties"]["near"]["properties"].to_string(), r#"{"avenue":{"type":"string"}}"#);
}
