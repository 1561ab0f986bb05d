//! An entity: its reduced observations and the names it goes by.

use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::identity::normalise;
use super::{Schema, State, identity};

/// An entity is found by at most this many identifiers.
const IDENTIFIERS_MAX: usize = 64;
/// Longer texts identify nothing.
const IDENTIFIER_BYTES_MAX: usize = 400;

/// An entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    pub id: String,
    pub entity_type: String,
    /// The canonical name.
    pub name: String,
    /// Names it had before, and names of what was merged into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The schema that the state was reduced by.
    pub schema_version: String,
    /// When it was first stored; listings go by it.
    pub created_at: Timestamp,
    /// When something was last stored about it.
    pub updated_at: Timestamp,
    /// Snapshot fields that the schema does not declare.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unvalidated: Vec<String>,
    /// Normalised texts it is found by, besides its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
    /// All entities that were merged into it, directly or through others, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// The entity it was merged into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    pub state: State,
}

impl Entity {
    /// An entity about which nothing is known yet.
    pub fn new(id: String, entity_type: String, name: String, now: Timestamp) -> Self {
        Self {
            id,
            entity_type,
            name,
            aliases: Vec::new(),
            schema_version: String::new(),
            created_at: now,
            updated_at: now,
            unvalidated: Vec::new(),
            identifiers: Vec::new(),
            members: Vec::new(),
            merged_into: None,
            state: State::empty(),
        }
    }

    /// Neither merged away nor deleted.
    pub fn is_live(&self) -> bool {
        self.merged_into.is_none() && !self.state.is_deleted()
    }

    /// The entity and all that were merged into it: whatever its observations were written to.
    pub fn written_to(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.id).chain(&self.members).map(String::as_str)
    }

    /// Notes further names it goes by.
    pub fn add_aliases<'n>(&mut self, names: impl Iterator<Item = &'n String>) {
        self.aliases.extend(names.cloned());
        self.aliases.retain(|alias| *alias != self.name && !alias.is_empty());
        self.aliases.sort();
        self.aliases.dedup();
    }

    /// Derives what follows from state, names and schema. `shown` is what its snapshot calls it.
    pub fn derive(&mut self, schema: &Schema, shown: Option<String>) {
        self.schema_version.clone_from(&schema.schema_version);
        self.unvalidated = self.state.unvalidated(schema);
        let own = normalise(&self.entity_type, &self.name);
        let names = shown.iter().chain([&self.name]).chain(&self.aliases).map(String::as_str);
        let mut found = identity::identifiers(schema, &self.state, names);
        found.retain(|text| *text != own && text.len() <= IDENTIFIER_BYTES_MAX);
        found.truncate(IDENTIFIERS_MAX);
        self.identifiers = found;
    }
}
