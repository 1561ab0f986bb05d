//! What a payload has to be before anything else looks at it.
//!
//! Names that are special elsewhere, such as `__proto__`, are plain data here.

use serde_json::Value;

use super::Map;
use super::identity::is_invisible;

/// Deepest nesting of arrays and objects.
pub const DEPTH_MAX: usize = 32;
/// Longest field name, in characters.
pub const NAME_CHARS_MAX: usize = 128;
/// Longest name of a file, in characters.
pub const FILE_NAME_CHARS_MAX: usize = 255;
/// Longest text, in bytes.
pub const TEXT_BYTES_MAX: usize = 1_000_000;

/// Where a payload is refused, and why. Holds no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} {reason}")]
pub struct Shape {
    /// A JSON Pointer; empty for the payload itself.
    pub path: String,
    pub reason: String,
}

/// Refuses NUL characters, unusable field names, texts over 1 MB and nesting deeper than 32.
pub fn check_shape(value: &Value) -> Result<(), Shape> {
    visit(value, &mut Vec::new()).map_err(|(path, reason)| Shape { path, reason })
}

/// The same for an object that stands alone.
pub fn check_fields(fields: &Map) -> Result<(), Shape> {
    visit_fields(fields, &mut Vec::new()).map_err(|(path, reason)| Shape { path, reason })
}

/// Whether `name` can name a field.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("has an empty field name".to_owned());
    }
    if name.chars().count() > NAME_CHARS_MAX {
        return Err(format!("has a field name of more than {NAME_CHARS_MAX} characters"));
    }
    match name.chars().find(|letter| letter.is_control() || is_invisible(*letter)) {
        Some(hidden) if hidden.is_control() => {
            Err(format!("has a field name with the control character U+{:04X}", u32::from(hidden)))
        }
        Some(hidden) => Err(format!("has a field name with the invisible character U+{:04X}", u32::from(hidden))),
        None => Ok(()),
    }
}

/// Whether `name` can name a file.
pub fn check_file_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    if name.chars().count() > FILE_NAME_CHARS_MAX {
        return Err(format!("has more than {FILE_NAME_CHARS_MAX} characters"));
    }
    match name.chars().find(|letter| letter.is_control() || is_invisible(*letter)) {
        Some(hidden) => Err(format!("holds the invisible character U+{:04X}", u32::from(hidden))),
        None => Ok(()),
    }
}

/// A step into a payload.
#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

/// Looks at `value`, which `steps` lead to.
fn visit<'a>(value: &'a Value, steps: &mut Vec<Step<'a>>) -> Result<(), (String, String)> {
    if steps.len() > DEPTH_MAX {
        return Err((pointer(steps), format!("is nested deeper than {DEPTH_MAX} levels")));
    }
    match value {
        Value::String(text) => check_text(text).map_err(|reason| (pointer(steps), reason)),
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(index, item)| step(item, Step::Index(index), steps))
        }
        Value::Object(fields) => visit_fields(fields, steps),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn visit_fields<'a>(fields: &'a Map, steps: &mut Vec<Step<'a>>) -> Result<(), (String, String)> {
    fields.iter().try_for_each(|(name, field)| {
        check_name(name).map_err(|reason| (pointer(steps), reason))?;
        step(field, Step::Name(name), steps)
    })
}

fn step<'a>(value: &'a Value, into: Step<'a>, steps: &mut Vec<Step<'a>>) -> Result<(), (String, String)> {
    steps.push(into);
    visit(value, steps)?;
    steps.pop();
    Ok(())
}

fn check_text(text: &str) -> Result<(), String> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(format!("is a text of more than {TEXT_BYTES_MAX} bytes"));
    }
    if text.contains('\0') {
        return Err("holds the character U+0000".to_owned());
    }
    Ok(())
}

fn pointer(steps: &[Step<'_>]) -> String {
    let written = |step: &Step<'_>| match step {
        Step::Name(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        Step::Index(index) => format!("/{index}"),
    };
    steps.iter().map(written).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: Value, expected: &str) {
        assert_eq!(check_shape(&value).map_or_else(|shape| shape.to_string(), |()| "fine".to_owned()), expected);
    }

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn hostile_names_are_plain_data() {
        check(
            json!({"__proto__": 1, "constructor": {"'; DROP TABLE x": [null, true, "../../etc"]}, "ключ": ""}),
            "fine",
        );
    }

    // N-302
    #[test]
    fn refused_characters_and_sizes_are_named_by_their_place() {
        check(json!({"a": [{"b/c~": "x\0"}]}), "/a/0/b~1c~0 holds the character U+0000");
        check(json!({"a\0": 1}), " has a field name with the control character U+0000");
        check(json!({"x": {"": 1}}), "/x has an empty field name");
        check(json!({"n".repeat(129): 1}), " has a field name of more than 128 characters");
        check(json!({"é".repeat(128): 1}), "fine");
        check(json!({"a": "x".repeat(1_000_001)}), "/a is a text of more than 1000000 bytes");
        check(json!("x".repeat(1_000_000)), "fine");
    }

    #[test]
    fn depth_is_bounded() {
        check(nested(32), "fine");
        assert!(check_shape(&nested(33)).unwrap_err().reason.contains("deeper than 32"));
    }
}
