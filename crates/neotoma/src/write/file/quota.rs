//! How many interpretations a user may have.

use contract::Context;
use ledger::{Find, FindOrder, RecordKey};
use scope::Timestamp;

use super::run::Wanted;
use crate::Error;
use crate::projection::Reader;
use crate::projection::row::{RunRow, RunStatus, kind};
use crate::write::Write;

/// The quota counts the runs of this long.
const WINDOW_MICROS: i64 = 30 * 24 * 60 * 60 * 1_000_000;

impl Write {
    /// Refuses a run beyond the quota. A run that was made before is not made again, so it needs no quota.
    pub(super) async fn admit_run(
        &self,
        reader: &Reader<'_>,
        ctx: &Context,
        source_id: &str,
        wanted: &Wanted,
    ) -> Result<(), Error> {
        let Wanted::Run { config } = wanted else { return Ok(()) };
        let run_id = self.run_id(source_id, config);
        let before = reader.row::<RunRow>(RecordKey::new(kind::RUN, run_id)).await?;
        if before.is_some_and(|before| before.row.status == RunStatus::Completed) {
            return Ok(());
        }
        let quota = self.parts.config.interpretations_max;
        let window = (ctx.now.plus_micros(-WINDOW_MICROS), Timestamp(i64::MAX));
        let runs = Find {
            scope: Some(reader.user.to_owned()),
            time: Some(window),
            order: FindOrder::Time,
            limit: 1,
            ..Find::all(kind::RUN)
        };
        if reader.count(runs.clone(), quota).await? < quota {
            return Ok(());
        }
        let oldest = reader.find::<RunRow>(runs).await?.0.pop();
        let resets_at = oldest.map_or(ctx.now, |oldest| oldest.row.started_at).plus_micros(WINDOW_MICROS);
        Err(Error::QuotaExceeded { quota, resets_at })
    }
}
