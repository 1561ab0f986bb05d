//! A batch: the entities of one call with their types, schemas and ids.

use std::collections::BTreeSet;

use super::Incoming;
use crate::Error;
use crate::domain::{Map, identity, ids, schema};
use crate::write::Plan;

/// What was sent about one entity, and which one it is.
#[derive(Debug, Clone)]
pub struct Item {
    pub entity_type: String,
    pub fields: Map,
    pub entity_id: String,
    /// What it is called as long as nothing better is known.
    pub name: String,
    /// False when another entity may have the same name.
    pub by_name: bool,
    /// Entities that its reference fields name.
    pub references: Vec<Referred>,
}

/// An entity that a field names.
#[derive(Debug, Clone)]
pub struct Referred {
    pub relationship_type: String,
    pub entity_type: String,
    pub entity_id: String,
    pub name: String,
    pub fields: Map,
}

/// The entities of one call.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub items: Vec<Item>,
}

impl Batch {
    /// Finds out what the entities are. Loads their schemas into the plan and lets inferred ones grow.
    pub async fn prepare(plan: &mut Plan<'_>, incoming: Vec<Incoming>) -> Result<Self, Error> {
        let types = types(plan, &incoming).await?;
        let distinct: BTreeSet<&str> = types.iter().map(String::as_str).collect();
        plan.load_schemas(distinct.iter().copied()).await?;
        for of in &distinct {
            let of_type = types.iter().zip(&incoming).filter(|(r#type, _)| r#type == of);
            let samples: Vec<&Map> = of_type.map(|(_, incoming)| &incoming.fields).collect();
            plan.grow_schema(of, &samples);
        }
        let targets: BTreeSet<String> = distinct
            .iter()
            .flat_map(|of| plan.schema(of).reference_fields.iter().map(|reference| reference.target_type.clone()))
            .collect();
        plan.load_schemas(targets.iter().map(String::as_str)).await?;
        let mut items = Vec::with_capacity(incoming.len());
        for (index, (entity_type, incoming)) in types.into_iter().zip(incoming).enumerate() {
            items.push(item(plan, index, entity_type, incoming.fields)?);
            if index % 256 == 255 {
                // A large batch leaves room for others.
                tokio::task::yield_now().await;
            }
        }
        Ok(Self { items })
    }

    /// Everything it is about.
    pub fn entity_ids(&self) -> Vec<String> {
        let named = |item: &Item| item.references.iter().map(|referred| referred.entity_id.clone()).collect::<Vec<_>>();
        let all = self.items.iter().flat_map(|item| std::iter::once(item.entity_id.clone()).chain(named(item)));
        let distinct: BTreeSet<String> = all.collect();
        distinct.into_iter().collect()
    }
}

/// The types that are meant. A type of the user's own has to be looked up before plurals can be folded onto it.
async fn types(plan: &Plan<'_>, incoming: &[Incoming]) -> Result<Vec<String>, Error> {
    let unknown: BTreeSet<&str> = incoming
        .iter()
        .map(|incoming| incoming.entity_type.as_str())
        .filter(|given| schema::builtin(given).is_none())
        .collect();
    let mut own: BTreeSet<String> = BTreeSet::new();
    if !unknown.is_empty() {
        let singular = |given: &str| {
            [given.strip_suffix('s').map(str::to_owned), given.strip_suffix("ies").map(|stem| format!("{stem}y"))]
        };
        let candidates: BTreeSet<String> = unknown
            .iter()
            .flat_map(|given| singular(given).into_iter().flatten().chain(std::iter::once((*given).to_owned())))
            .map(|name| name.to_lowercase().replace([' ', '-'], "_"))
            .filter(|name| schema::is_entity_type(name))
            .collect();
        own = plan.reader.schemas(candidates.iter().map(String::as_str)).await?.into_keys().collect();
    }
    let meant = |(index, incoming): (usize, &Incoming)| {
        schema::entity_type(&incoming.entity_type, |name| own.contains(name)).map_err(|bad| {
            Error::invalid(
                format!("entities[{index}].entity_type"),
                "is not a type name",
                format!("{bad}; for example invoice, note or person"),
            )
        })
    };
    incoming.iter().enumerate().map(meant).collect()
}

fn item(plan: &Plan<'_>, index: usize, entity_type: String, fields: Map) -> Result<Item, Error> {
    let (user, schema) = (plan.reader.user, plan.schema(&entity_type));
    let identity = identity::identify(schema, &fields).map_err(|unidentified| {
        Error::invalid(format!("entities[{index}]"), "has nothing that identifies it", unidentified.to_string())
    })?;
    let mut references = Vec::new();
    for reference in &schema.reference_fields {
        let Some(name) =
            fields.get(&reference.field).and_then(|value| value.as_str()).filter(|name| !name.trim().is_empty())
        else {
            continue;
        };
        let mut named = Map::new();
        named.insert("name".to_owned(), name.into());
        let target = plan.schema(&reference.target_type);
        let Ok(identity) = identity::identify(target, &named) else { continue };
        references.push(Referred {
            relationship_type: reference.relationship_type.clone(),
            entity_type: reference.target_type.clone(),
            entity_id: ids::entity(user, &reference.target_type, &identity.value),
            name: identity.name,
            fields: named,
        });
    }
    Ok(Item {
        entity_id: ids::entity(user, &entity_type, &identity.value),
        by_name: matches!(&identity.by, identity::By::Name(_))
            || matches!(&identity.by, identity::By::Schema(rule) if *rule == ["name"] || *rule == ["title"]),
        name: identity.name,
        entity_type,
        fields,
        references,
    })
}
