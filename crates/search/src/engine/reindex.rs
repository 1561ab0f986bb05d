//! Making indexes again from the facts.

use ledger::At;
use scope::TenantId;

use super::{Search, SearchError};

/// Facts that are taken in between two reports.
const STEP: u64 = 500;

/// How far one index has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub tenant: TenantId,
    pub index: &'static str,
    pub done: u64,
    pub total: u64,
}

impl Search {
    /// Drops the indexes and makes them again: all of them, or those of one capability. Questions are answered meanwhile, from
    /// what is there already.
    pub async fn reindex(
        &self,
        only: Option<&str>,
        mut report: impl FnMut(Progress) + Send,
    ) -> Result<(), SearchError> {
        let inner = &self.inner;
        for tenant in inner.ledger.tenants().await? {
            for line in inner.lines_of(&tenant) {
                if only.is_some_and(|only| only != line.name()) {
                    continue;
                }
                line.restart(inner).await?;
                let total = inner.ledger.point(&tenant, At::Head).await?;
                let mut done = 0;
                while done < total {
                    done = (done + STEP).min(total);
                    line.catch_up(inner, done).await?;
                    line.keep(inner).await?;
                    report(Progress { tenant: tenant.clone(), index: line.name(), done, total });
                }
                inner.embed_missing(&line).await?;
            }
        }
        Ok(())
    }
}
