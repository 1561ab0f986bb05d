//! Arguments with ids in the place of names, so that a rename does not change what a proposal means.

use std::collections::BTreeMap;

use contract::Object;
use serde_json::Value;

use crate::domain::Resolved;

/// By field and reference: the id that is meant.
type Ids<'a> = BTreeMap<(&'a str, &'a str), &'a str>;

/// The arguments with the ids of what they name.
pub fn with_ids(mut arguments: Object, resolved: &[Resolved]) -> Object {
    let ids = resolved.iter().map(|found| ((found.field, found.reference.as_str()), found.id.as_str())).collect();
    for (name, member) in &mut arguments.0 {
        put_id(name, member, &ids);
    }
    arguments
}

fn put_id(name: &str, value: &mut Value, ids: &Ids<'_>) {
    match value {
        Value::String(text) => {
            if let Some(id) = ids.get(&(name, text.as_str())) {
                *text = (*id).to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_id(name, item, ids)),
        // What a caller keeps in properties is data, whatever it is called.
        Value::Object(members) if name != "properties" => {
            members.iter_mut().for_each(|(name, member)| put_id(name, member, ids));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_becomes_an_id_in_the_field_that_refers_and_nowhere_else() {
        let found = |field, reference: &str, id: &str| Resolved { field, reference: reference.into(), id: id.into() };
        let resolved = [found("parent_id", "Orders", "e1"), found("element_id", "Orders", "e1")];
        let given = json!({
            "name": "Orders",
            "parent_id": "Orders",
            "properties": {"parent_id": "Orders"},
            "create_view": {"nodes": [{"element_id": "Orders", "style": "Orders"}]},
        });
        let Value::Object(given) = given else { unreachable!() };
        let expected = json!({
            "name": "Orders",
            "parent_id": "e1",
            "properties": {"parent_id": "Orders"},
            "create_view": {"nodes": [{"element_id": "e1", "style": "Orders"}]},
        });
        assert_eq!(Value::Object(with_ids(Object(given), &resolved).0), expected);
    }
}
