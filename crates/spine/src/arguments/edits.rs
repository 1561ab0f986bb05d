//! How given arguments become the corrected ones, without repeating what was given.
//!
//! A value that stands elsewhere in the given arguments is moved. Only what is not in them at all, such as a word in its
//! right spelling, is said.

use contract::{Edit, pointer_to};
use serde_json::{Map, Value};

/// The edits that lead from one to the other; nothing when a few simple ones do not.
pub fn between(given: &Map<String, Value>, corrected: &Map<String, Value>) -> Option<Vec<Edit>> {
    let (given, corrected) = (Value::Object(given.clone()), Value::Object(corrected.clone()));
    let mut difference = Difference::default();
    difference.look("", &given, &corrected);
    let mut edits = Vec::new();
    for (path, wanted) in &difference.wanted {
        place(&given, &difference.left, path, wanted, &mut edits);
    }
    let taken = |path: &String| edits.iter().any(|edit| matches!(edit, Edit::Move { from, .. } if from == path));
    let left: Vec<String> = difference.left.iter().filter(|path| !taken(path)).cloned().collect();
    edits.extend(left.into_iter().map(|path| Edit::Remove { path }));
    let mut tried = given;
    Edit::apply(&edits, &mut tried)?;
    (tried == corrected).then_some(edits)
}

/// Where two values differ.
#[derive(Default)]
struct Difference<'a> {
    /// What the second has and the first has not at this place.
    wanted: Vec<(String, &'a Value)>,
    /// What only the first has.
    left: Vec<String>,
}

impl<'a> Difference<'a> {
    fn look(&mut self, at: &str, given: &Value, corrected: &'a Value) {
        match (given, corrected) {
            (Value::Object(given), Value::Object(corrected)) => {
                for (name, value) in corrected {
                    let at = pointer_to(at, name);
                    match given.get(name) {
                        Some(given) => self.look(&at, given, value),
                        None => self.wanted.push((at, value)),
                    }
                }
                let left = given.keys().filter(|name| !corrected.contains_key(*name));
                self.left.extend(left.map(|name| pointer_to(at, name)));
            }
            (Value::Array(given), Value::Array(corrected)) if given.len() == corrected.len() => {
                for (place, (given, corrected)) in given.iter().zip(corrected).enumerate() {
                    self.look(&format!("{at}/{place}"), given, corrected);
                }
            }
            (given, corrected) if given != corrected => self.wanted.push((at.to_owned(), corrected)),
            _ => {}
        }
    }
}

/// Puts a value at a place: from where it was given, or as it is said.
fn place(given: &Value, left: &[String], path: &str, wanted: &Value, edits: &mut Vec<Edit>) {
    let here = given.pointer(path);
    let is_plain = matches!(wanted, Value::Null | Value::Bool(_) | Value::Number(_));
    let elsewhere = || {
        let inside = here.and_then(|here| found_in(path, here, wanted));
        inside.or_else(|| left.iter().find_map(|at| found_in(at, given.pointer(at)?, wanted)))
    };
    if let Some(from) = (!is_plain).then(elsewhere).flatten() {
        return edits.push(Edit::Move { from, path: path.to_owned() });
    }
    match (here, wanted) {
        // A value becomes a list of it.
        (Some(here), Value::Array(items)) if matches!(items.as_slice(), [only] if only == here) => {
            let aside = format!("{path}_given");
            edits.extend([
                Edit::Move { from: path.to_owned(), path: aside.clone() },
                Edit::Add { path: path.to_owned(), value: Value::Array(Vec::new()) },
                Edit::Move { from: aside, path: format!("{path}/0") },
            ]);
        }
        (None, Value::Object(entries)) => {
            edits.push(Edit::Add { path: path.to_owned(), value: Value::Object(Map::new()) });
            for (name, value) in entries {
                place(given, left, &pointer_to(path, name), value, edits);
            }
        }
        (Some(_), _) => edits.push(Edit::Replace { path: path.to_owned(), value: wanted.clone() }),
        (None, _) => edits.push(Edit::Add { path: path.to_owned(), value: wanted.clone() }),
    }
}

/// Where in a value another stands: the value itself, or what it holds.
fn found_in(at: &str, value: &Value, wanted: &Value) -> Option<String> {
    if value == wanted {
        return Some(at.to_owned());
    }
    match value {
        Value::Object(entries) => {
            entries.iter().find_map(|(name, inner)| found_in(&pointer_to(at, name), inner, wanted))
        }
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(place, inner)| found_in(&format!("{at}/{place}"), inner, wanted))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The edits between two objects; the second is what they lead to.
    #[track_caller]
    fn check(given: Value, corrected: Value, expected: Value) {
        let edits = between(given.as_object().unwrap(), corrected.as_object().unwrap()).unwrap();
        assert_eq!(json!(edits), expected);
    }

    #[test]
    fn what_was_given_is_moved_and_not_repeated() {
        check(
            json!({ "identifer": "Ann" }),
            json!({ "identifier": "Ann" }),
            json!([{ "op": "move", "from": "/identifer", "path": "/identifier" }]),
        );
        check(
            json!({ "identifier": { "value": "Ann" } }),
            json!({ "identifier": "Ann" }),
            json!([{ "op": "move", "from": "/identifier/value", "path": "/identifier" }]),
        );
        check(
            json!({ "identifier": ["Ann"] }),
            json!({ "identifier": "Ann" }),
            json!([{ "op": "move", "from": "/identifier/0", "path": "/identifier" }]),
        );
        check(
            json!({ "arguments": { "identifier": "Ann", "limit": 5 } }),
            json!({ "identifier": "Ann", "limit": 5 }),
            json!([
                { "op": "move", "from": "/arguments/identifier", "path": "/identifier" },
                { "op": "add", "path": "/limit", "value": 5 },
                { "op": "remove", "path": "/arguments" },
            ]),
        );
        check(
            json!({ "provider": "Ann" }),
            json!({ "config": { "provider": "Ann" } }),
            json!([
                { "op": "add", "path": "/config", "value": {} },
                { "op": "move", "from": "/provider", "path": "/config/provider" },
            ]),
        );
        check(
            json!({ "entities": { "name": "Ann" } }),
            json!({ "entities": [{ "name": "Ann" }] }),
            json!([
                { "op": "move", "from": "/entities", "path": "/entities_given" },
                { "op": "add", "path": "/entities", "value": [] },
                { "op": "move", "from": "/entities_given", "path": "/entities/0" },
            ]),
        );
    }

    #[test]
    fn what_was_not_given_is_said() {
        check(
            json!({ "identifier": "Ann", "limit": 1000, "direction": "inn", "offset": "5" }),
            json!({ "identifier": "Ann", "limit": 100, "direction": "inbound", "offset": 5 }),
            json!([
                { "op": "replace", "path": "/limit", "value": 100 },
                { "op": "replace", "path": "/direction", "value": "inbound" },
                { "op": "replace", "path": "/offset", "value": 5 },
            ]),
        );
        check(json!({ "a": 1 }), json!({ "a": 1 }), json!([]));
    }
}
