//! Filters of listings, by the types that a schema declares.

use std::cmp::Ordering;

use scope::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::schema::FieldType;
use super::{Map, Schema, identity, ids, moment};

/// A condition on one field of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    pub field: String,
    pub op: Op,
    /// What to compare with; for `exists`, false asks for absence.
    #[serde(default)]
    pub value: Value,
}

/// How a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    Eq,
    Ne,
    Lt,
    Lte,
    Gt,
    Gte,
    /// A text that holds the other, in whatever case, or an array that holds the value.
    Contains,
    Exists,
}

/// Whether a snapshot meets a filter.
///
/// An absent field meets only `ne` and `exists: false`. Order is asked within one type: a text is not less than a
/// number, unless it is a number in a field that is declared as one.
pub fn admits(schema: Option<&Schema>, filter: &Condition, snapshot: &Map) -> bool {
    admits_as(schema.and_then(|schema| schema.field_type(&filter.field)), filter, snapshot)
}

/// Like [`admits`], for a field that is declared as this type.
pub fn admits_as(r#type: Option<FieldType>, filter: &Condition, snapshot: &Map) -> bool {
    let present = snapshot.get(&filter.field).filter(|value| !value.is_null());
    if filter.op == Op::Exists {
        return present.is_some() == (filter.value != Value::Bool(false));
    }
    let Some(value) = present else { return filter.op == Op::Ne && !filter.value.is_null() };
    let (one, other) = (Comparable::new(r#type, value), Comparable::new(r#type, &filter.value));
    let order = one.order(&other);
    match filter.op {
        Op::Eq => order == Some(Ordering::Equal),
        Op::Ne => order != Some(Ordering::Equal),
        Op::Lt => order == Some(Ordering::Less),
        Op::Lte => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Op::Gt => order == Some(Ordering::Greater),
        Op::Gte => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        Op::Contains => contains(r#type, value, &filter.value),
        Op::Exists => true,
    }
}

/// A value in the form in which it compares with others of its kind.
enum Comparable {
    Number(Number),
    Moment(Timestamp),
    /// Without its case, and as it is.
    Text(String, String),
    Flag(bool),
    /// Arrays and objects: equal or not, and sorted by their canonical form.
    Whole(String),
}

impl Comparable {
    fn new(declared: Option<FieldType>, value: &Value) -> Self {
        let moment = if declared == Some(FieldType::Date) { moment::parse(value) } else { None };
        if let Some(moment) = moment {
            return Self::Moment(moment);
        }
        match value {
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => match numeric(text) {
                Some(number) if declared == Some(FieldType::Number) => Self::Number(number),
                _ => Self::Text(identity::fold(text), text.clone()),
            },
            Value::Bool(flag) => Self::Flag(*flag),
            whole => Self::Whole(ids::canonical(whole)),
        }
    }

    /// The order within one kind, nothing between kinds.
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => Some(number_order(one, other)),
            (Self::Moment(one), Self::Moment(other)) => Some(one.cmp(other)),
            (Self::Text(folded, one), Self::Text(other_folded, other)) => {
                Some(folded.cmp(other_folded).then_with(|| one.cmp(other)))
            }
            (Self::Whole(one), Self::Whole(other)) => Some(one.cmp(other)),
            (Self::Flag(one), Self::Flag(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }
}

/// The number that a text is written like.
pub fn numeric(text: &str) -> Option<Number> {
    serde_json::from_str(text.trim()).ok()
}

/// Integers compare exactly, whatever their size; everything else as floats, in which both zeros are one.
fn number_order(one: &Number, other: &Number) -> Ordering {
    let float = |number: &Number| number.as_f64().unwrap_or_default() + 0.0;
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => float(one).total_cmp(&float(other)),
    }
}

fn contains(declared: Option<FieldType>, value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::String(text), Value::String(part)) => identity::fold(text).contains(&identity::fold(part)),
        (Value::Array(items), part) => items.iter().any(|item| {
            let (one, other) = (Comparable::new(declared, item), Comparable::new(declared, part));
            one.order(&other) == Some(Ordering::Equal)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::schema::builtin;

    /// Which of the values of `field` a filter on a built-in type admits.
    #[track_caller]
    fn check(entity_type: &str, field: &str, values: Value, op: &str, value: Value, expected: Value) {
        let filter = Condition { field: field.to_owned(), op: serde_json::from_value(json!(op)).unwrap(), value };
        let snapshot = |value: &Value| Map::from_iter([(field.to_owned(), value.clone())]);
        let admitted = |value: &&Value| admits(builtin(entity_type), &filter, &snapshot(value));
        let found: Vec<&Value> = values.as_array().unwrap().iter().filter(admitted).collect();
        assert_eq!(json!(found), expected);
    }

    // N-146, N-338
    #[test]
    fn numbers_compare_as_numbers() {
        check("invoice", "amount", json!([2, 9, 10, 100]), "gt", json!(9), json!([10, 100]));
        check("invoice", "amount", json!([2, "9", "10.5", "many"]), "gte", json!("9"), json!(["9", "10.5"]));
        check("invoice", "amount", json!([9, 9.0, "9", 10]), "eq", json!(9), json!([9, 9.0, "9"]));
        check(
            "invoice",
            "amount",
            json!([9_007_199_254_740_993_i64]),
            "eq",
            json!(9_007_199_254_740_992_i64),
            json!([]),
        );
        check("unknown", "amount", json!([2, 9, 10, 100, "10"]), "gt", json!(9), json!([10, 100]));
    }

    // N-146
    #[test]
    fn dates_compare_as_times() {
        let dates = json!(["15 January 2024", "2024-01-15T23:00:00-02:00", "2023-12-31"]);
        check("invoice", "date_due", dates, "gt", json!("2024-01-15"), json!(["2024-01-15T23:00:00-02:00"]));
        check(
            "invoice",
            "date_due",
            json!(["2024-01-15T00:00:00Z"]),
            "eq",
            json!("2024/01/15"),
            json!(["2024-01-15T00:00:00Z"]),
        );
    }

    #[test]
    fn texts_equal_with_their_case_and_contain_without() {
        check("invoice", "notes", json!(["Open", "open"]), "eq", json!("open"), json!(["open"]));
        check("invoice", "notes", json!(["Open it", "close"]), "contains", json!("OPEN"), json!(["Open it"]));
        check("invoice", "items", json!([["a", "b"], ["c"], "b"]), "contains", json!("b"), json!([["a", "b"], "b"]));
    }

    #[test]
    fn absence_is_asked_for() {
        check("invoice", "notes", json!([null, "x"]), "exists", json!(true), json!(["x"]));
        check("invoice", "notes", json!([null, "x"]), "exists", json!(false), json!([null]));
        check("invoice", "notes", json!([null, "x", "y"]), "ne", json!("x"), json!([null, "y"]));
        check("invoice", "notes", json!([null, "x"]), "lt", json!("z"), json!(["x"]));
        check("invoice", "notes", json!([null, "x"]), "eq", json!(null), json!([]));
    }
}
