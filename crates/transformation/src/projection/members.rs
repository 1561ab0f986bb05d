//! What a read through a baseline can see.
//!
//! A baseline of a whole model needs only its point and its model. One of a chosen part also has an index with a record
//! for each member: listings walk that index, and the bodies are read at the point of the baseline.

use ledger::{Find, Page, RecordKey, RecordVersion, Search, SearchHit, Seq, Traversal, Traverse};

use super::Snapshot;
use crate::Error;
use crate::domain::fact::kind;

/// The baseline that a snapshot is read through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Through {
    pub baseline_id: String,
    /// How an answer names it: with its version while it is a draft, which may still change.
    pub echoed_id: String,
    pub model_id: String,
    /// Where the index of a chosen part is read; none for a whole model.
    pub members_at: Option<Seq>,
}

/// How a chosen part names what it holds.
pub fn member_id(baseline_id: &str, id: &str) -> String {
    format!("{baseline_id}/{id}")
}

pub fn item_key(baseline_id: &str, element_id: &str) -> RecordKey {
    RecordKey::new(kind::BASELINE_ITEM, member_id(baseline_id, element_id))
}

pub fn link_key(baseline_id: &str, relationship_id: &str) -> RecordKey {
    RecordKey::new(kind::BASELINE_LINK, member_id(baseline_id, relationship_id))
}

impl Through {
    /// The query over the index that stands for a query over elements or relationships.
    fn over_index(&self, find: Find) -> Find {
        Find {
            kind: index_kind(&find.kind).to_owned(),
            scope: Some(self.baseline_id.clone()),
            touching: find.touching.map(|(id, direction)| (member_id(&self.baseline_id, &id), direction)),
            ..find
        }
    }

    /// The id of what a record of the index stands for.
    fn original<'a>(&self, member: &'a str) -> &'a str {
        member.strip_prefix(&self.baseline_id).and_then(|rest| rest.strip_prefix('/')).unwrap_or(member)
    }

    fn is_elsewhere(&self, kind: &str, scope: Option<&String>) -> bool {
        is_content(kind) && scope.is_some_and(|scope| *scope != self.model_id)
    }
}

impl Snapshot<'_> {
    /// The records with these keys, as far as the snapshot shows them.
    pub(super) async fn get_all(&self, keys: &[RecordKey]) -> Result<Vec<Option<RecordVersion>>, Error> {
        let mut found = self.ledger.get(&self.ctx.scope.tenant, self.at, keys).await?;
        let Some(through) = self.through.as_deref() else { return Ok(found) };
        for version in &mut found {
            version.take_if(|version| is_content(&version.record.key.kind) && version.record.scope != through.model_id);
        }
        let Some(members_at) = through.members_at else { return Ok(found) };
        let index: Vec<RecordKey> = keys
            .iter()
            .map(|key| RecordKey::new(index_kind(&key.kind), member_id(&through.baseline_id, &key.id)))
            .collect();
        let members = self.ledger.get(&self.ctx.scope.tenant, members_at, &index).await?;
        for ((version, member), key) in found.iter_mut().zip(members).zip(keys) {
            version.take_if(|_| member.is_none() && is_content(&key.kind));
        }
        Ok(found)
    }

    /// One page of the records that match, as far as the snapshot shows them.
    pub(super) async fn find(&self, find: Find) -> Result<Page<RecordVersion>, Error> {
        let tenant = &self.ctx.scope.tenant;
        match self.through.as_deref() {
            Some(through) if through.is_elsewhere(&find.kind, find.scope.as_ref()) => {
                Ok(Page { items: Vec::new(), next: None })
            }
            Some(through @ Through { members_at: Some(members_at), .. }) if is_content(&find.kind) => {
                let kind = find.kind.clone();
                let page = self.ledger.find(tenant, *members_at, through.over_index(find)).await?;
                let key =
                    |member: &RecordVersion| RecordKey::new(kind.as_str(), through.original(&member.record.key.id));
                let keys: Vec<RecordKey> = page.items.iter().map(key).collect();
                let items = self.ledger.get(tenant, self.at, &keys).await?;
                Ok(Page { items: items.into_iter().flatten().collect(), next: page.next })
            }
            _ => Ok(self.ledger.find(tenant, self.at, find).await?),
        }
    }

    /// The ids of what matches, in their order, from the one after `after` on.
    pub async fn ids_after(&self, find: Find, after: Option<&str>) -> Result<Vec<String>, Error> {
        let tenant = &self.ctx.scope.tenant;
        let find = Find { after: after.map(str::to_owned), ..find };
        let Some(through @ Through { members_at: Some(members_at), .. }) = self.through.as_deref() else {
            let page = self.ledger.find(tenant, self.at, find).await?;
            return Ok(page.items.into_iter().map(|version| version.record.key.id).collect());
        };
        let after = after.map(|id| member_id(&through.baseline_id, id));
        let page = self.ledger.find(tenant, *members_at, Find { after, ..through.over_index(find) }).await?;
        Ok(page.items.iter().map(|member| through.original(&member.record.key.id).to_owned()).collect())
    }

    /// How many records of a kind and model there are of each type. The ledger keeps these counts, so they cost the same
    /// however large the model is.
    pub async fn counts(&self, kind: &str, model_id: &str) -> Result<Vec<(String, u64)>, Error> {
        let tenant = &self.ctx.scope.tenant;
        match self.through.as_deref() {
            Some(through) if is_content(kind) && model_id != through.model_id => Ok(Vec::new()),
            Some(Through { members_at: Some(members_at), baseline_id, .. }) if is_content(kind) => {
                Ok(self.ledger.counts(tenant, *members_at, index_kind(kind), baseline_id).await?)
            }
            _ => Ok(self.ledger.counts(tenant, self.at, kind, model_id).await?),
        }
    }

    /// Records whose text matches, best first, as far as the snapshot shows them.
    pub async fn search(&self, search: Search) -> Result<Vec<SearchHit>, Error> {
        let tenant = &self.ctx.scope.tenant;
        let Some(through) = self.through.as_deref() else {
            return Ok(self.ledger.search(tenant, self.at, search).await?);
        };
        if through.is_elsewhere(&search.kind, search.scope.as_ref()) {
            return Ok(Vec::new());
        }
        let mut wider = Search { scope: Some(through.model_id.clone()), ..search.clone() };
        loop {
            let hits = self.ledger.search(tenant, self.at, wider.clone()).await?;
            let exhausted = hits.len() < wider.limit;
            let keys: Vec<RecordKey> = hits.iter().map(|hit| hit.version.record.key.clone()).collect();
            let shown = self.get_all(&keys).await?;
            let mut seen: Vec<SearchHit> =
                hits.into_iter().zip(shown).filter_map(|(hit, shown)| shown.map(|_| hit)).collect();
            // The text index knows nothing of baselines, so the search widens until enough members are among the hits.
            if exhausted || seen.len() >= search.limit {
                seen.truncate(search.limit);
                return Ok(seen);
            }
            wider.limit = wider.limit.saturating_mul(4);
        }
    }

    /// Follows relationships outward from an element, as far as the snapshot shows them.
    pub async fn traverse(&self, traverse: Traverse) -> Result<Traversal, Error> {
        let tenant = &self.ctx.scope.tenant;
        let Some(through @ Through { members_at: Some(members_at), .. }) = self.through.as_deref() else {
            return Ok(self.ledger.traverse(tenant, self.at, traverse).await?);
        };
        let kind = traverse.kind.clone();
        let inside = Traverse {
            from: member_id(&through.baseline_id, &traverse.from),
            kind: index_kind(&kind).to_owned(),
            ..traverse
        };
        let mut traversal = self.ledger.traverse(tenant, *members_at, inside).await?;
        let key = |id: &str| RecordKey::new(kind.as_str(), through.original(id));
        let keys: Vec<RecordKey> =
            traversal.reached.iter().map(|neighbour| key(&neighbour.link.record.key.id)).collect();
        let links = self.ledger.get(tenant, self.at, &keys).await?;
        for (neighbour, link) in traversal.reached.iter_mut().zip(links) {
            neighbour.id = through.original(&neighbour.id).to_owned();
            if let Some(link) = link {
                neighbour.link = link;
            }
        }
        Ok(traversal)
    }
}

/// True for what a baseline holds or leaves out.
fn is_content(kind: &str) -> bool {
    kind == kind::ELEMENT || kind == kind::RELATIONSHIP
}

fn index_kind(kind: &str) -> &'static str {
    if kind == kind::RELATIONSHIP { kind::BASELINE_LINK } else { kind::BASELINE_ITEM }
}
