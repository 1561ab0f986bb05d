//! Changes of arguments as JSON Patch (RFC 6902): what to do with what was given, without repeating it.

use serde::Serialize;
use serde_json::Value;

/// One operation. Paths are JSON pointers; operations are applied one after the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Edit {
    Add { path: String, value: Value },
    Replace { path: String, value: Value },
    Move { from: String, path: String },
    Remove { path: String },
}

impl Edit {
    /// What the operation itself says, beside what was given.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Add { value, .. } | Self::Replace { value, .. } => Some(value),
            Self::Move { .. } | Self::Remove { .. } => None,
        }
    }

    /// Changes a value; nothing when a path leads nowhere in it, and the value is then half changed.
    pub fn apply(edits: &[Self], whole: &mut Value) -> Option<()> {
        edits.iter().try_for_each(|edit| match edit {
            Self::Add { path, value } => add(whole, path, value.clone()),
            Self::Replace { path, value } => whole.pointer_mut(path).map(|place| *place = value.clone()),
            Self::Move { from, path } => {
                let value = remove(whole, from)?;
                add(whole, path, value)
            }
            Self::Remove { path } => remove(whole, path).map(drop),
        })
    }
}

/// The pointer to a member of what `at` points to.
pub fn pointer_to(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The value around a place, and its name there.
fn outer<'a>(whole: &'a mut Value, path: &str) -> Option<(&'a mut Value, String)> {
    let (at, name) = path.rsplit_once('/')?;
    Some((whole.pointer_mut(at)?, name.replace("~1", "/").replace("~0", "~")))
}

fn add(whole: &mut Value, path: &str, value: Value) -> Option<()> {
    match outer(whole, path)? {
        (Value::Object(entries), name) => drop(entries.insert(name, value)),
        (Value::Array(items), name) => {
            let place = name.parse::<usize>().ok().filter(|place| *place <= items.len())?;
            items.insert(place, value);
        }
        _ => return None,
    }
    Some(())
}

fn remove(whole: &mut Value, path: &str) -> Option<Value> {
    match outer(whole, path)? {
        (Value::Object(entries), name) => entries.shift_remove(&name),
        (Value::Array(items), name) => {
            let place = name.parse::<usize>().ok().filter(|place| *place < items.len())?;
            Some(items.remove(place))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn edits_are_json_patch_and_apply_in_order() {
        let edits = [
            Edit::Move { from: "/entitys".to_owned(), path: "/entities".to_owned() },
            Edit::Replace { path: "/limit".to_owned(), value: json!(100) },
            Edit::Add { path: "/list/0".to_owned(), value: json!("first") },
            Edit::Remove { path: pointer_to("", "a/b~c") },
        ];
        assert_eq!(
            json!(edits),
            json!([
                { "op": "move", "from": "/entitys", "path": "/entities" },
                { "op": "replace", "path": "/limit", "value": 100 },
                { "op": "add", "path": "/list/0", "value": "first" },
                { "op": "remove", "path": "/a~1b~0c" },
            ])
        );
        let mut whole = json!({ "entitys": [1], "limit": 1000, "list": ["second"], "a/b~c": 1 });
        Edit::apply(&edits, &mut whole).unwrap();
        assert_eq!(whole, json!({ "entities": [1], "limit": 100, "list": ["first", "second"] }));
        assert_eq!(Edit::apply(&[Edit::Remove { path: "/x".to_owned() }], &mut json!({})), None);
    }
}
