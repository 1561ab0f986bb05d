//! Random commands: the engine and the model do the same things and must answer the same.
//!
//! A failure names its seed and step; `LEDGER_SEED=… cargo nextest run random` runs that one again.

use std::fmt::Debug;
use std::sync::Arc;

use scope::FixedClock;

use super::commands::Dice;
use super::sample::{LINK, THING};
use super::{CLOCK_START, Harness, folds};
use crate::model::ModelLedger;
use crate::{At, Find, LIVE, Ledger, ReadError, RecordVersion, Seq, SharedLedger};

const SEEDS: u64 = 4;
const STEPS: usize = 400;

// R-819, R-821 (order), R-822
pub async fn random_commands_match_the_model(harness: &mut dyn Harness) {
    if let Some(seed) = std::env::var("LEDGER_SEED").ok().and_then(|text| text.parse().ok()) {
        return Run::new(harness, seed).run().await;
    }
    // The harness is fresh only once, so the seeds share one long life.
    let fresh =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let mut run = Run::new(harness, fresh);
    for seed in (0..SEEDS).chain([fresh]) {
        run.seed = seed;
        run.dice = Dice(seed);
        run.run().await;
    }
}

struct Run<'a> {
    harness: &'a mut dyn Harness,
    ledger: SharedLedger,
    model: ModelLedger,
    clock: Arc<FixedClock>,
    dice: Dice,
    seed: u64,
    step: usize,
}

impl<'a> Run<'a> {
    fn new(harness: &'a mut dyn Harness, seed: u64) -> Self {
        let clock = Arc::new(FixedClock::at(CLOCK_START));
        let (ledger, model) = (harness.ledger(), ModelLedger::new(clock.clone()));
        Self { harness, ledger, model, clock, dice: Dice(seed), seed, step: 0 }
    }

    async fn run(&mut self) {
        for step in 0..STEPS {
            self.step = step;
            match self.dice.below(60) {
                0 => self.crash(),
                1 | 2 => self.move_clock(),
                3..=29 => self.commit().await,
                _ => self.read().await,
            }
        }
        let found = self.ledger.verify(&folds()).await.expect("it can be verified");
        self.same("verify", &found.differences, &Vec::new());
    }

    #[track_caller]
    fn same<T: Debug>(&self, what: &str, engine: &T, model: &T) {
        let (engine, model) = (format!("{engine:#?}"), format!("{model:#?}"));
        assert!(engine == model, "seed {} step {}: {what}\nengine: {engine}\nmodel: {model}", self.seed, self.step);
    }

    fn crash(&mut self) {
        // The harness can only let go of the ledger when nobody else holds it.
        self.ledger = Arc::new(ModelLedger::new(self.clock.clone()));
        self.harness.crash();
        self.ledger = self.harness.ledger();
    }

    fn move_clock(&mut self) {
        // Mostly forward, past the life of a key now and then; back by less than engines allow for.
        let hours = if self.dice.one_in(3) { -1 } else { self.dice.below(80) as i64 };
        self.harness.advance_micros(hours * 3_600_000_000);
        self.clock.advance_micros(hours * 3_600_000_000);
    }

    async fn commit(&mut self) {
        let tenant = self.dice.tenant();
        let head = self.model.point(&tenant, At::Head).await.unwrap_or_default();
        let change = self.dice.change(head);
        let (engine, model) = (self.ledger.commit(change.clone()).await, self.model.commit(change.clone()).await);
        self.same(&format!("{change:#?}"), &engine, &model);
    }

    async fn read(&mut self) {
        let tenant = self.dice.tenant();
        let (ledger, model) = (self.ledger.clone(), &self.model);
        let head = model.point(&tenant, At::Head).await.unwrap_or_default();
        let at = if self.dice.one_in(8) { LIVE } else { self.dice.point(head) };
        match self.dice.below(10) {
            9 => {
                let find = self.dice.audit_find();
                let (engine, model) =
                    (ledger.audit(&tenant, find.clone()).await, self.model.audit(&tenant, find.clone()).await);
                self.same(&format!("{find:?}"), &engine, &model);
            }
            8 => {
                for kind in [THING, LINK] {
                    let (engine, model) = (
                        ledger.counts(&tenant, at, kind, "m1").await,
                        self.model.counts(&tenant, at, kind, "m1").await,
                    );
                    self.same(&format!("counts at {at}"), &engine, &model);
                }
            }
            0 => {
                let keys = [self.dice.key(), self.dice.key(), self.dice.key()];
                let what = format!("get {keys:?} at {at}");
                self.same(&what, &ledger.get(&tenant, at, &keys).await, &self.model.get(&tenant, at, &keys).await);
            }
            1 => {
                let moment = At::Time(CLOCK_START.plus_micros(self.dice.below(3000) as i64 - 1000));
                self.same("point", &ledger.point(&tenant, moment).await, &self.model.point(&tenant, moment).await);
                self.same("head", &ledger.point(&tenant, At::Head).await, &self.model.point(&tenant, At::Head).await);
            }
            2 => {
                let effect = self.dice.effect_key();
                self.same("recall", &ledger.recall(&tenant, &effect).await, &self.model.recall(&tenant, &effect).await);
            }
            3 => {
                let walk = self.dice.traverse();
                let (engine, model) = (
                    ledger.traverse(&tenant, at, walk.clone()).await,
                    self.model.traverse(&tenant, at, walk.clone()).await,
                );
                self.same(&format!("at {at}: {walk:?}"), &engine, &model);
            }
            4 => {
                let search = self.dice.search();
                let (engine, model) = (
                    ledger.search(&tenant, at, search.clone()).await,
                    self.model.search(&tenant, at, search.clone()).await,
                );
                self.same(&format!("at {at}: {search:?}"), &engine, &model);
            }
            5 => {
                let after = self.dice.point(head);
                self.same("facts", &ledger.facts(&tenant, after, 7).await, &self.model.facts(&tenant, after, 7).await);
            }
            _ => {
                let (find, limit) = (self.dice.find(), 1 + self.dice.below(4));
                let what = format!("at {at}: {find:?}");
                let count = ledger.count(&tenant, at, find.clone(), 3).await;
                self.same(&what, &count, &self.model.count(&tenant, at, find.clone(), 3).await);
                let whole = self.model.find(&tenant, at, Find { limit: usize::MAX, ..find.clone() }).await;
                let paged = pages(&ledger, &tenant, at, Find { limit, ..find }).await;
                self.same(&what, &paged, &whole.map(|page| page.items));
            }
        }
    }
}

async fn pages(
    ledger: &SharedLedger,
    tenant: &scope::TenantId,
    at: Seq,
    mut find: Find,
) -> Result<Vec<RecordVersion>, ReadError> {
    let mut items = Vec::new();
    loop {
        let page = ledger.find(tenant, at, find.clone()).await?;
        items.extend(page.items);
        match page.next {
            None => return Ok(items),
            next => (find.after, find.skip) = (next, 0),
        }
    }
}
