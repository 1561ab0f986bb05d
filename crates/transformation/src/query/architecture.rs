//! Models, elements and relationships at a point in history.

use std::collections::BTreeMap;

use contract::generated::transformation::{
    ArchiMateQueryService, GetArchimateModelRequest, GetArchimateModelResponse, GetArchimateViewRequest,
    GetArchimateViewResponse, GetElementRequest, GetElementResponse, GetRelationshipRequest, GetRelationshipResponse,
    LayerCount, ListArchimateElementsRequest, ListArchimateElementsResponse, ListArchimateRelationshipsRequest,
    ListArchimateRelationshipsResponse, ListModelsRequest, ListModelsResponse, SearchElementsRequest,
    SearchElementsResponse,
};
use contract::{CallError, Context};
use desk::PageTokens;
use ledger::{Direction, Find, FindOrder, Page, SharedLedger};

use crate::Error;
use crate::domain::Stored;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::name::normalised;
use crate::domain::relationship::Relationship;
use crate::metamodel::{ElementType, Layer, RelationshipType};
use crate::projection::read_context::Wanted;
use crate::projection::{Listing, Snapshot, fold, message};
use crate::retrieval::Retrieval;

const PAGE_DEFAULT: u32 = 50;
const PAGE_MAX: u32 = 200;

/// Everything that can be asked about the model.
#[derive(Clone)]
pub struct ArchitectureQuery {
    pub(super) ledger: SharedLedger,
    pub(super) tokens: PageTokens,
    pub(super) retrieval: Retrieval,
}

impl ArchitectureQuery {
    pub fn new(ledger: SharedLedger, tokens: PageTokens, retrieval: Retrieval) -> Self {
        Self { ledger, tokens, retrieval }
    }

    async fn models(&self, ctx: &Context, request: ListModelsRequest) -> Result<ListModelsResponse, Error> {
        let arguments = request.page_size;
        let listing = Listing::new(
            &self.tokens,
            ctx,
            "listModels",
            &arguments,
            request.read_context.as_ref(),
            request.page_token.as_deref(),
        )?;
        let snapshot = listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let active = snapshot.active_model_id().await?;
        let find = Find { after: listing.after.clone(), limit: page_size(request.page_size), ..snapshot.all_models() };
        let page = snapshot.models_page(find).await?;
        Ok(ListModelsResponse {
            models: page.items.iter().map(|model| message::model(model, active.as_deref())).collect(),
            next_page_token: listing.token(&[&snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn model(
        &self,
        ctx: &Context,
        request: GetArchimateModelRequest,
    ) -> Result<GetArchimateModelResponse, Error> {
        let wanted = Wanted::new(request.read_context.as_ref())?;
        let snapshot = wanted.snapshot(self.ledger.as_ref(), ctx).await?;
        let model = snapshot.model(&request.model_id).await?;
        let active = snapshot.active_model_id().await?;
        let counts = snapshot.counts(kind::ELEMENT, &model.id).await?;
        let of_layer = |layer: Layer| {
            let in_layer = |label: &str| ElementType::from_label(label).is_some_and(|found| found.layer() == layer);
            counts.iter().filter(|(label, _)| in_layer(label)).map(|(_, count)| count).sum()
        };
        let layers =
            Layer::ALL.into_iter().map(|layer| LayerCount { layer: layer.into(), elements: of_layer(layer) }).collect();
        Ok(GetArchimateModelResponse {
            model: Some(message::model(&model, active.as_deref())),
            layers,
            views: snapshot.views_of(&model.id).await?.iter().map(|view| message::view(view, view.version)).collect(),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn element(&self, ctx: &Context, request: GetElementRequest) -> Result<GetElementResponse, Error> {
        let wanted = Wanted::new(request.read_context.as_ref())?;
        let snapshot = wanted.snapshot(self.ledger.as_ref(), ctx).await?;
        let element = snapshot.element("element_id", &request.element_id, None).await?;
        Ok(GetElementResponse {
            element: Some(message::element(&element, element.version)),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn relationship(
        &self,
        ctx: &Context,
        request: GetRelationshipRequest,
    ) -> Result<GetRelationshipResponse, Error> {
        let wanted = Wanted::new(request.read_context.as_ref())?;
        let snapshot = wanted.snapshot(self.ledger.as_ref(), ctx).await?;
        let id = request.relationship_id;
        let Some(found) = snapshot.relationship_by_id(&id).await? else {
            return Err(Error::NoSuchResource { uri: format!("transformation://relationship/{id}") });
        };
        let read_context = Some(snapshot.read_context());
        Ok(GetRelationshipResponse { relationship: with_ends(&snapshot, &[found]).await?.pop(), read_context })
    }

    async fn elements(
        &self,
        ctx: &Context,
        request: ListArchimateElementsRequest,
    ) -> Result<ListArchimateElementsResponse, Error> {
        let r#type = request.element_type.as_deref().map(|text| element_type("element_type", text)).transpose()?;
        let prefix = request.name.as_deref().map(normalised).filter(|name| !name.is_empty());
        let arguments = (&request.model_id, request.layer, r#type, &prefix, request.page_size);
        let listing = Listing::new(
            &self.tokens,
            ctx,
            "listElements",
            &arguments,
            request.read_context.as_ref(),
            request.page_token.as_deref(),
        )?;
        let snapshot = listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let model = snapshot.model(&request.model_id).await?;
        let find = Find {
            scope: Some(model.id.clone()),
            r#type: r#type.map(|of| of.label().to_owned()),
            tag: message::layer(request.layer).map(fold::layer_tag),
            order: if prefix.is_some() { FindOrder::Name } else { FindOrder::Id },
            name_prefix: prefix,
            after: listing.after.clone(),
            limit: page_size(request.page_size),
            ..Find::all(kind::ELEMENT)
        };
        let page: Page<Stored<Element>> = snapshot.bounded_page(find).await?;
        Ok(ListArchimateElementsResponse {
            elements: page.items.iter().map(|element| message::element(element, element.version)).collect(),
            next_page_token: listing.token(&[&snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn relationships(
        &self,
        ctx: &Context,
        request: ListArchimateRelationshipsRequest,
    ) -> Result<ListArchimateRelationshipsResponse, Error> {
        let r#type = request
            .relationship_type
            .as_deref()
            .map(|text| relationship_type("relationship_type", text))
            .transpose()?;
        let arguments = (&request.model_id, &request.element_id, r#type, request.page_size);
        let listing = Listing::new(
            &self.tokens,
            ctx,
            "listRelationships",
            &arguments,
            request.read_context.as_ref(),
            request.page_token.as_deref(),
        )?;
        let snapshot = listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let model = snapshot.model(&request.model_id).await?;
        let touching = match &request.element_id {
            Some(reference) => {
                Some((snapshot.element("element_id", reference, Some(&model.id)).await?.state.id, Direction::Both))
            }
            None => None,
        };
        let find = Find {
            scope: Some(model.id.clone()),
            r#type: r#type.map(|of| of.label().to_owned()),
            touching,
            after: listing.after.clone(),
            limit: page_size(request.page_size),
            ..Find::all(kind::RELATIONSHIP)
        };
        let page: Page<Stored<Relationship>> = snapshot.bounded_page(find).await?;
        Ok(ListArchimateRelationshipsResponse {
            relationships: with_ends(&snapshot, &page.items).await?,
            next_page_token: listing.token(&[&snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }
}

impl ArchiMateQueryService for ArchitectureQuery {
    async fn list_models(&self, ctx: &Context, request: ListModelsRequest) -> Result<ListModelsResponse, CallError> {
        Ok(self.models(ctx, request).await?)
    }

    async fn get_archimate_model(
        &self,
        ctx: &Context,
        request: GetArchimateModelRequest,
    ) -> Result<GetArchimateModelResponse, CallError> {
        Ok(self.model(ctx, request).await?)
    }

    async fn get_element(&self, ctx: &Context, request: GetElementRequest) -> Result<GetElementResponse, CallError> {
        Ok(self.element(ctx, request).await?)
    }

    async fn get_relationship(
        &self,
        ctx: &Context,
        request: GetRelationshipRequest,
    ) -> Result<GetRelationshipResponse, CallError> {
        Ok(self.relationship(ctx, request).await?)
    }

    async fn get_archimate_view(
        &self,
        ctx: &Context,
        request: GetArchimateViewRequest,
    ) -> Result<GetArchimateViewResponse, CallError> {
        Ok(self.view(ctx, request).await?)
    }

    async fn list_archimate_elements(
        &self,
        ctx: &Context,
        request: ListArchimateElementsRequest,
    ) -> Result<ListArchimateElementsResponse, CallError> {
        Ok(self.elements(ctx, request).await?)
    }

    async fn list_archimate_relationships(
        &self,
        ctx: &Context,
        request: ListArchimateRelationshipsRequest,
    ) -> Result<ListArchimateRelationshipsResponse, CallError> {
        Ok(self.relationships(ctx, request).await?)
    }

    async fn search_elements(
        &self,
        ctx: &Context,
        request: SearchElementsRequest,
    ) -> Result<SearchElementsResponse, CallError> {
        Ok(self.search(ctx, request).await?)
    }
}

/// The element type a caller means, or a refusal with the nearest ones.
pub(super) fn element_type(field: &str, text: &str) -> Result<ElementType, Error> {
    ElementType::from_spelling(text)
        .ok_or_else(|| Error::NoSuchElementType { field: field.to_owned(), value: text.to_owned() })
}

/// The relationship type a caller means, or a refusal with the nearest ones.
pub(super) fn relationship_type(field: &str, text: &str) -> Result<RelationshipType, Error> {
    RelationshipType::from_spelling(text)
        .ok_or_else(|| Error::NoSuchRelationshipType { field: field.to_owned(), value: text.to_owned() })
}

/// The relationships with their ends as they were at the same point.
pub(super) async fn with_ends(
    snapshot: &Snapshot<'_>,
    relationships: &[Stored<Relationship>],
) -> Result<Vec<contract::generated::transformation::Relationship>, Error> {
    let mut ids: Vec<&str> =
        relationships.iter().flat_map(|stored| [stored.source_id.as_str(), stored.target_id.as_str()]).collect();
    ids.sort_unstable();
    ids.dedup();
    let found = snapshot.elements_by_id(&ids).await?;
    let mut ends: BTreeMap<&str, message::End> = ids
        .iter()
        .zip(found)
        .filter_map(|(id, element)| element.map(|element| (*id, (element.mention(), element.version))))
        .collect();
    // What is no element is a relationship that another one ends at.
    let others: Vec<&str> = ids.iter().copied().filter(|id| !ends.contains_key(id)).collect();
    let found: Vec<Option<Stored<Relationship>>> = snapshot.by_id(kind::RELATIONSHIP, others.iter().copied()).await?;
    let joined = others.iter().zip(found).filter_map(|(id, joined)| joined.map(|joined| (*id, joined)));
    ends.extend(joined.map(|(id, joined)| (id, (joined.mention(), joined.version))));
    let end = |id: &str| ends.get(id).cloned();
    let shown = |stored: &Stored<Relationship>| {
        message::with_ends(
            message::relationship(stored, stored.version),
            end(&stored.source_id),
            end(&stored.target_id),
        )
    };
    Ok(relationships.iter().map(shown).collect())
}

/// How many items a page holds.
pub(super) fn page_size(asked: u32) -> usize {
    let size = if asked == 0 { PAGE_DEFAULT } else { asked.min(PAGE_MAX) };
    usize::try_from(size).unwrap_or(50)
}
