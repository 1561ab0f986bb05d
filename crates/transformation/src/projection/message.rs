//! What was read or decided, as messages of the contract.

pub mod definition;
pub mod scrum;

use contract::Object;
use contract::generated::transformation as proto;

use crate::domain::decision::version_id;
use crate::domain::element::Element;
use crate::domain::model::Model;
use crate::domain::relationship::{Link, Relationship};
use crate::domain::{Mention, Stored, Warning};
use crate::metamodel::{ElementType, Layer, RelationshipType};

/// An element at a version.
pub fn element(state: &Element, version: u64) -> proto::Element {
    proto::Element {
        id: state.id.clone(),
        r#type: state.r#type.into(),
        name: state.name.to_string(),
        layer: state.r#type.layer().into(),
        model_id: state.model_id.clone(),
        version,
        description: state.description.clone(),
        properties: (!state.properties.is_empty()).then(|| Object(state.properties.clone())),
        key: state.key.clone(),
        repository_id: state.repository_id.clone(),
        element_id: state.id.clone(),
        version_id: version_id(&state.id, version),
        created_at: state.created_at.to_string(),
        updated_at: state.updated_at.to_string(),
    }
}

/// A relationship at a version; its ends are added by [`with_ends`].
pub fn relationship(state: &Relationship, version: u64) -> proto::Relationship {
    let attributes = &state.attributes;
    proto::Relationship {
        id: state.id.clone(),
        r#type: state.r#type.into(),
        source_id: state.source_id.clone(),
        target_id: state.target_id.clone(),
        name: state.name.as_ref().map(ToString::to_string),
        description: state.description.clone(),
        model_id: state.model_id.clone(),
        version,
        access_type: attributes.access_type.as_deref().and_then(proto::AccessType::from_label).map(i32::from),
        strength: attributes.strength.clone(),
        directed: attributes.directed,
        repository_id: state.repository_id.clone(),
        element_id: state.id.clone(),
        version_id: version_id(&state.id, version),
        ..Default::default()
    }
}

/// An end of a relationship and the version it was read at.
pub type End = (Mention, u64);

/// Adds what both ends are called and which versions of them were read.
pub fn with_ends(message: proto::Relationship, source: Option<End>, target: Option<End>) -> proto::Relationship {
    let version = |end: &Option<End>| end.as_ref().map(|(mention, version)| version_id(&mention.id, *version));
    let r#type = |end: &Option<End>| end.as_ref().map(|(mention, _)| mention.r#type.into());
    proto::Relationship {
        source_version_id: version(&source),
        target_version_id: version(&target),
        source_type: r#type(&source),
        target_type: r#type(&target),
        source_name: source.map(|(mention, _)| mention.name),
        target_name: target.map(|(mention, _)| mention.name),
        ..message
    }
}

/// A new relationship with its ends.
pub fn link(link: &Link) -> proto::Relationship {
    let source = (link.source.clone(), link.source_version);
    let target = (link.target.clone(), link.target_version);
    with_ends(relationship(&link.relationship, 1), Some(source), Some(target))
}

/// A model, marked when it is the active one.
pub fn model(stored: &Stored<Model>, active_model_id: Option<&str>) -> proto::Model {
    proto::Model {
        id: stored.id.clone(),
        name: stored.name.clone(),
        description: stored.description.clone(),
        key: stored.state.key.clone(),
        active: Some(stored.id.as_str()) == active_model_id,
        version: stored.version,
        repository_id: stored.repository_id.clone(),
        element_id: stored.id.clone(),
        version_id: version_id(&stored.id, stored.version),
    }
}

pub fn warning(warning: &Warning) -> proto::Warning {
    proto::Warning {
        code: warning.code.to_owned(),
        message: warning.message.clone(),
        suggestion: Some(warning.suggestion.clone()),
    }
}

// Types keep the order of the proto enums, in which 0 is "unspecified".
impl From<ElementType> for i32 {
    fn from(of: ElementType) -> Self {
        number(of.index())
    }
}

impl From<RelationshipType> for i32 {
    fn from(of: RelationshipType) -> Self {
        number(of.index())
    }
}

impl From<Layer> for i32 {
    fn from(layer: Layer) -> Self {
        number(layer as usize)
    }
}

fn number(index: usize) -> i32 {
    i32::try_from(index + 1).expect("an enum has few values")
}

/// The element type behind a number of the proto enum; none for "unspecified".
pub fn element_type(number: i32) -> Option<ElementType> {
    usize::try_from(number).ok()?.checked_sub(1).and_then(ElementType::from_index)
}

/// The relationship type behind a number of the proto enum; none for "unspecified".
pub fn relationship_type(number: i32) -> Option<RelationshipType> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    RelationshipType::ALL.get(index).copied()
}

/// The layer behind a number of the proto enum; none for "unspecified".
pub fn layer(number: i32) -> Option<Layer> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    Layer::ALL.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    // one vocabulary, in the contract and in the metamodel.
    #[test]
    fn the_contract_and_the_metamodel_have_the_same_words() {
        assert_eq!(proto::ElementType::ALL.len(), ElementType::COUNT);
        for &of in proto::ElementType::ALL {
            assert_eq!(element_type(of.into()).map(ElementType::label), Some(of.label()));
        }
        assert_eq!(proto::RelationshipType::ALL.len(), RelationshipType::COUNT);
        for &of in proto::RelationshipType::ALL {
            assert_eq!(relationship_type(of.into()).map(RelationshipType::label), Some(of.label()));
        }
        assert_eq!(proto::Layer::ALL.len(), Layer::ALL.len());
        for &of in proto::Layer::ALL {
            assert_eq!(layer(of.into()).map(Layer::label), Some(of.label()));
        }
    }
}
