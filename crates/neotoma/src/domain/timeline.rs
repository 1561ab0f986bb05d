//! The timeline of an entity: the dates of its snapshot as events.
//!
//! Events are a view. Correcting a date changes the event, and what has no snapshot has no events.

use scope::Timestamp;
use serde_json::Value;

use super::schema::FieldType;
use super::{Map, Schema, ids, moment};

/// Something that happened, or will, according to one field of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Stays the same while the moment changes.
    pub id: String,
    pub event_type: String,
    pub at: Timestamp,
    pub field: String,
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
pub fn events(schema: &Schema, entity_id: &str, snapshot: &Map) -> Vec<Event> {
    let event = |field: &str, event_type: String, value: &Value| {
        let at = moment::parse(value)?;
        Some(Event { id: ids::event(entity_id, field), event_type, at, field: field.to_owned() })
    };
    let mut events: Vec<Event> = if schema.temporal_fields.is_empty() {
        let dated = snapshot.iter().filter(|(name, value)| is_dated(schema, name, value));
        dated.filter_map(|(name, value)| event(name, event_name(&schema.entity_type, name), value)).collect()
    } else {
        let temporal = schema.temporal_fields.iter();
        temporal
            .filter_map(|field| event(&field.field, field.event_type.clone(), snapshot.get(&field.field)?))
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
