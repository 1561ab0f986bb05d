//! What a node of the canon is recorded as: its row, and the links that lead from it.

use super::node::{Entity, Event, Fact, Link, Relationship};
use super::row::Row;
use super::words::CanonLevel;

pub const INVOLVES: &str = "INVOLVES";
pub const SUPPORTED_BY: &str = "SUPPORTED_BY";
pub const CAUSES: &str = "CAUSES";
pub const REPLACES: &str = "REPLACES";
pub const DERIVES_FROM: &str = "DERIVES_FROM";

/// A new entity.
pub fn entity(entity: Entity) -> Vec<Row> {
    let links = Links { from: &entity.entity_id, universe: &entity.universe_id };
    let mut rows = links.all(DERIVES_FROM, &entity.derives_from);
    rows.extend(links.support(&entity.evidence_refs));
    rows.insert(0, Row::Entity(entity));
    rows
}

/// A new fact. What it replaces is linked where that is [`retconned`].
pub fn fact(fact: Fact) -> Vec<Row> {
    let links = Links { from: &fact.fact_id, universe: &fact.universe_id };
    let mut rows = links.all(INVOLVES, &fact.involved_entity_ids);
    rows.extend(links.support(&fact.evidence_refs));
    rows.insert(0, Row::Fact(fact));
    rows
}

/// A new event.
pub fn event(event: Event) -> Vec<Row> {
    let links = Links { from: &event.event_id, universe: &event.universe_id };
    let mut rows = links.all(INVOLVES, &event.involved_entity_ids);
    rows.extend(links.all(CAUSES, &event.causes_event_ids));
    rows.extend(links.support(&event.evidence_refs));
    rows.insert(0, Row::Event(event));
    rows
}

/// A new relationship.
pub fn relationship(relationship: Relationship) -> Vec<Row> {
    let links = Links { from: &relationship.relationship_id, universe: &relationship.universe_id };
    let mut rows = links.support(&relationship.evidence_refs);
    rows.insert(0, Row::Relationship(relationship));
    rows
}

/// A fact that no longer holds, with the link from what took its place.
pub fn retconned(fact: &Fact, by: &str) -> Vec<Row> {
    let link = Link {
        r#type: REPLACES.to_owned(),
        from: by.to_owned(),
        to: fact.fact_id.clone(),
        universe_id: fact.universe_id.clone(),
    };
    let fact = Fact { canon_level: CanonLevel::Retconned, replaced_by: Some(by.to_owned()), ..fact.clone() };
    vec![Row::Fact(fact), Row::Link(link)]
}

struct Links<'a> {
    from: &'a str,
    universe: &'a str,
}

impl Links<'_> {
    fn all<'a>(&self, r#type: &str, targets: impl IntoIterator<Item = &'a String>) -> Vec<Row> {
        let link = |to: &String| {
            let (r#type, from, to) = (r#type.to_owned(), self.from.to_owned(), to.clone());
            Row::Link(Link { r#type, from, to, universe_id: self.universe.to_owned() })
        };
        targets.into_iter().map(link).collect()
    }

    /// Sources and scenes are linked; turns, snippets and rules stay references.
    fn support(&self, evidence_refs: &[String]) -> Vec<Row> {
        let linked = |text: &String| {
            let (kind, id) = text.split_once(':')?;
            matches!(kind, "source" | "scene").then(|| id.to_owned())
        };
        let targets: Vec<String> = evidence_refs.iter().filter_map(linked).collect();
        self.all(SUPPORTED_BY, &targets)
    }
}
