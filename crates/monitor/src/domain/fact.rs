//! Facts of this capability: what happened, with the rows that it puts.

use ledger::RecordKey;

use super::row::Row;

/// Something that happened. Its kind in the ledger is `monitor.` and the name of what happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    pub happening: Happening,
    /// At least one: what it is about comes first.
    pub rows: Vec<Row>,
}

impl Fact {
    pub fn new(happening: Happening, rows: Vec<Row>) -> Self {
        Self { happening, rows }
    }

    pub fn kind(&self) -> String {
        format!("monitor.{:?}", self.happening)
    }

    /// The record that it is about.
    pub fn subject(&self) -> RecordKey {
        self.rows.first().map_or_else(|| RecordKey::new("monitor", "-"), Row::key)
    }
}

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    MultiverseCreated,
    UniverseCreated,
    SourceCreated,
    AxiomCreated,
    EntityCreated,
    EntityStateChanged,
    RelationshipCreated,
    FactCreated,
    FactCanonLevelChanged,
    EventCreated,
    StoryCreated,
    StoryUpdated,
    SceneCreated,
    TurnAppended,
    SceneFinalizing,
    SceneFinalized,
    ChangeProposed,
    ProposalEvaluated,
    MemoryCreated,
    MemoriesRecalled,
    ResolutionCreated,
    DocumentCreated,
    SnippetCreated,
    UniverseImported,
}
