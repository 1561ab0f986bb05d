//! Baselines, and what differs between two states.

mod compare;

use contract::generated::transformation::{
    BaselineQueryService, CompareRequest, CompareResponse, GetBaselineRequest, GetBaselineResponse,
    ListBaselinesRequest, ListBaselinesResponse,
};
use contract::{CallError, Context};
use desk::PageTokens;
use ledger::{Find, Page, SharedLedger};

use super::architecture::page_size;
use crate::Error;
use crate::domain::Stored;
use crate::domain::baseline::Baseline;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::projection::{Listing, message};

/// Everything that can be asked about baselines.
#[derive(Clone)]
pub struct BaselineQuery {
    ledger: SharedLedger,
    tokens: PageTokens,
}

impl BaselineQuery {
    pub fn new(ledger: SharedLedger, tokens: PageTokens) -> Self {
        Self { ledger, tokens }
    }

    async fn baseline(&self, ctx: &Context, request: GetBaselineRequest) -> Result<GetBaselineResponse, Error> {
        let arguments = (&request.baseline_id, request.page_size);
        let (context, token) = (request.read_context.as_ref(), request.page_token.as_deref());
        let listing = Listing::new(&self.tokens, ctx, "getBaseline", &arguments, context, token)?;
        let snapshot = listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let baseline = snapshot.baseline("baseline_id", &request.baseline_id).await?;
        let find = Find {
            scope: Some(baseline.model_id.clone()),
            after: listing.after.clone(),
            limit: page_size(request.page_size),
            ..Find::all(kind::ELEMENT)
        };
        let held: Page<Stored<Element>> = snapshot.holding(&baseline).page(find).await?;
        Ok(GetBaselineResponse {
            published: snapshot.published_baseline_id().await?.as_deref() == Some(baseline.id.as_str()),
            baseline: Some(message::baseline(&baseline, baseline.version)),
            items: held.items.iter().map(message::baseline_item).collect(),
            next_page_token: listing.token(&[&snapshot], held.next),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn baselines(&self, ctx: &Context, request: ListBaselinesRequest) -> Result<ListBaselinesResponse, Error> {
        let arguments = (request.status, request.page_size);
        let (context, token) = (request.read_context.as_ref(), request.page_token.as_deref());
        let listing = Listing::new(&self.tokens, ctx, "listBaselines", &arguments, context, token)?;
        let snapshot = listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let find = Find {
            status: message::baseline_status(request.status).map(|status| status.label().to_owned()),
            after: listing.after.clone(),
            limit: page_size(request.page_size),
            ..snapshot.all_baselines()
        };
        let page: Page<Stored<Baseline>> = snapshot.page(find).await?;
        Ok(ListBaselinesResponse {
            baselines: page.items.iter().map(|baseline| message::baseline(baseline, baseline.version)).collect(),
            published_baseline_id: snapshot.published_baseline_id().await?,
            next_page_token: listing.token(&[&snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }
}

impl BaselineQueryService for BaselineQuery {
    async fn get_baseline(&self, ctx: &Context, request: GetBaselineRequest) -> Result<GetBaselineResponse, CallError> {
        Ok(self.baseline(ctx, request).await?)
    }

    async fn list_baselines(
        &self,
        ctx: &Context,
        request: ListBaselinesRequest,
    ) -> Result<ListBaselinesResponse, CallError> {
        Ok(self.baselines(ctx, request).await?)
    }

    async fn compare(&self, ctx: &Context, request: CompareRequest) -> Result<CompareResponse, CallError> {
        Ok(compare::compare(self.ledger.as_ref(), &self.tokens, ctx, request).await?)
    }
}
