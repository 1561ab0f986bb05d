//! Rebase by field: what a proposal rests on, what is there now, and what it would make of it.
//!
//! A field that only one side has changed merges by itself: a command says nothing about the fields that it leaves alone. Where
//! both have changed a field, and not to the same, somebody decides which value stays, and the decision is kept.

use contract::Object;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Error;
use crate::domain::diff::flat;

/// The name under which the deletion of a whole record is decided.
pub const DELETION: &str = "deletion";

/// A field that both a proposal and others have changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Meeting {
    pub record: String,
    pub field: String,
    pub base: Value,
    pub live: Value,
    pub proposed: Value,
}

/// Which value stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    Live,
    Proposed,
}

impl Keep {
    pub fn read(field: &str, word: &str) -> Result<Self, Error> {
        match word {
            "live" => Ok(Self::Live),
            "proposed" => Ok(Self::Proposed),
            _ => Err(Error::invalid(field, format!("cannot be '{word}'"), "give live or proposed")),
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Proposed => "proposed",
        }
    }
}

/// What was decided about a field that met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    pub record: String,
    pub field: String,
    pub base: Value,
    pub live: Value,
    pub proposed: Value,
    pub kept: Keep,
}

/// The fields of a record that were changed on both sides to different values. `None` is a record that is not there.
pub fn meetings(
    record: &str,
    base: &Map<String, Value>,
    live: Option<&Map<String, Value>>,
    proposed: Option<&Map<String, Value>>,
) -> Vec<Meeting> {
    let meeting = |field: &str, base: Value, live: Value, proposed: Value| Meeting {
        record: record.to_owned(),
        field: field.to_owned(),
        base,
        live,
        proposed,
    };
    // What is gone meanwhile cannot be changed any more; the rules say so.
    let Some(live) = live else { return Vec::new() };
    let (base, live) = (flat(base), flat(live));
    let Some(proposed) = proposed else {
        let same = base == live;
        let state = |state: &Map<String, Value>| state.get("name").cloned().unwrap_or_default();
        return if same { Vec::new() } else { vec![meeting(DELETION, state(&base), state(&live), Value::Null)] };
    };
    let proposed = flat(proposed);
    let names: std::collections::BTreeSet<&String> = base.keys().chain(proposed.keys()).chain(live.keys()).collect();
    let value = |state: &Map<String, Value>, name: &str| state.get(name).cloned().unwrap_or_default();
    names
        .into_iter()
        .map(|name| meeting(name, value(&base, name), value(&live, name), value(&proposed, name)))
        .filter(|met| met.base != met.live && met.base != met.proposed && met.live != met.proposed)
        .collect()
}

/// Takes a field out of the arguments of a write, so that it stays as it is. False where the arguments have no such field.
pub fn leave_out(arguments: &mut Object, record: &str, field: &str) -> bool {
    let mut left_out = false;
    for change in changes_of(&mut arguments.0, record) {
        let (name, inner) = field.split_once('.').map_or((field, None), |(name, inner)| (name, Some(inner)));
        left_out |= match inner {
            None => change.remove(name).is_some(),
            Some(inner) => match change.get_mut(name).and_then(Value::as_object_mut) {
                Some(members) => members.remove(inner).is_some(),
                None => false,
            },
        };
    }
    left_out
}

/// The objects among the arguments of a write that change a record.
fn changes_of<'a>(arguments: &'a mut Map<String, Value>, record: &str) -> Vec<&'a mut Map<String, Value>> {
    let names = |object: &Map<String, Value>| {
        ["id", "view_id"].iter().any(|name| object.get(*name).and_then(Value::as_str) == Some(record))
    };
    if names(arguments) {
        return vec![arguments];
    }
    let mut found = Vec::new();
    let mut open: Vec<&mut Map<String, Value>> = vec![arguments];
    while let Some(object) = open.pop() {
        for value in object.values_mut() {
            match value {
                Value::Object(inner) => {
                    if names(inner) {
                        found.push(inner);
                    } else {
                        open.push(inner);
                    }
                }
                Value::Array(items) => {
                    for inner in items.iter_mut().filter_map(Value::as_object_mut) {
                        if names(inner) {
                            found.push(inner);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_meet_only_where_both_sides_changed_them_otherwise() {
        let base = json!({"name": "A", "description": "d", "properties": {"tier": 1, "owner": "x"}});
        check(&base, json!({"name": "B", "description": "d", "properties": {"tier": 1, "owner": "x"}}), &base, &[]);
        let live = json!({"name": "B", "description": "e", "properties": {"tier": 2, "owner": "x"}});
        let proposed = json!({"name": "C", "description": "d", "properties": {"tier": 2, "owner": "y"}});
        check(&base, live, &proposed, &["name"]);
        let cleared = json!({"name": "A", "properties": {"tier": 1}});
        let live = json!({"name": "A", "description": "e", "properties": {"tier": 1, "owner": "z"}});
        check(&base, live, &cleared, &["description", "properties.owner"]);
    }

    #[test]
    fn a_deletion_meets_any_change() {
        let (base, live) = (json!({"name": "A"}), json!({"name": "B"}));
        let state = |value: &Value| value.as_object().unwrap().clone();
        assert_eq!(meetings("x", &state(&base), Some(&state(&base)), None), []);
        assert_eq!(meetings("x", &state(&base), Some(&state(&live)), None)[0].field, DELETION);
        assert_eq!(meetings("x", &state(&base), None, Some(&state(&live))), []);
    }

    #[test]
    fn a_field_is_left_out_of_every_form_of_a_write() {
        let left = |arguments: Value, field: &str| {
            let mut arguments = Object(arguments.as_object().unwrap().clone());
            let found = leave_out(&mut arguments, "x", field);
            (found, Value::Object(arguments.0))
        };
        assert_eq!(
            left(json!({"id": "x", "name": "B", "description": "d"}), "name").1,
            json!({"id": "x", "description": "d"})
        );
        let set = json!({"changes": [{"op": "update", "id": "x", "properties": {"a": 1, "b": 2}}, {"op": "update", "id": "y", "properties": {"a": 1}}]});
        let (found, rest) = left(set, "properties.a");
        assert!(found);
        assert_eq!(
            rest["changes"],
            json!([{"op": "update", "id": "x", "properties": {"b": 2}}, {"op": "update", "id": "y", "properties": {"a": 1}}])
        );
        let intent = json!({"operation": "updateElement", "update_element": {"id": "x", "name": "B"}});
        assert_eq!(left(intent, "name").1["update_element"], json!({"id": "x"}));
        assert!(!left(json!({"id": "z", "name": "B"}), "name").0);
    }

    #[track_caller]
    fn check(base: &Value, live: Value, proposed: &Value, expected: &[&str]) {
        let state = |value: &Value| value.as_object().unwrap().clone();
        let found = meetings("x", &state(base), Some(&state(&live)), Some(&state(proposed)));
        assert_eq!(found.iter().map(|met| met.field.as_str()).collect::<Vec<_>>(), expected);
    }
}
