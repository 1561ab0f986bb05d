//! Elements of one layer and type by words, or all of them by name.

use contract::Context;
use contract::generated::transformation::{SearchElementsRequest, SearchElementsResponse};
use desk::bounds;
use ledger::{Find, FindOrder, Page};

use super::architecture::{ArchitectureQuery, element_type, page_size};
use crate::Error;
use crate::domain::Stored;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::metamodel::{ElementType, Layer};
use crate::projection::{Listing, Snapshot, fold, message};
use crate::retrieval::{ElementFilter, Found, Question, Retrieval};

/// The query that lists everything.
const EVERYTHING: &str = "*";
/// Beyond so many elements the ranking ends.
const RANKED_MAX: usize = 1_000;
/// Below this cosine an element is not found, unless words find it.
const SIMILARITY_MIN: f64 = 0.5;
/// What the tool looks for unless told otherwise.
const LAYER_DEFAULT: Layer = Layer::Strategy;
const TYPE_DEFAULT: ElementType = ElementType::CAPABILITY;

impl ArchitectureQuery {
    pub(super) async fn search(
        &self,
        ctx: &Context,
        request: SearchElementsRequest,
    ) -> Result<SearchElementsResponse, Error> {
        let asked = request.element_type.as_deref().map(|text| element_type("element_type", text)).transpose()?;
        let filter = narrowed(message::layer(request.layer), asked)?;
        let size = page_size(request.page_size);
        let text = request.query.trim();
        let arguments = (text, filter.layer.map(Layer::label), filter.r#type, size);
        let context = request.read_context.as_ref();
        let listing =
            Listing::new(&self.tokens, ctx, "searchCapabilities", &arguments, context, request.page_token.as_deref())?;
        let snapshot = &listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let after = listing.after.as_deref();
        let page = match text {
            EVERYTHING => all_by_name(snapshot, &filter, after, size).await?,
            _ => ranked(&self.retrieval, snapshot, text, filter, after, size).await?,
        };
        Ok(SearchElementsResponse {
            elements: page.items.iter().map(|element| message::element(element, element.version)).collect(),
            next_page_token: listing.token(&[snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }
}

/// What to look for. No type belongs to two layers, so where layer and type contradict each other the one that merely
/// has its default gives way.
fn narrowed(layer: Option<Layer>, r#type: Option<ElementType>) -> Result<ElementFilter, Error> {
    let (layer, r#type) = (layer.unwrap_or(LAYER_DEFAULT), r#type.unwrap_or(TYPE_DEFAULT));
    let among = None;
    if r#type.layer() == layer || layer == LAYER_DEFAULT {
        return Ok(ElementFilter { layer: Some(r#type.layer()), r#type: Some(r#type), among });
    }
    if r#type == TYPE_DEFAULT {
        return Ok(ElementFilter { layer: Some(layer), r#type: None, among });
    }
    let reason = format!("{type} is not in the {layer} layer");
    Err(Error::argument("element_type", reason, format!("leave layer out; {type} is in the {} layer", r#type.layer())))
}

/// One page of the ranking; the cursor is the number of elements before it.
async fn ranked(
    retrieval: &Retrieval,
    snapshot: &Snapshot<'_>,
    text: &str,
    filter: ElementFilter,
    after: Option<&str>,
    size: usize,
) -> Result<Page<Stored<Element>>, Error> {
    let offset = after.and_then(|after| after.parse().ok()).unwrap_or(0);
    let (limit, similarity_min) = (RANKED_MAX, SIMILARITY_MIN);
    let question =
        Question { text: text.to_owned(), filter, limit, similarity_min, prefix: true, ..Question::default() };
    let hits = retrieval.rank(snapshot, &question).await?.found;
    let long =
        |hit: &Found| hit.element.description.as_deref().map_or(0, str::len) + hit.element.properties.len() * 200;
    let size = size.min(bounds::fitting(hits.iter().skip(offset).map(|hit| 500 + long(hit))));
    let next = (hits.len() > offset + size).then(|| (offset + size).to_string());
    Ok(Page { items: hits.into_iter().skip(offset).take(size).map(|hit| hit.element).collect(), next })
}

/// One page of all elements by name, model after model; the cursor is the model's place and the ledger's cursor in it.
async fn all_by_name(
    snapshot: &Snapshot<'_>,
    filter: &ElementFilter,
    after: Option<&str>,
    size: usize,
) -> Result<Page<Stored<Element>>, Error> {
    let (first, mut cursor) = match after.and_then(|after| after.split_once(':')) {
        Some((place, cursor)) => {
            (place.parse().unwrap_or(0), Some(cursor.to_owned()).filter(|cursor| !cursor.is_empty()))
        }
        None => (0, None),
    };
    let mut items: Vec<Stored<Element>> = Vec::new();
    for (place, model) in snapshot.models().await?.iter().enumerate().skip(first) {
        if items.len() == size {
            return Ok(Page { items, next: Some(format!("{place}:")) });
        }
        let find = Find {
            scope: Some(model.id.clone()),
            r#type: filter.r#type.map(|of| of.label().to_owned()),
            tag: filter.layer.map(fold::layer_tag),
            order: FindOrder::Name,
            after: cursor.take(),
            limit: size - items.len(),
            ..Find::all(kind::ELEMENT)
        };
        let page: Page<Stored<Element>> = snapshot.bounded_page(find).await?;
        items.extend(page.items);
        if let Some(next) = page.next {
            return Ok(Page { items, next: Some(format!("{place}:{next}")) });
        }
    }
    Ok(Page { items, next: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn a_default_gives_way_to_what_was_asked() {
        check(None, None, "strategy Capability");
        check(Some(Layer::Strategy), Some("Resource"), "strategy Resource");
        check(Some(Layer::Strategy), Some("ApplicationComponent"), "application ApplicationComponent");
        check(Some(Layer::Application), Some("Capability"), "application any");
        check(Some(Layer::Application), Some("DataObject"), "application DataObject");
        check(Some(Layer::Business), Some("Node"), "element_type Node is not in the business layer");
    }

    #[track_caller]
    fn check(layer: Option<Layer>, r#type: Option<&str>, expected: &str) {
        let shown = match narrowed(layer, r#type.and_then(ElementType::from_label)) {
            Err(error) => error.to_string(),
            Ok(ElementFilter { layer, r#type, .. }) => {
                format!("{} {}", layer.map_or("any", Layer::label), r#type.map_or("any", ElementType::label))
            }
        };
        assert_eq!(shown, expected);
    }
}
