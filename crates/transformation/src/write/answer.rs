//! Outcomes as answers: the canonical object, what to do next, what to know.

use contract::generated::transformation::{
    CreateElementResponse, CreateRelationshipResponse, DeleteElementResponse, Outcome, UpdateElementResponse,
};
use scope::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::Notes;
use crate::domain::element::{Created, Deleted, Updated};
use crate::domain::relationship::Link;
use crate::projection::message;

/// An answer that can be given again.
pub trait Replayable: Serialize + DeserializeOwned {
    /// Says that this answer was first given at `at`.
    fn mark_replay(&mut self, at: Timestamp);
}

/// An outcome that a caller is told about.
pub trait Answered {
    type Answer: Replayable + Send;
    /// What the effect is about, as the idempotency table names it.
    const AGGREGATE: &'static str;
    fn aggregate_id(&self) -> &str;
    fn answer(&self, notes: &Notes) -> Self::Answer;
}

macro_rules! replayable {
    ($($answer:ty),*) => {$(
        impl Replayable for $answer {
            fn mark_replay(&mut self, at: Timestamp) {
                self.idempotent_replay = Some(true);
                self.original_request_time = Some(at.to_string());
            }
        }
    )*};
}

replayable!(CreateElementResponse, CreateRelationshipResponse, UpdateElementResponse, DeleteElementResponse);

impl Answered for Created {
    type Answer = CreateElementResponse;
    const AGGREGATE: &'static str = "element";

    fn aggregate_id(&self) -> &str {
        &self.element.id
    }

    fn answer(&self, notes: &Notes) -> CreateElementResponse {
        CreateElementResponse {
            success: true,
            element: Some(message::element(&self.element, 1)),
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            outcome: Outcome::Committed.into(),
            relationship: self.link.as_ref().map(message::link),
            ..Default::default()
        }
    }
}

impl Answered for Link {
    type Answer = CreateRelationshipResponse;
    const AGGREGATE: &'static str = "relationship";

    fn aggregate_id(&self) -> &str {
        &self.relationship.id
    }

    fn answer(&self, notes: &Notes) -> CreateRelationshipResponse {
        CreateRelationshipResponse {
            success: true,
            relationship: Some(message::link(self)),
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            outcome: Outcome::Committed.into(),
            ..Default::default()
        }
    }
}

impl Answered for Updated {
    type Answer = UpdateElementResponse;
    const AGGREGATE: &'static str = "element";

    fn aggregate_id(&self) -> &str {
        &self.element.id
    }

    fn answer(&self, notes: &Notes) -> UpdateElementResponse {
        let new_version = self.previous_version + 1;
        UpdateElementResponse {
            success: true,
            element: Some(message::element(&self.element, new_version)),
            previous_version: self.previous_version,
            new_version,
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            outcome: Outcome::Committed.into(),
            ..Default::default()
        }
    }
}

impl Answered for Deleted {
    type Answer = DeleteElementResponse;
    const AGGREGATE: &'static str = "element";

    fn aggregate_id(&self) -> &str {
        &self.element.id
    }

    fn answer(&self, notes: &Notes) -> DeleteElementResponse {
        DeleteElementResponse {
            success: true,
            deleted_relationships: self.relationships.clone(),
            element: Some(message::element(&self.element, self.element.version)),
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            outcome: Outcome::Committed.into(),
            ..Default::default()
        }
    }
}
