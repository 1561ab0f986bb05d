//! A batch: the entities of one call with their types, schemas and ids.

use std::collections::BTreeSet;

use super::Incoming;
use crate::Error;
use crate::domain::Map;
use crate::domain::ingest::{Item, item};
use crate::domain::plan::Plan;
use crate::domain::schema::{self, BadType};
use crate::error::Flaw;
use crate::projection::Reader;
use crate::write::load;

/// The entities of one call.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub items: Vec<Item>,
    /// Where each item stood in what was sent or found; what cannot be stored has none.
    pub places: Vec<usize>,
    /// Everything it is about, sorted.
    pub entity_ids: Vec<String>,
}

impl Batch {
    /// Finds out what the entities are. Loads their schemas into the plan and lets inferred ones grow. A refusal names
    /// every entity that cannot be stored.
    pub async fn prepare(reader: &Reader<'_>, plan: &mut Plan, incoming: Vec<Incoming>) -> Result<Self, Error> {
        let (batch, flaws) = Self::sorted_out(reader, plan, incoming).await?;
        if flaws.is_empty() { Ok(batch) } else { Err(Error::Flawed(flaws)) }
    }

    /// Like [`Self::prepare`], for what was found and not sent: what cannot be stored is left out and counted.
    pub async fn prepare_found(
        reader: &Reader<'_>,
        plan: &mut Plan,
        found: Vec<Incoming>,
    ) -> Result<(Self, usize), Error> {
        let (batch, flaws) = Self::sorted_out(reader, plan, found).await?;
        Ok((batch, flaws.len()))
    }

    /// Like [`Self::prepare`] without reading anything, for entities of built-in types that the user has no schemas for.
    /// Nothing when another type is among them, or one that cannot be stored.
    pub async fn assume(plan: &mut Plan, incoming: Vec<Incoming>) -> Option<Self> {
        for of in incoming.iter().map(|incoming| incoming.entity_type.as_str()) {
            let references = &schema::builtin(of)?.reference_fields;
            let targets = references.iter().map(|reference| reference.target_type.as_str());
            if !targets.chain([of]).all(|of| plan.assume_schema(of)) {
                return None;
            }
        }
        let types = incoming.iter().map(|incoming| Some(incoming.entity_type.clone())).collect();
        let (batch, flaws) = Self::of_types(plan, types, incoming);
        flaws.is_empty().then_some(batch)
    }

    async fn sorted_out(
        reader: &Reader<'_>,
        plan: &mut Plan,
        incoming: Vec<Incoming>,
    ) -> Result<(Self, Vec<Flaw>), Error> {
        let types = types(reader, &incoming).await?;
        let distinct: BTreeSet<&str> = types.iter().flatten().map(String::as_str).collect();
        load::schemas(reader, plan, distinct.iter().copied()).await?;
        for of in &distinct {
            let of_type = types.iter().zip(&incoming).filter(|(r#type, _)| r#type.as_deref() == Some(*of));
            let samples: Vec<&Map> = of_type.map(|(_, incoming)| &incoming.fields).collect();
            plan.grow_schema(of, &samples);
        }
        let targets: BTreeSet<String> = distinct
            .iter()
            .flat_map(|of| plan.schema(of).reference_fields.iter().map(|reference| reference.target_type.clone()))
            .collect();
        load::schemas(reader, plan, targets.iter().map(String::as_str)).await?;
        Ok(Self::of_types(plan, types, incoming))
    }

    fn of_types(plan: &Plan, types: Vec<Option<String>>, incoming: Vec<Incoming>) -> (Self, Vec<Flaw>) {
        let mut items = Vec::with_capacity(incoming.len());
        let mut places = Vec::with_capacity(incoming.len());
        let mut flaws = Vec::new();
        for (index, (entity_type, incoming)) in types.into_iter().zip(incoming).enumerate() {
            let known = entity_type.ok_or_else(|| {
                let fix = format!("{BadType}; for example invoice, note or person");
                Flaw::new(format!("entities[{index}].entity_type"), "is not a type name", fix)
            });
            match known.and_then(|entity_type| item(plan, index, entity_type, incoming.fields)) {
                Ok(item) => {
                    items.push(item);
                    places.push(index);
                }
                Err(flaw) => flaws.push(flaw),
            }
        }
        let entity_ids = distinct(&items);
        (Self { items, places, entity_ids }, flaws)
    }
}

/// The entities that these items are about or name, sorted.
fn distinct(items: &[Item]) -> Vec<String> {
    let named = items.iter().flat_map(|item| item.references.iter().map(|referred| &referred.entity_id));
    let mut ids: Vec<String> = items.iter().map(|item| &item.entity_id).chain(named).cloned().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The types that are meant; nothing for a text that cannot name one.
async fn types(reader: &Reader<'_>, incoming: &[Incoming]) -> Result<Vec<Option<String>>, Error> {
    let meant = reader.types_meant(incoming.iter().map(|incoming| incoming.entity_type.as_str())).await?;
    Ok(incoming.iter().map(|incoming| meant.get(incoming.entity_type.as_str()).cloned()).collect())
}
