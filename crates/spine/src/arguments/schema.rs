//! What is asked of a schema: its properties, and in words what it takes.

use serde_json::{Map, Value};

/// Longest list of words in a description of what is wanted.
const LISTED_MAX: usize = 80;
/// The argument that names an effect; a key is 1 to 255 printable ASCII characters in every capability.
const KEY: &str = crate::replay::KEY_ARGUMENT;
const KEY_PATTERN: &str = "^[ -~]{1,255}$";
/// Longest text that names something: an id, a type, a field, a moment, a page.
const NAMING_CHARS_MAX: usize = 4_096;

pub fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    let entries = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(name, inner)| Some((name, inner.as_object()?)))
}

pub fn property<'a>(schema: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    schema.get("properties")?.get(name)?.as_object()
}

pub fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|given| given == name))
}

/// True when an object takes only the properties that are listed.
pub fn is_closed(schema: &Map<String, Value>) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

pub fn type_in(schema: &Map<String, Value>) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The permitted words, where there is a closed set of them.
pub fn options(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    let options = schema.get("enum")?.as_array()?;
    Some(options.iter().filter_map(Value::as_str).collect())
}

/// What belongs there, as in "give name: a text of at most 500 characters".
pub fn in_words(schema: &Map<String, Value>) -> String {
    if let Some(options) = options(schema) {
        return format!("one of {}", listed(options.into_iter().map(str::to_owned).collect()));
    }
    let bound = |name: &str| schema.get(name).map(Value::to_string);
    match type_in(schema) {
        "string" if schema.get("format").is_some_and(|of| of == "date-time") => {
            "a date and a time with an offset, such as 2026-07-28T10:30:00Z".to_owned()
        }
        "string" => match bound("maxLength") {
            Some(most) => format!("a text of at most {most} characters"),
            None => "a text".to_owned(),
        },
        of @ ("integer" | "number") => {
            let number = if of == "integer" { "a whole number" } else { "a number" };
            match (bound("minimum"), bound("maximum")) {
                (Some(least), Some(most)) => format!("{number} from {least} to {most}"),
                (Some(least), None) => format!("{number} from {least} on"),
                (None, Some(most)) => format!("{number} up to {most}"),
                (None, None) => number.to_owned(),
            }
        }
        "boolean" => "true or false".to_owned(),
        "array" => match schema.get("items").and_then(Value::as_object) {
            Some(item) => format!("a list, each entry {}", in_words(item)),
            None => "a list".to_owned(),
        },
        "object" => {
            let field = |(name, inner): (&String, &Map<String, Value>)| match options(inner) {
                Some(_) => format!("{name} ({})", in_words(inner)),
                None => name.clone(),
            };
            let needed: Vec<String> =
                properties(schema).filter(|(name, _)| is_required(schema, name)).map(field).collect();
            if needed.is_empty() { "an object".to_owned() } else { format!("an object with {}", needed.join(", ")) }
        }
        _ => "any value".to_owned(),
    }
}

fn listed(mut words: Vec<String>) -> String {
    let more = words.len().saturating_sub(LISTED_MAX);
    words.truncate(LISTED_MAX);
    if more == 0 { words.join(", ") } else { format!("{} and {more} more", words.join(", ")) }
}

/// Adds what holds for every schema and is therefore not published with each: objects whose fields are listed take no
/// others, a key has its form, what only names something is not long, and a required text is not empty, since proto cannot
/// tell an empty text from an absent one.
pub fn tighten(schema: &mut Map<String, Value>) {
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        tighten(items);
    }
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties {
        let Value::Object(property) = property else { continue };
        tighten(property);
        if let Some(Value::Object(items)) = property.get_mut("items") {
            bound_naming(name, items);
        }
        bound_naming(name, property);
        let is_text = property.get("type").is_some_and(|of| of == "string") && !property.contains_key("enum");
        if is_text && name == KEY {
            property.insert("pattern".to_owned(), KEY_PATTERN.into());
        }
        if is_text && required.contains(name) && !property.contains_key("minLength") {
            property.insert("minLength".to_owned(), 1.into());
        }
    }
    if !schema.contains_key("additionalProperties") {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// Names are searched for and compared, which takes longer the longer they are.
fn bound_naming(name: &str, schema: &mut Map<String, Value>) {
    const NAMES: [&str; 9] = ["id", "identifier", "field", "fields", "sort", "cursor", "at", "at_ingested", "key"];
    const ENDINGS: [&str; 8] = ["_id", "_ids", "_type", "_types", "_token", "_date", "_at", "_of"];
    let names = NAMES.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending));
    let is_bounded = ["maxLength", "pattern", "enum"].iter().any(|keyword| schema.contains_key(*keyword));
    if names && !is_bounded && type_in(schema) == "string" {
        schema.insert("maxLength".to_owned(), NAMING_CHARS_MAX.into());
    }
}

/// What a text must look like that does not match a pattern.
pub fn pattern_in_words(name: &str, pattern: &str) -> (String, String) {
    if pattern == KEY_PATTERN {
        let reason = "is not 1 to 255 printable ASCII characters".to_owned();
        return (reason, format!("give {name} as letters, digits and signs, such as createElement-0198c5a4"));
    }
    (
        "has characters or a length that are not permitted".to_owned(),
        format!("write {name} so that it matches {pattern}"),
    )
}
