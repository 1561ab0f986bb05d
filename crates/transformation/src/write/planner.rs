//! From a command to a decision: loads what the rules want to see, at one point, and writes nothing.

use contract::Context;
use ledger::SharedLedger;

use super::Command;
use crate::Error;
use crate::domain::baseline::pin;
use crate::domain::element::{self, CreateElement, Created, DeleteElement, Deleted, UpdateElement, Updated};
use crate::domain::relationship::{self, CreateRelationship, Link};
use crate::domain::{Decision, Name, Notes};
use crate::metamodel::{ElementType, Profile, RelationshipType};
use crate::projection::Snapshot;

/// Decides writes without making them.
#[derive(Clone)]
pub struct Planner {
    ledger: SharedLedger,
    profile: Profile,
}

impl Planner {
    pub fn new(ledger: SharedLedger, profile: Profile) -> Self {
        Self { ledger, profile }
    }

    /// What any write would lead to, as far as the caller is told: warnings and suggestions, or the refusal.
    pub async fn rehearse(&self, ctx: &Context, command: &Command) -> Result<Notes, Error> {
        match command {
            Command::CreateElement(command) => {
                let mut notes = self.create_element(ctx, command).await?.notes;
                notes.suggestions.extend(self.neighbours(ctx, command).await?);
                Ok(notes)
            }
            Command::CreateRelationship(command) => Ok(self.create_relationship(ctx, command).await?.notes),
            Command::UpdateElement(command) => Ok(self.update_element(ctx, command).await?.notes),
            Command::DeleteElement(command) => Ok(self.delete_element(ctx, command).await?.notes),
        }
    }

    pub async fn create_element(&self, ctx: &Context, command: &CreateElement) -> Result<Decision<Created>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let model_id = snapshot.model_id(command.model.as_deref()).await?;
        let parent = match &command.parent {
            Some(parent) => Some(snapshot.element("parent_id", parent, Some(&model_id)).await?),
            None => None,
        };
        let key_holder = match &command.key {
            Some(key) => snapshot.element_by_key(&model_id, key).await?.map(|element| element.mention()),
            None => None,
        };
        let namesakes = snapshot.namesakes(&model_id, command.name.normalised()).await?;
        let repository_id = ctx.scope.repository.to_string();
        let around = element::Surroundings { repository_id, model_id, namesakes, key_holder, parent };
        match element::create(self.profile, &around, command) {
            Err(refusal) => Err(with_alternatives(&snapshot, command.r#type, refusal).await?),
            decision => decision,
        }
    }

    pub async fn create_relationship(
        &self,
        ctx: &Context,
        command: &CreateRelationship,
    ) -> Result<Decision<Link>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let source = snapshot.element("source_id", &command.source, None).await?;
        let target = snapshot.element("target_id", &command.target, Some(&source.model_id)).await?;
        let (of, acyclic) = (command.r#type, command.r#type.acyclic_with());
        let around = relationship::Surroundings {
            duplicates: snapshot.relationships_between(&source.model_id, of, &source.id, &target.id).await?,
            wholes: if of == RelationshipType::Composition {
                snapshot.wholes_of(&target.id).await?
            } else {
                Vec::new()
            },
            leads_back: !acyclic.is_empty() && snapshot.leads(&target.id, &source.id, acyclic).await?,
            source,
            target,
        };
        relationship::create(self.profile, &around, command)
    }

    pub async fn update_element(&self, ctx: &Context, command: &UpdateElement) -> Result<Decision<Updated>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let element = snapshot.element("id", &command.element, None).await?;
        let namesakes = match &command.name {
            Some(name) => snapshot.namesakes(&element.model_id, name.normalised()).await?,
            None => Vec::new(),
        };
        match element::update(&element, &namesakes, command) {
            Err(refusal) => Err(with_alternatives(&snapshot, element.r#type, refusal).await?),
            decision => decision,
        }
    }

    pub async fn delete_element(&self, ctx: &Context, command: &DeleteElement) -> Result<Decision<Deleted>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let element = snapshot.element("id", &command.element, None).await?;
        let pinned_by = snapshot.pinned_by(&element).await?;
        pin::refuse_pinned(&element, &pinned_by, command.even_if_published)?;
        let relationships = snapshot.relationships_of(&element.id).await?;
        element::delete(&element, &relationships, snapshot.since, command)
    }

    /// Elements that a new one may repeat or may want to be related to.
    async fn neighbours(&self, ctx: &Context, command: &CreateElement) -> Result<Vec<String>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let model_id = snapshot.model_id(command.model.as_deref()).await?;
        let similar = snapshot.similar(&model_id, command.name.as_str()).await?;
        let suggestion = |other: &element::Element| {
            if other.r#type == command.r#type {
                return format!("Similar element '{}' exists - consider if this is a duplicate", other.name);
            }
            let permitted = self.profile.permitted(command.r#type, other.r#type);
            let by = permitted.first().map_or("Association", |of| of.label());
            format!("Consider adding relationships to '{}' ({}), for example {by}", other.name, other.r#type)
        };
        Ok(similar.iter().map(|other| suggestion(other)).collect())
    }
}

/// Fills in names that are free when a name is taken.
async fn with_alternatives(snapshot: &Snapshot<'_>, r#type: ElementType, refusal: Error) -> Result<Error, Error> {
    let Error::DuplicateName { name, model_id, existing, .. } = refusal else { return Ok(refusal) };
    let mut alternatives = Vec::new();
    for family in name.alternatives() {
        for candidate in family {
            let Ok(candidate) = Name::new("name", &candidate) else { break };
            let holders = snapshot.namesakes(&model_id, candidate.normalised()).await?;
            if holders.iter().all(|holder| holder.r#type != r#type) {
                alternatives.push(candidate.to_string());
                break;
            }
        }
    }
    Ok(Error::DuplicateName { name, model_id, existing, alternatives })
}
