//! What an accepted proposal records.

use std::collections::BTreeMap;

use scope::Timestamp;

use super::Canon;
use crate::domain::content::{Content, EntityContent, EventContent, FactContent, RelationshipContent};
use crate::domain::narrative::Proposal;
use crate::domain::node::{Entity, Event, Fact, Relationship, TagChange};
use crate::domain::row::Row;
use crate::domain::words::{CanonLevel, FactType};
use crate::domain::{graph, tags};

/// One proposal that is carried out.
pub(super) struct Work<'a> {
    pub canon: &'a Canon,
    pub proposal: &'a Proposal,
    /// The id of what it brings.
    pub id: &'a str,
    pub evidence_refs: Vec<String>,
    /// Of what it brings.
    pub level: CanonLevel,
    pub now: Timestamp,
}

/// Rows, the ids of what they retcon, and the id under which the proposal is canon.
type Done = (Vec<Row>, Vec<String>, String);

impl Work<'_> {
    /// `against` are the ids of what it contradicts.
    pub fn carry_out(&self, content: Content, against: &[&str]) -> Done {
        let mut touched = BTreeMap::new();
        let (mut rows, mut retconned) = self.retcon(against, &mut touched);
        let replaced = first_fact(&retconned, self.canon);
        let mut canonical_id = self.id.to_owned();
        match content {
            Content::Fact(content) => {
                let replaces = content.replaces.clone().or(replaced);
                rows.extend(graph::fact(self.fact(content, replaces)));
            }
            Content::Event(content) => rows.extend(graph::event(self.event(content))),
            Content::Entity(content) => rows.extend(graph::entity(self.entity(&content))),
            Content::StateChange(change) => {
                rows.extend(self.change(change, &mut touched, replaced).into_iter().flat_map(graph::fact));
            }
            Content::Relationship(content) => {
                let known = existing(self.canon, &content);
                canonical_id = known.map_or(canonical_id, |known| known.relationship_id.clone());
                if let (true, Some(known)) = (content.remove, known) {
                    rows.push(Row::Relationship(Relationship { canon_level: CanonLevel::Retconned, ..known.clone() }));
                    retconned.push(known.relationship_id.clone());
                } else {
                    let created_at = known.map_or(self.now, |known| known.created_at);
                    rows.extend(graph::relationship(self.relationship(content, canonical_id.clone(), created_at)));
                }
            }
        }
        rows.extend(touched.into_values().map(Row::Entity));
        (rows, retconned, canonical_id)
    }

    /// What no longer holds. A change of state that is taken back gives the entity its tags again.
    fn retcon(&self, against: &[&str], touched: &mut BTreeMap<String, Entity>) -> (Vec<Row>, Vec<String>) {
        let (mut rows, mut retconned) = (Vec::new(), Vec::new());
        for id in against {
            if let Some(fact) = self.canon.facts.get(*id) {
                rows.extend(graph::retconned(fact, self.id));
                if let Some(change) = &fact.state_change {
                    self.touch(&change.entity_id, touched, |tags| tags::revert(tags, change));
                }
            } else if let Some(known) = self.canon.relationships.get(*id) {
                rows.push(Row::Relationship(Relationship { canon_level: CanonLevel::Retconned, ..known.clone() }));
            } else {
                continue;
            }
            retconned.push((*id).to_owned());
        }
        (rows, retconned)
    }

    fn touch(&self, id: &str, touched: &mut BTreeMap<String, Entity>, tags: impl FnOnce(&[String]) -> Vec<String>) {
        let Some(entity) = touched.get(id).or_else(|| self.canon.entities.get(id)) else { return };
        let changed = Entity { state_tags: tags(&entity.state_tags), updated_at: self.now, ..entity.clone() };
        touched.insert(id.to_owned(), changed);
    }

    /// Changes the tags of an entity, with the fact that documents it.
    fn change(
        &self,
        change: TagChange,
        touched: &mut BTreeMap<String, Entity>,
        replaces: Option<String>,
    ) -> Option<Fact> {
        let name = &self.canon.entities.get(&change.entity_id)?.name;
        self.touch(&change.entity_id, touched, |tags| tags::apply(tags, &change));
        let content = FactContent {
            statement: tags::statement(name, &change),
            fact_type: FactType::State,
            entities: vec![change.entity_id.clone()],
            time_ref: self.proposal.content.get("time_ref").and_then(|text| text.as_str()?.parse().ok()),
            duration: None,
            replaces: None,
        };
        Some(Fact { state_change: Some(change), ..self.fact(content, replaces) })
    }

    pub fn entity(&self, content: &EntityContent) -> Entity {
        let content = content.clone();
        Entity {
            entity_id: self.id.to_owned(),
            universe_id: self.proposal.universe_id.clone(),
            entity_class: content.class,
            name: content.name,
            entity_type: content.entity_type,
            description: content.description,
            properties: content.properties,
            state_tags: content.state_tags,
            derives_from: content.derives_from,
            confidence: self.proposal.confidence,
            authority: self.proposal.authority,
            canon_level: self.level,
            evidence_refs: self.evidence_refs.clone(),
            created_at: self.now,
            updated_at: self.now,
        }
    }

    fn fact(&self, content: FactContent, replaces: Option<String>) -> Fact {
        Fact {
            fact_id: self.id.to_owned(),
            universe_id: self.proposal.universe_id.clone(),
            statement: content.statement,
            fact_type: content.fact_type,
            time_ref: content.time_ref,
            duration: content.duration,
            involved_entity_ids: content.entities,
            confidence: self.proposal.confidence,
            authority: self.proposal.authority,
            canon_level: self.level,
            evidence_refs: self.evidence_refs.clone(),
            replaces,
            replaced_by: None,
            state_change: None,
            created_at: self.now,
        }
    }

    fn event(&self, content: EventContent) -> Event {
        Event {
            event_id: self.id.to_owned(),
            scene_id: Some(self.proposal.scene_id.clone()).filter(|scene| !scene.is_empty()),
            universe_id: self.proposal.universe_id.clone(),
            title: content.title,
            description: content.description,
            time_ref: content.time_ref,
            severity: content.severity,
            involved_entity_ids: content.entities,
            causes_event_ids: content.causes,
            confidence: self.proposal.confidence,
            authority: self.proposal.authority,
            canon_level: self.level,
            evidence_refs: self.evidence_refs.clone(),
            created_at: self.now,
        }
    }

    fn relationship(&self, content: RelationshipContent, id: String, created_at: Timestamp) -> Relationship {
        Relationship {
            relationship_id: id,
            universe_id: self.proposal.universe_id.clone(),
            from_entity_id: content.from,
            to_entity_id: content.to,
            rel_type: content.rel_type,
            properties: content.properties,
            canon_level: self.level,
            authority: self.proposal.authority,
            confidence: self.proposal.confidence,
            evidence_refs: self.evidence_refs.clone(),
            created_at,
        }
    }
}

/// The canonical relationship of this type between these two.
pub(super) fn existing<'a>(canon: &'a Canon, wanted: &RelationshipContent) -> Option<&'a Relationship> {
    canon.relationships.values().find(|known| {
        known.canon_level == CanonLevel::Canon
            && known.from_entity_id == wanted.from
            && known.to_entity_id == wanted.to
            && known.rel_type == wanted.rel_type
    })
}

/// The fact that a new one takes the place of.
fn first_fact(retconned: &[String], canon: &Canon) -> Option<String> {
    retconned.iter().find(|id| canon.facts.contains_key(*id)).cloned()
}
