//! Filters and sorting of listings, by the types that a schema declares.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema::FieldType;
use super::{Map, Schema, identity, ids, moment};

/// A condition on one field of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Filter {
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
pub fn admits(schema: Option<&Schema>, filter: &Filter, snapshot: &Map) -> bool {
    let present = snapshot.get(&filter.field).filter(|value| !value.is_null());
    if filter.op == Op::Exists {
        return present.is_some() == (filter.value != Value::Bool(false));
    }
    let Some(value) = present else { return filter.op == Op::Ne && !filter.value.is_null() };
    let r#type = schema.and_then(|schema| schema.field_type(&filter.field));
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

/// The order of two snapshots by a field. Absent values come last, values that are not of the declared type before them.
pub fn compare(schema: Option<&Schema>, field: &str, a: &Map, b: &Map) -> Ordering {
    let r#type = schema.and_then(|schema| schema.field_type(field));
    let of = |snapshot: &Map| {
        snapshot.get(field).filter(|value| !value.is_null()).map(|value| Comparable::new(r#type, value))
    };
    match (of(a), of(b)) {
        (Some(one), Some(other)) => one.order(&other).unwrap_or_else(|| one.class(r#type).cmp(&other.class(r#type))),
        (one, other) => one.is_none().cmp(&other.is_none()),
    }
}

/// A value in the form in which it compares with others of its kind.
enum Comparable {
    Number(f64),
    Moment(i64),
    Text(String),
    Flag(bool),
    /// Arrays and objects: equal or not, and sorted by their canonical form.
    Whole(String),
}

impl Comparable {
    fn new(declared: Option<FieldType>, value: &Value) -> Self {
        match (declared, value) {
            (Some(FieldType::Date), value) if moment::parse(value).is_some() => {
                Self::Moment(moment::parse(value).map_or(0, |moment| moment.0))
            }
            (_, Value::Number(number)) => Self::Number(number.as_f64().unwrap_or_default()),
            (Some(FieldType::Number), Value::String(text)) => {
                numeric(text).map_or_else(|| Self::Text(identity::fold(text)), Self::Number)
            }
            (_, Value::String(text)) => Self::Text(identity::fold(text)),
            (_, Value::Bool(flag)) => Self::Flag(*flag),
            (_, whole) => Self::Whole(ids::canonical(whole)),
        }
    }

    /// The order within one kind, nothing between kinds.
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => Some(one.total_cmp(other)),
            (Self::Moment(one), Self::Moment(other)) => Some(one.cmp(other)),
            (Self::Text(one), Self::Text(other)) | (Self::Whole(one), Self::Whole(other)) => Some(one.cmp(other)),
            (Self::Flag(one), Self::Flag(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }

    /// Where a kind sorts among others: what the field declares first.
    fn class(&self, declared: Option<FieldType>) -> u8 {
        match (self, declared) {
            (Self::Text(_), Some(FieldType::String)) | (Self::Flag(_), Some(FieldType::Boolean)) => 0,
            (Self::Number(_), _) => 1,
            (Self::Moment(_), _) => 0,
            (Self::Text(_), _) => 2,
            (Self::Flag(_), _) => 3,
            (Self::Whole(_), _) => 4,
        }
    }
}

fn numeric(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
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
