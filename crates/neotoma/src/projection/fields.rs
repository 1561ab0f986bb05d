//! Fields of entities in the ledger's index, and what filters and sort ask of it.
//!
//! An entity is put under every form that its values may be compared in: a text that is written like a number or a date also stands
//! among the numbers or the moments. What a field is declared as can change without writing its entities anew. The index gives
//! candidates; whoever asks compares them again by the schema, but for numbers and moments that it tells exactly.

use ledger::{FieldKey, FieldRange};
use serde_json::{Number, Value};

use crate::domain::filter::{self, Condition, Op};
use crate::domain::schema::FieldType;
use crate::domain::{Values, identity, moment};

/// Entities with more fields than this are not found by them one by one.
const FIELDS_MAX: usize = 32;
/// The field under which such entities stand. No field can have this name.
const UNINDEXED: &str = "";
/// Characters at the beginning of a text that its key is made from.
const TEXT_CHARS_MAX: usize = 1000;

/// What an entity with these values is found by.
pub fn keys(values: &impl Values) -> Vec<(String, FieldKey)> {
    if values.all().count() > FIELDS_MAX {
        return vec![(UNINDEXED.to_owned(), FieldKey::unordered())];
    }
    let mut keys = Vec::new();
    for (name, value) in values.all() {
        keys.extend(forms(value).into_iter().map(|key| (name.to_owned(), key)));
    }
    keys
}

/// The entities that are not found by their fields.
pub fn unindexed() -> FieldRange {
    FieldRange::all(UNINDEXED)
}

/// Where everything stands that may meet a filter, besides [`unindexed`]; `None` when no index knows. The type of the field is
/// `None` when it depends on the entity.
pub fn ranges(filter: &Condition, declared: Option<Option<FieldType>>) -> Option<Vec<FieldRange>> {
    let Condition { field, op, value } = filter;
    if *op == Op::Exists {
        return (*value != Value::Bool(false)).then(|| vec![FieldRange::all(field)]);
    }
    let keys = match declared {
        Some(declared) => vec![sort_key(declared, value)],
        None => forms(value),
    };
    let range = |key: &FieldKey| match op {
        Op::Eq => Some(FieldRange::equal(field, key)),
        // The ends are part of the range: two values may have one key.
        Op::Lt | Op::Lte => Some(FieldRange::of_sort(field, key).at_most(key)),
        Op::Gt | Op::Gte => Some(FieldRange::of_sort(field, key).at_least(key)),
        Op::Ne | Op::Contains | Op::Exists => None,
    };
    keys.iter().map(range).collect()
}

/// Where those stand that meet a filter, and nobody else.
#[derive(Debug)]
pub struct Exact {
    pub range: FieldRange,
    /// True only while nothing stands here: texts that are written like numbers and are none.
    pub unless: Option<FieldRange>,
}

/// Where exactly those stand that meet a filter on a field of this type, besides [`unindexed`]; `None` when their values have to be
/// compared. An entity stands there once.
pub fn exact(filter: &Condition, declared: Option<FieldType>) -> Option<Exact> {
    let Condition { field, op, value } = filter;
    let is_date = declared == Some(FieldType::Date);
    let is_told =
        if is_date { moment::parse(value).is_some() } else { number(declared, value).is_some_and(is_precise) };
    if !is_told {
        return None;
    }
    let key = sort_key(declared, value);
    let all = FieldRange::of_sort(field, &key);
    let range = match op {
        Op::Eq => FieldRange::equal(field, &key),
        Op::Lt => all.below(&key),
        Op::Lte => all.at_most(&key),
        Op::Gt => all.above(&key),
        Op::Gte => all.at_least(&key),
        Op::Ne | Op::Contains | Op::Exists => return None,
    };
    let texts = || FieldRange::of_sort(field, &FieldKey::text(""));
    Some(Exact { range, unless: (!is_date && declared != Some(FieldType::Number)).then(texts) })
}

/// The number as which a value is compared.
fn number(declared: Option<FieldType>, value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if declared == Some(FieldType::Number) => filter::numeric(text)?.as_f64(),
        _ => None,
    }
}

/// Whether no other number has the key of this one.
fn is_precise(number: f64) -> bool {
    number.abs() < 9_007_199_254_740_992.0
}

/// Where each sort of value stands in a listing that is sorted by a field of this type: one range after the other.
pub fn sorts(field: &str, declared: Option<FieldType>) -> Vec<FieldRange> {
    let samples = [
        FieldKey::moment(scope::Timestamp(0)),
        FieldKey::number(0.0),
        FieldKey::text(""),
        FieldKey::flag(false),
        FieldKey::unordered(),
    ];
    let mut sorts: Vec<FieldKey> = samples.into_iter().collect();
    if declared != Some(FieldType::Date) {
        sorts.remove(0);
    }
    let first = match declared {
        Some(FieldType::String) => FieldKey::text(""),
        Some(FieldType::Boolean) => FieldKey::flag(false),
        _ => sorts[0].clone(),
    };
    // What the field declares comes first; the rest keeps its order.
    sorts.sort_by_key(|sort| *sort != first);
    sorts.iter().map(|sort| FieldRange::of_sort(field, sort)).collect()
}

/// Which of [`sorts`] a value is of, and its place there.
pub fn place(field: &str, declared: Option<FieldType>, value: &Value) -> (usize, FieldKey) {
    let key = sort_key(declared, value);
    let sort = sorts(field, declared).iter().position(|sort| sort.holds(&key)).unwrap_or(usize::MAX);
    (sort, key)
}

/// The one form in which a value is compared when its field is declared so.
fn sort_key(declared: Option<FieldType>, value: &Value) -> FieldKey {
    if declared == Some(FieldType::Date)
        && let Some(moment) = moment::parse(value)
    {
        return FieldKey::moment(moment);
    }
    match value {
        Value::Number(number) => number_key(number),
        Value::String(text) => match filter::numeric(text).filter(|_| declared == Some(FieldType::Number)) {
            Some(number) => number_key(&number),
            None => text_key(text),
        },
        Value::Bool(flag) => FieldKey::flag(*flag),
        _ => FieldKey::unordered(),
    }
}

/// Every form in which a value may be compared.
fn forms(value: &Value) -> Vec<FieldKey> {
    let mut forms = vec![sort_key(None, value)];
    if let Value::String(text) = value {
        forms.extend(filter::numeric(text).map(|number| number_key(&number)));
    }
    forms.extend(moment::parse(value).map(FieldKey::moment));
    forms
}

fn number_key(number: &Number) -> FieldKey {
    FieldKey::number(number.as_f64().or_else(|| number.to_string().parse().ok()).unwrap_or_default())
}

fn text_key(text: &str) -> FieldKey {
    let end = text.char_indices().nth(TEXT_CHARS_MAX).map_or(text.len(), |(end, _)| end);
    FieldKey::text(&identity::fold(&text[..end]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::Map;

    fn snapshot(value: &Value) -> Map {
        Map::from_iter([("f".to_owned(), value.clone())])
    }

    /// Whatever a filter admits is among the candidates, with and without the type.
    #[test]
    fn every_match_is_a_candidate() {
        let values = [
            json!(9),
            json!(10),
            json!("9"),
            json!("10.50"),
            json!(-2.5),
            json!("Open"),
            json!("open"),
            json!(""),
            json!("2024-01-15"),
            json!("15 January 2024"),
            json!(1_705_276_800),
            json!(true),
            json!(["a"]),
            json!({"a": 1}),
            json!("ä".repeat(2000)),
            json!(9_007_199_254_740_993_i64),
            json!("1e400"),
            json!(1e308),
        ];
        let types =
            [None, Some(FieldType::Number), Some(FieldType::Date), Some(FieldType::String), Some(FieldType::Boolean)];
        let mut admitted = 0;
        for (declared, given, op) in types.iter().flat_map(|of| {
            let ops = [Op::Eq, Op::Lt, Op::Lte, Op::Gt, Op::Gte, Op::Exists];
            values.iter().flat_map(move |given| ops.map(|op| (*of, given, op)))
        }) {
            let filter = Condition { field: "f".to_owned(), op, value: given.clone() };
            for value in &values {
                if !filter::admits_as(declared, &filter, &snapshot(value)) {
                    continue;
                }
                admitted += 1;
                let keys = keys(&snapshot(value));
                for known in [Some(declared), None] {
                    let ranges = ranges(&filter, known).unwrap();
                    let held = ranges.iter().any(|range| range.keys_of(&keys).next().is_some());
                    assert!(held, "{value} {op:?} {given} as {declared:?}");
                }
            }
        }
        assert!(admitted > 1000);
    }

    /// Where the index says that it tells exactly, it does.
    #[test]
    fn what_stands_in_an_exact_range_is_a_match_and_nothing_else() {
        let values = [
            json!(9),
            json!(10),
            json!(9.5),
            json!(-0.0),
            json!(0),
            json!("9"),
            json!("9.0"),
            json!("many"),
            json!("2024-01-15"),
            json!("2024-01-15T00:00:00Z"),
            json!("15 January 2024"),
            json!(1_705_276_800),
            json!(9_007_199_254_740_991_i64),
            json!(9_007_199_254_740_993_i64),
            json!(1e308),
            json!(true),
            json!(["a"]),
        ];
        let types =
            [None, Some(FieldType::Number), Some(FieldType::Date), Some(FieldType::String), Some(FieldType::Boolean)];
        let (mut told, mut unsure) = (0, 0);
        for (declared, given, op) in types.iter().flat_map(|of| {
            let ops = [Op::Eq, Op::Lt, Op::Lte, Op::Gt, Op::Gte, Op::Ne, Op::Contains, Op::Exists];
            values.iter().flat_map(move |given| ops.map(|op| (*of, given, op)))
        }) {
            let filter = Condition { field: "f".to_owned(), op, value: given.clone() };
            let Some(Exact { range, unless }) = exact(&filter, declared) else {
                unsure += 1;
                continue;
            };
            for value in &values {
                let keys = keys(&snapshot(value));
                if unless.as_ref().is_some_and(|texts| texts.keys_of(&keys).next().is_some()) {
                    continue;
                }
                told += 1;
                let expected = usize::from(filter::admits_as(declared, &filter, &snapshot(value)));
                assert_eq!(range.keys_of(&keys).count(), expected, "{value} {op:?} {given} as {declared:?}");
            }
        }
        assert!(told > 1000 && unsure > 100, "{told} {unsure}");
    }

    #[test]
    fn what_no_index_knows_is_said() {
        for (op, value) in [(Op::Ne, json!(1)), (Op::Contains, json!("x")), (Op::Exists, json!(false))] {
            assert_eq!(ranges(&Condition { field: "f".to_owned(), op, value }, None), None);
        }
    }

    #[test]
    fn entities_with_many_fields_stand_apart() {
        let many = |count: usize| (0..count).map(|number| (format!("f{number}"), json!(number))).collect::<Map>();
        assert!(keys(&many(FIELDS_MAX)).iter().all(|(name, _)| !name.is_empty()));
        let keys = keys(&many(FIELDS_MAX + 1));
        assert_eq!((keys.len(), unindexed().keys_of(&keys).count()), (1, 1));
    }

    #[track_caller]
    fn sorted(declared: Option<FieldType>, values: Value, expected: Value) {
        let mut values = values.as_array().unwrap().clone();
        values.sort_by_key(|value| place("f", declared, value));
        assert_eq!(json!(values), expected);
    }

    // N-146, N-338
    #[test]
    fn values_sort_by_the_declared_type() {
        let number = Some(FieldType::Number);
        sorted(number, json!([100, "many", 9, "10", 2]), json!([2, 9, "10", 100, "many"]));
        sorted(None, json!([100, 9, 10, 2, "10"]), json!([2, 9, 10, 100, "10"]));
        let date = Some(FieldType::Date);
        sorted(date, json!(["soon", "1 May 2024", "2024-04-30"]), json!(["2024-04-30", "1 May 2024", "soon"]));
        sorted(Some(FieldType::String), json!(["b", "C", "a", 1]), json!(["a", "b", "C", 1]));
        sorted(Some(FieldType::Boolean), json!([1, true, "x", false]), json!([false, true, 1, "x"]));
    }
}
