//! Open proposals as overlays: the model as if they were accepted.

use std::collections::BTreeSet;
use std::sync::Arc;

use desk::Failure;
use ledger::{Find, Ledger as _, Overlay};
use scope::Timestamp;

use super::snapshot::Source;
use super::{Snapshot, fold};
use crate::Error;
use crate::domain::Stored;
use crate::domain::fact::kind;
use crate::domain::proposal::{PinsNow, Proposal, Status};
use crate::projection::fold::governance::{asked_tag, open_author_tag};

/// How many of an author's open proposals later writes build upon, the oldest.
const OWN_OPEN_MAX: usize = 50;
/// How many proposals a proposal may build upon, all in all.
const CHAIN_MAX: usize = 100;

impl<'a> Snapshot<'a> {
    /// The same state as if a proposal, and those that it builds upon, were accepted. What was accepted is in the state already.
    pub async fn as_if_accepted(self, field: &str, id: &str) -> Result<Self, Error> {
        let proposal = match self.proposal(id).await {
            Err(Error::NoSuchProposal { reference }) => {
                return Err(Error::NoSuchProposalIn { field: field.to_owned(), reference });
            }
            found => found?,
        };
        let echoed = Some(proposal.id.clone());
        if proposal.status == Status::Accepted {
            return Ok(Self { proposal: echoed, ..self });
        }
        let chain = self.chain(&proposal).await?;
        let shown = self.with(&chain).await?;
        Ok(Self { proposal: echoed, ..shown })
    }

    /// The same state with these proposals laid over it, in their order.
    pub async fn with(self, proposals: &[Stored<Proposal>]) -> Result<Self, Error> {
        let Source::Plain(base) = &self.ledger else { return Ok(self) };
        let overlay = Overlay::over_lent(*base, self.ctx.scope.tenant.clone(), self.since);
        for proposal in proposals {
            self.lay(&overlay, proposal).await?;
        }
        Ok(Self { ledger: Source::Laid(Arc::new(overlay)), ..self })
    }

    /// The ids of elements that are not what they were, or have other relationships or neighbours, with what was laid over.
    pub async fn elements_drafted(&self) -> Result<BTreeSet<String>, Error> {
        let Source::Laid(overlay) = &self.ledger else { return Ok(BTreeSet::new()) };
        let mut ids: BTreeSet<String> = overlay.changed(kind::ELEMENT).into_iter().map(|key| key.id).collect();
        let mut links = Vec::new();
        for id in &ids {
            let touching = Some((id.clone(), ledger::Direction::Both));
            links.extend(self.find(Find { touching, limit: 500, ..Find::all(kind::RELATIONSHIP) }).await?.items);
        }
        let drafted = overlay.changed(kind::RELATIONSHIP);
        let tenant = &self.ctx.scope.tenant;
        links.extend(overlay.get(tenant, self.at, &drafted).await?.into_iter().flatten());
        links.extend(overlay.below().get(tenant, self.at, &drafted).await?.into_iter().flatten());
        let ends = links.into_iter().filter_map(|link| link.record.ends);
        ids.extend(ends.flat_map(|ends| [ends.source, ends.target]));
        Ok(ids)
    }

    /// Lays what a proposal would record over a ledger.
    pub async fn lay(&self, overlay: &Overlay<'_>, proposal: &Stored<Proposal>) -> Result<(), Error> {
        if proposal.facts.is_empty() {
            return Err(Error::ProposalState {
                proposal: proposal.id.clone(),
                status: proposal.status.label(),
                reason: "it was filed before proposals kept what they would record; rebase it first".to_owned(),
            });
        }
        let at: Timestamp = proposal.created_at;
        for planned in &proposal.facts {
            let fact = planned.fact().map_err(|cause| Failure::Internal {
                error_id: self.ctx.request.request_id.clone(),
                cause: format!("proposal {} cannot be read: {cause}", proposal.id),
            })?;
            overlay.lay(&fold::effects(&fact), at).await?;
        }
        Ok(())
    }

    /// A proposal after all the open ones that it builds upon, oldest first. Refuses one that was closed, or that builds upon
    /// one that will never be accepted.
    pub async fn chain(&self, proposal: &Stored<Proposal>) -> Result<Vec<Stored<Proposal>>, Error> {
        let mut chain: Vec<Stored<Proposal>> = Vec::new();
        let mut open = vec![proposal.clone()];
        while let Some(next) = open.pop() {
            if next.status == Status::Accepted || chain.iter().any(|known| known.id == next.id) {
                continue;
            }
            if !next.status.is_open() {
                let of = if next.id == proposal.id {
                    "it is closed".to_owned()
                } else {
                    format!("it extends {}, which was closed", next.id)
                };
                let status = next.status.label();
                return Err(Error::ProposalState { proposal: proposal.id.clone(), status, reason: of });
            }
            for id in &next.extends {
                open.push(self.proposal(id).await?);
            }
            chain.push(next);
            if chain.len() > CHAIN_MAX {
                let reason = format!("it builds upon more than {CHAIN_MAX} others");
                let status = proposal.status.label();
                return Err(Error::ProposalState { proposal: proposal.id.clone(), status, reason });
            }
        }
        chain.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        Ok(chain)
    }

    /// The open proposals of the caller that can still be accepted as they are, oldest first.
    pub async fn own_open_proposals(&self) -> Result<Vec<Stored<Proposal>>, Error> {
        let find = Find {
            scope: Some(self.ctx.scope.repository.to_string()),
            tag: Some(open_author_tag(&self.ctx.principal.id())),
            limit: OWN_OPEN_MAX,
            ..Find::all(kind::PROPOSAL)
        };
        let mut proposals: Vec<Stored<Proposal>> = self.page(find).await?.items;
        proposals.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        Ok(proposals)
    }

    /// What a proposal rests on, as this snapshot shows it with the open proposals that it builds upon. Without those that will
    /// never be accepted, so that it is stale.
    pub async fn pins_with_extended(&self, proposal: &Proposal) -> Result<PinsNow, Error> {
        let mut extended = Vec::new();
        for id in &proposal.extends {
            let one = self.proposal(id).await?;
            if let Ok(chain) = self.chain(&one).await {
                extended.extend(chain);
            }
        }
        if extended.is_empty() {
            return self.pins_now(proposal).await;
        }
        extended.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        extended.dedup_by(|one, other| one.id == other.id);
        self.clone().with(&extended).await?.pins_now(proposal).await
    }

    /// An open proposal that was asked for with the same arguments.
    pub async fn asked_before(&self, hash: &str) -> Result<Option<Stored<Proposal>>, Error> {
        let find = Find {
            scope: Some(self.ctx.scope.repository.to_string()),
            tag: Some(asked_tag(hash)),
            limit: 1,
            ..Find::all(kind::PROPOSAL)
        };
        Ok(self.page(find).await?.items.into_iter().next())
    }
}
