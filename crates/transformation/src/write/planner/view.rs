//! Decides writes of views.

use std::collections::BTreeSet;

use contract::Context;

use super::Planner;
use crate::Error;
use crate::domain::view::{self, DeleteView, SaveView, Saved, Surroundings};
use crate::domain::{Decision, Notes};
use crate::projection::Snapshot;

impl Planner {
    pub async fn save_view(&self, ctx: &Context, command: &SaveView) -> Result<Decision<Saved>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let existing = match &command.view {
            Some(reference) => Some(snapshot.view(reference).await?),
            None => None,
        };
        let model_id = match &existing {
            Some(view) => view.model_id.clone(),
            None => snapshot.model_id(command.model.as_deref()).await?,
        };
        let own_id = existing.as_ref().map(|view| view.id.as_str());
        let mut namesake = None;
        if let Some(name) = &command.name {
            namesake =
                snapshot.view_called(&model_id, name.as_str()).await?.filter(|other| Some(other.id.as_str()) != own_id);
        }
        if let (None, Some(key)) = (&namesake, &command.key) {
            namesake = snapshot.view_called(&model_id, key).await?;
        }
        let (mut elements, mut relationships) = (Vec::new(), Vec::new());
        if let Some(layout) = &command.layout {
            for (index, node) in layout.nodes.iter().enumerate() {
                let found = snapshot.element("element_id", &node.element_id, Some(&model_id)).await;
                elements.push(found.map_err(|refusal| at_node(refusal, command.field, index))?);
            }
            for edge in &layout.edges {
                relationships.push(snapshot.relationship_by_id(&edge.relationship_id).await?.map(|found| found.state));
            }
        }
        let around = Surroundings {
            repository_id: ctx.scope.repository.to_string(),
            model_id,
            existing,
            namesake: namesake.map(|view| view.state),
            elements,
            relationships,
        };
        let mut decision = view::save(&around, command)?;
        note_references(&mut decision.notes, &around, command);
        Ok(decision)
    }

    pub async fn delete_view(&self, ctx: &Context, command: &DeleteView) -> Result<Decision<Saved>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let view = snapshot.view(&command.view).await?;
        let mut decision = view::delete(&view, command)?;
        decision.notes.resolve("id", &command.view, &view.id);
        Ok(decision)
    }
}

/// Notes what a drawing named, so that a proposal of it outlives a rename.
fn note_references(notes: &mut Notes, around: &Surroundings, command: &SaveView) {
    if let (Some(reference), Some(view)) = (&command.view, &around.existing) {
        notes.resolve("view_id", reference, &view.id);
    }
    if let Some(reference) = &command.model {
        notes.resolve("model_id", reference, &around.model_id);
    }
    let nodes = command.layout.iter().flat_map(|layout| &layout.nodes);
    let taken: BTreeSet<&str> = nodes.clone().filter_map(|node| node.node_id.as_deref()).collect();
    for (node, element) in nodes.zip(&around.elements) {
        notes.resolve("element_id", &node.element_id, &element.id);
        // A parent may be called as its element is called in the same list.
        if !taken.contains(node.element_id.as_str()) {
            notes.resolve("parent", &node.element_id, &element.id);
        }
    }
}

/// The same refusal, about the node that names the element.
fn at_node(refusal: Error, intent: &str, index: usize) -> Error {
    let mut published = contract::CallError::from(refusal);
    if published.field.as_deref() == Some("element_id") {
        published.field = Some(format!("{intent}.nodes[{index}].element_id"));
    }
    Error::Published(published)
}
