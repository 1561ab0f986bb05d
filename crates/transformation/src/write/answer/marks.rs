//! What is said about an answer after it was made: that it is a repetition, or that it has not happened yet.

use contract::generated::transformation::{
    AddComponentToCapabilityResponse, ApplyChangesResponse, BaselineWriteResponse, ChangeMade,
    CreateCapabilityResponse, CreateCapabilityStructureResponse, CreateElementResponse, CreateRelationshipResponse,
    DeleteElementResponse, Element, Outcome, PromoteDefinitionResponse, ProposalNote, Relationship,
    ScrumDomainIntentResponse, SubmitArchitectureIntentResponse, UpdateElementResponse, UpsertDefinitionResponse,
};
use scope::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::Notes;
use crate::domain::decision::version_id;
use crate::projection::message;

/// An answer that can be given again.
pub trait Replayable: Serialize + DeserializeOwned {
    /// Says that this answer was first given at `at`.
    fn mark_replay(&mut self, at: Timestamp);
}

/// How the write loop marks our answers.
pub struct Marks;

impl<A: Replayable> desk::Marks<A> for Marks {
    fn mark_replay(answer: &mut A, at: Timestamp) {
        answer.mark_replay(at);
    }
}

/// An answer that can also be given for a write that was filed instead of made.
pub trait Proposable: Replayable {
    /// Says that this is what would be: new things have version 0.
    fn make_hypothetical(&mut self);

    /// Says that the write was filed as a proposal.
    fn mark_proposed(&mut self, proposal: ProposalNote, notes: &Notes);
}

/// For answers with the two fields that say so.
macro_rules! replayable {
    ($($answer:ty),* $(,)?) => {$(
        impl Replayable for $answer {
            fn mark_replay(&mut self, at: Timestamp) {
                self.idempotent_replay = Some(true);
                self.original_request_time = Some(at.to_string());
            }
        }
    )*};
}

replayable!(BaselineWriteResponse, PromoteDefinitionResponse, UpsertDefinitionResponse);

/// For answers that also have a proposal, with what makes them hypothetical.
macro_rules! proposable {
    ($($answer:ty, $this:ident => $hypothetical:expr;)*) => {$(
        replayable!($answer);

        impl Proposable for $answer {
            fn make_hypothetical(&mut self) {
                let $this = self;
                $hypothetical;
            }

            fn mark_proposed(&mut self, proposal: ProposalNote, notes: &Notes) {
                self.message = Some(format!(
                    "Not yet in the model: this is filed as proposal {} and waits for people to decide.",
                    proposal.id
                ));
                self.outcome = Outcome::Proposed.into();
                self.proposal = Some(proposal);
                self.suggestions.clone_from(&notes.suggestions);
                self.warnings = notes.warnings.iter().map(message::warning).collect();
            }
        }
    )*};
}

proposable! {
    CreateElementResponse, this => { elements(&mut this.element); relationships(&mut this.relationship) };
    CreateRelationshipResponse, this => relationships(&mut this.relationship);
    UpdateElementResponse, this => { elements(&mut this.element); this.new_version = 0 };
    DeleteElementResponse, this => { let _ = this; };
    CreateCapabilityResponse, this => {
        if let Some(capability) = &mut this.capability {
            capability.revision = 0;
            capability.version_id = version_id(&capability.id, 0);
        }
    };
    CreateCapabilityStructureResponse, this => {
        elements(this.created_elements.iter_mut().chain(&mut this.capability));
        relationships(&mut this.created_relationships);
    };
    AddComponentToCapabilityResponse, this => {
        elements(this.created_elements.iter_mut().chain(&mut this.component));
        relationships(&mut this.created_relationships);
    };
    ApplyChangesResponse, this => changes(&mut this.changes);
    SubmitArchitectureIntentResponse, this => {
        changes(&mut this.changes);
        elements(&mut this.element);
        relationships(&mut this.relationship);
        if let Some(view) = &mut this.view {
            view.version = 0;
            view.version_id = version_id(&view.id, 0);
        }
    };
    ScrumDomainIntentResponse, this => {
        this.product.iter_mut().for_each(|product| product.version = 0);
        this.item.iter_mut().for_each(|item| item.version = 0);
        this.sprint.iter_mut().for_each(|sprint| sprint.version = 0);
    };
}

fn elements<'a>(elements: impl IntoIterator<Item = &'a mut Element>) {
    for element in elements {
        element.version = 0;
        element.version_id = version_id(&element.id, 0);
    }
}

fn relationships<'a>(relationships: impl IntoIterator<Item = &'a mut Relationship>) {
    for relationship in relationships {
        relationship.version = 0;
        relationship.version_id = version_id(&relationship.id, 0);
    }
}

fn changes<'a>(changes: impl IntoIterator<Item = &'a mut ChangeMade>) {
    for change in changes {
        change.version = 0;
    }
}
