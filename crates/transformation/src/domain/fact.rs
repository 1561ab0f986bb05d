//! What is remembered: past events, each with the whole new state of its subject.

use ledger::RecordKey;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::baseline::BaselineFact;
use super::definition::DefinitionFact;
use super::element::Element;
use super::model::{Model, Repository};
use super::proposal::ProposalFact;
use super::relationship::Relationship;
use super::scrum::ScrumFact;
use super::view::View;

/// The kinds of records that facts are about.
pub mod kind {
    pub const REPOSITORY: &str = "transformation.repository";
    pub const MODEL: &str = "transformation.model";
    pub const ELEMENT: &str = "transformation.element";
    pub const RELATIONSHIP: &str = "transformation.relationship";
    pub const VIEW: &str = "transformation.view";
    pub const PROPOSAL: &str = "transformation.proposal";
    pub const DECISION: &str = "transformation.decision";
    pub const BASELINE: &str = "transformation.baseline";
    /// An element of a baseline that holds a chosen part.
    pub const BASELINE_ITEM: &str = "transformation.baseline_item";
    /// A relationship of a baseline that holds a chosen part.
    pub const BASELINE_LINK: &str = "transformation.baseline_link";
}

/// Something that happened to the architecture model.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a call makes few facts and moves them once")]
pub enum Fact {
    RepositoryCreated(Repository),
    ModelCreated(Model),
    ElementCreated(Element),
    ElementUpdated(Element),
    /// With the last state.
    ElementDeleted(Element),
    ElementRelationshipCreated(Relationship),
    ElementRelationshipUpdated(Relationship),
    /// With the last state.
    ElementRelationshipDeleted(Relationship),
    ViewCreated(View),
    ArchimateViewLayoutRecorded(View),
    /// With the last state.
    ViewDeleted(View),
    Proposal(ProposalFact),
    Baseline(BaselineFact),
    Definition(DefinitionFact),
    Scrum(ScrumFact),
}

impl Fact {
    /// The kind under which the ledger keeps it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RepositoryCreated(_) => "transformation.RepositoryCreated",
            Self::ModelCreated(_) => "transformation.ModelCreated",
            Self::ElementCreated(_) => "transformation.ElementCreated",
            Self::ElementUpdated(_) => "transformation.ElementUpdated",
            Self::ElementDeleted(_) => "transformation.ElementDeleted",
            Self::ElementRelationshipCreated(_) => "transformation.ElementRelationshipCreated",
            Self::ElementRelationshipUpdated(_) => "transformation.ElementRelationshipUpdated",
            Self::ElementRelationshipDeleted(_) => "transformation.ElementRelationshipDeleted",
            Self::ViewCreated(_) => "transformation.ViewCreated",
            Self::ArchimateViewLayoutRecorded(_) => "transformation.ArchimateViewLayoutRecorded",
            Self::ViewDeleted(_) => "transformation.ViewDeleted",
            Self::Proposal(fact) => fact.kind(),
            Self::Baseline(fact) => fact.kind(),
            Self::Definition(fact) => fact.kind(),
            Self::Scrum(fact) => fact.kind(),
        }
    }

    /// The record it is about.
    pub fn subject(&self) -> RecordKey {
        match self {
            Self::RepositoryCreated(repository) => repository.key(),
            Self::ModelCreated(model) => model.key(),
            Self::ElementCreated(element) | Self::ElementUpdated(element) | Self::ElementDeleted(element) => {
                element.key()
            }
            Self::ElementRelationshipCreated(relationship)
            | Self::ElementRelationshipUpdated(relationship)
            | Self::ElementRelationshipDeleted(relationship) => relationship.key(),
            Self::ViewCreated(view) | Self::ArchimateViewLayoutRecorded(view) | Self::ViewDeleted(view) => view.key(),
            Self::Proposal(fact) => fact.subject(),
            Self::Baseline(fact) => fact.subject(),
            Self::Definition(fact) => fact.subject(),
            Self::Scrum(fact) => fact.subject(),
        }
    }

    /// The state as JSON text.
    pub fn body(&self) -> String {
        match self {
            Self::RepositoryCreated(repository) => text(repository),
            Self::ModelCreated(model) => text(model),
            Self::ElementCreated(element) | Self::ElementUpdated(element) | Self::ElementDeleted(element) => {
                text(element)
            }
            Self::ElementRelationshipCreated(relationship)
            | Self::ElementRelationshipUpdated(relationship)
            | Self::ElementRelationshipDeleted(relationship) => text(relationship),
            Self::ViewCreated(view) | Self::ArchimateViewLayoutRecorded(view) | Self::ViewDeleted(view) => text(view),
            Self::Proposal(fact) => fact.body(),
            Self::Baseline(fact) => fact.body(),
            Self::Definition(fact) => fact.body(),
            Self::Scrum(fact) => fact.body(),
        }
    }

    /// The fact that the ledger keeps under this kind with this body.
    pub fn read(kind: &str, body: &str) -> Result<Self, String> {
        match kind {
            "transformation.RepositoryCreated" => state(body).map(Self::RepositoryCreated),
            "transformation.ModelCreated" => state(body).map(Self::ModelCreated),
            "transformation.ElementCreated" => state(body).map(Self::ElementCreated),
            "transformation.ElementUpdated" => state(body).map(Self::ElementUpdated),
            "transformation.ElementDeleted" => state(body).map(Self::ElementDeleted),
            "transformation.ElementRelationshipCreated" => state(body).map(Self::ElementRelationshipCreated),
            "transformation.ElementRelationshipDeleted" => state(body).map(Self::ElementRelationshipDeleted),
            "transformation.ElementRelationshipUpdated" => state(body).map(Self::ElementRelationshipUpdated),
            "transformation.ViewCreated" => state(body).map(Self::ViewCreated),
            "transformation.ArchimateViewLayoutRecorded" => state(body).map(Self::ArchimateViewLayoutRecorded),
            "transformation.ViewDeleted" => state(body).map(Self::ViewDeleted),
            _ => {
                Self::of_a_family(kind, body).unwrap_or_else(|| Err(format!("{kind} is not a fact of transformation")))
            }
        }
    }

    /// The families with an enum of their own, each asked in turn.
    fn of_a_family(kind: &str, body: &str) -> Option<Result<Self, String>> {
        None.or_else(|| Some(DefinitionFact::read(kind, body)?.map(Self::Definition)))
            .or_else(|| Some(ScrumFact::read(kind, body)?.map(Self::Scrum)))
            .or_else(|| Some(ProposalFact::read(kind, body)?.map(Self::Proposal)))
            .or_else(|| BaselineFact::knows(kind).then(|| BaselineFact::read(kind, body).map(Self::Baseline)))
    }
}

/// State as the text that facts and records hold.
pub fn text<T: Serialize>(state: &T) -> String {
    serde_json::to_string(state).expect("a state has only string keys")
}

/// State from the text that a fact holds.
pub fn state<T: DeserializeOwned>(body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|error| error.to_string())
}
