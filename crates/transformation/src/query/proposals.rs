//! Proposals, for those who filed them and those who decide.

use contract::generated::transformation::{
    GetProposalRequest, GetProposalResponse, ListProposalsRequest, ListProposalsResponse, ProposalQueryService,
    ProposalReview, ProposalStatus,
};
use contract::{CallError, Context};
use desk::PageTokens;
use ledger::{Find, FindOrder, Page, SharedLedger};

use super::architecture::page_size;
use super::review;
use crate::Error;
use crate::domain::Stored;
use crate::domain::fact::kind;
use crate::domain::policy::Governance;
use crate::domain::proposal::Proposal;
use crate::projection::fold::governance::target_tag;
use crate::projection::read_context::Wanted;
use crate::projection::{Listing, message};

/// Everything that can be asked about proposals.
#[derive(Clone)]
pub struct ProposalQuery {
    ledger: SharedLedger,
    tokens: PageTokens,
    governance: Governance,
}

impl ProposalQuery {
    pub fn new(ledger: SharedLedger, tokens: PageTokens, governance: Governance) -> Self {
        Self { ledger, tokens, governance }
    }

    async fn list(&self, ctx: &Context, request: ListProposalsRequest) -> Result<ListProposalsResponse, Error> {
        let arguments = (request.status, &request.element_id, request.page_size);
        let listing = Listing::new(
            &self.tokens,
            ctx,
            "listProposals",
            &arguments,
            request.read_context.as_ref(),
            request.page_token.as_deref(),
        )?;
        let snapshot = &listing.snapshot(self.ledger.as_ref(), ctx).await?;
        let tag = match &request.element_id {
            Some(reference) => {
                let named = snapshot.element("element_id", reference, None).await;
                // What is no longer there still has proposals under its id.
                Some(target_tag(&named.map_or_else(|_| reference.clone(), |element| element.state.id)))
            }
            None => None,
        };
        let status = match request.status() {
            ProposalStatus::Unspecified => None,
            status => Some(status.label().to_owned()),
        };
        // By status or target the index is in the order of filing; all of them are listed newest first.
        let order = if status.is_none() && tag.is_none() { FindOrder::Time } else { FindOrder::Id };
        let find = Find {
            scope: Some(ctx.scope.repository.to_string()),
            status,
            tag,
            order,
            after: listing.after.clone(),
            limit: page_size(request.page_size),
            ..Find::all(kind::PROPOSAL)
        };
        let page: Page<Stored<Proposal>> = snapshot.bounded_page(find).await?;
        let mut proposals = Vec::with_capacity(page.items.len());
        for proposal in &page.items {
            let current = snapshot.pins_with_extended(proposal).await?;
            proposals.push(message::proposal(proposal, &current, Vec::new(), false));
        }
        Ok(ListProposalsResponse {
            proposals,
            next_page_token: listing.token(&[snapshot], page.next),
            read_context: Some(snapshot.read_context()),
        })
    }

    async fn get(&self, ctx: &Context, request: GetProposalRequest) -> Result<GetProposalResponse, Error> {
        let wanted = Wanted::new(request.read_context.as_ref())?;
        let snapshot = &wanted.snapshot(self.ledger.as_ref(), ctx).await?;
        let proposal = snapshot.proposal(&request.proposal_id).await?;
        let current = snapshot.pins_with_extended(&proposal).await?;
        let rivals = snapshot.rivals(&proposal).await?;
        Ok(GetProposalResponse {
            proposal: Some(message::proposal(&proposal, &current, rivals, true)),
            read_context: Some(snapshot.read_context()),
        })
    }
}

impl ProposalQuery {
    /// The review page under the policy in force.
    pub async fn review(
        &self,
        ctx: &Context,
        request: GetProposalRequest,
        governance: &Governance,
    ) -> Result<ProposalReview, Error> {
        let wanted = Wanted::new(request.read_context.as_ref())?;
        let snapshot = &wanted.snapshot(self.ledger.as_ref(), ctx).await?;
        let proposal = snapshot.proposal(&request.proposal_id).await?;
        review::page(snapshot, &proposal, governance).await
    }
}

impl ProposalQueryService for ProposalQuery {
    async fn review_proposal(&self, ctx: &Context, request: GetProposalRequest) -> Result<ProposalReview, CallError> {
        Ok(self.review(ctx, request, &self.governance).await?)
    }

    async fn list_proposals(
        &self,
        ctx: &Context,
        request: ListProposalsRequest,
    ) -> Result<ListProposalsResponse, CallError> {
        Ok(self.list(ctx, request).await?)
    }

    async fn get_proposal(&self, ctx: &Context, request: GetProposalRequest) -> Result<GetProposalResponse, CallError> {
        Ok(self.get(ctx, request).await?)
    }
}
