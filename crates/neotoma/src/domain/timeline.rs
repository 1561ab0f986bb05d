//! The timeline of an entity: the dates of its snapshot as events.
//!
//! Events are a view. Correcting a date changes the event, and what has no snapshot has no events.

use scope::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema::FieldType;
use super::{Schema, Values, ids, moment};

/// Something that happened, or will, according to one field of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Stays the same while the moment changes.
    pub id: String,
    pub event_type: String,
    pub at: Timestamp,
    pub field: String,
}

/// An event as it is kept: with the entity and the source that it tells of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub event_type: String,
    pub at: Timestamp,
    pub entity_id: String,
    pub entity_type: String,
    pub source_id: String,
    pub field: String,
    pub value: Value,
}

/// Dates that tell about the record and not about the thing.
const BOOKKEEPING: [&str; 6] =
    ["created_at", "updated_at", "computed_at", "deleted_at", "observed_at", "last_observation_at"];

/// Events with a name of their own: type, field, event.
const NAMED: [(&str, &str, &str); 16] = [
    ("invoice", "invoice_date", "InvoiceIssued"),
    ("invoice", "date_due", "InvoiceDue"),
    ("invoice", "due_date", "InvoiceDue"),
    ("transaction", "posting_date", "TransactionPosted"),
    ("transaction", "date", "TransactionDate"),
    ("transaction", "transaction_date", "TransactionDate"),
    ("receipt", "date_purchased", "ReceiptIssued"),
    ("task", "due_date", "TaskDue"),
    ("task", "completed_date", "TaskCompleted"),
    ("task", "completed_at", "TaskCompleted"),
    ("event", "start_date", "EventStart"),
    ("event", "start_time", "EventStart"),
    ("event", "starts_at", "EventStart"),
    ("event", "end_date", "EventEnd"),
    ("event", "end_time", "EventEnd"),
    ("event", "ends_at", "EventEnd"),
];

/// The events of a snapshot, newest first, then by id.
///
/// They come from the schema's temporal fields. A schema without them gives an event for every declared date and every
/// value written like a date, except those about the record itself.
pub fn events(schema: &Schema, entity_id: &str, snapshot: &impl Values) -> Vec<Event> {
    let event = |field: &str, event_type: String, value: &Value| {
        let at = moment::parse(value)?;
        Some(Event { id: ids::event(entity_id, field), event_type, at, field: field.to_owned() })
    };
    let mut events: Vec<Event> = if schema.temporal_fields.is_empty() {
        let dated = snapshot.all().filter(|(name, value)| is_dated(schema, name, value));
        dated.filter_map(|(name, value)| event(name, event_name(&schema.entity_type, name), value)).collect()
    } else {
        let temporal = schema.temporal_fields.iter();
        temporal
            .filter_map(|field| event(&field.field, field.event_type.clone(), snapshot.value_of(&field.field)?))
            .collect()
    };
    events.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.id.cmp(&other.id)));
    events
}

/// What the event of a field is called: a name of its own, or the field name in camel case.
pub fn event_name(entity_type: &str, field: &str) -> String {
    let named = NAMED.iter().find(|(r#type, name, _)| *r#type == entity_type && *name == field);
    named.map_or_else(|| camel_case(field), |(_, _, event)| (*event).to_owned())
}

/// Whether a field of this name tells about the record and not about the thing.
pub fn is_bookkeeping(field: &str) -> bool {
    BOOKKEEPING.contains(&field)
}

/// A number is a moment only when the schema or its name says so: an amount can look like one.
fn is_dated(schema: &Schema, field: &str, value: &Value) -> bool {
    let by_name = || {
        let words = ["date", "time", "timestamp", "at", "on"];
        field.to_lowercase().split(['_', '-', ' ']).any(|word| words.contains(&word))
    };
    !is_bookkeeping(field)
        && match value {
            Value::String(_) => true,
            Value::Number(_) => schema.field_type(field) == Some(FieldType::Date) || by_name(),
            _ => false,
        }
}

fn camel_case(field: &str) -> String {
    let words = field.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let capitalised = words.map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    });
    capitalised.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::schema::{builtin, infer};

    /// Shows the events of a snapshot of a built-in or an inferred type.
    #[track_caller]
    fn check(entity_type: &str, snapshot: Value, expected: &[&str]) {
        let snapshot = snapshot.as_object().unwrap();
        let inferred = infer(entity_type, &[snapshot]);
        let found = events(builtin(entity_type).unwrap_or(&inferred), "ent_1", snapshot);
        let shown: Vec<String> =
            found.iter().map(|event| format!("{} {}", event.event_type, &event.at.to_string()[..10])).collect();
        assert_eq!(shown, expected);
    }

    // N-190
    #[test]
    fn known_dates_have_names_of_their_own() {
        let dates = json!({"invoice_date": "2024-01-01", "date_due": "2024-02-01", "paid_on": "2024-03-01"});
        check("invoice", dates, &["InvoiceDue 2024-02-01", "InvoiceIssued 2024-01-01"]);
        let dates = json!({"posting_date": "2024-01-01", "date": "2024-02-01"});
        check("transaction", dates, &["TransactionDate 2024-02-01", "TransactionPosted 2024-01-01"]);
        check("receipt", json!({"date_purchased": "2024-01-01"}), &["ReceiptIssued 2024-01-01"]);
        let dates = json!({"due_date": "2024-01-01", "completed_date": "2024-02-01"});
        check("task", dates, &["TaskCompleted 2024-02-01", "TaskDue 2024-01-01"]);
        let dates = json!({"start_date": "2024-01-01", "end_date": "2024-02-01"});
        check("event", dates, &["EventEnd 2024-02-01", "EventStart 2024-01-01"]);
        check("contract", json!({"signed_date": "15 January 2024"}), &["SignedDate 2024-01-15"]);
    }

    // N-189
    #[test]
    fn without_temporal_fields_every_date_counts_except_those_of_the_record() {
        let snapshot = json!({
            "launched": "2024-01-16", "seen_at": 1_705_276_800, "amount": 1_705_276_800, "name": "X 1",
            "created_at": "2024-01-15", "updated_at": "2024-01-15", "computed_at": "2024-01-15",
            "deleted_at": "2024-01-15", "observed_at": "2024-01-15", "last_observation_at": "2024-01-15",
        });
        check("rocket", snapshot, &["Launched 2024-01-16", "SeenAt 2024-01-15"]);
    }

    // N-188
    #[test]
    fn a_corrected_date_is_the_same_event_at_another_time() {
        let at = |date: &str| events(builtin("task").unwrap(), "ent_1", json!({"due_date": date}).as_object().unwrap());
        let (before, after) = (at("2024-01-01"), at("2025-01-01"));
        assert_eq!((before.len(), &before[0].id), (1, &after[0].id));
        assert_ne!(before[0].at, after[0].at);
        assert_eq!(at("when it is done"), []);
    }
}
