//! What a relationship starts from or leads to: an element, or for a few types another relationship.

use ledger::RecordKey;

use super::{Relationship, refuse_other_model};
use crate::Error;
use crate::domain::element::Element;
use crate::domain::{Mention, Stored};
use crate::metamodel::{Concept, ElementType};

/// An end of a relationship.
#[derive(Debug, Clone)]
pub enum End {
    Element(Stored<Element>),
    Relationship(Stored<Relationship>),
}

impl End {
    pub fn id(&self) -> &str {
        match self {
            Self::Element(element) => &element.id,
            Self::Relationship(relationship) => &relationship.id,
        }
    }

    pub fn model_id(&self) -> &str {
        match self {
            Self::Element(element) => &element.model_id,
            Self::Relationship(relationship) => &relationship.model_id,
        }
    }

    pub fn repository_id(&self) -> &str {
        match self {
            Self::Element(element) => &element.repository_id,
            Self::Relationship(relationship) => &relationship.repository_id,
        }
    }

    pub fn version(&self) -> u64 {
        match self {
            Self::Element(element) => element.version,
            Self::Relationship(relationship) => relationship.version,
        }
    }

    pub fn key(&self) -> RecordKey {
        match self {
            Self::Element(element) => element.key(),
            Self::Relationship(relationship) => relationship.key(),
        }
    }

    pub fn concept(&self) -> Concept {
        match self {
            Self::Element(element) => element.r#type.into(),
            Self::Relationship(_) => Concept::RELATIONSHIP,
        }
    }

    /// What it is called; a relationship without a name by its type and id.
    pub fn name(&self) -> String {
        self.mention().name
    }

    pub fn mention(&self) -> Mention {
        match self {
            Self::Element(element) => element.mention(),
            Self::Relationship(relationship) => relationship.mention(),
        }
    }

    /// The element, if it is a junction.
    pub fn junction(&self) -> Option<&Stored<Element>> {
        match self {
            Self::Element(element) if element.r#type == ElementType::JUNCTION => Some(element),
            _ => None,
        }
    }

    pub(super) fn refuse_other_model(&self, field: &'static str, model_id: &str) -> Result<(), Error> {
        match self {
            Self::Element(element) => refuse_other_model(field, element, model_id),
            Self::Relationship(relationship) if relationship.model_id != model_id => {
                let reason = format!("is a relationship of model {}, not of {model_id}", relationship.model_id);
                Err(Error::invalid(field, reason, format!("name a relationship of model {model_id}")))
            }
            Self::Relationship(_) => Ok(()),
        }
    }
}

/// Refuses an end that is a relationship which touches the other end already.
pub(super) fn refuse_touching(source: &End, target: &End) -> Result<(), Error> {
    let touches = |end: &End, other: &End| match end {
        End::Relationship(relationship) => relationship.source_id == other.id() || relationship.target_id == other.id(),
        End::Element(_) => false,
    };
    let field = match (touches(source, target), touches(target, source)) {
        (false, false) => return Ok(()),
        (true, _) => "source_id",
        (false, true) => "target_id",
    };
    let reason = "is a relationship that touches the other end already".to_owned();
    Err(Error::invalid(field, reason, "relate the relationship to something else than its own ends"))
}
