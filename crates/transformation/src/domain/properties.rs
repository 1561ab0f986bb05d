//! Free text and custom properties of an element.

use serde_json::{Map, Value};

use crate::Error;

/// Longest accepted description, in characters.
pub const DESCRIPTION_CHARS_MAX: usize = 20_000;
/// Most custom properties of one element.
pub const PROPERTIES_MAX: usize = 100;
/// Largest size of all properties together, as JSON text.
pub const PROPERTIES_BYTES_MAX: usize = 64 * 1024;

/// Custom key-value pairs.
pub type Properties = Map<String, Value>;

/// Checks a description that the caller gave as `field`; an empty one means none.
pub fn description(field: &'static str, text: Option<String>) -> Result<Option<String>, Error> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let length = text.chars().count();
    if length > DESCRIPTION_CHARS_MAX {
        let reason = format!("has {length} characters; at most {DESCRIPTION_CHARS_MAX} are allowed");
        return Err(Error::invalid(field, reason, "shorten it, or keep the long text in a document and link it"));
    }
    // Line breaks and tabs belong to prose; the other control characters do not.
    if let Some(control) = text.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')) {
        let reason = format!("holds the control character U+{:04X}", u32::from(control));
        return Err(Error::invalid(field, reason, format!("give {field} as plain text")));
    }
    Ok(Some(text))
}

/// The properties of a new element: all that were given, except nulls.
pub fn given(given: Properties) -> Result<Properties, Error> {
    merged(&Properties::new(), given)
}

/// `existing` with `changes` on top, key by key; null removes a key.
pub fn merged(existing: &Properties, changes: Properties) -> Result<Properties, Error> {
    let mut merged = existing.clone();
    for (key, value) in changes {
        if value.is_null() {
            merged.shift_remove(&key);
        } else {
            merged.insert(key, value);
        }
    }
    checked(merged)
}

fn checked(properties: Properties) -> Result<Properties, Error> {
    let refuse = |reason: String, hint: &str| Err(Error::invalid("properties", reason, hint));
    if properties.len() > PROPERTIES_MAX {
        let reason = format!("holds {} keys; at most {PROPERTIES_MAX} are allowed", properties.len());
        return refuse(reason, "group related values under one key, or remove some with null");
    }
    if let Some(key) = properties.keys().find(|key| key.trim().is_empty() || key.chars().any(char::is_control)) {
        return refuse(format!("holds the key {key:?}"), "give every property a readable key");
    }
    let bytes = serde_json::to_string(&properties).map_or(usize::MAX, |text| text.len());
    if bytes > PROPERTIES_BYTES_MAX {
        let reason = format!("takes {bytes} bytes; at most {PROPERTIES_BYTES_MAX} are allowed");
        return refuse(reason, "keep large values outside and store a link to them");
    }
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // R-178.
    #[test]
    fn properties_merge_key_by_key() {
        check(json!({"a": 1, "b": {"x": 1}}), json!({"b": {"y": 2}, "c": 3}), r#"{"a":1,"b":{"y":2},"c":3}"#);
        check(json!({"a": 1, "b": 2}), json!({"a": null}), r#"{"b":2}"#);
        check(json!({}), json!({"a": null}), "{}");
    }

    #[test]
    fn properties_are_bounded() {
        let many: Properties = (0..101).map(|number| (format!("k{number}"), json!(1))).collect();
        check(json!({}), Value::Object(many), "properties holds 101 keys; at most 100 are allowed");
        check(
            json!({}),
            json!({"a": "x".repeat(64 * 1024)}),
            "properties takes 65544 bytes; at most 65536 are allowed",
        );
        check(json!({}), json!({" ": 1}), "properties holds the key \" \"");
    }

    #[track_caller]
    fn check(existing: Value, changes: Value, expected: &str) {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let shown = match merged(&object(existing), object(changes)) {
            Ok(properties) => Value::Object(properties).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_description_may_have_lines_but_no_other_controls() {
        assert_eq!(description("description", Some("a\nb".to_owned())).unwrap().as_deref(), Some("a\nb"));
        assert_eq!(description("description", Some("  ".to_owned())).unwrap(), None);
        let error = description("description", Some("a\u{1}".to_owned())).unwrap_err();
        assert_eq!(error.to_string(), "description holds the control character U+0001");
    }
}
