//! Identity: which entity a payload is about, and what it is called.

mod normalise;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::Value;

pub use normalise::{canonical_name, clean, fold, is_invisible, is_single_token, normalise};
use normalise::{cleaned, has_own_rules};

use super::schema::FieldType;
use super::{Map, Schema, Values, ids, moment};

/// Fields that name an entity, the strongest first. All of them share one space of names.
const NAMES: [&str; 6] = ["canonical_name", "name", "full_name", "title", "email", "url"];

/// Fields that hold an id from elsewhere, the strongest first. Each has a space of its own.
const KEYS: [&str; 10] = [
    "message_id",
    "turn_key",
    "thread_id",
    "external_id",
    "source_id",
    "id",
    "uuid",
    "company_id",
    "person_id",
    "contact_id",
];

/// What identifies an entity among those of its user and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What is hashed into the id of the entity.
    pub value: String,
    /// The canonical name, for display.
    pub name: String,
    pub by: By,
}

/// What gave the identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// A rule of the schema: its fields.
    Schema(Vec<String>),
    /// A field that names things.
    Name(String),
    /// A field that holds an id.
    Key(String),
    /// Nothing but the content: every different content is another entity.
    Content,
}

/// No rule of a strict type identifies the payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the entity has none of the fields that identify it: {}", describe(.rules))]
pub struct NotIdentified {
    pub rules: Vec<Vec<String>>,
}

/// Which entity `fields` are about: by the first complete rule of the schema, then by a name, then by a key, then by
/// the content as a whole. No other field ever identifies, because strangers share them.
pub fn identify(schema: &Schema, fields: &Map) -> Result<Identity, NotIdentified> {
    let by_rule = schema.identity.iter().find_map(|rule| Some((rule_value(schema, rule, fields)?, rule)));
    if let Some((value, rule)) = by_rule {
        return Ok(identity(schema, fields, value, By::Schema(rule.clone())));
    }
    if schema.strict {
        return Err(NotIdentified { rules: schema.identity.clone() });
    }
    let by = |field: &&str| Some((part(schema, field, fields)?, (*field).to_owned()));
    if let Some((value, field)) = NAMES.iter().find_map(by) {
        return Ok(identity(schema, fields, value, By::Name(field)));
    }
    if let Some((value, field)) = KEYS.iter().find_map(by) {
        let value = qualified(&[(field.as_str(), value)]);
        return Ok(identity(schema, fields, value, By::Key(field)));
    }
    let hash = ids::content_hash(ids::canonical(&Value::Object(fields.clone())));
    Ok(identity(schema, fields, hash, By::Content))
}

/// What an entity is called: the first field with a text of those that name its type.
pub fn display_name(entity_type: &str, snapshot: &impl Values) -> Option<String> {
    let own: &[&str] = match entity_type {
        "invoice" => &["invoice_number"],
        "receipt" => &["receipt_number", "merchant_name"],
        "transaction" => &["merchant_name", "reference"],
        "contract" => &["contract_number"],
        "note" => &["summary"],
        "person" | "contact" => &["phone"],
        "company" => &["legal_name", "website"],
        "agent_decision" | "architectural_decision" => &["decision"],
        "agent_session" => &["session_id"],
        "validation_result" => &["validation_type"],
        "feature_unit" | "release" => &["id"],
        _ => &[],
    };
    let text = |field: &str| snapshot.value_of(field).and_then(shown).filter(|text| !text.is_empty());
    let named = || NAMES.iter().find_map(|field| text(field)).map(|name| canonical_name(entity_type, &name));
    let both = || Some(canonical_name(entity_type, &format!("{} {}", text("first_name")?, text("last_name")?)));
    named().or_else(both).or_else(|| own.iter().chain(&KEYS).find_map(|field| text(field)).map(Cow::into_owned))
}

/// The normalised texts by which an entity is found exactly, sorted: its addresses, numbers and ids, and the `names` it
/// goes by. Each is there as its type normalises it and as no type does, for those who ask without a type.
pub fn identifiers<'n>(
    schema: &Schema,
    snapshot: &'n impl Values,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<String> {
    let identifying = snapshot.all().filter(|(name, _)| is_identifier(schema, name));
    let values = identifying.flat_map(|(_, value)| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let names = names.into_iter().map(Cow::Borrowed);
    let mut texts: Vec<Cow<'_, str>> = values.filter_map(shown).chain(names).collect();
    // Most names come from a field, and are normalised once.
    texts.sort_unstable();
    texts.dedup();
    let mut found = Vec::with_capacity(2 * texts.len());
    for text in texts {
        if has_own_rules(&schema.entity_type) {
            found.push(normalise(&schema.entity_type, &text));
        }
        found.push(normalise("", &text));
    }
    found.retain(|text| !text.is_empty());
    found.sort_unstable();
    found.dedup();
    found
}

fn identity(schema: &Schema, fields: &Map, value: String, by: By) -> Identity {
    let name = display_name(&schema.entity_type, fields).unwrap_or_else(|| match &by {
        By::Schema(rule) => rule.iter().filter_map(|field| shown(fields.get(field)?)).collect::<Vec<_>>().join(" "),
        By::Name(_) | By::Key(_) => value.clone(),
        By::Content => format!("{} {}", schema.entity_type, &value[..8]),
    });
    Identity { value, name, by }
}

/// The value of a rule, when all its fields are there. A single field that names things stands for itself, so that an
/// entity is the same whichever field its name came in.
fn rule_value(schema: &Schema, rule: &[String], fields: &Map) -> Option<String> {
    let parts: Vec<(&str, String)> =
        rule.iter().map(|field| Some((field.as_str(), part(schema, field, fields)?))).collect::<Option<_>>()?;
    match parts.as_slice() {
        [] => None,
        [(field, value)] if NAMES.contains(field) => Some(value.clone()),
        parts => Some(qualified(parts)),
    }
}

/// Field names and values as one text. It starts with a brace and a quote, which no normalised name does.
fn qualified(parts: &[(&str, String)]) -> String {
    let object = parts.iter().map(|(field, value)| ((*field).to_owned(), Value::from(value.as_str()))).collect();
    ids::canonical(&Value::Object(object))
}

/// What a field contributes to an identity: notation does not count, neither of texts nor of declared dates and numbers.
fn part(schema: &Schema, field: &str, fields: &Map) -> Option<String> {
    let value = fields.get(field)?;
    let declared = schema.field_type(field);
    if declared == Some(FieldType::Date)
        && let Some(moment) = moment::parse(value)
    {
        return Some(moment.to_string());
    }
    let text = match value {
        Value::String(text) if declared == Some(FieldType::Number) => number(text).unwrap_or_else(|| fold(text)),
        Value::String(text) if is_key(field) => fold(text),
        Value::String(text) => normalise(&schema.entity_type, text),
        Value::Number(_) | Value::Bool(_) => ids::canonical(value),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

fn number(text: &str) -> Option<String> {
    let number: serde_json::Number = serde_json::from_str(text.trim()).ok()?;
    Some(ids::canonical(&Value::Number(number)))
}

/// The punctuation of an id counts: `1.23` and `12.3` are two.
fn is_key(field: &str) -> bool {
    KEYS.contains(&field) || field.ends_with("_id") || field.ends_with("_key")
}

fn is_identifier(schema: &Schema, field: &str) -> bool {
    let others = ["legal_name", "phone", "website", "iban", "aliases"];
    let endings = ["_number", "_email", "_url", "_phone"];
    let is_something_else = matches!(schema.field_type(field), Some(FieldType::Date | FieldType::Boolean));
    let is_named_so = NAMES.contains(&field) || is_key(field) || others.contains(&field);
    !is_something_else && (is_named_so || endings.iter().any(|ending| field.ends_with(ending)))
}

/// A value that can be shown as a name.
fn shown(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(cleaned(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
    }
}

fn describe(rules: &[Vec<String>]) -> String {
    rules.iter().map(|rule| rule.join(" + ")).collect::<Vec<_>>().join(", or ")
}
