//! What an intent changed, as an answer.

use contract::generated::transformation::{Outcome, ProposalNote, ScrumDomainIntentResponse};
use scope::Timestamp;

use crate::domain::Notes;
use crate::domain::scrum::Changed;
use crate::projection::message;
use crate::write::answer::{Answered, Proposable, Replayable};

impl Replayable for ScrumDomainIntentResponse {
    fn mark_replay(&mut self, at: Timestamp) {
        self.idempotent_replay = Some(true);
        self.original_request_time = Some(at.to_string());
    }
}

impl Proposable for ScrumDomainIntentResponse {
    fn make_hypothetical(&mut self) {
        if let Some(item) = &mut self.item {
            item.version = 0;
        }
        if let Some(sprint) = &mut self.sprint {
            sprint.version = 0;
        }
        if let Some(product) = &mut self.product {
            product.version = 0;
        }
    }

    fn mark_proposed(&mut self, proposal: ProposalNote, notes: &Notes) {
        self.outcome = Outcome::Proposed.into();
        self.proposal = Some(proposal);
        self.suggestions.clone_from(&notes.suggestions);
        self.warnings = notes.warnings.iter().map(message::warning).collect();
    }
}

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
