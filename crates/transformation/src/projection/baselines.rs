//! Baselines as they are read: by reference, as what is published, and as what they hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::generated::transformation::Selector;
use ledger::{Direction, Find, LIVE, Page, Seq};

use super::members::Through;
use super::{Snapshot, fold};
use crate::Error;
use crate::domain::Stored;
use crate::domain::baseline::draft::Holders;
use crate::domain::baseline::life::Publication;
use crate::domain::baseline::members::{Membership, refuse_too_many};
use crate::domain::baseline::{Baseline, BaselineMention, Status};
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::name::normalised;
use crate::domain::relationship::Relationship;
use crate::error::BaselineRefusal;

/// How many baselines a refusal names.
const KNOWN_MAX: usize = 20;
/// How many records are loaded at a time.
const LOAD: usize = 500;

/// A baseline, and where the index of its members is read.
#[derive(Debug, Clone)]
pub struct Pinned {
    pub baseline: Stored<Baseline>,
    pub echoed_id: String,
    pub members_at: Seq,
    /// True when the caller named one version of it.
    pub exact: bool,
}

impl<'a> Snapshot<'a> {
    /// The query for all baselines of the repository, oldest first; to be narrowed or paged.
    pub fn all_baselines(&self) -> Find {
        Find { scope: Some(self.ctx.scope.repository.to_string()), ..Find::all(kind::BASELINE) }
    }

    /// The id of the baseline that selector `published` reads.
    pub async fn published_baseline_id(&self) -> Result<Option<String>, Error> {
        Ok(self.repository().await?.and_then(|repository| repository.state.published_baseline_id))
    }

    /// The baseline a caller names in `field` by id, key or name.
    pub async fn baseline(&self, field: &str, reference: &str) -> Result<Stored<Baseline>, Error> {
        match self.baseline_called(reference).await? {
            Some(baseline) => Ok(baseline),
            None => Err(self.unknown_baseline(field, reference).await?),
        }
    }

    /// The baseline a caller wants to read through. A draft may change, so `ID@VERSION` names one state of it for ever.
    pub async fn pinned(&self, field: &str, reference: &str) -> Result<Pinned, Error> {
        if let Some(baseline) = self.baseline_called(reference).await? {
            let fixed = baseline.status != Status::Draft;
            let echoed_id = if fixed { baseline.id.clone() } else { format!("{}@{}", baseline.id, baseline.version) };
            return Ok(Pinned { members_at: if fixed { LIVE } else { self.at }, echoed_id, baseline, exact: false });
        }
        if let Some((id, version)) = versioned(reference)
            && let Some(baseline) = self.baseline_by_id(id).await?
            && version <= baseline.version
            && let Some(pinned) = self.pinned_version(baseline, version).await?
        {
            return Ok(pinned);
        }
        Err(self.unknown_baseline(field, reference).await?)
    }

    async fn pinned_version(&self, now: Stored<Baseline>, version: u64) -> Result<Option<Pinned>, Error> {
        let echoed_id = format!("{}@{version}", now.id);
        let Some(index) = usize::try_from(version).ok().and_then(|version| version.checked_sub(1)) else {
            return Ok(None);
        };
        match now.earlier_drafts.get(index) {
            None => Ok(Some(Pinned { members_at: self.at, echoed_id, baseline: now, exact: true })),
            Some(&then) => {
                let past = Snapshot { at: then, ..self.clone() };
                let baseline = past.baseline_by_id(&now.id).await?;
                Ok(baseline.map(|baseline| Pinned { baseline, echoed_id, members_at: then, exact: true }))
            }
        }
    }

    /// What this baseline shows; `selector` is how the caller came to it.
    pub fn through(&self, selector: Selector, pinned: &Pinned) -> Snapshot<'a> {
        let Pinned { baseline, echoed_id, members_at, .. } = pinned;
        let through = Through {
            baseline_id: baseline.id.clone(),
            echoed_id: echoed_id.clone(),
            model_id: baseline.model_id.clone(),
            members_at: baseline.chosen.map(|_| *members_at),
        };
        Snapshot {
            at: baseline.sequence,
            since: baseline.sequence,
            selector,
            through: Some(Arc::new(through)),
            ..self.clone()
        }
    }

    /// What this baseline, read at this very point, shows.
    pub fn holding(&self, baseline: &Stored<Baseline>) -> Snapshot<'a> {
        let (baseline, echoed_id) = (baseline.clone(), baseline.id.clone());
        self.through(Selector::BaselineId, &Pinned { baseline, echoed_id, members_at: self.at, exact: false })
    }

    /// True when it is read through a baseline.
    pub fn is_narrowed(&self) -> bool {
        self.through.is_some()
    }

    /// True when the baseline it is read through holds only a part of its model.
    pub fn shows_a_part(&self) -> bool {
        self.through.as_ref().is_some_and(|through| through.members_at.is_some())
    }

    /// The same point and model, with what a chosen part leaves out.
    pub fn whole(&self) -> Snapshot<'a> {
        let through = self.through.as_deref().cloned().map(|through| Arc::new(Through { members_at: None, ..through }));
        Snapshot { through, ..self.clone() }
    }

    async fn baseline_by_id(&self, id: &str) -> Result<Option<Stored<Baseline>>, Error> {
        let found: Option<Stored<Baseline>> = self.get(Baseline::key_of(id)).await?;
        Ok(found.filter(|baseline| baseline.repository_id == self.ctx.scope.repository.as_str()))
    }

    async fn baseline_called(&self, reference: &str) -> Result<Option<Stored<Baseline>>, Error> {
        if let Some(baseline) = self.baseline_by_id(reference).await? {
            return Ok(Some(baseline));
        }
        if let Some(baseline) = self.baseline_by_key(reference).await? {
            return Ok(Some(baseline));
        }
        self.baseline_by_name(&normalised(reference)).await
    }

    async fn baseline_by_key(&self, key: &str) -> Result<Option<Stored<Baseline>>, Error> {
        let find = Find { tag: Some(fold::key_tag(key)), limit: 1, ..self.all_baselines() };
        Ok(self.page(find).await?.items.into_iter().next())
    }

    async fn baseline_by_name(&self, normalised: &str) -> Result<Option<Stored<Baseline>>, Error> {
        let find = Find { name: Some(normalised.to_owned()), limit: 1, ..self.all_baselines() };
        Ok(self.page(find).await?.items.into_iter().next())
    }

    async fn unknown_baseline(&self, field: &str, reference: &str) -> Result<Error, Error> {
        let known: Page<Stored<Baseline>> = self.page(Find { limit: KNOWN_MAX, ..self.all_baselines() }).await?;
        Ok(Error::from(BaselineRefusal::NotFound {
            field: field.to_owned(),
            reference: reference.to_owned(),
            known: known.items.iter().map(|baseline| baseline.mention()).collect(),
        }))
    }

    /// The baselines that have this name and this key.
    pub async fn baseline_holders(&self, normalised: &str, key: Option<&str>) -> Result<Holders, Error> {
        let mention = |found: Option<Stored<Baseline>>| found.map(|baseline| baseline.mention());
        let key = match key {
            Some(key) => mention(self.baseline_by_key(key).await?),
            None => None,
        };
        Ok(Holders { name: mention(self.baseline_by_name(normalised).await?), key })
    }

    /// What is published now.
    pub async fn publication(&self) -> Result<Publication, Error> {
        let repository = self.repository().await?.ok_or(Error::NoDefaultModel)?;
        let baseline = match &repository.published_baseline_id {
            Some(id) => self.baseline_by_id(id).await?,
            None => None,
        };
        Ok(Publication { repository, baseline })
    }

    /// The open baselines and the published one that hold an element.
    // A baseline made at this very moment may be missed; what it pins stays readable all the same.
    pub async fn pinned_by(&self, element: &Element) -> Result<Vec<BaselineMention>, Error> {
        let mut found = Vec::new();
        let mut find = Find { tag: Some(fold::open_tag(&element.model_id)), ..self.all_baselines() };
        loop {
            let page: Page<Stored<Baseline>> = self.page(find.clone()).await?;
            found.extend(page.items);
            match page.next {
                Some(next) => find.after = Some(next),
                None => break,
            }
        }
        if let Some(id) = self.published_baseline_id().await? {
            found.extend(self.baseline_by_id(&id).await?);
        }
        let mut holders = Vec::new();
        for baseline in found {
            if self.holding(&baseline).element_by_id(&element.id).await?.is_some() {
                holders.push(baseline.mention());
            }
        }
        Ok(holders)
    }

    /// Everything of a model that the snapshot shows, as members of a chosen part; refused when it is too much, as a
    /// fault of `field`.
    pub async fn membership(&self, field: &'static str, model_id: &str) -> Result<Membership, Error> {
        let scope = Some(model_id.to_owned());
        let elements = self.all(field, Find { scope: scope.clone(), ..Find::all(kind::ELEMENT) }).await?;
        let relationships: Vec<Stored<Relationship>> =
            self.all(field, Find { scope, ..Find::all(kind::RELATIONSHIP) }).await?;
        Ok(Membership::of(&elements, &relationships))
    }

    /// The relationships that touch any of these elements, and those that end at one of these relationships.
    pub async fn relationships_at(
        &self,
        field: &'static str,
        elements: &[Stored<Element>],
    ) -> Result<Vec<Stored<Relationship>>, Error> {
        let mut found: Vec<Stored<Relationship>> = Vec::new();
        let mut known: BTreeSet<String> = elements.iter().map(|element| element.id.clone()).collect();
        let mut open: Vec<String> = known.iter().cloned().collect();
        let mut done = 0;
        while let Some(end) = open.pop() {
            self.report(elements.len() + done.min(elements.len()), 2 * elements.len(), "reading relationships").await?;
            done += 1;
            let touching = Some((end, Direction::Both));
            let more: Vec<Stored<Relationship>> =
                self.all(field, Find { touching, ..Find::all(kind::RELATIONSHIP) }).await?;
            for relationship in more {
                if known.insert(relationship.id.clone()) {
                    open.push(relationship.id.clone());
                    found.push(relationship);
                }
            }
            refuse_too_many(field, found.len())?;
        }
        Ok(found)
    }

    async fn all<T: serde::de::DeserializeOwned>(
        &self,
        field: &'static str,
        find: Find,
    ) -> Result<Vec<Stored<T>>, Error> {
        let mut find = Find { limit: LOAD, ..find };
        let mut all = Vec::new();
        loop {
            let page: Page<Stored<T>> = self.page(find.clone()).await?;
            all.extend(page.items);
            refuse_too_many(field, all.len())?;
            self.refuse_cancelled()?;
            match page.next {
                Some(next) => find.after = Some(next),
                None => return Ok(all),
            }
        }
    }
}

/// `ID@VERSION` in its parts.
fn versioned(reference: &str) -> Option<(&str, u64)> {
    let (id, version) = reference.rsplit_once('@')?;
    Some((id, version.parse().ok()?))
}
