//! A step of a baseline as an answer.

use contract::generated::transformation::{BaselineWriteResponse, Outcome};

use crate::domain::Notes;
use crate::domain::baseline::Step;
use crate::projection::message;
use crate::write::answer::Answered;

impl Answered for Step {
    type Answer = BaselineWriteResponse;
    const AGGREGATE: &'static str = "baseline";

    fn aggregate_id(&self) -> &str {
        &self.baseline.id
    }

    fn answer(&self, notes: &Notes) -> BaselineWriteResponse {
        let outcome = if self.pending { Outcome::PendingApproval } else { Outcome::Committed };
        BaselineWriteResponse {
            success: true,
            baseline: Some(message::baseline(&self.baseline, self.version)),
            outcome: outcome.into(),
            suggestions: notes.suggestions.clone(),
            warnings: notes.warnings.iter().map(message::warning).collect(),
            ..Default::default()
        }
    }
}
