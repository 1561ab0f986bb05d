//! What a baseline holds when it does not hold the whole model.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Chosen;
use crate::Error;
use crate::domain::element::Element;
use crate::domain::relationship::Relationship;
use crate::domain::{Name, Stored};
use crate::metamodel::{ElementType, RelationshipType};

/// A chosen part has at most this many elements and relationships together; a whole model may have any number.
pub const MEMBERS_MAX: usize = 10_000;

/// The chosen elements and the relationships between them, as they were at the point of the baseline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<ElementMember>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<RelationshipMember>,
}

/// An element version, with what it is found by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElementMember {
    pub element_id: String,
    pub version: u64,
    pub r#type: ElementType,
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A relationship version, with what it is found by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelationshipMember {
    pub relationship_id: String,
    pub version: u64,
    pub r#type: RelationshipType,
    pub source_id: String,
    pub target_id: String,
}

impl Membership {
    /// The elements and those of the relationships that stay among them, each once and in the order of ids.
    pub fn of(elements: &[Stored<Element>], relationships: &[Stored<Relationship>]) -> Self {
        Self::default().with(elements, relationships)
    }

    pub fn len(&self) -> usize {
        self.elements.len() + self.relationships.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn chosen(&self) -> Chosen {
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Chosen { elements: count(self.elements.len()), relationships: count(self.relationships.len()) }
    }

    /// This and more, with those of the relationships that stay inside.
    pub fn with(&self, elements: &[Stored<Element>], relationships: &[Stored<Relationship>]) -> Self {
        let mut more = self.clone();
        more.elements.extend(elements.iter().map(ElementMember::from));
        more.relationships.extend(relationships.iter().map(RelationshipMember::from));
        more.settled()
    }

    /// Only the elements that `keep` picks, with the relationships between them.
    pub fn keeping(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.elements.retain(|member| keep(&member.element_id));
        self.settled()
    }

    /// Each member once and in the order of ids; relationships only where both ends are members.
    fn settled(mut self) -> Self {
        self.elements.sort_by(|a, b| a.element_id.cmp(&b.element_id));
        self.elements.dedup_by(|a, b| a.element_id == b.element_id);
        let elements: BTreeSet<&str> = self.elements.iter().map(|member| member.element_id.as_str()).collect();
        // A relationship may end at another one, which may have to go first.
        loop {
            let links: BTreeSet<String> =
                self.relationships.iter().map(|member| member.relationship_id.clone()).collect();
            let is_inside = |id: &str| elements.contains(id) || links.contains(id);
            let before = self.relationships.len();
            self.relationships.retain(|member| is_inside(&member.source_id) && is_inside(&member.target_id));
            if self.relationships.len() == before {
                break;
            }
        }
        self.relationships.sort_by(|a, b| a.relationship_id.cmp(&b.relationship_id));
        self.relationships.dedup_by(|a, b| a.relationship_id == b.relationship_id);
        self
    }

    /// What is here and not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        let elements: BTreeSet<&str> = other.elements.iter().map(|member| member.element_id.as_str()).collect();
        let links: BTreeSet<&str> = other.relationships.iter().map(|member| member.relationship_id.as_str()).collect();
        let mut rest = self.clone();
        rest.elements.retain(|member| !elements.contains(member.element_id.as_str()));
        rest.relationships.retain(|member| !links.contains(member.relationship_id.as_str()));
        rest
    }

    /// Refuses a choice that is empty or too large; the caller gave it as `field`.
    pub fn checked(self, field: &'static str) -> Result<Self, Error> {
        if self.elements.is_empty() {
            let hint = "name at least one element, or create a baseline of the whole model";
            return Err(Error::invalid(field, "leaves the baseline without any element".to_owned(), hint));
        }
        refuse_too_many(field, self.len())?;
        Ok(self)
    }
}

/// Refuses more members than a chosen part may have.
pub fn refuse_too_many(field: &'static str, count: usize) -> Result<(), Error> {
    if count <= MEMBERS_MAX {
        return Ok(());
    }
    let reason = format!("makes a part of more than {MEMBERS_MAX} elements and relationships");
    Err(Error::invalid(field, reason, "choose fewer elements, or take the whole model by leaving element_ids out"))
}

impl From<&Stored<Element>> for ElementMember {
    fn from(element: &Stored<Element>) -> Self {
        Self {
            element_id: element.id.clone(),
            version: element.version,
            r#type: element.r#type,
            name: element.name.clone(),
            key: element.state.key.clone(),
        }
    }
}

impl From<&Stored<Relationship>> for RelationshipMember {
    fn from(relationship: &Stored<Relationship>) -> Self {
        Self {
            relationship_id: relationship.id.clone(),
            version: relationship.version,
            r#type: relationship.r#type,
            source_id: relationship.source_id.clone(),
            target_id: relationship.target_id.clone(),
        }
    }
}
