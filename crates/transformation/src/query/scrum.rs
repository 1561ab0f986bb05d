//! Products and their backlogs at a point in history.

use contract::generated::transformation::{
    GetProductRequest, GetProductResponse, ListProductBacklogItemsRequest, ListProductBacklogItemsResponse,
    ScrumQueryService,
};
use contract::{CallError, Context};
use desk::PageTokens;
use ledger::{Find, SharedLedger};

use super::architecture::page_size;
use crate::Error;
use crate::domain::scrum::{kind, product};
use crate::projection::read_context::Wanted;
use crate::projection::scrum::within;
use crate::projection::{Listing, fold, message};

/// Items that a product shows; [`ScrumQueryService::list_product_backlog_items`] has the rest.
const BACKLOG_MAX: usize = 200;
/// The newest sprints, definitions and increments that a product shows.
const NEWEST_MAX: usize = 50;

/// Everything that can be asked about products.
#[derive(Clone)]
pub struct ScrumQuery {
    ledger: SharedLedger,
    tokens: PageTokens,
}

impl ScrumQuery {
    pub fn new(ledger: SharedLedger, tokens: PageTokens) -> Self {
        Self { ledger, tokens }
    }

    async fn product(&self, ctx: &Context, request: GetProductRequest) -> Result<GetProductResponse, Error> {
        let wanted = Wanted::new(request.read_context.as_ref())?;
        let snapshot = wanted.snapshot(self.ledger.as_ref(), ctx).await?;
        let found = snapshot.product(&request.product_id).await?;
        let open = product::in_order(&found, snapshot.open_items(&found.id).await?);
        let sprints = snapshot.sprints_of(&found.id).await?;
        let definitions = snapshot.definitions_of_done(&found.id).await?;
        let increments = snapshot.increments(&found.id, None).await?;
        Ok(GetProductResponse {
            product: Some(message::scrum::product(&found)),
            past_goals: found.past_goals.iter().map(message::scrum::goal).collect(),
            truncated: open.len() > BACKLOG_MAX,
            backlog: open.iter().take(BACKLOG_MAX).map(message::scrum::item).collect(),
            sprints: newest(&sprints).iter().map(message::scrum::sprint).collect(),
            definitions_of_done: newest(&definitions).iter().map(|of| message::scrum::definition_of_done(of)).collect(),
            increments: newest(&increments).iter().map(message::scrum::increment).collect(),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn items(
        &self,
        ctx: &Context,
        request: ListProductBacklogItemsRequest,
    ) -> Result<ListProductBacklogItemsResponse, Error> {
        let arguments = (&request.product_id, request.status, request.page_size);
        let listing = Listing::new(
            &self.tokens,
            ctx,
            "listProductBacklogItems",
            &arguments,
            request.read_context.as_ref(),
            request.page_token.as_deref(),
        )?;
        let snapshot = listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let product = snapshot.product(&request.product_id).await?;
        let status = message::scrum::item_status(request.status);
        let find = Find {
            status: status.map(|status| fold::scrum::status_word(status).to_owned()),
            after: listing.after.clone(),
            limit: page_size(request.page_size),
            ..within(kind::ITEM, &product.id)
        };
        let page = snapshot.versions(find).await?;
        Ok(ListProductBacklogItemsResponse {
            items: page.items.iter().map(message::scrum::item).collect(),
            next_page_token: listing.token(&[&snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }
}

/// The last ones, in the order they have.
fn newest<T>(all: &[T]) -> &[T] {
    &all[all.len().saturating_sub(NEWEST_MAX)..]
}

impl ScrumQueryService for ScrumQuery {
    async fn get_product(&self, ctx: &Context, request: GetProductRequest) -> Result<GetProductResponse, CallError> {
        Ok(self.product(ctx, request).await?)
    }

    async fn list_product_backlog_items(
        &self,
        ctx: &Context,
        request: ListProductBacklogItemsRequest,
    ) -> Result<ListProductBacklogItemsResponse, CallError> {
        Ok(self.items(ctx, request).await?)
    }
}
