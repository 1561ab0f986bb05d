//! From a decision to something durable, at most once for each client_request_id.

use std::time::Duration;

use contract::Context;
use ledger::{
    At, Change, Commit, CommitError, Effect, Expectation, Idempotency, Ledger, NewFact, Recalled, RecordKey, Refusal,
    Seq, SharedLedger, StoredAnswer,
};
use scope::pace;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::MutexGuard;

use super::turns::Turns;
use crate::Error;
use crate::projection::fold::{Happened, Writing};
use crate::projection::row::Row;

/// A decision is made at most this often before the conflict is the caller's to solve.
const ATTEMPTS_MAX: u32 = 8;

/// More rows than this are not written on the executor.
const ROWS_INLINE_MAX: usize = 256;

/// A large change is several facts: each is read, copied and handed on as a whole.
const ROWS_PER_FACT: usize = 512;

/// What writing a row takes, in nanoseconds.
const PER_ROW: u32 = 8_000;

/// What a call does, and what it answers when that has been done.
#[derive(Debug)]
pub struct Decision<A> {
    pub happened: Happened,
    /// What the fact is about.
    pub subject: RecordKey,
    pub rows: Vec<Row>,
    pub ends: Vec<RecordKey>,
    pub expectations: Vec<Expectation>,
    pub answer: A,
    /// False when the same call is worth making again: then its answer is not kept for repetitions.
    pub is_final: bool,
}

impl<A> Decision<A> {
    /// The same decision with another answer.
    pub fn map<B>(self, word: impl FnOnce(A) -> B) -> Decision<B> {
        let Self { happened, subject, rows, ends, expectations, answer, is_final } = self;
        Decision { happened, subject, rows, ends, expectations, answer: word(answer), is_final }
    }
}

/// The answer to a write.
pub trait Answered: Serialize + DeserializeOwned + Send {
    /// Where the answer can be read again.
    fn set_read_point(&mut self, seq: Seq);
    /// This is the answer of an earlier call.
    fn mark_replay(&mut self);
}

/// Commits decisions.
pub struct Recorder {
    ledger: SharedLedger,
    turns: Turns,
}

impl Recorder {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger, turns: Turns::default() }
    }

    pub fn ledger(&self) -> &dyn Ledger {
        self.ledger.as_ref()
    }

    /// Waits for the turn to write about these ids.
    pub async fn turn(&self, ids: impl IntoIterator<Item = &str>) -> Vec<MutexGuard<'_, ()>> {
        self.turns.take(ids).await
    }

    /// Decides and commits, and answers; or answers as before when the same effect has happened already. When something
    /// changed between decision and commit, `decide` is asked again and sees the new state.
    pub async fn once<A, F, Fut>(&self, ctx: &Context, user: &str, decide: F) -> Result<A, Error>
    where
        A: Answered,
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Decision<A>, Error>> + Send,
    {
        if let Some(earlier) = self.recall(ctx).await? {
            return Ok(earlier);
        }
        for attempt in 1..=ATTEMPTS_MAX {
            let decision = match decide().await {
                Ok(decision) => decision,
                // The same call elsewhere may have happened since we looked; then its effect is what stands in our way.
                Err(refusal) => return self.recall(ctx).await?.ok_or(refusal),
            };
            if ctx.cancelled.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let Decision { happened, subject, rows, ends, expectations, mut answer, is_final } = decision;
            let key = idempotency(ctx).filter(|_| is_final);
            let nothing = rows.is_empty() && ends.is_empty();
            if nothing && key.is_none() {
                return Ok(answer);
            }
            let aggregate_id = Some(subject.id.clone());
            let stored = key.map(|key| {
                let payload = serde_json::to_string(&answer).expect("a generated message has only string keys");
                (key, StoredAnswer { payload, aggregate_type: subject.kind.clone(), aggregate_id })
            });
            let facts = if nothing {
                Vec::new()
            } else {
                let metas = (0..=rows.len() / ROWS_PER_FACT).map(|_| meta(ctx)).collect();
                written(user.to_owned(), happened, subject, rows, ends, metas).await?
            };
            let change =
                Change { tenant: ctx.scope.tenant.clone(), at: ctx.now, idempotency: stored, expectations, facts };
            match self.ledger.commit(change).await {
                Ok(Commit::Done { seq, .. }) => {
                    answer.set_read_point(seq);
                    return Ok(answer);
                }
                Ok(Commit::Replayed(recalled)) => return self.replay(ctx, recalled).await,
                Err(CommitError::Refused(Refusal::KeyReused { .. })) => return Err(Error::KeyReused),
                Err(CommitError::Refused(refusal)) => {
                    tracing::debug!(%refusal, attempt, "a write is decided again");
                    // A little later, and not all at the same moment.
                    tokio::time::sleep(Duration::from_millis(u64::from(attempt) * spread(ctx))).await;
                }
                Err(CommitError::Unknown(cause)) => {
                    tracing::error!(cause, "the outcome of a commit is unknown");
                    return Err(Error::OutcomeUnknown);
                }
                Err(CommitError::Unavailable(cause)) => {
                    tracing::warn!(cause, "a commit could not be made");
                    return Err(not_done(happened));
                }
            }
        }
        self.recall(ctx).await?.ok_or(Error::Contended)
    }

    async fn recall<A: Answered>(&self, ctx: &Context) -> Result<Option<A>, Error> {
        let Some(effect) = idempotency(ctx) else { return Ok(None) };
        let recalled = self.ledger.recall(&ctx.scope.tenant, &effect).await?;
        match recalled {
            Some(recalled) => self.replay(ctx, recalled).await.map(Some),
            None => Ok(None),
        }
    }

    /// The stored answer, marked as a repetition. It was stored before its point was known.
    async fn replay<A: Answered>(&self, ctx: &Context, recalled: Recalled) -> Result<A, Error> {
        if !recalled.same_request {
            return Err(Error::KeyReused);
        }
        let mut answer: A = serde_json::from_str(&recalled.payload).map_err(|error| {
            Error::internal(&ctx.request.request_id, format!("a stored answer cannot be read: {error}"))
        })?;
        answer.set_read_point(self.ledger.point(&ctx.scope.tenant, At::Time(recalled.at)).await?);
        answer.mark_replay();
        Ok(answer)
    }
}

/// The facts that put `rows` and end `ends`. Many rows are written on a thread that may block: the row of a large
/// source is as long as all the others together.
async fn written(
    user: String,
    happened: Happened,
    subject: RecordKey,
    rows: Vec<Row>,
    ends: Vec<RecordKey>,
    metas: Vec<String>,
) -> Result<Vec<(NewFact, Vec<Effect>)>, Error> {
    // A call without a task has a thread of its own, which is as good.
    let are_many = rows.len() > ROWS_INLINE_MAX && tokio::task::try_id().is_some();
    let write = move || {
        let (mut facts, mut metas) = (Vec::with_capacity(metas.len()), metas.into_iter());
        let mut meta = move || metas.next().expect("there is one for each fact");
        let mut rows = rows.into_iter();
        let mut writing = Writing::new(&user, rows.len().min(ROWS_PER_FACT));
        while let Some(row) = rows.next() {
            writing.put(&row);
            pace::worked(PER_ROW);
            // Content stays with its source, which comes next.
            if writing.rows() >= ROWS_PER_FACT && rows.len() > 0 && !matches!(row, Row::Content(_)) {
                let next = Writing::new(&user, rows.len().min(ROWS_PER_FACT));
                let full = std::mem::replace(&mut writing, next);
                facts.push(full.finish(happened, subject.clone(), Vec::new(), meta()));
            }
        }
        facts.push(writing.finish(happened, subject, ends, meta()));
        facts
    };
    if !are_many {
        return Ok(write());
    }
    tokio::task::spawn_blocking(write).await.map_err(|stopped| match stopped.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Error::Cancelled,
    })
}

/// The code for a write that is known not to have happened.
fn not_done(happened: Happened) -> Error {
    match happened {
        Happened::Merged | Happened::Unmerged => Error::UpdateFailed,
        Happened::Deleted => Error::DeleteFailed,
        _ => Error::InsertFailed,
    }
}

fn idempotency(ctx: &Context) -> Option<Idempotency> {
    ctx.effect.as_ref().map(|effect| Idempotency {
        principal: ctx.principal.id(),
        operation: effect.operation.clone(),
        key: effect.key.clone(),
        request_hash: effect.request_hash.clone(),
    })
}

fn meta(ctx: &Context) -> String {
    let meta = Meta {
        message_id: ctx.ids.next(),
        correlation_id: &ctx.request.correlation_id,
        causation_id: &ctx.request.request_id,
        client_request_id: ctx.effect.as_ref().map(|effect| effect.key.as_str()),
        traceparent: &ctx.request.traceparent,
        producer: "chancery/neotoma",
        actor: ctx.principal.id(),
    };
    serde_json::to_string(&meta).expect("it has only string keys")
}

/// What is kept about how a fact came about.
#[derive(Serialize)]
struct Meta<'a> {
    message_id: String,
    correlation_id: &'a str,
    causation_id: &'a str,
    client_request_id: Option<&'a str>,
    traceparent: &'a Option<String>,
    producer: &'static str,
    actor: String,
}

/// Between 1 and 8, and different from call to call: ids are the only dice here.
fn spread(ctx: &Context) -> u64 {
    ctx.ids.next().bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))) % 8 + 1
}
