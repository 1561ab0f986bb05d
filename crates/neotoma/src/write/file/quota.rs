//! How many interpretations a user may have of a model that costs something: those of the last 30 days, and those that this
//! process has let in and not begun yet. The embedded rules cost nothing and are not counted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::generated::neotoma::ReinterpretResponse;
use contract::{AuditDraft, Context};
use ledger::{Find, FindOrder, RecordKey};
use scope::Timestamp;

use super::run::Wanted;
use crate::Error;
use crate::domain::fact::Happening;
use crate::domain::plan::Plan;
use crate::projection::Reader;
use crate::projection::row::{Row, RunRow, RunStatus, kind};
use crate::write::{Act, Decision, Write};

/// The quota counts the runs of this long.
const WINDOW_MICROS: i64 = 30 * 24 * 60 * 60 * 1_000_000;

/// Runs that have been admitted and are not stored yet, by user.
#[derive(Debug, Clone, Default)]
pub struct Running(Arc<Mutex<HashMap<String, u64>>>);

impl Running {
    fn of(&self, user: &str) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(user).copied().unwrap_or(0)
    }

    fn begin(&self, user: &str) -> Admitted {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(user.to_owned()).or_default() += 1;
        Admitted { running: self.clone(), user: user.to_owned() }
    }
}

/// A run that counts as long as this is kept: until it is stored, or given up.
#[derive(Debug)]
pub struct Admitted {
    running: Running,
    user: String,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut running = self.running.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(many) = running.get_mut(&self.user) {
            *many -= 1;
            if *many == 0 {
                running.remove(&self.user);
            }
        }
    }
}

impl Write {
    /// Refuses a run beyond the quota. A run that was made before is not made again, so it needs no quota. What it
    /// answers is kept until the run begins.
    pub(super) async fn admit_run(
        &self,
        reader: &Reader<'_>,
        ctx: &Context,
        source_id: &str,
        wanted: &Wanted,
    ) -> Result<Option<Admitted>, Error> {
        let Wanted::Run { config } = wanted else { return Ok(None) };
        if !self.parts.interpreter.is_metered() {
            return Ok(None);
        }
        let run_id = self.run_id(source_id, config);
        let before = reader.row::<RunRow>(RecordKey::new(kind::RUN, run_id)).await?;
        if before.is_some_and(|before| before.row.status == RunStatus::Completed) {
            return Ok(None);
        }
        // The same user of another tenant is somebody else.
        let user = format!("{}/{}", ctx.scope.tenant, reader.user);
        let _locks = self.recorder.lock([format!("quota/{user}").as_str()]).await;
        let running = self.running.of(&user);
        let quota = self.parts.config.interpretations_max;
        let window = (ctx.now.plus_micros(-WINDOW_MICROS), Timestamp(i64::MAX));
        let runs = Find {
            scope: Some(reader.user.to_owned()),
            time: Some(window),
            order: FindOrder::Time,
            limit: 1,
            ..Find::all(kind::RUN)
        };
        if reader.count(runs.clone(), quota).await?.saturating_add(running) < quota {
            return Ok(Some(self.running.begin(&user)));
        }
        let oldest = reader.find::<RunRow>(runs).await?.0.pop();
        let resets_at = oldest.map_or(ctx.now, |oldest| oldest.row.started_at).plus_micros(WINDOW_MICROS);
        Err(Error::QuotaExceeded { quota, resets_at })
    }

    /// Stores a run that was admitted before it begins, so that it counts whatever becomes of it.
    pub(super) async fn count_run(
        &self,
        reader: &Reader<'_>,
        ctx: &Context,
        run: RunRow,
        admitted: Option<Admitted>,
    ) -> Result<(), Error> {
        let Some(_admitted) = admitted else { return Ok(()) };
        // It is an effect of its own: the effect that the caller named is what comes of the run.
        // The audit record of the call goes with that one too.
        let apart = Context { effect: None, audit: AuditDraft::default(), ..ctx.clone() };
        let decide = || async {
            let key = RecordKey::new(kind::RUN, &run.id);
            let before = reader.row::<RunRow>(key).await?;
            let mut plan = Plan::new(reader.user, ctx.now);
            plan.put(Row::Run(run.clone()), before.map(|before| before.version));
            let happening = Happening::Interpreted { run_id: run.id.clone() };
            let answer = ReinterpretResponse::default();
            Ok(Decision { is_final: false, ..plan.decision(&happening, answer) })
        };
        self.recorder.once(&apart, Act::Insert, decide).await.map(drop)
    }
}
