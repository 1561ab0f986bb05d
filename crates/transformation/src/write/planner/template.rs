//! Decides writes that make several things at once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use contract::Context;

use super::Planner;
use super::element::{refuse_look_alike, with_alternatives};
use crate::Error;
use crate::domain::template::{self, AddComponent, CreateStructure, Made, Surroundings};
use crate::domain::{Decision, Name};
use crate::metamodel::ElementType;
use crate::projection::Snapshot;

impl Planner {
    pub async fn create_structure(&self, ctx: &Context, command: &CreateStructure) -> Result<Decision<Made>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let model_id = snapshot.model_id(command.model.as_deref()).await?;
        let parts = command.value_streams.iter().chain(&command.sub_capabilities);
        for name in std::iter::once(&command.name).chain(&command.sub_capabilities) {
            refuse_look_alike(&snapshot, &model_id, ElementType::CAPABILITY, name).await?;
        }
        for name in &command.value_streams {
            refuse_look_alike(&snapshot, &model_id, ElementType::VALUE_STREAM, name).await?;
        }
        let around = surroundings(&snapshot, ctx, model_id, std::iter::once(&command.name).chain(parts)).await?;
        match template::create_structure(self.profile, &around, command) {
            Err(refusal) => Err(with_alternatives(&snapshot, ElementType::CAPABILITY, refusal).await?),
            Ok(mut decision) => {
                if let Some(reference) = &command.model {
                    decision.notes.resolve("model_id", reference, &around.model_id);
                }
                Ok(decision)
            }
        }
    }

    pub async fn add_component(&self, ctx: &Context, command: &AddComponent) -> Result<Decision<Made>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let capability = snapshot.element("capability_id", &command.capability, None).await?;
        refuse_look_alike(&snapshot, &capability.model_id, ElementType::APPLICATION_COMPONENT, &command.name).await?;
        for name in &command.services {
            refuse_look_alike(&snapshot, &capability.model_id, ElementType::APPLICATION_SERVICE, name).await?;
        }
        let names = std::iter::once(&command.name).chain(&command.services);
        let around = surroundings(&snapshot, ctx, capability.model_id.clone(), names).await?;
        match template::add_component(self.profile, &around, &capability, command) {
            Err(refusal) => Err(with_alternatives(&snapshot, ElementType::APPLICATION_COMPONENT, refusal).await?),
            Ok(mut decision) => {
                decision.notes.resolve("capability_id", &command.capability, &capability.id);
                Ok(decision)
            }
        }
    }
}

async fn surroundings(
    snapshot: &Snapshot<'_>,
    ctx: &Context,
    model_id: String,
    names: impl Iterator<Item = &Name>,
) -> Result<Surroundings, Error> {
    let mut namesakes = BTreeMap::new();
    for name in names {
        if let Entry::Vacant(entry) = namesakes.entry(name.normalised()) {
            let holders = snapshot.namesakes(&model_id, entry.key().clone()).await?;
            entry.insert(holders);
        }
    }
    Ok(Surroundings { repository_id: ctx.scope.repository.to_string(), model_id, namesakes })
}
