//! What a reader has found so far: entities, each party once, and how they are related.

use std::collections::{HashMap, HashSet};

use contract::Object;
use serde_json::Value;

use super::{Extracted, Link, Understood, language, party};

/// Collects what a document says. Parties and relationships are looked up, never searched for: a file may have thousands.
#[derive(Debug, Default)]
pub struct Findings {
    understood: Understood,
    /// Where companies and people are, by the form in which names are compared.
    by_name: HashMap<String, usize>,
    /// Where they are by type and address.
    by_email: HashMap<(String, String), usize>,
    related: HashSet<(&'static str, usize, usize)>,
}

impl From<Understood> for Findings {
    fn from(understood: Understood) -> Self {
        let related = understood.links.iter().map(|link| (link.relationship_type, link.source, link.target)).collect();
        let mut findings = Self { understood, related, ..Self::default() };
        (0..findings.understood.entities.len()).for_each(|at| findings.index(at));
        findings
    }
}

impl Findings {
    pub fn add(&mut self, entity_type: &str, fields: Object) -> usize {
        self.understood.entities.push(Extracted { entity_type: entity_type.to_owned(), fields });
        let at = self.understood.entities.len() - 1;
        self.index(at);
        at
    }

    /// Makes a company or a person known by its name and its address. Who came first keeps them.
    fn index(&mut self, at: usize) {
        let Extracted { entity_type, fields } = &self.understood.entities[at];
        if !matches!(entity_type.as_str(), "company" | "person") {
            return;
        }
        let text = |field: &str| fields.get(field).and_then(Value::as_str);
        if let Some(name) = text("name") {
            self.by_name.entry(party::key(name)).or_insert(at);
        }
        if let Some(email) = text("email") {
            self.by_email.entry((entity_type.clone(), email.to_ascii_lowercase())).or_insert(at);
        }
    }

    pub fn fields(&mut self, at: usize) -> &mut Object {
        &mut self.understood.entities[at].fields
    }

    pub fn entities(&self) -> &[Extracted] {
        &self.understood.entities
    }

    pub fn links(&self) -> &[Link] {
        &self.understood.links
    }

    pub fn remark(&mut self, remark: impl Into<String>) {
        self.understood.remarks.push(remark.into());
    }

    /// A company or a person of this name: the one that is known under it, or a new one. What is said about it is added
    /// where nothing else was said.
    pub fn party(&mut self, entity_type: &str, name: &str, more: &[(&str, &str)]) -> usize {
        let by_email = || {
            let (_, email) = more.iter().find(|(field, value)| *field == "email" && !value.is_empty())?;
            self.by_email.get(&(entity_type.to_owned(), email.to_ascii_lowercase())).copied()
        };
        let known = self.by_name.get(&party::key(name)).copied().or_else(by_email);
        let at = known.unwrap_or_else(|| {
            let mut fields = Object::default();
            fields.insert("name".to_owned(), name.into());
            self.add(entity_type, fields)
        });
        let fields = self.fields(at);
        for (field, value) in more.iter().filter(|(_, value)| !value.is_empty()) {
            fields.entry((*field).to_owned()).or_insert_with(|| (*value).into());
        }
        self.index(at);
        at
    }

    /// A person by a name as written, without forms of address.
    pub fn person(&mut self, name: &str, more: &[(&str, &str)]) -> usize {
        self.party("person", language::without_honorifics(name).0, more)
    }

    /// Relates two entities, once.
    pub fn link(&mut self, relationship_type: &'static str, source: usize, target: usize, evidence: &str) {
        const EVIDENCE_CHARS_MAX: usize = 200;
        if source != target && self.related.insert((relationship_type, source, target)) {
            let evidence = evidence.trim().chars().take(EVIDENCE_CHARS_MAX).collect();
            self.understood.links.push(Link { relationship_type, source, target, evidence });
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
                    self.index(at);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_party_is_known_by_its_name_and_by_its_address() {
        let mut found = Findings::default();
        let first = found.party("company", "Birke GmbH", &[]);
        assert_eq!(found.party("company", "BIRKE", &[("email", "a@example.org")]), first);
        assert_eq!(found.party("company", "Birke Labor", &[("email", "A@example.org")]), first);
        let other = found.party("person", "Ada Linde", &[("email", "a@example.org")]);
        assert_ne!(other, first, "a person and a company may share an address");
    }

    #[test]
    fn a_relationship_is_said_once_and_never_to_oneself() {
        let mut found = Findings::default();
        let (one, two) = (found.person("Ada Linde", &[]), found.party("company", "Birke GmbH", &[]));
        for _ in 0..2 {
            found.link("WORKS_FOR", one, two, "");
            found.link("WORKS_FOR", one, one, "");
        }
        assert_eq!(found.finish().links.len(), 1);
    }
}
