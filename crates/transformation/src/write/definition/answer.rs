//! Definitions as answers.

use contract::generated::transformation::{Outcome, PromoteDefinitionResponse, UpsertDefinitionResponse};

use crate::domain::Notes;
use crate::domain::definition::{Promoted, Upserted};
use crate::projection::message;
use crate::write::answer::Answered;

impl Answered for Upserted {
    type Answer = UpsertDefinitionResponse;
    const AGGREGATE: &'static str = "definition";

    fn aggregate_id(&self) -> &str {
        &self.definition.id
    }

    fn answer(&self, notes: &Notes) -> UpsertDefinitionResponse {
        UpsertDefinitionResponse {
            success: true,
            definition: Some(message::definition::definition(&self.definition, self.version)),
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            outcome: Outcome::Committed.into(),
            ..Default::default()
        }
    }
}

impl Answered for Promoted {
    type Answer = PromoteDefinitionResponse;
    const AGGREGATE: &'static str = "definition";

    fn aggregate_id(&self) -> &str {
        &self.definition.id
    }

    fn answer(&self, notes: &Notes) -> PromoteDefinitionResponse {
        PromoteDefinitionResponse {
            success: true,
            definition: Some(message::definition::definition(&self.definition, self.version)),
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            outcome: Outcome::Committed.into(),
            ..Default::default()
        }
    }
}
