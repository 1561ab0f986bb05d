//! Decisions of this capability, on the write loop that all share.

use contract::Context;
use desk::Recordable;
use ledger::{Effect, Ledger, NewFact, RecordKey, SharedLedger};

use super::answer::{Answered, Marks};
use crate::Error;
use crate::domain::{Decision, Fact};
use crate::projection::fold;

/// Commits decisions.
#[derive(Clone)]
pub struct Recorder(desk::Recorder<Marks>);

impl Recorder {
    pub fn new(ledger: SharedLedger) -> Self {
        Self(desk::Recorder::new(ledger, "chancery/transformation"))
    }

    pub fn ledger(&self) -> &dyn Ledger {
        self.0.ledger()
    }

    /// Decides and commits, and answers; or answers as before when the same effect has happened already.
    pub async fn once<T, F, Fut>(&self, ctx: &Context, decide: F) -> Result<T::Answer, Error>
    where
        T: Answered + Send,
        F: Fn() -> Fut + Sync,
        Fut: Future<Output = Result<Decision<T>, Error>> + Send,
    {
        self.0.once(ctx, || async { Ok(answered(decide().await?)) }).await
    }

    /// Commits a decision that other processes may make at the same time; theirs is as good as ours.
    pub async fn record_unless_done<T>(&self, ctx: &Context, decision: Decision<T>) -> Result<(), Error> {
        Ok(self.0.record_unless_done(ctx, decision.facts, decision.expectations).await?)
    }
}

/// A decision with its outcome as the answer.
fn answered<T: Answered>(decision: Decision<T>) -> desk::Decision<Fact, T::Answer> {
    let Decision { outcome, facts, expectations, notes } = decision;
    let aggregate = RecordKey::new(T::AGGREGATE, outcome.aggregate_id());
    desk::Decision { expectations, ..desk::Decision::new(facts, aggregate, outcome.answer(&notes)) }
}

impl Recordable for Fact {
    fn encode(self, meta: String) -> (NewFact, Vec<Effect>) {
        let new = NewFact { kind: self.kind().to_owned(), subject: self.subject(), body: self.body(), meta };
        (new, fold::effects(&self))
    }
}
