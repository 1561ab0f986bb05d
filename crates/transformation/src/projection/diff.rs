//! What differs between two ledgers that share a past, record by record.

use contract::Context;
use ledger::{LIVE, Ledger, RecordKey, RecordVersion};

use crate::Error;
use crate::domain::diff::{Row, row};

/// The rows for these records, in their order; none where nothing differs.
pub async fn rows(
    before: &dyn Ledger,
    after: &dyn Ledger,
    ctx: &Context,
    keys: &[RecordKey],
) -> Result<Vec<Option<Row>>, Error> {
    let tenant = &ctx.scope.tenant;
    let (old, new) = (before.get(tenant, LIVE, keys).await?, after.get(tenant, LIVE, keys).await?);
    fn state(found: &Option<RecordVersion>) -> Option<(&str, u64)> {
        found.as_ref().map(|found| (found.record.body.as_str(), found.version))
    }
    Ok(keys.iter().zip(old.iter().zip(&new)).map(|(key, (old, new))| row(key, state(old), state(new))).collect())
}
