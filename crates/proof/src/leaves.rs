//! Leaves of audit records, read back.

use ledger::tree::{Numbers, Span, Tree};
use scope::TenantId;
use tlog_tiles::tlog::Hash;

use crate::merkle::{Tiles, WIDTH};
use crate::{Error, Evidence, Notary, Row, leaf_hash};

/// A leaf of the audit tree.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditLeaf {
    pub index: u64,
    pub hash: Hash,
    /// `None` when the record was removed because its time was over, or is not the one that was sealed.
    pub text: Option<String>,
}

impl Notary {
    /// The leaves of a tenant's audit records from `from` on, those of one span at a time; empty after the last.
    pub async fn audit_leaves(&self, tenant: &TenantId, from: u64) -> Result<Vec<AuditLeaf>, Error> {
        let Some(span) = self.trees.spans(tenant, from, 1).await?.pop() else { return Ok(Vec::new()) };
        let rows = self.rows_of(tenant, &span).await?;
        let (mut leaves, end) = (Vec::new(), span.first_leaf + span.leaves);
        let mut rows = rows.into_iter().peekable();
        for index in span.first_leaf..end {
            let hash = self.sealed_hash(tenant, index).await?;
            let row = rows.next_if(|row| leaf_hash(&row.leaf) == hash);
            leaves.push(AuditLeaf { index, hash, text: row.map(|row| row.leaf) });
        }
        leaves.retain(|leaf| leaf.index >= from);
        Ok(leaves)
    }

    /// The last number up to which whole spans of a source lie at or before `through`.
    pub async fn last_span_end(&self, source: &str, through: u64) -> Result<u64, Error> {
        Ok(self.trees.span_end(source, through).await?)
    }

    /// What a third party needs to check an audit record.
    pub async fn prove_record(&self, tenant: &TenantId, index: u64) -> Result<Evidence, Error> {
        let checkpoint = self.trees.checkpoint(tenant, Tree::Audit).await?;
        let size = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.size);
        let Some(checkpoint) = checkpoint.filter(|_| index < size) else {
            return Err(Error::NoRecord { index, size });
        };
        let leaf = self.audit_leaves(tenant, index).await?.into_iter().next().and_then(|leaf| leaf.text);
        let leaf = leaf.ok_or(Error::Removed { index })?;
        self.evidence(tenant, Tree::Audit, index, leaf, checkpoint).await
    }

    async fn rows_of(&self, tenant: &TenantId, span: &Span) -> Result<Vec<Row>, Error> {
        for records in &self.records {
            if records.source().await? == span.source {
                let (tenant, after, through) = (Some(tenant.clone()), span.after, span.through);
                return Ok(records.rows(Numbers { tenant, after, through, most: usize::MAX }).await?);
            }
        }
        Ok(Vec::new())
    }

    async fn sealed_hash(&self, tenant: &TenantId, index: u64) -> Result<Hash, Error> {
        let place = ledger::tree::TilePlace { level: 0, number: index / WIDTH };
        let tiles = Tiles::read(self.trees.as_ref(), tenant, Tree::Audit, [place].into()).await?;
        let hash = tiles.hashes(place).nth((index % WIDTH) as usize);
        hash.ok_or_else(|| Error::Tile(Tree::Audit.name().to_owned()))
    }
}
