//! Examples and defaults fit the schema they stand beside (534 §6.7).

use jsonschema::Validator;
use prost_reflect::{Kind, MessageDescriptor};
use serde_json::{Map, Value};

use crate::schema::{is_open_object, is_timestamp};
use crate::tool::Tool;
use crate::{Problem, Source};

pub fn check(source: &Source, tool: &Tool<'_>, problems: &mut Vec<Problem>) {
    let whole = tool.whole_input();
    defaults(source, tool, &tool.method.descriptor.input(), &whole, problems);
    let mut report = |message: String, fix: &str| problems.push(Problem::error(tool.place.clone(), message, fix));
    let validator = match validator(&Value::Object(whole)) {
        Ok(validator) => validator,
        Err(reason) => {
            return report(format!("the schema of tool {} is invalid: {reason}", tool.name()), "correct its options");
        }
    };
    for example in &tool.stated.examples {
        let (name, about) = (tool.name(), &example.description);
        match serde_json::from_str::<Value>(&example.input) {
            Err(reason) => report(format!("example {about:?} of {name} is not JSON: {reason}"), "correct its input"),
            Ok(input) => {
                for error in validator.iter_errors(&input) {
                    let fix = "correct its input or the options of the field";
                    report(format!("example {about:?} of {name} does not fit the schema: {error}"), fix);
                }
            }
        }
    }
}

/// Checks the defaults of a message and of the messages in it against the schemas of their fields.
fn defaults(
    source: &Source,
    tool: &Tool<'_>,
    message: &MessageDescriptor,
    schema: &Map<String, Value>,
    problems: &mut Vec<Problem>,
) {
    for field in message.fields() {
        let Some(property) = schema.get("properties").and_then(|all| all.get(field.name())) else { continue };
        let stated = source.field(&field).default;
        if !stated.is_empty()
            && let Err(reason) = default_fits(&stated, property)
        {
            problems.push(Problem::error(
                source.place(&field),
                format!("the default of {} in tool {} does not fit: {reason}", field.name(), tool.name()),
                "correct the default, which is JSON text",
            ));
        }
        let inner = if field.is_list() { property.get("items") } else { Some(property) };
        if let (Kind::Message(message), Some(Value::Object(inner))) = (field.kind(), inner)
            && !is_open_object(&message)
            && !is_timestamp(&message)
        {
            defaults(source, tool, &message, inner, problems);
        }
    }
}

fn default_fits(stated: &str, schema: &Value) -> Result<(), String> {
    let value: Value = serde_json::from_str(stated).map_err(|error| format!("it is not JSON: {error}"))?;
    validator(schema)?.validate(&value).map_err(|error| error.to_string())
}

fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options().should_validate_formats(true).build(schema).map_err(|error| error.to_string())
}
