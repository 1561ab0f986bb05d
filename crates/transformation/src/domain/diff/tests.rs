use serde_json::json;

use super::*;

#[test]
fn fields_that_differ_are_shown_before_and_after() {
    let before =
        json!({"id": "e", "type": "Node", "name": "A", "properties": {"tier": 1, "zone": "x"}, "updated_at": 1});
    let after =
        json!({"id": "e", "type": "Node", "name": "B", "properties": {"tier": 2, "zone": "x"}, "updated_at": 2});
    check(Some(before.clone()), Some(after.clone()), r#"~ B v2: name "A"→"B", properties.tier 1→2"#);
    check(Some(before.clone()), Some(before.clone()), "nothing");
    check(None, Some(json!({"id": "e", "name": "A"})), r#"+ A v2: name null→"A""#);
    check(Some(before), None, "- A v1:");
}

#[test]
fn a_field_that_is_cleared_becomes_null() {
    let before = json!({"name": "A", "description": "old"});
    check(Some(before), Some(json!({"name": "A"})), r#"~ A v2: description "old"→null"#);
}

#[track_caller]
fn check(before: Option<Value>, after: Option<Value>, expected: &str) {
    let (before, after) = (before.map(|state| state.to_string()), after.map(|state| state.to_string()));
    let key = RecordKey::new(kind::ELEMENT, "e");
    let row = row(&key, before.as_deref().map(|body| (body, 1)), after.as_deref().map(|body| (body, 2)));
    let shown = row.map_or("nothing".to_owned(), |row| {
        let sign = match row.change {
            Change::Added => "+",
            Change::Changed => "~",
            Change::Removed => "-",
        };
        let fields: Vec<String> =
            row.fields.iter().map(|field| format!("{} {}→{}", field.field, field.before, field.after)).collect();
        let line = format!("{sign} {} v{}: {}", row.name.unwrap_or_default(), row.version, fields.join(", "));
        line.trim_end().to_owned()
    });
    assert_eq!(shown, expected);
}
