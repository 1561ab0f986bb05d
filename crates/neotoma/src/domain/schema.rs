//! Schemas: what an entity type declares.
//!
//! A schema describes and never hides: what it does not declare is stored and shown all the same. [`builtin`] holds the
//! types that are always there, [`infer`] makes one for a type nobody described, [`entity_type`] folds the many ways to
//! write a type onto one. Versions are `major.minor`; major 0 is an inferred schema.

mod builtin;
mod check;
mod define;
mod definition;
mod entity_type;
mod infer;
#[cfg(test)]
mod tests;
mod version;

use std::collections::BTreeMap;

use contract::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use builtin::{builtin, builtin_types};
pub use check::Warning;
pub use define::define;
pub use entity_type::{BadType, entity_type, entity_type_among, fold, is_entity_type, spellings};
pub use infer::infer;

/// What one version of an entity type declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    pub entity_type: String,
    /// `major.minor`, for example `1.0`; `0.3` for a schema that was inferred and has three fields.
    pub schema_version: String,
    #[serde(default)]
    pub scope: SchemaScope,
    #[serde(default = "yes")]
    pub active: bool,
    pub fields: BTreeMap<String, Field>,
    /// Rules in order; each names the fields that identify an entity together. The first complete rule counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identity: Vec<Vec<String>>,
    /// Refuse an entity that no rule of `identity` identifies.
    #[serde(default, skip_serializing_if = "is_false")]
    pub strict: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub temporal_fields: Vec<Temporal>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_fields: Vec<Reference>,
    /// Other names of the type, folded like type names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// How a field reduces; a field without an entry takes the last write.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reducers: BTreeMap<String, Reducer>,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub metadata: Object,
}

/// For whom a schema holds. A user's own schema wins over a global one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaScope {
    #[default]
    Global,
    User,
}

/// What a schema says about one field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Field {
    #[serde(default)]
    pub r#type: FieldType,
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The least number allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The greatest number allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The values allowed; empty allows all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub r#enum: Vec<Value>,
    /// A regular expression that a text has to match somewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<String>,
}

/// The types a field may declare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    #[default]
    String,
    Number,
    Date,
    Boolean,
    Array,
    Object,
}

/// A date field that gives an event of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Temporal {
    pub field: String,
    pub event_type: String,
}

/// A field that names another entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub field: String,
    pub relationship_type: String,
    pub target_type: String,
}

/// How the observations of one field reduce to its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reducer {
    #[serde(default)]
    pub strategy: Strategy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_breaker: Option<TieBreaker>,
}

/// What ranks the observations of a field within a tier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    #[default]
    LastWrite,
    HighestPriority,
    MostSpecific,
    MergeArray,
}

/// What decides between observations that a strategy ranks alike, before their ids do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieBreaker {
    ObservedAt,
    SourcePriority,
}

impl FieldType {
    /// The name it has in a definition.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Date => "date",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl Schema {
    pub fn declares(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// The type that `field` declares.
    pub fn field_type(&self, field: &str) -> Option<FieldType> {
        self.fields.get(field).map(|field| field.r#type)
    }

    /// How `field` reduces.
    pub fn reducer(&self, field: &str) -> Reducer {
        self.reducers.get(field).copied().unwrap_or_default()
    }

    /// True for a schema that was made from payloads: its types are guesses.
    pub fn is_inferred(&self) -> bool {
        self.schema_version.starts_with("0.")
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_empty(object: &Object) -> bool {
    object.0.is_empty()
}
