//! Examination: reads every leaf again and compares it with what was sealed and signed.

mod leaves;

use std::collections::BTreeMap;
use std::ops::Range;

use ledger::At;
use ledger::tree::{Checkpoint, Numbers, Tree};
use scope::TenantId;
use tlog_tiles::tlog::Hash;

use crate::merkle::{Edge, Inner};
use crate::{Error, Notary, Signed, VerifyingKey, note};
use leaves::Misfits;

const PAGE: usize = 500;

/// What was looked at, and what does not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examination {
    pub trees: u64,
    pub leaves: u64,
    pub checkpoints: u64,
    /// Leaves whose audit record was removed because its time was over.
    pub removed: u64,
    /// Facts and records that no checkpoint covers yet.
    pub unsealed: u64,
    /// A line for each thing that does not fit; for leaves the first of their tree. Empty is good.
    pub differences: Vec<String>,
}

/// What an examination believes beforehand.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// Keys besides the one that signs now.
    pub keys: Vec<VerifyingKey>,
    /// Signed checkpoints that were kept elsewhere: what they say must still hold.
    pub published: Vec<String>,
}

impl Notary {
    /// Examines all trees of all tenants.
    pub async fn examine(&self, trust: &Trust) -> Result<Examination, Error> {
        let mut keys = trust.keys.clone();
        keys.push(self.key.verifying());
        let mut found = Examination::default();
        let mut published = self.published(trust, &keys, &mut found);
        for (tenant, tree) in self.trees.trees().await? {
            found.trees += 1;
            let about = published.remove(&(tenant.clone(), tree)).unwrap_or_default();
            Of { notary: self, tenant: &tenant, tree, keys: &keys, found: &mut found }.examine(about).await?;
        }
        for ((tenant, tree), about) in published {
            for signed in about {
                let line = format!(
                    "{tenant}: a published checkpoint is over {} leaves of {}, and there is no such tree",
                    signed.size,
                    tree.name()
                );
                found.differences.push(line);
            }
        }
        found.unsealed += self.unsealed().await?;
        Ok(found)
    }

    /// What was published, by tree.
    fn published(
        &self,
        trust: &Trust,
        keys: &[VerifyingKey],
        found: &mut Examination,
    ) -> BTreeMap<(TenantId, Tree), Vec<Signed>> {
        let mut published: BTreeMap<_, Vec<Signed>> = BTreeMap::new();
        for note in &trust.published {
            let signed = Signed::verified(note, keys).map_err(|error| error.to_string());
            match signed
                .and_then(|signed| Ok((tree_of(&signed).ok_or("a published checkpoint has no known origin")?, signed)))
            {
                Ok((tree, signed)) => published.entry(tree).or_default().push(signed),
                Err(reason) => found.differences.push(reason),
            }
        }
        published
    }

    async fn unsealed(&self) -> Result<u64, Error> {
        let mut unsealed = 0;
        for tenant in self.trees.behind(usize::MAX).await? {
            let head = self.trees.point(&tenant, At::Head).await?;
            let sealed = self.trees.checkpoint(&tenant, Tree::Facts).await?.map_or(0, |last| last.size);
            unsealed += head.saturating_sub(sealed);
        }
        for records in &self.records {
            let mut after = self.trees.advanced(&records.source().await?).await?;
            loop {
                let rows = records.rows(Numbers { tenant: None, after, through: u64::MAX, most: PAGE }).await?;
                let Some(last) = rows.last() else { break };
                (after, unsealed) = (last.number, unsealed + rows.len() as u64);
            }
        }
        Ok(unsealed)
    }
}

/// The tree that a checkpoint is about.
fn tree_of(signed: &Signed) -> Option<(TenantId, Tree)> {
    let (rest, tree) = signed.origin.rsplit_once('/')?;
    // The name of a key has one slash; a tenant may have others.
    let tenant = rest.splitn(3, '/').nth(2)?;
    Some((TenantId::new(tenant).ok()?, Tree::named(tree)?))
}

/// The examination of one tree.
struct Of<'a> {
    notary: &'a Notary,
    tenant: &'a TenantId,
    tree: Tree,
    keys: &'a [VerifyingKey],
    found: &'a mut Examination,
}

impl Of<'_> {
    async fn examine(&mut self, published: Vec<Signed>) -> Result<(), Error> {
        let trees = self.notary.trees.as_ref();
        let size = trees.checkpoint(self.tenant, self.tree).await?.map_or(0, |last| last.size);
        for signed in published.iter().filter(|signed| signed.size > size) {
            self.differs(format!("a published checkpoint is over {} leaves, and only {size} are sealed", signed.size));
        }
        let mut walk = Walk::new(published);
        let mut checkpoints: Vec<Checkpoint> = Vec::new();
        let mut misfits = Misfits::default();
        let mut leaf = 0;
        while leaf < size {
            let end = size.min((leaf / crate::merkle::WIDTH + 1) * crate::merkle::WIDTH);
            let sealed = match leaves::sealed(trees, self.tenant, self.tree, leaf..end).await? {
                Some(sealed) => sealed,
                None => {
                    self.differs(format!("the hashes of leaves {leaf} to {} are missing or damaged", end - 1));
                    return Ok(());
                }
            };
            self.compare(leaf..end, &sealed, &mut misfits).await?;
            for hash in sealed {
                if checkpoints.is_empty() {
                    checkpoints = trees.checkpoints(self.tenant, self.tree, walk.edge.size, PAGE).await?;
                    checkpoints.reverse();
                }
                walk.push(hash)?;
                let at_this = checkpoints.pop_if(|checkpoint| checkpoint.size == walk.edge.size);
                self.hold(&mut walk, at_this)?;
            }
            leaf = end;
        }
        self.found.leaves += size;
        if let Some(line) = misfits.line() {
            self.differs(line);
        }
        self.upper(walk.upper).await
    }

    /// Compares what was signed about a tree of the size that the walk has reached.
    fn hold(&mut self, walk: &mut Walk, checkpoint: Option<Checkpoint>) -> Result<(), Error> {
        let size = walk.edge.size;
        let said = walk.published.remove(&size).unwrap_or_default();
        if checkpoint.is_none() && said.is_empty() {
            return Ok(());
        }
        let root = walk.edge.root()?;
        for signed in said.iter().filter(|signed| signed.root != root) {
            self.differs(format!("the checkpoint that was published over {} leaves says something else", signed.size));
        }
        let Some(checkpoint) = checkpoint else { return Ok(()) };
        self.found.checkpoints += 1;
        match Signed::verified(&checkpoint.note, self.keys) {
            Err(error) => self.differs(format!("the checkpoint over {size} leaves: {error}")),
            Ok(signed) if !self.is_about(&signed) || signed.size != size => {
                self.differs(format!("the checkpoint over {size} leaves is about another tree or size"));
            }
            Ok(signed) if signed.root != root => {
                if !std::mem::replace(&mut walk.differs, true) {
                    let Range { start, end } = walk.held..size;
                    self.differs(format!(
                        "{} are not what was signed at {}",
                        leaves::span(self.tree, start, end),
                        checkpoint.at
                    ));
                }
            }
            Ok(_) => walk.held = size,
        }
        Ok(())
    }

    fn is_about(&self, signed: &Signed) -> bool {
        self.keys.iter().any(|key| signed.origin == note::origin(&key.name, self.tenant, self.tree))
    }

    /// The tiles above the leaves, which proofs are made of.
    async fn upper(&mut self, made: Vec<Inner>) -> Result<(), Error> {
        let damaged = leaves::damaged_tiles(self.notary.trees.as_ref(), self.tenant, self.tree, made).await?;
        if let Some(place) = damaged.first() {
            self.differs(format!("tile {} of level {} is not made of its leaves", place.number, place.level));
        }
        Ok(())
    }

    fn differs(&mut self, what: String) {
        self.found.differences.push(format!("{} of {}: {what}", self.tree.name(), self.tenant));
    }
}

/// A walk over the sealed hashes of the leaves.
struct Walk {
    edge: Edge,
    /// The size at which a signed root was found to hold last.
    held: u64,
    differs: bool,
    published: BTreeMap<u64, Vec<Signed>>,
    /// The hashes above the leaves that tiles keep.
    upper: Vec<Inner>,
}

impl Walk {
    fn new(published: Vec<Signed>) -> Self {
        let mut by_size: BTreeMap<u64, Vec<Signed>> = BTreeMap::new();
        for signed in published {
            by_size.entry(signed.size).or_default().push(signed);
        }
        Self { edge: Edge::default(), held: 0, differs: false, published: by_size, upper: Vec::new() }
    }

    fn push(&mut self, leaf: Hash) -> Result<(), Error> {
        let completed = self.edge.push(leaf)?;
        let is_upper = |(level, ..): &Inner| *level > 0 && crate::merkle::is_kept(*level);
        self.upper.extend(completed.into_iter().filter(is_upper));
        Ok(())
    }
}
