//! Why something about baselines is refused, and how each reason is published.

use contract::{CallError, ErrorKind};
use serde_json::json;

use crate::domain::Mention;
use crate::domain::baseline::BaselineMention;

/// Why something about baselines is refused.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BaselineRefusal {
    #[error("No baseline is published")]
    NothingPublished { field: String },
    #[error("Baseline '{reference}' not found")]
    NotFound { field: String, reference: String, known: Vec<BaselineMention> },
    #[error("Baseline '{}' cannot be {step}: it is {}", baseline.name, baseline.status.label())]
    Status { baseline: BaselineMention, step: &'static str, hint: &'static str },
    #[error("You may not {step} a baseline")]
    NotYours { step: &'static str },
    #[error("Baseline '{}' was made by you", baseline.name)]
    Own { baseline: BaselineMention },
    #[error("You approved baseline '{}' already", baseline.name)]
    ApprovedAlready { baseline: BaselineMention },
    #[error("A baseline with {field} '{value}' exists already")]
    Exists { field: &'static str, value: String, existing: BaselineMention },
    #[error("Model {model_id} is not in baseline '{baseline_id}', which holds model {expected}")]
    OtherModel { model_id: String, baseline_id: String, expected: String },
    #[error("Element '{}' is held by {} baselines", element.name, baselines.len())]
    Pinned { element: Mention, baselines: Vec<BaselineMention>, hint: String },
}

impl From<BaselineRefusal> for CallError {
    fn from(refusal: BaselineRefusal) -> Self {
        use ErrorKind::{AlreadyExists, FailedPrecondition, NotFound, PermissionDenied};
        let message = refusal.to_string();
        let refuse = |kind: ErrorKind, code: &'static str| Self::new(kind, code, message);
        match refusal {
            BaselineRefusal::NothingPublished { field } => refuse(FailedPrecondition, "NO_PUBLISHED_BASELINE")
                .field(field)
                .hint("read head, or publish a baseline with transformation.promoteBaseline first"),
            BaselineRefusal::NotFound { field, known, .. } => refuse(NotFound, "BASELINE_NOT_FOUND")
                .field(field)
                .suggest("baselines", json!(known))
                .hint("use one of these baselines, read head, or give as_of for an earlier state"),
            BaselineRefusal::Status { baseline, hint, .. } => refuse(FailedPrecondition, "BASELINE_STATE")
                .field("baseline_id")
                .detail("baseline", json!(baseline))
                .hint(hint),
            BaselineRefusal::NotYours { .. } => refuse(PermissionDenied, "PERMISSION_DENIED")
                .field("baseline_id")
                .hint("ask a person with role admin or curator and scope transformation:write"),
            BaselineRefusal::Own { baseline } => refuse(PermissionDenied, "PERMISSION_DENIED")
                .field("baseline_id")
                .detail("baseline", json!(baseline))
                .hint("ask another person with role admin or curator to decide; governance.self_approval lets authors decide themselves"),
            BaselineRefusal::ApprovedAlready { baseline } => refuse(FailedPrecondition, "BASELINE_STATE")
                .field("baseline_id")
                .detail("baseline", json!(baseline))
                .hint("it waits for the approval of another person"),
            BaselineRefusal::Exists { field, existing, .. } => refuse(AlreadyExists, "DUPLICATE_NAME")
                .field(field)
                .suggest("existing_baseline", json!(existing))
                .hint(format!("choose a different {field}, or use the baseline there is")),
            BaselineRefusal::OtherModel { expected, .. } => refuse(FailedPrecondition, "OUTSIDE_BASELINE")
                .field("model_id")
                .suggest("model_id", expected)
                .hint("name the model that the baseline holds, or read at head"),
            BaselineRefusal::Pinned { baselines, hint, .. } => refuse(FailedPrecondition, "PINNED_BY_BASELINE")
                .field("id")
                .detail("baselines", json!(baselines))
                .hint(hint),
        }
    }
}
