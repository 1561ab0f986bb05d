//! Which resources show what a fact changed, for subscribers.

use crate::domain::Fact;
use crate::domain::baseline::BaselineFact;
use crate::domain::proposal::ProposalFact;

/// The resources that show what a fact changed: a model shows how many elements and which views it has.
pub fn shows(fact: &ledger::Fact) -> Vec<String> {
    let element = |id: &str| format!("transformation://element/{id}");
    let model = |id: &str| format!("transformation://model/{id}");
    let view = |id: &str| format!("transformation://view/{id}");
    let proposal = |id: &str| format!("transformation://proposal/{id}");
    match Fact::read(&fact.kind, &fact.body) {
        Ok(Fact::ElementCreated(state) | Fact::ElementDeleted(state)) => {
            vec![element(&state.id), model(&state.model_id)]
        }
        Ok(Fact::ElementUpdated(state)) => vec![element(&state.id)],
        Ok(Fact::ModelCreated(state)) => vec![model(&state.id)],
        Ok(Fact::Baseline(BaselineFact::RepositoryPublished(_))) => Vec::new(),
        Ok(Fact::Baseline(baseline)) => vec![format!("transformation://baseline/{}", baseline.subject().id)],
        Ok(Fact::Definition(fact)) => vec![format!("transformation://definition/{}", fact.definition().id)],
        Ok(Fact::Scrum(fact)) => vec![format!("transformation://product/{}", fact.product_id())],
        Ok(
            Fact::ElementRelationshipCreated(state)
            | Fact::ElementRelationshipUpdated(state)
            | Fact::ElementRelationshipDeleted(state),
        ) => vec![format!("transformation://relationship/{}", state.id)],
        Ok(Fact::ViewCreated(state) | Fact::ViewDeleted(state)) => vec![view(&state.id), model(&state.model_id)],
        Ok(Fact::ArchimateViewLayoutRecorded(state)) => vec![view(&state.id)],
        Ok(Fact::Proposal(ProposalFact::DecisionRecorded(record))) => vec![proposal(&record.proposal_id)],
        Ok(Fact::Proposal(fact)) => vec![proposal(&fact.subject().id)],
        // A repository has no resource, and other capabilities' facts are not ours to tell.
        Ok(_) | Err(_) => Vec::new(),
    }
}
