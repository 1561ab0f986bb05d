//! Definitions at a point in history.

use contract::generated::transformation::{
    DefinitionQueryService, GetDefinitionRequest, GetDefinitionResponse, ListDefinitionsRequest,
    ListDefinitionsResponse,
};
use contract::{CallError, Context};
use desk::PageTokens;
use ledger::{Find, Page, SharedLedger};

use super::architecture::page_size;
use crate::Error;
use crate::domain::Stored;
use crate::domain::definition::Definition;
use crate::projection::read_context::Wanted;
use crate::projection::{Listing, message};

/// Everything that can be asked about definitions.
#[derive(Clone)]
pub struct DefinitionQuery {
    ledger: SharedLedger,
    tokens: PageTokens,
}

impl DefinitionQuery {
    pub fn new(ledger: SharedLedger, tokens: PageTokens) -> Self {
        Self { ledger, tokens }
    }

    async fn list(&self, ctx: &Context, request: ListDefinitionsRequest) -> Result<ListDefinitionsResponse, Error> {
        let arguments = (request.kind, request.status, request.page_size);
        let listing = Listing::new(
            &self.tokens,
            ctx,
            "listDefinitions",
            &arguments,
            request.read_context.as_ref(),
            request.page_token.as_deref(),
        )?;
        let snapshot = listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let kind = request.kind.and_then(message::definition::kind);
        let status = request.status.and_then(message::definition::status);
        let find = Find {
            r#type: kind.map(|kind| kind.label().to_owned()),
            status: status.map(|status| status.label().to_owned()),
            after: listing.after.clone(),
            limit: page_size(request.page_size),
            ..snapshot.all_definitions()
        };
        let page: Page<Stored<Definition>> = snapshot.bounded_page(find).await?;
        Ok(ListDefinitionsResponse {
            definitions: page.items.iter().map(|found| message::definition::definition(found, found.version)).collect(),
            next_page_token: listing.token(&[&snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn get(&self, ctx: &Context, request: GetDefinitionRequest) -> Result<GetDefinitionResponse, Error> {
        let wanted = Wanted::new(request.read_context.as_ref())?;
        let snapshot = wanted.snapshot(self.ledger.as_ref(), ctx).await?;
        let found = snapshot.definition(&request.definition_id).await?;
        Ok(GetDefinitionResponse {
            definition: Some(message::definition::definition(&found, found.version)),
            read_context: Some(snapshot.read_context()),
        })
    }
}

impl DefinitionQueryService for DefinitionQuery {
    async fn list_definitions(
        &self,
        ctx: &Context,
        request: ListDefinitionsRequest,
    ) -> Result<ListDefinitionsResponse, CallError> {
        Ok(self.list(ctx, request).await?)
    }

    async fn get_definition(
        &self,
        ctx: &Context,
        request: GetDefinitionRequest,
    ) -> Result<GetDefinitionResponse, CallError> {
        Ok(self.get(ctx, request).await?)
    }
}
