//! The rows as they are now, against the leaves that were sealed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ledger::tree::{Numbers, Span, TilePlace, Tree, Trees};
use scope::TenantId;
use tlog_tiles::tlog::Hash;

use super::Of;
use crate::merkle::{Inner, Tiles, WIDTH, tile_level};
use crate::{Error, Row, leaf, leaf_hash};

/// The leaves of a tree that do not fit: the first, and how many.
#[derive(Default)]
pub(super) struct Misfits {
    first: Option<String>,
    others: u64,
    /// Spans of records that were compared already, by their first leaf.
    compared: Option<u64>,
}

impl Misfits {
    fn add(&mut self, line: String) {
        match self.first {
            None => self.first = Some(line),
            Some(_) => self.others += 1,
        }
    }

    pub(super) fn line(self) -> Option<String> {
        let others =
            if self.others > 0 { format!("; {} more after it do not fit", self.others) } else { String::new() };
        self.first.map(|first| first + &others)
    }
}

/// Leaves as a person counts them.
pub(super) fn span(tree: Tree, start: u64, end: u64) -> String {
    match tree {
        Tree::Facts => format!("facts {} to {end}", start + 1),
        Tree::Audit => format!("records {start} to {}", end - 1),
    }
}

/// The sealed hashes of leaves within one tile; `None` when the tile is missing or damaged.
pub(super) async fn sealed(
    trees: &dyn Trees,
    tenant: &TenantId,
    tree: Tree,
    leaves: Range<u64>,
) -> Result<Option<Vec<Hash>>, Error> {
    let place = TilePlace { level: 0, number: leaves.start / WIDTH };
    let tiles = match Tiles::read(trees, tenant, tree, BTreeSet::from([place])).await {
        Err(Error::Tile(_)) => return Ok(None),
        tiles => tiles?,
    };
    let wanted = (leaves.end - leaves.start) as usize;
    let hashes: Vec<Hash> = tiles.hashes(place).skip((leaves.start % WIDTH) as usize).take(wanted).collect();
    Ok((hashes.len() == wanted).then_some(hashes))
}

/// The tiles above the leaves that do not hold what they should.
pub(super) async fn damaged_tiles(
    trees: &dyn Trees,
    tenant: &TenantId,
    tree: Tree,
    made: Vec<Inner>,
) -> Result<Vec<TilePlace>, Error> {
    let mut expected: BTreeMap<TilePlace, Vec<Hash>> = BTreeMap::new();
    for (level, number, hash) in made {
        expected.entry(TilePlace { level: tile_level(level), number: number / WIDTH }).or_default().push(hash);
    }
    let mut damaged = Vec::new();
    for (place, hashes) in expected {
        let kept = match Tiles::read(trees, tenant, tree, BTreeSet::from([place])).await {
            Err(Error::Tile(_)) => Vec::new(),
            tiles => tiles?.hashes(place).collect(),
        };
        if kept != hashes {
            damaged.push(place);
        }
    }
    Ok(damaged)
}

impl Of<'_> {
    /// Compares the rows of some leaves with their sealed hashes.
    pub(super) async fn compare(
        &mut self,
        leaves: Range<u64>,
        sealed: &[Hash],
        misfits: &mut Misfits,
    ) -> Result<(), Error> {
        match self.tree {
            Tree::Facts => self.compare_facts(leaves, sealed, misfits).await,
            Tree::Audit => self.compare_records(leaves, misfits).await,
        }
    }

    async fn compare_facts(&mut self, leaves: Range<u64>, sealed: &[Hash], misfits: &mut Misfits) -> Result<(), Error> {
        let facts = self.notary.trees.facts(self.tenant, leaves.start, sealed.len()).await?;
        let facts: BTreeMap<u64, _> = facts.into_iter().map(|fact| (fact.seq, fact)).collect();
        for (leaf, hash) in leaves.zip(sealed) {
            let sequence = leaf + 1;
            match facts.get(&sequence) {
                None => misfits.add(format!("fact {sequence} is missing")),
                Some(fact) if leaf_hash(&leaf::of_fact(self.tenant, fact)) != *hash => misfits.add(format!(
                    "fact {sequence} ({} of {} {}) is not the one that was sealed",
                    fact.kind, fact.subject.kind, fact.subject.id
                )),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Whole spans, each when its first leaf comes up.
    async fn compare_records(&mut self, leaves: Range<u64>, misfits: &mut Misfits) -> Result<(), Error> {
        let mut next = leaves.start;
        while next < leaves.end {
            let span = self.notary.trees.spans(self.tenant, next, 1).await?.pop();
            let Some(span) = span.filter(|span| span.leaves > 0 && span.first_leaf <= next) else {
                misfits.add(format!("nothing says which audit record leaf {next} is"));
                return Ok(());
            };
            if misfits.compared.is_none_or(|compared| span.first_leaf > compared) {
                misfits.compared = Some(span.first_leaf);
                self.compare_span(&span, misfits).await?;
            }
            next = span.first_leaf + span.leaves;
        }
        Ok(())
    }

    async fn compare_span(&mut self, span: &Span, misfits: &mut Misfits) -> Result<(), Error> {
        let Some(rows) = self.rows(span).await? else {
            let leaves = super::leaves::span(Tree::Audit, span.first_leaf, span.first_leaf + span.leaves);
            misfits.add(format!("{leaves} were in {}, which is not here", span.source));
            return Ok(());
        };
        let Some(rows) = rows else {
            self.found.removed += span.leaves;
            return Ok(());
        };
        let sealed = self.sealed_of(span).await?;
        let hashes: Vec<Hash> = rows.iter().map(|row| leaf_hash(&row.leaf)).collect();
        let mut at = 0;
        for (leaf, hash) in (span.first_leaf..).zip(&sealed) {
            let here = hashes.get(at);
            if here == Some(hash) {
                at += 1;
                continue;
            }
            let stands = rows.get(at).map(|row| row.described.as_str()).unwrap_or("nothing");
            // One that was removed leaves the others in their order; a changed one stays in its place.
            if here.is_some_and(|here| sealed.contains(here)) && !hashes.contains(hash) {
                misfits.add(format!("record {leaf} is missing; {stands} stands in its place"));
            } else if here.is_none() {
                misfits.add(format!("record {leaf} is missing"));
            } else if hashes.contains(hash) {
                misfits.add(format!("record {leaf} is not in its place; {stands} is"));
                at += 1;
            } else {
                misfits.add(format!("record {leaf} is not the one that was sealed: {stands}"));
                at += 1;
            }
        }
        for row in &rows[at.min(rows.len())..] {
            misfits.add(format!(
                "a record stands among records {} and following that was not sealed there: {}",
                span.first_leaf, row.described
            ));
        }
        Ok(())
    }

    /// The rows of a span: `None` when their store is not here, `Some(None)` when their time was over.
    async fn rows(&self, span: &Span) -> Result<Option<Option<Vec<Row>>>, Error> {
        for records in &self.notary.records {
            if records.source().await? != span.source {
                continue;
            }
            if span.through <= records.removed_through().await? {
                return Ok(Some(None));
            }
            let (tenant, after, through) = (Some(self.tenant.clone()), span.after, span.through);
            return Ok(Some(Some(records.rows(Numbers { tenant, after, through, most: usize::MAX }).await?)));
        }
        Ok(None)
    }

    async fn sealed_of(&self, span: &Span) -> Result<Vec<Hash>, Error> {
        let (mut next, end) = (span.first_leaf, span.first_leaf + span.leaves);
        let mut hashes = Vec::new();
        while next < end {
            let until = end.min((next / WIDTH + 1) * WIDTH);
            let tile = sealed(self.notary.trees.as_ref(), self.tenant, Tree::Audit, next..until).await?;
            hashes.extend(tile.ok_or_else(|| Error::Tile(Tree::Audit.name().to_owned()))?);
            next = until;
        }
        Ok(hashes)
    }
}
