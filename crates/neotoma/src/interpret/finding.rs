//! What a reader has found so far: entities, each party once, and how they are related.

use contract::Object;
use serde_json::Value;

use super::{Extracted, Link, Understood, language, party};

/// Collects what a document says.
#[derive(Debug, Default)]
pub struct Findings {
    understood: Understood,
}

impl From<Understood> for Findings {
    fn from(understood: Understood) -> Self {
        Self { understood }
    }
}

impl Findings {
    pub fn add(&mut self, entity_type: &str, fields: Object) -> usize {
        self.understood.entities.push(Extracted { entity_type: entity_type.to_owned(), fields });
        self.understood.entities.len() - 1
    }

    pub fn fields(&mut self, at: usize) -> &mut Object {
        &mut self.understood.entities[at].fields
    }

    pub fn entities(&self) -> &[Extracted] {
        &self.understood.entities
    }

    pub fn remark(&mut self, remark: impl Into<String>) {
        self.understood.remarks.push(remark.into());
    }

    /// A company or a person of this name: the one that is known under it, or a new one. What is said about it is added
    /// where nothing else was said.
    pub fn party(&mut self, entity_type: &str, name: &str, more: &[(&str, &str)]) -> usize {
        let wanted = party::key(name);
        let known = self.understood.entities.iter().position(|entity| {
            let same_email = || more.iter().any(|(field, value)| *field == "email" && is(entity, "email", value));
            matches!(entity.entity_type.as_str(), "company" | "person")
                && (entity.fields.get("name").and_then(Value::as_str).is_some_and(|name| party::key(name) == wanted)
                    || (entity.entity_type == entity_type && same_email()))
        });
        let at = known.unwrap_or_else(|| {
            let mut fields = Object::default();
            fields.insert("name".to_owned(), name.into());
            self.add(entity_type, fields)
        });
        let fields = self.fields(at);
        for (field, value) in more.iter().filter(|(_, value)| !value.is_empty()) {
            fields.entry((*field).to_owned()).or_insert_with(|| (*value).into());
        }
        at
    }

    /// A person by a name as written, without forms of address.
    pub fn person(&mut self, name: &str, more: &[(&str, &str)]) -> usize {
        self.party("person", language::without_honorifics(name).0, more)
    }

    /// Relates two entities, once.
    pub fn link(&mut self, relationship_type: &'static str, source: usize, target: usize, evidence: &str) {
        const EVIDENCE_CHARS_MAX: usize = 200;
        let links = &mut self.understood.links;
        let is_known =
            |link: &Link| link.relationship_type == relationship_type && link.source == source && link.target == target;
        if source != target && !links.iter().any(is_known) {
            let evidence = evidence.trim().chars().take(EVIDENCE_CHARS_MAX).collect();
            links.push(Link { relationship_type, source, target, evidence });
        }
    }

    /// Takes over what another reader found; parties that are known are not added again. Answers where its first
    /// entity is now.
    pub fn absorb(&mut self, other: Understood) -> Option<usize> {
        let mut places = Vec::with_capacity(other.entities.len());
        for entity in other.entities {
            let name = entity.fields.get("name").and_then(Value::as_str).map(str::to_owned);
            places.push(match (entity.entity_type.as_str(), name) {
                ("company" | "person", Some(name)) => {
                    let at = self.party(&entity.entity_type, &name, &[]);
                    let fields = self.fields(at);
                    for (field, value) in entity.fields.0 {
                        fields.entry(field).or_insert(value);
                    }
                    at
                }
                _ => self.add(&entity.entity_type, entity.fields),
            });
        }
        for link in other.links {
            self.link(link.relationship_type, places[link.source], places[link.target], &link.evidence);
        }
        self.understood.remarks.extend(other.remarks);
        places.first().copied()
    }

    pub fn finish(self) -> Understood {
        self.understood
    }
}

fn is(entity: &Extracted, field: &str, value: &str) -> bool {
    entity.fields.get(field).and_then(Value::as_str).is_some_and(|known| known.eq_ignore_ascii_case(value))
}
