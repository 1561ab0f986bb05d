//! Views: drawings of part of a model. A layout is the view's own state: changing it touches none of what it shows.

use std::collections::{BTreeMap, BTreeSet};

use ledger::{Expectation, RecordKey};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::element::Element;
use super::fact::kind;
use super::relationship::Relationship;
use super::{Decision, Fact, Name, Notes, Stored};
use crate::Error;
use crate::metamodel::viewpoint;

/// A view's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub id: String,
    pub repository_id: String,
    pub model_id: String,
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewpoint: Option<String>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// An element on a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub element_id: String,
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// The node this one lies in, by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
}

impl Node {
    /// What the node is called on its view.
    pub fn name(&self) -> &str {
        self.node_id.as_deref().unwrap_or(&self.element_id)
    }
}

/// A relationship on a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub relationship_id: String,
    /// x, y, x, y …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bend_points: Vec<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
}

impl View {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::VIEW, id)
    }
}

/// What a caller wants to draw. References are resolved by the planner.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// A new view, or a new layout for an existing one.
#[derive(Debug, Clone)]
pub struct SaveView {
    pub id: String,
    pub now: Timestamp,
    /// Id, key or name of the view that changes; none for a new one.
    pub view: Option<String>,
    /// Required for a new view.
    pub name: Option<Name>,
    pub description: Option<Option<String>>,
    pub viewpoint: Option<String>,
    pub model: Option<String>,
    pub key: Option<String>,
    /// None leaves the layout as it is.
    pub layout: Option<Layout>,
    pub expected_version: Option<u64>,
    /// The intent's field, for refusals.
    pub field: &'static str,
}

/// A view that goes.
#[derive(Debug, Clone)]
pub struct DeleteView {
    pub view: String,
    pub expected_version: Option<u64>,
}

/// What [`save`] is shown.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub repository_id: String,
    pub model_id: String,
    pub existing: Option<Stored<View>>,
    /// Another view of the model with the same name or key.
    pub namesake: Option<View>,
    /// What the layout's nodes show, in their order, resolved.
    pub elements: Vec<Stored<Element>>,
    /// What the layout's edges show, in their order; none where there is no such relationship.
    pub relationships: Vec<Option<Relationship>>,
}

/// A view after a change.
#[derive(Debug, Clone)]
pub struct Saved {
    pub view: View,
    pub version: u64,
}

/// Decides whether a view may be saved.
pub fn save(around: &Surroundings, command: &SaveView) -> Result<Decision<Saved>, Error> {
    let field = |name: &str| format!("{}.{name}", command.field);
    if let Some(other) = &around.namesake {
        return Err(Error::DuplicateView { field: field("name"), name: other.name.to_string(), id: other.id.clone() });
    }
    let mut notes = Notes::default();
    let mut view = match (&around.existing, &command.name) {
        (Some(existing), _) => {
            refuse_stale(existing, command.expected_version)?;
            existing.state.clone()
        }
        (None, Some(name)) => View {
            id: command.id.clone(),
            repository_id: around.repository_id.clone(),
            model_id: around.model_id.clone(),
            name: name.clone(),
            key: command.key.clone(),
            description: None,
            viewpoint: None,
            nodes: Vec::new(),
            edges: Vec::new(),
            created_at: command.now,
            updated_at: command.now,
        },
        (None, None) => return Err(Error::invalid(field("name"), "is missing".to_owned(), "give the view a name")),
    };
    if let Some(name) = &command.name {
        view.name = name.clone();
    }
    if let Some(description) = &command.description {
        view.description = description.clone();
    }
    if let Some(viewpoint) = &command.viewpoint {
        view.viewpoint = Some(known_viewpoint(&field("viewpoint"), viewpoint)?);
    }
    if let Some(layout) = &command.layout {
        draw(&mut view, layout, around, &field)?;
    }
    note_foreign_types(&mut notes, &view, &around.elements);
    notes.suggest(format!("transformation.getView with view_id {} shows it", view.id));
    let (mut facts, mut version) = (Vec::new(), 1);
    let mut expectations = Vec::new();
    match &around.existing {
        None => {
            facts.push(Fact::ViewCreated(view.clone()));
            expectations.push(Expectation::Absent { key: view.key() });
        }
        Some(existing) => {
            version = existing.version;
            expectations.push(Expectation::Version { key: existing.key(), version });
            if view == existing.state {
                notes.unchanged();
            } else {
                version += 1;
                view.updated_at = command.now;
                facts.push(Fact::ArchimateViewLayoutRecorded(view.clone()));
            }
        }
    }
    let shown: BTreeSet<&str> = around.elements.iter().map(|element| element.id.as_str()).collect();
    expectations.extend(shown.into_iter().map(|id| Expectation::Exists { key: Element::key_of(id) }));
    Ok(Decision { outcome: Saved { view, version }, facts, expectations, notes })
}

/// Decides whether a view may go.
pub fn delete(view: &Stored<View>, command: &DeleteView) -> Result<Decision<Saved>, Error> {
    refuse_stale(view, command.expected_version)?;
    let mut notes = Notes::default();
    notes.suggest("The view stays readable at an earlier read_context");
    Ok(Decision {
        facts: vec![Fact::ViewDeleted(view.state.clone())],
        expectations: vec![Expectation::Version { key: view.key(), version: view.version }],
        outcome: Saved { view: view.state.clone(), version: view.version },
        notes,
    })
}

/// Puts a layout on a view, with what it shows named by id.
fn draw(view: &mut View, layout: &Layout, around: &Surroundings, field: &impl Fn(&str) -> String) -> Result<(), Error> {
    let mut nodes = layout.nodes.clone();
    let mut given_names = BTreeMap::new();
    for (index, (node, element)) in nodes.iter_mut().zip(&around.elements).enumerate() {
        super::relationship::refuse_other_model("element_id", element, &view.model_id)?;
        // A parent may be called as its element was called here.
        given_names.insert(node.element_id.clone(), index);
        node.element_id.clone_from(&element.id);
    }
    let mut places = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if let Some(other) = places.insert(node.name().to_owned(), index) {
            return Err(Error::invalid(
                field(&format!("nodes[{index}].node_id")),
                format!("is missing or taken: nodes[{other}] has the same name"),
                "give each node of an element that is shown twice its own node_id",
            ));
        }
    }
    let parents: Vec<Option<usize>> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| match &node.parent {
            None => Ok(None),
            Some(parent) => {
                places.get(parent).or_else(|| given_names.get(parent)).copied().map(Some).ok_or_else(|| {
                    Error::invalid(
                        field(&format!("nodes[{index}].parent")),
                        format!("names '{parent}', which is no node of this view"),
                        "name the node_id or element_id of a node in the same list",
                    )
                })
            }
        })
        .collect::<Result<_, Error>>()?;
    refuse_circles(&parents, field)?;
    let names: Vec<String> = nodes.iter().map(|node| node.name().to_owned()).collect();
    for (node, parent) in nodes.iter_mut().zip(&parents) {
        node.parent = parent.map(|index| names[index].clone());
    }
    let elements = around.elements.iter().map(|element| element.id.as_str());
    // An edge may end at another edge.
    let shown: BTreeSet<&str> = elements.chain(layout.edges.iter().map(|edge| edge.relationship_id.as_str())).collect();
    for (index, (edge, relationship)) in layout.edges.iter().zip(&around.relationships).enumerate() {
        refuse_edge(edge, relationship.as_ref(), &shown, &field(&format!("edges[{index}]")))?;
    }
    view.nodes = nodes;
    view.edges = layout.edges.clone();
    Ok(())
}

fn refuse_circles(parents: &[Option<usize>], field: &impl Fn(&str) -> String) -> Result<(), Error> {
    for start in 0..parents.len() {
        let (mut at, mut steps) = (start, 0);
        while let Some(parent) = parents[at] {
            (at, steps) = (parent, steps + 1);
            if steps > parents.len() {
                return Err(Error::invalid(
                    field(&format!("nodes[{start}].parent")),
                    "lies, in the end, in itself".to_owned(),
                    "let the outermost node have no parent",
                ));
            }
        }
    }
    Ok(())
}

fn refuse_edge(
    edge: &Edge,
    relationship: Option<&Relationship>,
    shown: &BTreeSet<&str>,
    field: &str,
) -> Result<(), Error> {
    let Some(relationship) = relationship else {
        return Err(Error::NoSuchRelationship {
            field: format!("{field}.relationship_id"),
            reference: edge.relationship_id.clone(),
        });
    };
    if !edge.bend_points.len().is_multiple_of(2) {
        let reason = format!("has {} numbers", edge.bend_points.len());
        return Err(Error::invalid(format!("{field}.bend_points"), reason, "give x and y for each point"));
    }
    let absent = [&relationship.source_id, &relationship.target_id].into_iter().find(|id| !shown.contains(id.as_str()));
    match absent {
        None => Ok(()),
        Some(id) => Err(Error::invalid(
            format!("{field}.relationship_id"),
            format!("joins {id}, which is not on this view"),
            format!("add a node (or, for a relationship, an edge) for {id}, or leave the edge out"),
        )),
    }
}

fn known_viewpoint(field: &str, text: &str) -> Result<String, Error> {
    viewpoint::from_spelling(text).map(|found| found.id.to_owned()).ok_or_else(|| {
        let known: Vec<&str> = viewpoint::ALL.iter().map(|viewpoint| viewpoint.id).collect();
        Error::invalid(field, format!("'{text}' is not a viewpoint"), format!("give one of {}", known.join(", ")))
    })
}

fn note_foreign_types(notes: &mut Notes, view: &View, elements: &[Stored<Element>]) {
    let Some(viewpoint) = view.viewpoint.as_deref().and_then(viewpoint::from_spelling) else { return };
    let foreign: BTreeSet<&str> =
        elements.iter().map(|element| element.r#type.label()).filter(|of| !viewpoint.shows(of)).collect();
    if !foreign.is_empty() {
        let list = foreign.into_iter().collect::<Vec<_>>().join(", ");
        notes.warn(
            "TYPE_OUTSIDE_VIEWPOINT",
            format!("{list} is not part of the viewpoint {}", viewpoint.id),
            "Choose another viewpoint, or leave these elements out",
        );
    }
}

fn refuse_stale(view: &Stored<View>, expected: Option<u64>) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != view.version => {
            Err(Error::StaleView { name: view.name.to_string(), expected, actual: view.version })
        }
        _ => Ok(()),
    }
}
