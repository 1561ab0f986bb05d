//! The twelve intents, after the checks that need nothing but the request.

use scope::Timestamp;

use crate::domain::Name;

/// An intent, where it goes, and what it may need to be carried out.
#[derive(Debug, Clone)]
pub struct Submission {
    /// Id or key of the product.
    pub product: String,
    pub now: Timestamp,
    pub new: NewIds,
    pub intent: Intent,
}

/// Ids for what may come to be.
#[derive(Debug, Clone)]
pub struct NewIds {
    pub product: String,
    /// For the goal, item, sprint or definition that the intent creates.
    pub subject: String,
    pub increment: String,
}

/// What a caller wants. Everything that names something else does so by id, key or title.
#[derive(Debug, Clone)]
pub enum Intent {
    SetGoal(SetGoal),
    CreateItem(CreateItem),
    RefineItem(RefineItem),
    OrderBacklog(OrderBacklog),
    CreateSprint(CreateSprint),
    StartSprint { sprint: String },
    CancelSprint(CancelSprint),
    EndSprint { sprint: String },
    CommitBacklog(CommitBacklog),
    ChangeBacklog(ChangeBacklog),
    DefineDone(DefineDone),
    RecordDone(RecordDone),
}

impl Intent {
    /// True when the intent may be the first one of a product.
    pub fn opens_a_product(&self) -> bool {
        matches!(self, Self::SetGoal(_) | Self::CreateItem(_) | Self::CreateSprint(_) | Self::DefineDone(_))
    }
}

#[derive(Debug, Clone)]
pub struct SetGoal {
    pub description: String,
    /// What became of the goal before.
    pub ending: Option<super::product::GoalStatus>,
}

#[derive(Debug, Clone)]
pub struct CreateItem {
    pub title: Name,
    pub key: Option<String>,
    pub description: Option<String>,
    pub acceptance_criteria: Vec<String>,
    pub size: Option<String>,
}

/// `Some` changes a field; an inner `None` clears it.
#[derive(Debug, Clone)]
pub struct RefineItem {
    pub item: String,
    pub title: Option<Name>,
    pub description: Option<Option<String>>,
    pub acceptance_criteria: Option<Vec<String>>,
    pub size: Option<Option<String>>,
}

#[derive(Debug, Clone)]
pub struct OrderBacklog {
    pub items: Vec<String>,
    pub ordering_policy: Option<String>,
}

#[derive(Debug, Clone)]
pub struct CreateSprint {
    pub name: Name,
    pub key: Option<String>,
    pub start_at: Timestamp,
    pub end_at: Timestamp,
}

#[derive(Debug, Clone)]
pub struct CancelSprint {
    pub sprint: String,
    pub reason: String,
}

#[derive(Debug, Clone)]
pub struct CommitBacklog {
    pub sprint: String,
    pub goal: String,
    pub items: Vec<String>,
    pub plan: Option<String>,
}

#[derive(Debug, Clone)]
pub struct ChangeBacklog {
    pub sprint: String,
    pub add: Vec<String>,
    pub remove: Vec<String>,
    pub plan: Option<String>,
    pub end_at: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct DefineDone {
    pub text: String,
}

#[derive(Debug, Clone)]
pub struct RecordDone {
    pub item: String,
    pub sprint: String,
    pub definition_of_done: String,
    pub evidence_refs: Vec<String>,
}
