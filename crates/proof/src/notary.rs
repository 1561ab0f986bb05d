//! The notary: makes trees grow over what was committed, and signs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger::At;
use ledger::tree::{Advance, Batch, Checkpoint, Grown, Growth, Numbers, Span, Tree, Trees};
use scope::{Clock, TenantId};
use tlog_tiles::tlog::Hash;

use crate::merkle::{Edge, Tiles, path};
use crate::{Error, Evidence, Records, Row, SigningKey, evidence, leaf, leaf_hash, note};

/// Leaves of one batch, which share a checkpoint.
const LEAVES_MAX: usize = 500;
const TENANTS_MAX: usize = 100;

/// Seals what was committed. Any number of them may work on one ledger: what one has done, another finds done.
pub struct Notary {
    pub(crate) trees: Arc<dyn Trees>,
    pub(crate) records: Vec<Arc<dyn Records>>,
    pub(crate) key: SigningKey,
    clock: Arc<dyn Clock>,
}

/// How many leaves were added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sealed {
    pub facts: u64,
    pub records: u64,
}

impl Notary {
    pub fn new(trees: Arc<dyn Trees>, records: Vec<Arc<dyn Records>>, key: SigningKey, clock: Arc<dyn Clock>) -> Self {
        Self { trees, records, key, clock }
    }

    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Seals everything that is not yet.
    pub async fn seal(&self) -> Result<Sealed, Error> {
        let mut sealed = Sealed::default();
        loop {
            let behind = self.trees.behind(TENANTS_MAX).await?;
            for tenant in &behind {
                sealed.facts += self.seal_facts(tenant).await?;
            }
            if behind.len() < TENANTS_MAX {
                break;
            }
        }
        for records in &self.records {
            sealed.records += self.seal_records(records.as_ref()).await?;
        }
        Ok(sealed)
    }

    /// What a third party needs to check a fact.
    pub async fn prove(&self, tenant: &TenantId, sequence: u64) -> Result<Evidence, Error> {
        let head = self.trees.point(tenant, At::Head).await?;
        if sequence == 0 || sequence > head {
            return Err(Error::NotYet { sequence, head });
        }
        let mut checkpoint = self.trees.checkpoint(tenant, Tree::Facts).await?;
        if checkpoint.as_ref().is_none_or(|checkpoint| checkpoint.size < sequence) {
            self.seal_facts(tenant).await?;
            checkpoint = self.trees.checkpoint(tenant, Tree::Facts).await?;
        }
        let fact = self.trees.facts(tenant, sequence - 1, 1).await?.pop().filter(|fact| fact.seq == sequence);
        let (Some(fact), Some(checkpoint)) = (fact, checkpoint) else { return Err(Error::NotYet { sequence, head }) };
        self.evidence(tenant, Tree::Facts, sequence - 1, leaf::of_fact(tenant, &fact), checkpoint).await
    }

    pub(crate) async fn evidence(
        &self,
        tenant: &TenantId,
        tree: Tree,
        index: u64,
        leaf: String,
        checkpoint: Checkpoint,
    ) -> Result<Evidence, Error> {
        let path = path(self.trees.as_ref(), tenant, tree, checkpoint.size, index).await?;
        let key = self.key.verifying().text();
        let tree = tree.name().to_owned();
        Ok(Evidence { tree, index, leaf, path: evidence::encoded(&path), checkpoint: checkpoint.note, key })
    }

    async fn seal_facts(&self, tenant: &TenantId) -> Result<u64, Error> {
        let mut sealed = 0;
        loop {
            let from = self.size(tenant, Tree::Facts).await?;
            let facts = self.trees.facts(tenant, from, LEAVES_MAX).await?;
            if facts.is_empty() {
                return Ok(sealed);
            }
            if let Some((expected, found)) = (from + 1..).zip(&facts).find(|(expected, fact)| *expected != fact.seq) {
                return Err(Error::NotYet { sequence: expected, head: found.seq });
            }
            let leaves: Vec<Hash> = facts.iter().map(|fact| leaf_hash(&leaf::of_fact(tenant, fact))).collect();
            let growth = self.growth(tenant, Tree::Facts, from, &leaves, None).await?;
            if self.trees.grow(Batch { growths: vec![growth], advance: None }).await? == Grown::Done {
                sealed += leaves.len() as u64;
            }
        }
    }

    async fn seal_records(&self, records: &dyn Records) -> Result<u64, Error> {
        let (source, mut sealed) = (records.source().await?, 0);
        loop {
            let after = self.trees.advanced(&source).await?;
            let numbers = Numbers { tenant: None, after, through: u64::MAX, most: LEAVES_MAX };
            let rows = records.rows(numbers).await?;
            let Some(through) = rows.last().map(|row| row.number) else { return Ok(sealed) };
            let added = rows.len() as u64;
            let mut growths = Vec::new();
            for (tenant, leaves) in by_tenant(rows) {
                let from = self.size(&tenant, Tree::Audit).await?;
                let span =
                    Span { first_leaf: from, leaves: leaves.len() as u64, source: source.clone(), after, through };
                growths.push(self.growth(&tenant, Tree::Audit, from, &leaves, Some(span)).await?);
            }
            let advance = Some(Advance { source: source.clone(), from: after, to: through });
            if self.trees.grow(Batch { growths, advance }).await? == Grown::Done {
                sealed += added;
            }
        }
    }

    async fn growth(
        &self,
        tenant: &TenantId,
        tree: Tree,
        from: u64,
        leaves: &[Hash],
        span: Option<Span>,
    ) -> Result<Growth, Error> {
        let tiles = Tiles::edge(self.trees.as_ref(), tenant, tree, from).await?;
        let mut edge = Edge::of(&tiles, from)?;
        let mut completed = Vec::new();
        for leaf in leaves {
            completed.extend(edge.push(*leaf)?);
        }
        let (size, at) = (edge.size, self.clock.now());
        let origin = note::origin(self.key.name(), tenant, tree);
        let text = note::checkpoint_text(&origin, size, edge.root()?, at)?;
        let checkpoint = Checkpoint { size, at, note: note::sign(&text, &self.key) };
        let tiles = tiles.grown(from, size, &completed);
        Ok(Growth { tenant: tenant.clone(), tree, from, checkpoint, tiles, span })
    }

    async fn size(&self, tenant: &TenantId, tree: Tree) -> Result<u64, Error> {
        Ok(self.trees.checkpoint(tenant, tree).await?.map_or(0, |checkpoint| checkpoint.size))
    }
}

fn by_tenant(rows: Vec<Row>) -> BTreeMap<TenantId, Vec<Hash>> {
    let mut leaves: BTreeMap<TenantId, Vec<Hash>> = BTreeMap::new();
    for row in rows {
        leaves.entry(row.tenant).or_default().push(leaf_hash(&row.leaf));
    }
    leaves
}
