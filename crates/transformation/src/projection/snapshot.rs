//! The records of one tenant at one point in history.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use contract::Context;
use contract::generated::transformation::Selector;
use desk::{Failure, bounds, points};
use ledger::{At, Find, LIVE, Ledger, Overlay, Page, RecordKey, RecordVersion, Seq};
use scope::{TenantId, Timestamp};
use serde::de::DeserializeOwned;

use crate::Error;
use crate::domain::Stored;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::id::usual_form;
use crate::domain::model::Repository;
use crate::domain::relationship::Relationship;
use crate::metamodel::RelationshipType;
use crate::projection::fold;
use crate::projection::members::Through;

/// Progress is reported after so many steps.
const REPORTED_EVERY: usize = 25;

/// Reads at one sequence number, inside the walls of one call.
#[derive(Clone)]
pub struct Snapshot<'a> {
    pub(super) ledger: Source<'a>,
    pub(super) ctx: &'a Context,
    /// The point every read is made at.
    pub at: Seq,
    /// A point that has happened and that no read is older than.
    pub since: Seq,
    /// How the caller chose the point.
    pub(super) selector: Selector,
    pub(super) as_of: Option<Timestamp>,
    /// The baseline that narrows what is shown.
    pub(super) through: Option<Arc<Through>>,
    /// The proposal that is shown as if it were accepted.
    pub(super) proposal: Option<String>,
}

/// Where a snapshot reads: the ledger, or the ledger with proposals laid over it.
#[derive(Clone)]
pub(super) enum Source<'a> {
    Plain(&'a dyn Ledger),
    Laid(Arc<Overlay<'a>>),
}

impl<'a> Deref for Source<'a> {
    type Target = dyn Ledger + 'a;

    fn deref(&self) -> &(dyn Ledger + 'a) {
        match self {
            Self::Plain(ledger) => *ledger,
            Self::Laid(overlay) => overlay.as_ref(),
        }
    }
}

impl<'a> Snapshot<'a> {
    /// What is live, for writes: each read sees the last commit, and the expectations of the decision see to the rest.
    /// Nothing it shows is older than `since`.
    pub async fn live(ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Self, Error> {
        let since = ledger.point(&ctx.scope.tenant, At::Head).await?;
        Ok(Self::plain(ledger, ctx, LIVE, since))
    }

    /// The state now.
    pub async fn head(ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Self, Error> {
        Self::at(ledger, ctx, "read_context", At::Head).await
    }

    /// The state at a point that has happened; `field` is the argument that names it.
    pub async fn at(ledger: &'a dyn Ledger, ctx: &'a Context, field: &str, at: At) -> Result<Self, Error> {
        let at = points::resolve(ledger, &ctx.scope.tenant, field, at).await?;
        Ok(Self::plain(ledger, ctx, at, at))
    }

    fn plain(ledger: &'a dyn Ledger, ctx: &'a Context, at: Seq, since: Seq) -> Self {
        let ledger = Source::Plain(ledger);
        Self { ledger, ctx, at, since, selector: Selector::Head, as_of: None, through: None, proposal: None }
    }

    /// Tells the caller how far a long read has come, now and then; refuses to go on when the caller has given up.
    pub async fn report(&self, done: usize, total: usize, doing: &str) -> Result<(), Error> {
        self.refuse_cancelled()?;
        if done.is_multiple_of(REPORTED_EVERY) {
            let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            self.ctx.client.progress(number(done), Some(number(total)), Some(doing)).await;
        }
        Ok(())
    }

    /// Ends a call whose caller has given up.
    pub fn refuse_cancelled(&self) -> Result<(), Error> {
        if self.ctx.cancelled.is_cancelled() { Err(Failure::Cancelled.into()) } else { Ok(()) }
    }

    pub async fn repository(&self) -> Result<Option<Stored<Repository>>, Error> {
        self.get(Repository::key_of(self.ctx.scope.repository.as_str())).await
    }

    /// The element with this id, unless it belongs to another repository.
    pub async fn element_by_id(&self, id: &str) -> Result<Option<Stored<Element>>, Error> {
        let found: Option<Stored<Element>> = self.get(Element::key_of(&usual_form(id))).await?;
        Ok(found.filter(|element| element.repository_id == self.ctx.scope.repository.as_str()))
    }

    /// The relationship with this id, unless it belongs to another repository.
    pub async fn relationship_by_id(&self, id: &str) -> Result<Option<Stored<Relationship>>, Error> {
        let found: Option<Stored<Relationship>> =
            self.get(RecordKey::new(kind::RELATIONSHIP, &*usual_form(id))).await?;
        Ok(found.filter(|relationship| relationship.repository_id == self.ctx.scope.repository.as_str()))
    }

    /// The elements with these ids, in their order.
    pub async fn elements_by_id(&self, ids: &[&str]) -> Result<Vec<Option<Stored<Element>>>, Error> {
        self.by_id(kind::ELEMENT, ids.iter().copied()).await
    }

    /// The records of a kind with these ids, in their order.
    pub async fn by_id<'i, T: DeserializeOwned>(
        &self,
        kind: &str,
        ids: impl Iterator<Item = &'i str>,
    ) -> Result<Vec<Option<Stored<T>>>, Error> {
        let keys: Vec<RecordKey> = ids.map(|id| RecordKey::new(kind, id)).collect();
        let found = self.get_all(&keys).await?;
        found.into_iter().map(|version| version.map(|version| self.read(&version)).transpose()).collect()
    }

    /// Elements of a model with this normalised name, whatever their type.
    pub async fn namesakes(&self, model_id: &str, name: String) -> Result<Vec<Stored<Element>>, Error> {
        let find = Find { scope: Some(model_id.to_owned()), name: Some(name), ..Find::all(kind::ELEMENT) };
        Ok(self.page(find).await?.items)
    }

    /// Every relationship that touches an element.
    pub async fn relationships_of(&self, element_id: &str) -> Result<Vec<Relationship>, Error> {
        let touching = Some((element_id.to_owned(), ledger::Direction::Both));
        let mut find = Find { touching, limit: 500, ..Find::all(kind::RELATIONSHIP) };
        let mut all = Vec::new();
        loop {
            let page: Page<Stored<Relationship>> = self.page(find.clone()).await?;
            all.extend(page.items.into_iter().map(|stored| stored.state));
            match page.next {
                Some(next) => find.after = Some(next),
                None => return Ok(all),
            }
        }
    }

    /// Every relationship that touches this, or touches one of those: what cannot be without it.
    pub async fn relationships_with(&self, id: &str) -> Result<Vec<Relationship>, Error> {
        let mut all: Vec<Relationship> = Vec::new();
        let mut known = BTreeSet::new();
        let mut open = vec![id.to_owned()];
        while let Some(end) = open.pop() {
            for relationship in self.relationships_of(&end).await? {
                if known.insert(relationship.id.clone()) {
                    open.push(relationship.id.clone());
                    all.push(relationship);
                }
            }
        }
        Ok(all)
    }

    /// The ids and versions of all relationships that touch an element, in order.
    pub async fn link_versions(&self, element_id: &str) -> Result<Vec<(String, u64)>, Error> {
        let touching = Some((element_id.to_owned(), ledger::Direction::Both));
        let mut find = Find { touching, limit: 500, ..Find::all(kind::RELATIONSHIP) };
        let mut all = Vec::new();
        loop {
            let page = self.find(find.clone()).await?;
            all.extend(page.items.into_iter().map(|version| (version.record.key.id, version.version)));
            match page.next {
                Some(next) => find.after = Some(next),
                None => break,
            }
        }
        all.sort();
        Ok(all)
    }

    /// Ids of relationships of a type between two elements.
    pub async fn relationships_between(
        &self,
        model_id: &str,
        of: RelationshipType,
        source_id: &str,
        target_id: &str,
    ) -> Result<Vec<String>, Error> {
        let find = Find {
            scope: Some(model_id.to_owned()),
            r#type: Some(of.label().to_owned()),
            tag: Some(fold::pair_tag(source_id, target_id)),
            limit: 2,
            ..Find::all(kind::RELATIONSHIP)
        };
        let page: Page<Stored<Relationship>> = self.page(find).await?;
        Ok(page.items.into_iter().map(|stored| stored.state.id).collect())
    }

    /// Ids of the elements that an element is a part of by Composition.
    pub async fn wholes_of(&self, element_id: &str) -> Result<Vec<String>, Error> {
        let find = Find {
            r#type: Some(RelationshipType::Composition.label().to_owned()),
            touching: Some((element_id.to_owned(), ledger::Direction::Incoming)),
            limit: 10,
            ..Find::all(kind::RELATIONSHIP)
        };
        let page: Page<Stored<Relationship>> = self.page(find).await?;
        Ok(page.items.into_iter().map(|stored| stored.state.source_id).collect())
    }

    /// True when a chain of these types leads from `from` to `to`. Walks upwards from `to`, where chains are short.
    pub async fn leads(&self, from: &str, to: &str, types: &[RelationshipType]) -> Result<bool, Error> {
        let traverse = ledger::Traverse {
            from: to.to_owned(),
            kind: kind::RELATIONSHIP.to_owned(),
            types: types.iter().map(|of| of.label().to_owned()).collect(),
            direction: ledger::Direction::Incoming,
            hops_max: 10_000,
            records_max: 100_000,
        };
        let traversal = self.traverse(traverse).await?;
        Ok(traversal.reached.iter().any(|neighbour| neighbour.id == from))
    }

    /// One page of what matches.
    pub async fn page<T: DeserializeOwned>(&self, find: Find) -> Result<Page<Stored<T>>, Error> {
        let page = self.find(find).await?;
        let items = page.items.iter().map(|version| self.read(version)).collect::<Result<_, _>>()?;
        Ok(Page { items, next: page.next })
    }

    /// One page of what matches, cut short where an answer would grow beyond [`bounds::ANSWER_CHARS_MAX`]; it then goes on after that.
    pub async fn bounded_page<T: DeserializeOwned>(&self, find: Find) -> Result<Page<Stored<T>>, Error> {
        let mut page = self.find(find.clone()).await?;
        let fitting = bounds::fitting(page.items.iter().map(|version| version.record.body.len()));
        if fitting < page.items.len() {
            page = self.find(Find { limit: fitting, ..find }).await?;
        }
        let items = page.items.iter().map(|version| self.read(version)).collect::<Result<_, _>>()?;
        Ok(Page { items, next: page.next })
    }

    /// Where search looks: the tenant, and the repository that names its partition.
    pub fn searched(&self) -> (&TenantId, &str) {
        (&self.ctx.scope.tenant, self.ctx.scope.repository.as_str())
    }

    /// The only model whose elements are shown, when they are read through a baseline.
    pub fn model_searched(&self) -> Option<&str> {
        self.through.as_deref().map(|through| through.model_id.as_str())
    }

    /// What is read.
    pub fn ledger(&self) -> &dyn Ledger {
        &*self.ledger
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, key: RecordKey) -> Result<Option<Stored<T>>, Error> {
        let found = self.get_all(std::slice::from_ref(&key)).await?;
        found.into_iter().next().flatten().map(|version| self.read(&version)).transpose()
    }

    pub(super) fn read<T: DeserializeOwned>(&self, version: &RecordVersion) -> Result<Stored<T>, Error> {
        let state = serde_json::from_str(&version.record.body).map_err(|error| Failure::Internal {
            error_id: self.ctx.request.request_id.clone(),
            cause: format!("{} {} cannot be read: {error}", version.record.key.kind, version.record.key.id),
        })?;
        Ok(Stored { state, version: version.version, at: version.at })
    }
}
