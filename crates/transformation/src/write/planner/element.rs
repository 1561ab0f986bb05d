//! Decides writes of elements.

use contract::Context;

use super::Planner;
use crate::Error;
use crate::domain::baseline::pin;
use crate::domain::element::{self, CreateElement, Created, DeleteElement, Deleted, UpdateElement, Updated};
use crate::domain::name::quoted;
use crate::domain::{Decision, Name};
use crate::metamodel::ElementType;
use crate::projection::Snapshot;

impl Planner {
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
        if command.chosen_id && snapshot.element_by_id(&command.id).await?.is_some() {
            return Err(Error::DuplicateId { id: command.id.clone() });
        }
        refuse_look_alike(&snapshot, &model_id, command.r#type, &command.name).await?;
        let namesakes = snapshot.namesakes(&model_id, command.name.normalised()).await?;
        let repository_id = ctx.scope.repository.to_string();
        let around = element::Surroundings { repository_id, model_id, namesakes, key_holder, parent };
        match element::create(self.profile, &around, command) {
            Err(refusal) => Err(with_alternatives(&snapshot, command.r#type, refusal).await?),
            Ok(mut decision) => {
                if let (Some(reference), Some(parent)) = (&command.parent, &around.parent) {
                    decision.notes.resolve("parent_id", reference, &parent.id);
                }
                if let Some(reference) = &command.model {
                    decision.notes.resolve("model_id", reference, &around.model_id);
                }
                Ok(decision)
            }
        }
    }

    pub async fn update_element(&self, ctx: &Context, command: &UpdateElement) -> Result<Decision<Updated>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let element = snapshot.element("id", &command.element, None).await?;
        let namesakes = match &command.name {
            Some(name) => {
                refuse_look_alike(&snapshot, &element.model_id, element.r#type, name).await?;
                snapshot.namesakes(&element.model_id, name.normalised()).await?
            }
            None => Vec::new(),
        };
        match element::update(&element, &namesakes, command) {
            Err(refusal) => Err(with_alternatives(&snapshot, element.r#type, refusal).await?),
            Ok(mut decision) => {
                decision.notes.resolve("id", &command.element, &element.id);
                Ok(decision)
            }
        }
    }

    pub async fn delete_element(&self, ctx: &Context, command: &DeleteElement) -> Result<Decision<Deleted>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let element = snapshot.element("id", &command.element, None).await?;
        let pinned_by = snapshot.pinned_by(&element).await?;
        pin::refuse_pinned(&element, &pinned_by, command.even_if_published)?;
        let relationships = snapshot.relationships_with(&element.id).await?;
        let mut decision = element::delete(&element, &relationships, snapshot.since, command)?;
        decision.notes.resolve("id", &command.element, &element.id);
        Ok(decision)
    }

    /// Elements that a new one may repeat or may want to be related to.
    pub(super) async fn neighbours(&self, ctx: &Context, command: &CreateElement) -> Result<Vec<String>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let model_id = snapshot.model_id(command.model.as_deref()).await?;
        let similar = snapshot.similar(&model_id, command.name.as_str()).await?;
        let suggestion = |other: &element::Element| {
            if other.r#type == command.r#type {
                return format!(
                    "Similar element {} exists - consider if this is a duplicate",
                    quoted(other.name.as_str())
                );
            }
            let permitted = self.profile.permitted(command.r#type, other.r#type);
            let by = permitted.first().map_or("Association", |of| of.label());
            format!(
                "Consider adding relationships to {} ({}), for example {by}",
                quoted(other.name.as_str()),
                other.r#type
            )
        };
        Ok(similar.iter().map(|other| suggestion(other)).collect())
    }
}

/// Fills in names that are free when a name is taken.
pub(super) async fn with_alternatives(
    snapshot: &Snapshot<'_>,
    r#type: ElementType,
    refusal: Error,
) -> Result<Error, Error> {
    let Error::DuplicateName { field, name, model_id, existing, .. } = refusal else { return Ok(refusal) };
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
    Ok(Error::DuplicateName { field, name, model_id, existing, alternatives })
}

/// Refuses a name that reads like that of another element of the same type, in letters of another alphabet.
pub(super) async fn refuse_look_alike(
    snapshot: &Snapshot<'_>,
    model_id: &str,
    r#type: ElementType,
    name: &Name,
) -> Result<(), Error> {
    let Some(plain) = name.look_alike().filter(|_| r#type != ElementType::JUNCTION) else { return Ok(()) };
    let holders = snapshot.namesakes(model_id, plain).await?;
    match holders.iter().find(|holder| holder.r#type == r#type) {
        None => Ok(()),
        Some(holder) => Err(Error::LookAlike { name: name.to_string(), existing: holder.mention() }),
    }
}
