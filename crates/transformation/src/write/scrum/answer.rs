//! What an intent changed, as an answer.

use contract::generated::transformation::{Outcome, ScrumDomainIntentResponse};

use crate::domain::Notes;
use crate::domain::scrum::Changed;
use crate::projection::message;
use crate::write::answer::Answered;

impl Answered for Changed {
    type Answer = ScrumDomainIntentResponse;
    const AGGREGATE: &'static str = "product";

    fn aggregate_id(&self) -> &str {
        &self.product_id
    }

    fn answer(&self, notes: &Notes) -> ScrumDomainIntentResponse {
        ScrumDomainIntentResponse {
            success: true,
            product: self.product.as_ref().map(message::scrum::product),
            item: self.item.as_ref().map(message::scrum::item),
            sprint: self.sprint.as_ref().map(message::scrum::sprint),
            definition_of_done: self.definition_of_done.as_ref().map(|of| message::scrum::definition_of_done(of)),
            increment: self.increment.as_ref().map(message::scrum::increment),
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            outcome: Outcome::Committed.into(),
            ..Default::default()
        }
    }
}
