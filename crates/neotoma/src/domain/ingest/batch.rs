//! What was sent about one entity, and which one it is.

use crate::domain::identity::{self, is_single_token};
use crate::domain::plan::Plan;
use crate::domain::schema::Reference;
use crate::domain::{Map, ids};
use crate::error::Flaw;

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

impl Item {
    /// Whether a longer name that begins with its only word may mean the same.
    pub fn may_be_longer(&self) -> bool {
        is_single_token(&self.name) && matches!(self.entity_type.as_str(), "person" | "contact" | "company")
    }
}

/// Whether nothing but its name can tell an item from others, so that nothing else can repeat it.
pub fn by_name_alone(item: &Item) -> bool {
    item.by_name && !item.may_be_longer()
}

/// Finds out which entity of a type `fields` are about. The plan has the schemas of the type and of those that its
/// reference fields name.
pub fn item(plan: &Plan, index: usize, entity_type: String, fields: Map) -> Result<Item, Flaw> {
    let identity = identity::identify(plan.schema(&entity_type), &fields).map_err(|unidentified| {
        Flaw::new(format!("entities[{index}]"), "has nothing that identifies it", unidentified.to_string())
    })?;
    let references = references(plan, &entity_type, &fields);
    Ok(Item {
        entity_id: ids::entity(&plan.user, &entity_type, &identity.value),
        by_name: matches!(&identity.by, identity::By::Name(_))
            || matches!(&identity.by, identity::By::Schema(rule) if *rule == ["name"] || *rule == ["title"]),
        name: identity.name,
        entity_type,
        fields,
        references,
    })
}

/// The entities that the reference fields among `fields` name.
pub fn references(plan: &Plan, entity_type: &str, fields: &Map) -> Vec<Referred> {
    let named = |reference: &Reference| {
        let name = fields.get(&reference.field)?.as_str().filter(|name| !name.trim().is_empty())?;
        let mut fields = Map::new();
        fields.insert("name".to_owned(), name.into());
        let identity = identity::identify(plan.schema(&reference.target_type), &fields).ok()?;
        Some(Referred {
            relationship_type: reference.relationship_type.clone(),
            entity_type: reference.target_type.clone(),
            entity_id: ids::entity(&plan.user, &reference.target_type, &identity.value),
            name: identity.name,
            fields,
        })
    };
    plan.schema(entity_type).reference_fields.iter().filter_map(named).collect()
}
