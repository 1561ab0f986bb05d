//! Outcomes as answers: the canonical object, what to do next, what to know.

mod marks;

use contract::Object;
use contract::generated::transformation as proto;
use contract::generated::transformation::{
    AddComponentToCapabilityResponse, ApplyChangesResponse, Capability, CreateCapabilityResponse,
    CreateCapabilityStructureResponse, CreateElementResponse, CreateRelationshipResponse, DeleteElementResponse,
    SubmitArchitectureIntentResponse, UpdateElementResponse,
};

use super::planner::{Applied, Outcome};
use crate::domain::diff;
use crate::domain::element::{Created, Deleted, Updated};
use crate::domain::relationship::Link;
use crate::domain::template::Made;
use crate::domain::{Fact, Notes};
use crate::projection::message;

pub use marks::{Marks, Proposable, Replayable};

/// An outcome that a caller is told about.
pub trait Answered {
    type Answer: Replayable + Clone + Send + Sync;
    /// What the effect is about, as the idempotency table names it.
    const AGGREGATE: &'static str;
    fn aggregate_id(&self) -> &str;
    fn answer(&self, notes: &Notes) -> Self::Answer;
}

/// What every answer to a write has.
macro_rules! answer {
    ($answer:ident, $notes:expr, $($field:ident: $value:expr),* $(,)?) => {
        $answer {
            success: true,
            $($field: $value,)*
            suggestions: $notes.suggestions.clone(),
            warnings: $notes.warnings.iter().map(message::warning).collect(),
            outcome: proto::Outcome::Committed.into(),
            ..Default::default()
        }
    };
}

impl Answered for Created {
    type Answer = CreateElementResponse;
    const AGGREGATE: &'static str = "element";

    fn aggregate_id(&self) -> &str {
        &self.element.id
    }

    fn answer(&self, notes: &Notes) -> CreateElementResponse {
        answer!(CreateElementResponse, notes,
            element: Some(message::element(&self.element, 1)),
            relationship: self.link.as_ref().map(message::link),
        )
    }
}

/// A capability that may come to be.
#[derive(Debug, Clone)]
pub struct CapabilityCreated(pub Created);

impl Answered for CapabilityCreated {
    type Answer = CreateCapabilityResponse;
    const AGGREGATE: &'static str = "capability";

    fn aggregate_id(&self) -> &str {
        &self.0.element.id
    }

    fn answer(&self, notes: &Notes) -> CreateCapabilityResponse {
        let element = message::element(&self.0.element, 1);
        let capability = Capability {
            revision: element.version,
            id: element.id,
            r#type: element.r#type,
            name: element.name,
            layer: element.layer,
            profile: element.profile,
            description: element.description,
            key: element.key,
            model_id: element.model_id,
            repository_id: element.repository_id,
            element_id: element.element_id,
            version_id: element.version_id,
        };
        answer!(CreateCapabilityResponse, notes, capability: Some(capability))
    }
}

/// A capability structure that may come to be.
#[derive(Debug, Clone)]
pub struct StructureMade(pub Made);

impl Answered for StructureMade {
    type Answer = CreateCapabilityStructureResponse;
    const AGGREGATE: &'static str = "capability";

    fn aggregate_id(&self) -> &str {
        &self.0.elements[0].id
    }

    fn answer(&self, notes: &Notes) -> CreateCapabilityStructureResponse {
        let elements = new_elements(&self.0);
        answer!(CreateCapabilityStructureResponse, notes,
            capability: elements.first().cloned(),
            created_elements: elements,
            created_relationships: self.0.links.iter().map(message::link).collect(),
        )
    }
}

/// A component that may come to be.
#[derive(Debug, Clone)]
pub struct ComponentMade(pub Made);

impl Answered for ComponentMade {
    type Answer = AddComponentToCapabilityResponse;
    const AGGREGATE: &'static str = "element";

    fn aggregate_id(&self) -> &str {
        &self.0.elements[0].id
    }

    fn answer(&self, notes: &Notes) -> AddComponentToCapabilityResponse {
        let elements = new_elements(&self.0);
        answer!(AddComponentToCapabilityResponse, notes,
            component: elements.first().cloned(),
            created_elements: elements,
            created_relationships: self.0.links.iter().map(message::link).collect(),
        )
    }
}

fn new_elements(made: &Made) -> Vec<proto::Element> {
    made.elements.iter().map(|element| message::element(element, 1)).collect()
}

impl Answered for Link {
    type Answer = CreateRelationshipResponse;
    const AGGREGATE: &'static str = "relationship";

    fn aggregate_id(&self) -> &str {
        &self.relationship.id
    }

    fn answer(&self, notes: &Notes) -> CreateRelationshipResponse {
        answer!(CreateRelationshipResponse, notes, relationship: Some(message::link(self)))
    }
}

impl Answered for Updated {
    type Answer = UpdateElementResponse;
    const AGGREGATE: &'static str = "element";

    fn aggregate_id(&self) -> &str {
        &self.element.id
    }

    fn answer(&self, notes: &Notes) -> UpdateElementResponse {
        answer!(UpdateElementResponse, notes,
            element: Some(message::element(&self.element, self.version)),
            previous_version: self.previous_version,
            new_version: self.version,
        )
    }
}

impl Answered for Deleted {
    type Answer = DeleteElementResponse;
    const AGGREGATE: &'static str = "element";

    fn aggregate_id(&self) -> &str {
        &self.element.id
    }

    fn answer(&self, notes: &Notes) -> DeleteElementResponse {
        answer!(DeleteElementResponse, notes,
            deleted_relationships: self.relationships.clone(),
            element: Some(message::element(&self.element, self.element.version)),
        )
    }
}

impl Answered for Applied {
    type Answer = ApplyChangesResponse;
    const AGGREGATE: &'static str = "changes";

    fn aggregate_id(&self) -> &str {
        self.rows.first().map_or("", |(_, row)| &row.key.id)
    }

    fn answer(&self, notes: &Notes) -> ApplyChangesResponse {
        answer!(ApplyChangesResponse, notes,
            summary: diff::counts(self.rows.iter().map(|(_, row)| row)),
            ids: Some(ids(self)),
            changes: self.rows.iter().map(|(index, row)| message::change_made(*index, row)).collect(),
        )
    }
}

impl Applied {
    /// The answer of a dry run: what would happen, and first of all that it did not.
    pub fn rehearsed(&self, notes: &Notes) -> ApplyChangesResponse {
        let mut answer = self.answer(notes);
        answer.make_hypothetical();
        answer.message = Some("Nothing changed: this is what the changes would do.".to_owned());
        answer.outcome = proto::Outcome::Unspecified.into();
        answer
    }
}

fn ids(applied: &Applied) -> Object {
    Object(applied.ids.iter().map(|(key, id)| (key.clone(), id.clone().into())).collect())
}

/// Whatever an intent leads to.
impl Answered for Outcome {
    type Answer = SubmitArchitectureIntentResponse;
    const AGGREGATE: &'static str = "intent";

    fn aggregate_id(&self) -> &str {
        match self {
            Self::Created(created) => created.aggregate_id(),
            Self::Updated(updated) => updated.aggregate_id(),
            Self::Deleted(deleted) => deleted.aggregate_id(),
            Self::Linked(link) => link.aggregate_id(),
            Self::Settled(settled) => &settled.relationship.id,
            Self::Made(made) => &made.elements[0].id,
            Self::Saved(saved) => &saved.view.id,
            Self::Applied(applied) => applied.aggregate_id(),
            Self::Scrum(changed) => changed.aggregate_id(),
        }
    }

    fn answer(&self, notes: &Notes) -> SubmitArchitectureIntentResponse {
        let mut answer = answer!(SubmitArchitectureIntentResponse, notes,);
        match self {
            Self::Created(Created { element, link }) => {
                answer.element = Some(message::element(element, 1));
                answer.relationship = link.as_ref().map(message::link);
            }
            Self::Updated(updated) => {
                answer.element = Some(message::element(&updated.element, updated.version));
            }
            Self::Deleted(deleted) => {
                answer.element = Some(message::element(&deleted.element, deleted.element.version));
                answer.deleted_relationships = deleted.relationships.clone();
            }
            Self::Linked(link) => answer.relationship = Some(message::link(link)),
            Self::Settled(settled) => {
                answer.relationship = Some(message::relationship(&settled.relationship, settled.version));
                answer.deleted_relationships.clone_from(&settled.also_deleted);
            }
            // Templates and Scrum have tools of their own; an architecture intent never leads here.
            Self::Made(_) | Self::Scrum(_) => {}
            Self::Applied(applied) => {
                answer.changes = applied.rows.iter().map(|(index, row)| message::change_made(*index, row)).collect();
                answer.ids = Some(ids(applied));
            }
            Self::Saved(saved) => answer.view = Some(message::view(&saved.view, saved.version)),
        }
        answer
    }
}

/// What facts would do, in one line for reviewers.
pub fn describe(facts: &[Fact]) -> String {
    let Some(first) = facts.last().filter(|fact| matches!(fact, Fact::ElementDeleted(_))).or(facts.first()) else {
        return "Nothing".to_owned();
    };
    let said = match first {
        Fact::ElementCreated(element) => format!("Create {} '{}'", element.r#type, element.name),
        Fact::ElementUpdated(element) => format!("Update {} '{}'", element.r#type, element.name),
        Fact::ElementDeleted(element) => format!("Delete {} '{}'", element.r#type, element.name),
        Fact::ElementRelationshipCreated(of) => format!("Relate {} to {} by {}", of.source_id, of.target_id, of.r#type),
        Fact::ElementRelationshipUpdated(of) => format!("Update {} {}", of.r#type, of.id),
        Fact::ElementRelationshipDeleted(of) => format!("Delete {} {}", of.r#type, of.id),
        Fact::ViewCreated(view) => format!("Create view '{}'", view.name),
        Fact::ArchimateViewLayoutRecorded(view) => format!("Draw view '{}' anew", view.name),
        Fact::ViewDeleted(view) => format!("Delete view '{}'", view.name),
        other => other.kind().to_owned(),
    };
    match facts.len() {
        1 => said,
        more => format!("{said} and {} more changes", more - 1),
    }
}
