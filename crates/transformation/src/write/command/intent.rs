//! Architecture intents as commands: an operation, and the one object that it names.

use contract::Context;
use contract::generated::transformation::{
    AccessType, ArchitectureOperation, CreateElementIntent, CreateRelationshipIntent, CreateViewIntent,
    RecordViewLayoutIntent, TransformationArchitectureDomainIntent as Intent, UpdateElementIntent,
    UpdateRelationshipIntent, ViewEdge, ViewNode,
};
use serde::Deserialize;

use super::{Command, strength};
use crate::Error;
use crate::domain::element::{CreateElement, DeleteElement, JunctionKind, UpdateElement};
use crate::domain::relationship::{Attributes, CreateRelationship, DeleteRelationship, UpdateRelationship};
use crate::domain::view::{DeleteView, Edge, Layout, Node, SaveView};
use crate::domain::{Name, key, properties};
use crate::metamodel::{ElementType, RelationshipType};

/// Most nodes of a layout.
const NODES_MAX: usize = 2_000;
/// Most edges of a layout.
const EDGES_MAX: usize = 4_000;

impl Command {
    /// Reads an intent; exactly the object that its operation names must be there.
    pub fn intent(ctx: &Context, intent: Intent) -> Result<Self, Error> {
        use ArchitectureOperation as Operation;
        let operation = intent.operation();
        let wanted = only_object(&intent)?;
        // `only_object` has seen the object, so a missing one cannot be met below.
        let missing = || Error::invalid(wanted, "is missing".to_owned(), format!("give {wanted}"));
        Ok(match operation {
            Operation::IntentCreateElement => {
                Self::CreateElement(create_element(ctx, intent.create_element.ok_or_else(missing)?)?)
            }
            Operation::IntentUpdateElement => {
                Self::UpdateElement(update_element(ctx, intent.update_element.ok_or_else(missing)?)?)
            }
            Operation::IntentDeleteElement => {
                let given = intent.delete_element.ok_or_else(missing)?;
                Self::DeleteElement(DeleteElement {
                    element: given.id,
                    cascade: true,
                    even_if_published: false,
                    expected_version: given.expected_version,
                })
            }
            Operation::IntentCreateRelationship => {
                Self::CreateRelationship(create_relationship(ctx, intent.create_relationship.ok_or_else(missing)?)?)
            }
            Operation::IntentUpdateRelationship => {
                Self::UpdateRelationship(update_relationship(intent.update_relationship.ok_or_else(missing)?)?)
            }
            Operation::IntentDeleteRelationship => {
                let given = intent.delete_relationship.ok_or_else(missing)?;
                Self::DeleteRelationship(DeleteRelationship { id: given.id, expected_version: given.expected_version })
            }
            Operation::IntentCreateView => Self::SaveView(create_view(ctx, intent.create_view.ok_or_else(missing)?)?),
            Operation::IntentRecordViewLayout => {
                Self::SaveView(record_layout(ctx, intent.record_view_layout.ok_or_else(missing)?)?)
            }
            Operation::IntentDeleteView => {
                let given = intent.delete_view.ok_or_else(missing)?;
                Self::DeleteView(DeleteView { view: given.id, expected_version: given.expected_version })
            }
            Operation::IntentApplyChanges => Self::changes_of(ctx, intent.apply_changes.ok_or_else(missing)?)?,
            Operation::Unspecified => {
                return Err(Error::invalid("operation", "is missing".to_owned(), "say which change you submit"));
            }
        })
    }
}

/// The name of the object that the operation wants, if exactly that one was given.
fn only_object(intent: &Intent) -> Result<&'static str, Error> {
    use ArchitectureOperation as Operation;
    let objects = [
        (Operation::IntentCreateElement, "create_element", intent.create_element.is_some()),
        (Operation::IntentUpdateElement, "update_element", intent.update_element.is_some()),
        (Operation::IntentDeleteElement, "delete_element", intent.delete_element.is_some()),
        (Operation::IntentCreateRelationship, "create_relationship", intent.create_relationship.is_some()),
        (Operation::IntentUpdateRelationship, "update_relationship", intent.update_relationship.is_some()),
        (Operation::IntentDeleteRelationship, "delete_relationship", intent.delete_relationship.is_some()),
        (Operation::IntentCreateView, "create_view", intent.create_view.is_some()),
        (Operation::IntentRecordViewLayout, "record_view_layout", intent.record_view_layout.is_some()),
        (Operation::IntentDeleteView, "delete_view", intent.delete_view.is_some()),
        (Operation::IntentApplyChanges, "apply_changes", intent.apply_changes.is_some()),
    ];
    let operation = intent.operation();
    let Some(&(_, wanted, given)) = objects.iter().find(|(of, _, _)| *of == operation) else {
        return Err(Error::invalid("operation", "is missing".to_owned(), "say which change you submit"));
    };
    if let Some((_, other, _)) = objects.iter().find(|(of, _, given)| *given && *of != operation) {
        let reason = format!("does not go with operation {}", operation.label());
        return Err(Error::invalid(*other, reason, format!("give {wanted} and nothing else, or change the operation")));
    }
    match given {
        true => Ok(wanted),
        false => Err(Error::invalid(
            wanted,
            format!("is missing although operation is {}", operation.label()),
            format!("give the change as {wanted}"),
        )),
    }
}

fn create_element(ctx: &Context, given: CreateElementIntent) -> Result<CreateElement, Error> {
    let r#type = ElementType::from_spelling(&given.r#type)
        .ok_or_else(|| Error::NoSuchElementType { field: "create_element.type".to_owned(), value: given.r#type })?;
    Ok(CreateElement {
        id: ctx.ids.next(),
        chosen_id: false,
        relationship_id: ctx.ids.next(),
        now: ctx.now,
        r#type,
        name: Name::new("create_element.name", &given.name)?,
        key: key::checked(given.key)?,
        description: properties::description("create_element.description", given.description)?,
        properties: properties::given(given.properties.unwrap_or_default().0)?,
        profile: None,
        junction: given.junction_kind.map(junction_kind).transpose()?,
        model: given.model_id,
        parent: given.parent_id,
    })
}

pub(super) fn junction_kind(text: String) -> Result<JunctionKind, Error> {
    match text.to_ascii_lowercase().as_str() {
        "and" => Ok(JunctionKind::And),
        "or" => Ok(JunctionKind::Or),
        _ => Err(Error::invalid("create_element.junction_kind", format!("cannot be '{text}'"), "give 'and' or 'or'")),
    }
}

fn update_element(ctx: &Context, given: UpdateElementIntent) -> Result<UpdateElement, Error> {
    Ok(UpdateElement {
        element: given.id,
        now: ctx.now,
        name: given.name.map(|name| Name::new("update_element.name", &name)).transpose()?,
        description: cleared("update_element.description", given.description)?,
        properties: given.properties.map(|properties| properties.0),
        profile: None,
        expected_version: given.expected_version,
    })
}

fn create_relationship(ctx: &Context, given: CreateRelationshipIntent) -> Result<CreateRelationship, Error> {
    let r#type = RelationshipType::from_spelling(&given.r#type).ok_or_else(|| Error::NoSuchRelationshipType {
        field: "create_relationship.type".to_owned(),
        value: given.r#type,
    })?;
    let access = |text: String| {
        AccessType::from_label(&text).map(|access| access.label().to_owned()).ok_or_else(|| {
            let words: Vec<&str> = AccessType::ALL.iter().map(|access| access.label()).collect();
            let hint = format!("give one of {}", words.join(", "));
            Error::invalid("create_relationship.access_type", format!("'{text}' is not an access type"), hint)
        })
    };
    let name = given.name.filter(|name| !name.trim().is_empty());
    Ok(CreateRelationship {
        id: ctx.ids.next(),
        r#type,
        source: given.source_id,
        target: given.target_id,
        name: name.map(|name| Name::new("create_relationship.name", &name)).transpose()?,
        description: properties::description("create_relationship.description", given.description)?,
        attributes: Attributes {
            access_type: given.access_type.map(access).transpose()?,
            strength: strength(given.strength)?,
            directed: given.directed,
        },
    })
}

fn update_relationship(given: UpdateRelationshipIntent) -> Result<UpdateRelationship, Error> {
    let name = |text: String| match text.trim().is_empty() {
        true => Ok(None),
        false => Name::new("update_relationship.name", &text).map(Some),
    };
    Ok(UpdateRelationship {
        id: given.id,
        name: given.name.map(name).transpose()?,
        description: cleared("update_relationship.description", given.description)?,
        expected_version: given.expected_version,
    })
}

fn create_view(ctx: &Context, given: CreateViewIntent) -> Result<SaveView, Error> {
    Ok(SaveView {
        id: ctx.ids.next(),
        now: ctx.now,
        view: None,
        name: Some(Name::new("create_view.name", &given.name)?),
        description: cleared("create_view.description", given.description)?,
        viewpoint: given.viewpoint,
        model: given.model_id,
        key: key::checked(given.key)?,
        layout: Some(layout("create_view", given.nodes, given.edges)?),
        expected_version: None,
        field: "create_view",
    })
}

/// A layout as it is given inside an open object.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GivenLayout {
    nodes: Vec<ViewNode>,
    edges: Vec<ViewEdge>,
}

fn record_layout(ctx: &Context, given: RecordViewLayoutIntent) -> Result<SaveView, Error> {
    let drawn = match given.layout {
        None => None,
        Some(object) => {
            let read: GivenLayout = serde_json::from_value(object.0.into()).map_err(|error| {
                let hint = "give nodes and edges as in create_view; transformation.getWriteSchema shows them";
                Error::invalid("record_view_layout.layout", format!("cannot be read: {error}"), hint)
            })?;
            Some(layout("record_view_layout.layout", read.nodes, read.edges)?)
        }
    };
    Ok(SaveView {
        id: ctx.ids.next(),
        now: ctx.now,
        view: Some(given.view_id),
        name: given.name.map(|name| Name::new("record_view_layout.name", &name)).transpose()?,
        description: cleared("record_view_layout.description", given.description)?,
        viewpoint: None,
        model: None,
        key: None,
        layout: drawn,
        expected_version: given.expected_version,
        field: "record_view_layout.layout",
    })
}

fn layout(field: &str, nodes: Vec<ViewNode>, edges: Vec<ViewEdge>) -> Result<Layout, Error> {
    for (name, count, most) in [("nodes", nodes.len(), NODES_MAX), ("edges", edges.len(), EDGES_MAX)] {
        if count > most {
            let reason = format!("holds {count}; at most {most} are allowed");
            return Err(Error::invalid(format!("{field}.{name}"), reason, "draw several smaller views"));
        }
    }
    let node = |node: ViewNode| Node {
        element_id: node.element_id,
        x: node.x,
        y: node.y,
        width: if node.width == 0 { 120 } else { node.width },
        height: if node.height == 0 { 55 } else { node.height },
        node_id: node.node_id,
        parent: node.parent,
        style: node.style,
    };
    let edge = |edge: ViewEdge| Edge {
        relationship_id: edge.relationship_id,
        bend_points: edge.bend_points,
        label: edge.label,
        style: edge.style,
    };
    Ok(Layout { nodes: nodes.into_iter().map(node).collect(), edges: edges.into_iter().map(edge).collect() })
}

/// A description that changes; an empty one clears it.
pub(super) fn cleared(field: &'static str, text: Option<String>) -> Result<Option<Option<String>>, Error> {
    match text {
        None => Ok(None),
        given => Ok(Some(properties::description(field, given)?)),
    }
}
