//! The entity types that are always there.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Field, FieldType, Reducer, Reference, Schema, SchemaScope, Strategy, Temporal};
use crate::domain::timeline;

/// The built-in schema of `entity_type`.
pub fn builtin(entity_type: &str) -> Option<&'static Schema> {
    BUILTIN.get(entity_type)
}

/// The names of the built-in types, sorted.
pub fn builtin_types() -> impl Iterator<Item = &'static str> {
    BUILTIN.keys().copied()
}

static BUILTIN: LazyLock<BTreeMap<&'static str, Schema>> =
    LazyLock::new(|| TYPES.iter().map(|described| (described.name, described.schema())).collect());

/// A type in shorthand.
struct Described {
    name: &'static str,
    /// Field names. `#` marks a number, `@` a date, `[]` an array, `{}` an object, nothing a text; a further `!` marks a
    /// required field.
    fields: &'static str,
    /// Identity rules in order, separated by spaces; `+` joins the fields of one rule.
    identity: &'static str,
    /// Fields that the highest priority decides.
    by_priority: &'static str,
    aliases: &'static str,
    /// Field, relationship type and target type of a reference.
    reference: Option<[&'static str; 3]>,
}

const PLAIN: Described =
    Described { name: "", fields: "", identity: "", by_priority: "", aliases: "", reference: None };

const TYPES: [Described; 20] = [
    Described {
        name: "invoice",
        fields: "invoice_number! invoice_date@! amount_due#! currency! amount# date_due@ vendor_name customer_name \
                 tax_amount# tax_rate subtotal# items[] description notes",
        identity: "invoice_number+vendor_name+invoice_date",
        aliases: "bill factura",
        ..PLAIN
    },
    Described {
        name: "transaction",
        fields: "amount# amount_original# currency date@ posting_date@ merchant_name status account_id category \
                 bank_provider reference balance_after# account_suffix",
        identity: "posting_date+category+amount_original+bank_provider",
        ..PLAIN
    },
    Described {
        name: "receipt",
        fields: "merchant_name! amount_total#! currency! date_purchased@! receipt_number payment_method items[] \
                 tax_amount# description notes transaction_date@ category status",
        identity: "merchant_name+date_purchased+amount_total",
        ..PLAIN
    },
    Described {
        name: "contract",
        fields: "name contract_number parties effective_date@ expiration_date@ signed_date@ status companies files type \
                 notes",
        ..PLAIN
    },
    Described {
        name: "note",
        fields: "content! title tags source created_date@ updated_date@ summary",
        identity: "title source+created_date",
        by_priority: "content",
        ..PLAIN
    },
    Described {
        name: "person",
        fields: "name! first_name last_name email phone organization role address country website external_id notes",
        identity: "email phone external_id first_name+last_name name",
        by_priority: "name email phone external_id",
        ..PLAIN
    },
    Described {
        name: "company",
        fields: "name! legal_name website email phone address country industry type description external_id",
        identity: "external_id name",
        by_priority: "name legal_name website email",
        ..PLAIN
    },
    Described {
        name: "contact",
        fields: "name email phone organization role title linkedin_url connected_on@ type category platform address \
                 country website contact_id external_id first_contact_date@ last_contact_date@",
        reference: Some(["organization", "works_at", "company"]),
        ..PLAIN
    },
    Described {
        name: "task",
        fields: "title! status! description priority assignee project_id due_date@ completed_date@ tags notes",
        identity: "project_id+title title",
        ..PLAIN
    },
    Described {
        name: "feature_unit",
        fields: "id! description! status! dependencies[] risk_level created_at@! updated_at@!",
        identity: "id",
        ..PLAIN
    },
    Described {
        name: "release",
        fields: "id! version! feature_units[]! status! acceptance_criteria[]! target_ship_date@",
        identity: "id",
        ..PLAIN
    },
    Described {
        name: "agent_decision",
        fields: "decision! rationale! context{} decision_type timestamp@! agent_id",
        identity: "decision+timestamp",
        ..PLAIN
    },
    Described {
        name: "agent_session",
        fields: "session_id! actions[]! checkpoints[] outcomes[] duration# started_at@! ended_at@",
        identity: "session_id",
        ..PLAIN
    },
    Described {
        name: "validation_result",
        fields: "validation_type! status! details{} target timestamp@!",
        identity: "validation_type+target+timestamp",
        ..PLAIN
    },
    Described {
        name: "codebase_entity",
        fields: "name! kind! description path relationships[]",
        identity: "name+kind",
        ..PLAIN
    },
    Described {
        name: "architectural_decision",
        fields: "decision! rationale! impact alternatives[] status timestamp@!",
        identity: "decision+timestamp",
        ..PLAIN
    },
    Described {
        name: "event",
        fields: "title start_time end_time location organizer recurrence status uid url time_zone description",
        identity: "uid title+start_time",
        ..PLAIN
    },
    Described {
        name: "message",
        fields: "subject sender recipients[] cc[] bcc[] sent_at message_id in_reply_to",
        identity: "message_id sender+sent_at",
        ..PLAIN
    },
    Described {
        name: "meeting",
        fields: "title date@ start_time end_time location attendees[] absent[] chair minutes_by next_meeting@",
        identity: "title+date",
        ..PLAIN
    },
    Described {
        name: "account",
        fields: "iban bic account_number sort_code bank_name holder_name currency",
        identity: "iban account_number+sort_code account_number holder_name",
        ..PLAIN
    },
];

impl Described {
    fn schema(&self) -> Schema {
        let fields: BTreeMap<String, Field> = self.fields.split_whitespace().map(field).collect();
        let by_priority = Reducer { strategy: Strategy::HighestPriority, tie_breaker: None };
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let rule = |rule: &str| rule.split('+').map(str::to_owned).collect();
        let reference = |[field, relationship_type, target_type]: [&str; 3]| Reference {
            field: field.to_owned(),
            relationship_type: relationship_type.to_owned(),
            target_type: target_type.to_owned(),
        };
        Schema {
            entity_type: self.name.to_owned(),
            schema_version: "1.0".to_owned(),
            scope: SchemaScope::Global,
            active: true,
            identity: self.identity.split_whitespace().map(rule).collect(),
            strict: false,
            temporal_fields: temporal(self.name, &fields),
            reference_fields: self.reference.map(reference).into_iter().collect(),
            aliases: words(self.aliases),
            reducers: words(self.by_priority).into_iter().map(|name| (name, by_priority)).collect(),
            metadata: Default::default(),
            fields,
        }
    }
}

fn field(shorthand: &str) -> (String, Field) {
    let marked = shorthand.trim_end_matches('!');
    let name = marked.trim_end_matches(['#', '@', '[', ']', '{', '}']);
    let r#type = match &marked[name.len()..] {
        "#" => FieldType::Number,
        "@" => FieldType::Date,
        "[]" => FieldType::Array,
        "{}" => FieldType::Object,
        _ => FieldType::String,
    };
    (name.to_owned(), Field { r#type, required: marked != shorthand, ..Field::default() })
}

/// Every date of a type gives an event, except those that tell about the record instead of the thing.
fn temporal(entity_type: &str, fields: &BTreeMap<String, Field>) -> Vec<Temporal> {
    let dates =
        fields.iter().filter(|(name, field)| field.r#type == FieldType::Date && !timeline::is_bookkeeping(name));
    let event = |name: &String| Temporal { field: name.clone(), event_type: timeline::event_name(entity_type, name) };
    dates.map(|(name, _)| event(name)).collect()
}
