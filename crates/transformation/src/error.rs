//! Why this capability refuses a call, and how each reason is published.

use contract::{CallError, ErrorKind};
use desk::Failure;
use ledger::ReadError;
use scope::Timestamp;
use serde_json::{Value, json};

use crate::domain::proposal::Pin;
use crate::domain::proposal::rebase::Meeting;
use crate::domain::{Mention, Name, definition, scrum};
use crate::metamodel::{Concept, RelationshipType};

mod baseline;
mod changes;
mod definition_refusal;
mod scrum_refusal;
mod undo;
mod wording;

pub use baseline::BaselineRefusal;
pub use changes::ChangeRefusals;
pub use undo::UndoRefusal;

/// Why this capability refuses a call: one variant for each thing a caller can act on.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("{field} {reason}")]
    Invalid { field: String, reason: String, hint: String },
    /// An argument that does not fit the other arguments.
    #[error("{field} {reason}")]
    InvalidArgument { field: String, reason: String, hint: String },
    #[error("Element type '{value}' is not valid")]
    NoSuchElementType { field: String, value: String },
    #[error("Relationship type '{value}' is not valid")]
    NoSuchRelationshipType { field: String, value: String },
    #[error("Cannot create '{relationship}' from {source_type} to {target_type}")]
    NotPermitted {
        field: &'static str,
        relationship: RelationshipType,
        source_type: Concept,
        target_type: Concept,
        permitted: Vec<RelationshipType>,
        reversed: Vec<RelationshipType>,
    },
    #[error("Element '{}' belongs to model {model_id}, not to {expected}", element.name)]
    OtherModel { field: &'static str, element: Mention, model_id: String, expected: String },
    #[error("'{relationship}' from {} to {} would close a circle", from.name, to.name)]
    Cycle { relationship: RelationshipType, from: Mention, to: Mention },
    #[error("Junction {} joins {existing} already, so it cannot join {relationship}", junction.name)]
    JunctionMixed { field: &'static str, junction: Mention, existing: RelationshipType, relationship: RelationshipType },
    #[error("Through the junction, '{relationship}' would lead from {} '{}' to {} '{}'", from.r#type, from.name, to.r#type, to.name)]
    JunctionPath { relationship: RelationshipType, from: Mention, to: Mention, permitted: Vec<RelationshipType> },
    #[error("Element '{reference}' not found")]
    NoSuchElement { field: &'static str, reference: String, model_id: Option<String>, similar: Vec<Mention> },
    #[error("'{reference}' is the name of {} elements", candidates.len())]
    Ambiguous { field: &'static str, reference: String, candidates: Vec<Mention> },
    #[error("Model '{reference}' not found")]
    NoSuchModel { reference: String, models: Vec<(String, String)>, active: Option<String>, began: Option<Timestamp> },
    #[error("Model '{key}' already exists")]
    DuplicateModel { key: String, id: String },
    #[error("No model was named and no model is active")]
    NoDefaultModel,
    #[error("Element '{name}' already exists in this model")]
    DuplicateName { field: String, name: Name, model_id: String, existing: Mention, alternatives: Vec<String> },
    #[error("View '{name}' already exists in this model")]
    DuplicateView { field: String, name: String, id: String },
    #[error("View '{name}' is at version {actual}, not {expected}")]
    StaleView { name: String, expected: u64, actual: u64 },
    #[error("View '{reference}' not found")]
    NoSuchView { reference: String, views: Vec<(String, String)> },
    #[error("Relationship '{reference}' not found")]
    NoSuchRelationship { field: String, reference: String },
    #[error("Relationship {id} is at version {actual}, not {expected}")]
    StaleRelationship { id: String, expected: u64, actual: u64 },
    #[error("The id '{id}' is in use")]
    DuplicateId { id: String },
    #[error("'{name}' looks like '{}' but is written with other letters", existing.name)]
    LookAlike { name: String, existing: Mention },
    #[error("Only people with the role admin or curator and the scope transformation:write may {act}")]
    NotSteward { act: String },
    #[error("Proposal '{reference}' not found")]
    NoSuchProposal { reference: String },
    /// The same in another argument than `proposal_id`.
    #[error("Proposal '{reference}' not found")]
    NoSuchProposalIn { field: String, reference: String },
    #[error("Proposal {proposal} is {status}: {reason}")]
    ProposalState { proposal: String, status: &'static str, reason: String },
    #[error("Proposal {proposal} was filed by you")]
    OwnProposal { proposal: String },
    #[error("Proposal {proposal} would no longer do what was reviewed: what it rests on has changed")]
    StaleProposal { proposal: String, stale: Vec<(Pin, Option<u64>)>, links: Vec<String> },
    #[error("{} fields were changed both by proposal {proposal} and by others", meetings.len())]
    RebaseConflict { proposal: String, meetings: Vec<Meeting> },
    #[error("The key '{key}' is in use")]
    DuplicateKey { key: String, existing: Mention },
    #[error("Element '{}' has {} relationships", element.name, relationships.len())]
    RelationshipsExist { element: Mention, relationships: Vec<String> },
    #[error("Element '{}' is at version {actual}, not {expected}", element.name)]
    StaleVersion { element: Mention, expected: u64, actual: u64 },
    #[error("{0}")]
    Baseline(#[from] BaselineRefusal),
    #[error("{0}")]
    Changes(#[from] ChangeRefusals),
    #[error("{0}")]
    Undo(#[from] UndoRefusal),
    #[error("There is no resource {uri}")]
    NoSuchResource { uri: String },
    #[error(transparent)]
    Definition(#[from] definition::Refusal),
    #[error(transparent)]
    Scrum(#[from] scrum::Refusal),
    /// What is no refusal of a rule: the store, the policy, a repeated key, a point that has not happened.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// A refusal that has its published form already.
    #[error("{0}")]
    Published(CallError),
}

impl Error {
    pub fn invalid(field: impl Into<String>, reason: String, hint: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), reason, hint: hint.into() }
    }

    pub fn argument(field: impl Into<String>, reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::InvalidArgument { field: field.into(), reason: reason.into(), hint: hint.into() }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        use ErrorKind::{AlreadyExists, Conflict, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied};
        let message = error.to_string();
        let refuse = |kind: ErrorKind, code: &'static str| Self::new(kind, code, message);
        match error {
            Error::Invalid { field, hint, .. } => refuse(InvalidArgument, "VALIDATION_ERROR").field(field).hint(hint),
            Error::InvalidArgument { field, hint, .. } => refuse(InvalidArgument, "INVALID_ARGUMENT").field(field).hint(hint),
            Error::NoSuchElementType { field, value } => {
                wording::suggest_element_types(refuse(InvalidArgument, "INVALID_ELEMENT_TYPE").field(field), &value)
            }
            Error::NoSuchRelationshipType { field, value } => {
                wording::suggest_relationship_types(refuse(InvalidArgument, "INVALID_RELATIONSHIP").field(field), &value)
            }
            Error::NotPermitted { field, relationship, source_type, target_type, permitted, reversed } => {
                let refusal = refuse(InvalidArgument, "INVALID_RELATIONSHIP")
                    .field(field)
                    .suggest("valid_relationships", wording::labels(&permitted))
                    .suggest("valid_if_reversed", wording::labels(&reversed))
                    .hint(wording::permitted_hint(field, relationship, source_type, target_type, &permitted, &reversed));
                let is_reversed = field == "type" && reversed.contains(&relationship);
                if is_reversed { refusal.swap("source_id", "target_id") } else { refusal }
            }
            Error::OtherModel { field, element, model_id, expected } => refuse(InvalidArgument, "INVALID_RELATIONSHIP")
                .field(field)
                .detail("element", json!(element))
                .detail("model_id", model_id)
                .hint(format!("relationships stay inside a model: name an element of model {expected}")),
            Error::Cycle { relationship, from, to } => refuse(FailedPrecondition, "CYCLE")
                .field("target_id")
                .detail("source", json!(from))
                .detail("target", json!(to))
                .hint(format!("choose another target, or delete the {relationship} that leads back first")),
            Error::JunctionMixed { field, junction, existing, .. } => refuse(InvalidArgument, "JUNCTION_MIXED")
                .field(field)
                .detail("junction", json!(junction))
                .suggest("valid_relationships", [existing.label()])
                .hint(format!("use {existing}, which this junction joins, or create another Junction")),
            Error::JunctionPath { from, to, permitted, .. } => refuse(InvalidArgument, "JUNCTION_INVALID_PATH")
                .field("type")
                .detail("source", json!(from))
                .detail("target", json!(to))
                .suggest("valid_relationships", wording::labels(&permitted))
                .hint("what leads into a junction must be permitted to lead to all that it leads to: choose another end, or relate the two directly"),
            Error::NoSuchElement { field, similar, .. } => refuse(NotFound, "ELEMENT_NOT_FOUND")
                .field(field)
                .suggest("similar_elements", json!(similar))
                .hint("Use transformation.semanticSearch to find elements by description, or transformation.listElements to browse"),
            Error::Ambiguous { field, candidates, .. } => refuse(InvalidArgument, "NEEDS_DISAMBIGUATION")
                .field(field)
                .suggest("candidates", json!(candidates))
                .hint("give the id of the one you mean"),
            Error::NoSuchModel { models, active, began, .. } => refuse(NotFound, "MODEL_NOT_FOUND")
                .field("model_id")
                .suggest("models", models.into_iter().map(|(id, key)| json!({"id": id, "key": key})).collect::<Value>())
                .suggest("active_model_id", active)
                .hint(match began {
                    Some(began) => format!("the model began at {began}: give an as_of from then on, or leave read_context out"),
                    None => "use the id or key of one of these models, or transformation.listModels".to_owned(),
                }),
            Error::DuplicateModel { id, .. } => refuse(AlreadyExists, "DUPLICATE_NAME")
                .field("key")
                .suggest("existing_model", json!({"id": id}))
                .hint("use the existing model, or choose a different key"),
            Error::NoDefaultModel => refuse(FailedPrecondition, "NO_DEFAULT_MODEL")
                .field("model_id")
                .hint("give model_id; transformation.listModels shows the models there are"),
            Error::DuplicateName { field, existing, alternatives, .. } => refuse(AlreadyExists, "DUPLICATE_NAME")
                .field(field)
                .suggest("existing_element", json!({"id": existing.id, "type": existing.r#type}))
                .suggest("alternatives", alternatives)
                .hint(format!(
                    "Use the existing element {}, or updateElement to modify it; choose a different name only for something else",
                    existing.id
                )),
            Error::DuplicateView { field, id, .. } => refuse(AlreadyExists, "DUPLICATE_NAME")
                .field(field)
                .suggest("existing_view", json!({"id": id}))
                .hint("change the existing view with recordViewLayout, or choose a different name"),
            Error::StaleView { expected, actual, .. } => version_conflict(refuse(Conflict, "VERSION_CONFLICT"), "view", expected, actual),
            Error::StaleRelationship { expected, actual, .. } => {
                version_conflict(refuse(Conflict, "VERSION_CONFLICT"), "relationship", expected, actual)
            }
            Error::NoSuchView { views, .. } => refuse(NotFound, "VIEW_NOT_FOUND")
                .field("view_id")
                .suggest("views", views.into_iter().map(|(id, name)| json!({"id": id, "name": name})).collect::<Value>())
                .hint("use the id, key or name of one of these views; transformation.getArchimateModel lists them"),
            Error::NoSuchRelationship { field, .. } => refuse(NotFound, "RELATIONSHIP_NOT_FOUND")
                .field(field)
                .hint("transformation.listRelationships shows the relationships there are"),
            Error::DuplicateId { .. } => refuse(AlreadyExists, "DUPLICATE_NAME")
                .field("id")
                .hint("leave id out to have one made, or give another UUID"),
            Error::LookAlike { existing, .. } => refuse(AlreadyExists, "DUPLICATE_NAME")
                .field("name")
                .suggest("existing_element", json!({"id": existing.id, "type": existing.r#type}))
                .hint("use the existing element, or choose a name that reads differently"),
            Error::NotSteward { .. } => refuse(PermissionDenied, "PERMISSION_DENIED")
                .hint("ask a person with the role admin or curator to decide"),
            Error::NoSuchProposal { .. } => refuse(NotFound, "PROPOSAL_NOT_FOUND")
                .field("proposal_id")
                .hint("transformation.listProposals shows the proposals there are"),
            Error::NoSuchProposalIn { field, .. } => refuse(NotFound, "PROPOSAL_NOT_FOUND")
                .field(field)
                .hint("transformation.listProposals shows the proposals there are"),
            Error::ProposalState { status, .. } => refuse(FailedPrecondition, "PROPOSAL_STATE")
                .field("proposal_id")
                .detail("status", status)
                .hint("transformation.getProposal shows what became of it"),
            Error::OwnProposal { .. } => refuse(PermissionDenied, "PERMISSION_DENIED")
                .field("proposal_id")
                .hint("ask another person to decide it, or withdraw it"),
            Error::StaleProposal { stale, links, .. } => refuse(Conflict, "PROPOSAL_STALE")
                .field("proposal_id")
                .detail("targets", wording::stale_targets(&stale))
                .detail("relationships_changed_at", links)
                .hint("rebase it: chancery proposals rebase ID files the same change on the current versions"),
            Error::RebaseConflict { meetings, .. } => refuse(Conflict, "REBASE_CONFLICT")
                .field("fields")
                .detail("fields", wording::meetings(&meetings))
                .hint("say for each field which value stays, live or proposed, or give keep for all of them"),
            Error::DuplicateKey { existing, .. } => refuse(AlreadyExists, "DUPLICATE_NAME")
                .field("key")
                .suggest("existing_element", json!({"id": existing.id, "type": existing.r#type}))
                .hint("Use updateElement to modify the existing element, or choose a different key"),
            Error::RelationshipsExist { relationships, .. } => refuse(FailedPrecondition, "RELATIONSHIPS_EXIST")
                .field("cascade")
                .detail("relationships", relationships)
                .hint("give cascade true to delete them too, or delete them first"),
            Error::StaleVersion { expected, actual, .. } => {
                version_conflict(refuse(Conflict, "VERSION_CONFLICT"), "element", expected, actual)
            }
            Error::Baseline(refusal) => refusal.into(),
            Error::Changes(refusals) => refusals.into(),
            Error::Undo(refusal) => refusal.into(),
            Error::NoSuchResource { uri } => refuse(NotFound, "RESOURCE_NOT_FOUND")
                .detail("uri", uri)
                .hint("the resource templates say what can be read, for example transformation://element/ID"),
            Error::Definition(refusal) => definition_refusal::publish(refusal),
            Error::Scrum(refusal) => scrum_refusal::publish(refusal),
            Error::Failed(failure) => failure.into(),
            Error::Published(error) => error,
        }
    }
}

fn version_conflict(refusal: CallError, subject: &str, expected: u64, actual: u64) -> CallError {
    refusal
        .field("expected_version")
        .detail("expected_version", expected)
        .detail("current_version", actual)
        .hint(format!("read the {subject} again and decide on its current version, or leave expected_version out"))
}

#[cfg(test)]
mod tests;
