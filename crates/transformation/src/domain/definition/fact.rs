//! What is remembered about definitions.

use ledger::RecordKey;

use super::{Definition, Kind};
use crate::domain::fact::{state, text};

/// Something that happened to a definition, with its whole new state.
#[derive(Debug, Clone, PartialEq)]
pub enum DefinitionFact {
    ProcessDefinitionUpserted(Definition),
    AgentDefinitionUpserted(Definition),
    ExtensionDefinitionUpserted(Definition),
    DefinitionPromoted(Definition),
}

impl DefinitionFact {
    /// The fact that a definition was written, by its kind.
    pub fn upserted(definition: Definition) -> Self {
        match definition.kind {
            Kind::Process => Self::ProcessDefinitionUpserted(definition),
            Kind::Agent => Self::AgentDefinitionUpserted(definition),
            Kind::Extension => Self::ExtensionDefinitionUpserted(definition),
        }
    }

    /// The kind under which the ledger keeps it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ProcessDefinitionUpserted(_) => "transformation.ProcessDefinitionUpserted",
            Self::AgentDefinitionUpserted(_) => "transformation.AgentDefinitionUpserted",
            Self::ExtensionDefinitionUpserted(_) => "transformation.ExtensionDefinitionUpserted",
            Self::DefinitionPromoted(_) => "transformation.DefinitionPromoted",
        }
    }

    pub fn definition(&self) -> &Definition {
        match self {
            Self::ProcessDefinitionUpserted(definition)
            | Self::AgentDefinitionUpserted(definition)
            | Self::ExtensionDefinitionUpserted(definition)
            | Self::DefinitionPromoted(definition) => definition,
        }
    }

    pub fn subject(&self) -> RecordKey {
        self.definition().key()
    }

    pub fn body(&self) -> String {
        text(self.definition())
    }

    /// The fact that the ledger keeps under this kind; none if it is of another family.
    pub fn read(kind: &str, body: &str) -> Option<Result<Self, String>> {
        Some(match kind {
            "transformation.ProcessDefinitionUpserted" => state(body).map(Self::ProcessDefinitionUpserted),
            "transformation.AgentDefinitionUpserted" => state(body).map(Self::AgentDefinitionUpserted),
            "transformation.ExtensionDefinitionUpserted" => state(body).map(Self::ExtensionDefinitionUpserted),
            "transformation.DefinitionPromoted" => state(body).map(Self::DefinitionPromoted),
            _ => return None,
        })
    }
}
