//! What was read or decided, as messages of the contract.

pub mod definition;
mod proposal;
pub mod scrum;

use contract::Object;
use contract::generated::transformation as proto;

use crate::domain::baseline::{Baseline, Decided, Status};
use crate::domain::capability_profile::{CapabilityProfile, Criticality, Lifecycle};
use crate::domain::decision::version_id;
use crate::domain::element::{Element, JunctionKind};
use crate::domain::model::Model;
use crate::domain::relationship::{Link, Relationship};
use crate::domain::view::{Edge, Node, View};
use crate::domain::{Mention, Stored, Warning};
use crate::domain::{compare, diff};
use crate::metamodel::{ElementType, Layer, RelationshipType};

pub use proposal::{proposal, proposal_note};

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
        profile: state.profile.as_ref().map(profile),
        junction_kind: state.junction.map(|kind| match kind {
            JunctionKind::And => proto::JunctionKind::JunctionAnd.into(),
            JunctionKind::Or => proto::JunctionKind::JunctionOr.into(),
        }),
    }
}

/// The kind behind a number of the proto enum; none for "unspecified".
pub fn junction_kind(number: i32) -> Option<JunctionKind> {
    match proto::JunctionKind::try_from(number).ok()? {
        proto::JunctionKind::Unspecified => None,
        proto::JunctionKind::JunctionAnd => Some(JunctionKind::And),
        proto::JunctionKind::JunctionOr => Some(JunctionKind::Or),
    }
}

fn profile(profile: &CapabilityProfile) -> proto::CapabilityProfile {
    let criticality = match profile.criticality {
        Criticality::Low => proto::Criticality::Low,
        Criticality::Medium => proto::Criticality::Medium,
        Criticality::High => proto::Criticality::High,
    };
    let lifecycle = match profile.lifecycle {
        Lifecycle::Planned => proto::Lifecycle::Planned,
        Lifecycle::Active => proto::Lifecycle::Active,
        Lifecycle::Deprecated => proto::Lifecycle::Deprecated,
        Lifecycle::Retired => proto::Lifecycle::Retired,
    };
    proto::CapabilityProfile {
        owner: profile.owner.clone(),
        criticality: criticality.into(),
        lifecycle: lifecycle.into(),
    }
}

/// A view at a version, without its layout.
pub fn view(state: &View, version: u64) -> proto::View {
    let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    proto::View {
        id: state.id.clone(),
        name: state.name.to_string(),
        model_id: state.model_id.clone(),
        version,
        description: state.description.clone(),
        key: state.key.clone(),
        viewpoint: state.viewpoint.clone(),
        repository_id: state.repository_id.clone(),
        element_id: state.id.clone(),
        version_id: version_id(&state.id, version),
        created_at: state.created_at.to_string(),
        updated_at: state.updated_at.to_string(),
        nodes: count(state.nodes.len()),
        edges: count(state.edges.len()),
    }
}

pub fn view_node(node: &Node) -> proto::ViewNode {
    proto::ViewNode {
        element_id: node.element_id.clone(),
        x: node.x,
        y: node.y,
        width: node.width,
        height: node.height,
        node_id: node.node_id.clone(),
        parent: node.parent.clone(),
        style: node.style.clone(),
    }
}

pub fn view_edge(edge: &Edge) -> proto::ViewEdge {
    proto::ViewEdge {
        relationship_id: edge.relationship_id.clone(),
        bend_points: edge.bend_points.clone(),
        label: edge.label.clone(),
        style: edge.style.clone(),
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
    // An end that is a relationship has no type of element.
    let r#type = |end: &Option<End>| end.as_ref()?.0.r#type.element_type().map(i32::from);
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

/// A baseline at a version.
pub fn baseline(state: &Baseline, version: u64) -> proto::Baseline {
    let decision = |decided: &Decided| proto::BaselineDecision { by: decided.by.clone(), at: decided.at.to_string() };
    proto::Baseline {
        id: state.id.clone(),
        name: state.name.to_string(),
        status: number(state.status as usize),
        model_id: state.model_id.clone(),
        sequence: state.sequence,
        description: state.description.clone(),
        key: state.key.clone(),
        chosen_elements: state.chosen.map(|chosen| chosen.elements),
        chosen_relationships: state.chosen.map(|chosen| chosen.relationships),
        created_by: state.created_by.clone(),
        created_at: state.created_at.to_string(),
        submitted_at: state.submitted_at.map(|moment| moment.to_string()),
        approvals: state.approvals.iter().map(decision).collect(),
        rejection: state.rejection.as_ref().map(decision),
        rationale: state.rationale.clone(),
        promoted_at: state.promoted_at.map(|moment| moment.to_string()),
        supersedes: state.supersedes.clone(),
        rollback_of: state.rollback_of.clone(),
        version,
        repository_id: state.repository_id.clone(),
        element_id: state.id.clone(),
        version_id: version_id(&state.id, version),
    }
}

/// An element version that a baseline pins.
pub fn baseline_item(element: &Stored<Element>) -> proto::BaselineItem {
    proto::BaselineItem {
        element_id: element.id.clone(),
        version_id: version_id(&element.id, element.version),
        r#type: element.r#type.label().to_owned(),
        name: element.name.to_string(),
        repository_id: element.repository_id.clone(),
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

/// The status behind a number of the proto enum; none for "unspecified".
pub fn baseline_status(number: i32) -> Option<Status> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    Status::ALL.get(index).copied()
}

/// The layer behind a number of the proto enum; none for "unspecified".
pub fn layer(number: i32) -> Option<Layer> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    Layer::ALL.get(index).copied()
}

/// What a change of a set leads to.
pub fn change_made(index: usize, row: &diff::Row) -> proto::ChangeMade {
    let field = |field: &diff::Field| proto::FieldChange {
        field: field.field.clone(),
        before: Some(contract::Json(field.before.clone())),
        after: Some(contract::Json(field.after.clone())),
    };
    let change = match row.change {
        compare::Change::Added => proto::ChangeKind::Added,
        compare::Change::Changed => proto::ChangeKind::Changed,
        compare::Change::Removed => proto::ChangeKind::Removed,
    };
    proto::ChangeMade {
        index: u32::try_from(index).unwrap_or(u32::MAX),
        change: change.into(),
        kind: row.kind().to_owned(),
        id: row.key.id.clone(),
        r#type: row.r#type.clone(),
        name: row.name.clone(),
        version: row.version,
        // What is new is known to whoever made it.
        fields: if row.change == compare::Change::Changed {
            row.fields.iter().map(field).collect()
        } else {
            Vec::new()
        },
    }
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
        assert_eq!(proto::BaselineStatus::ALL.len(), Status::ALL.len());
        for &of in proto::BaselineStatus::ALL {
            assert_eq!(baseline_status(of.into()).map(Status::label), Some(of.label()));
        }
    }
}
