//! Decides writes of views.

use contract::Context;

use super::Planner;
use crate::Error;
use crate::domain::Decision;
use crate::domain::view::{self, DeleteView, SaveView, Saved, Surroundings};
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
        view::save(&around, command)
    }

    pub async fn delete_view(&self, ctx: &Context, command: &DeleteView) -> Result<Decision<Saved>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        view::delete(&snapshot.view(&command.view).await?, command)
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
