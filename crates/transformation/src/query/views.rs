//! A view with what it shows, all at one point.

use std::collections::{BTreeMap, BTreeSet};

use contract::Context;
use contract::generated::transformation::{GetArchimateViewRequest, GetArchimateViewResponse};

use super::architecture::{ArchitectureQuery, with_ends};
use desk::bounds;

use crate::Error;
use crate::domain::Stored;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::relationship::Relationship;
use crate::domain::view::{Node, View};
use crate::projection::{Listing, message};

const PAGE_DEFAULT: usize = 100;

impl ArchitectureQuery {
    pub(super) async fn view(
        &self,
        ctx: &Context,
        request: GetArchimateViewRequest,
    ) -> Result<GetArchimateViewResponse, Error> {
        let arguments = (&request.view_id, request.page_size);
        let listing = Listing::new(
            &self.tokens,
            ctx,
            "getView",
            &arguments,
            request.read_context.as_ref(),
            request.page_token.as_deref(),
        )?;
        let snapshot = &listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let view = snapshot.view(&request.view_id).await?;
        let from: usize = listing.after.as_deref().and_then(|after| after.parse().ok()).unwrap_or(0);
        let size = usize::try_from(request.page_size).ok().filter(|size| *size > 0).unwrap_or(PAGE_DEFAULT);
        let asked = view.nodes.len().min(from.saturating_add(size));
        let nodes = view.nodes.get(from..asked).unwrap_or_default();
        let shown = snapshot.elements_by_id(&ids_of(nodes)).await?;
        let fits = bounds::fitting(shown.iter().map(|element| element.as_ref().map_or(100, |element| weight(element))));
        let until = if fits < shown.len() { from + fits.min(nodes.len()) } else { asked };
        let nodes = view.nodes.get(from..until).unwrap_or_default();
        let ids = ids_of(nodes);
        let found = snapshot.elements_by_id(&ids).await?;
        let missing = ids.iter().zip(&found).filter(|(_, element)| element.is_none()).map(|(id, _)| (*id).to_owned());
        let missing_elements = missing.collect();
        let mut relationships = Vec::new();
        let mut edges = Vec::new();
        let places = places(&view);
        let place = |id: &str| places.get(id).copied().unwrap_or(0);
        let ids_of_edges = view.edges.iter().map(|edge| edge.relationship_id.as_str());
        let of_edges: Vec<Option<Stored<Relationship>>> = snapshot.by_id(kind::RELATIONSHIP, ids_of_edges).await?;
        for (edge, relationship) in view.edges.iter().zip(of_edges) {
            let Some(relationship) = relationship else { continue };
            // An edge is shown with the later of its ends.
            let last = place(&relationship.source_id).max(place(&relationship.target_id));
            if (from..until).contains(&last) {
                edges.push(message::view_edge(edge));
                relationships.push(relationship);
            }
        }
        Ok(GetArchimateViewResponse {
            view: Some(message::view(&view, view.version)),
            nodes: nodes.iter().map(message::view_node).collect(),
            edges,
            elements: found.iter().flatten().map(|element| message::element(element, element.version)).collect(),
            relationships: with_ends(snapshot, &relationships).await?,
            missing_elements,
            next_page_token: listing.token(&[snapshot], (until < view.nodes.len()).then(|| until.to_string())),
            read_context: Some(snapshot.read_context()),
        })
    }
}

/// The elements on these nodes, each once.
fn ids_of(nodes: &[Node]) -> Vec<&str> {
    nodes.iter().map(|node| node.element_id.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// About how long an element is in an answer, with its node and its edges.
fn weight(element: &Element) -> usize {
    let properties = serde_json::to_string(&element.properties).map_or(0, |text| text.len());
    700 + element.description.as_deref().map_or(0, str::len) + properties
}

/// Where each element stands among the nodes, by its first node.
fn places(view: &View) -> BTreeMap<&str, usize> {
    view.nodes.iter().enumerate().rev().map(|(place, node)| (node.element_id.as_str(), place)).collect()
}
