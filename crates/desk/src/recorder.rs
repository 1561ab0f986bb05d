//! The write loop: from a decision to something durable, at most once for each client_request_id.

use std::marker::PhantomData;
use std::time::Duration;

use contract::Context;
use ledger::{
    At, AuditEntry, Change, Commit, CommitError, Effect, Expectation, Fold, Idempotency, Ledger, NewFact, Recalled,
    RecordKey, Refusal, Seq, SharedLedger, StoredAnswer,
};
use scope::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Failure;
use crate::meta::envelope;

/// A write is decided at most this often before the conflict is the caller's to solve.
const ATTEMPTS_MAX: u32 = 3;

/// A change of more rows than this is not encoded on the executor.
const ROWS_INLINE_MAX: usize = 256;

/// What a call does, and what it answers when that has been done.
#[derive(Debug, Clone)]
pub struct Decision<F, A> {
    /// What happens, in order.
    pub facts: Vec<F>,
    /// What must still hold at the commit.
    pub expectations: Vec<Expectation>,
    pub answer: A,
    /// The sort and id of what the effect is about, as the table of idempotency keys names it.
    pub aggregate: RecordKey,
    /// False when the same call is worth making again: then its answer is not kept for repetitions.
    pub is_final: bool,
}

impl<F, A> Decision<F, A> {
    /// A decision that expects nothing.
    pub fn new(facts: Vec<F>, aggregate: RecordKey, answer: A) -> Self {
        Self { facts, expectations: Vec::new(), answer, aggregate, is_final: true }
    }

    /// The same decision with another answer.
    pub fn map<B>(self, word: impl FnOnce(A) -> B) -> Decision<F, B> {
        let Self { facts, expectations, answer, aggregate, is_final } = self;
        Decision { facts, expectations, answer: word(answer), aggregate, is_final }
    }
}

/// A fact of a capability, before it is recorded.
pub trait Recordable: Send + 'static {
    /// The fact as the ledger takes it, with what its fold makes of it.
    fn encode(self, meta: String) -> (NewFact, Vec<Effect>);

    /// About how many records it puts. A change of many is encoded off the executor.
    fn rows(&self) -> usize {
        1
    }
}

/// A fact whose body is this message, with the effects that the fold has for it.
pub fn encode(
    fold: &impl Fold,
    kind: &str,
    subject: RecordKey,
    body: &impl Serialize,
    meta: String,
) -> (NewFact, Vec<Effect>) {
    let body = serde_json::to_string(body).expect("a message has only string keys");
    let fact = NewFact { kind: kind.to_owned(), subject, body, meta };
    let effects = fold.effects(&fact).expect("what was written can be read");
    (fact, effects)
}

/// An answer to a write: it is stored as JSON and given again when the call is repeated.
pub trait Answer: Serialize + DeserializeOwned + Send {}

impl<A: Serialize + DeserializeOwned + Send> Answer for A {}

/// How a capability marks its answers, which are messages of the contract. Implemented for a type of the capability's own.
pub trait Marks<A>: Send + Sync + 'static {
    /// Sets the point at which the write can be read, where the answer has a place for it. Not part of what is stored.
    fn set_read_point(_answer: &mut A, _seq: Seq) {}

    /// Marks the answer as that of an earlier call, first given at `at`.
    fn mark_replay(answer: &mut A, at: Timestamp);
}

/// Commits decisions of the capability that marks its answers with `M`.
pub struct Recorder<M> {
    ledger: SharedLedger,
    /// Who makes the facts, such as `chancery/guestbook`.
    producer: &'static str,
    marks: PhantomData<fn() -> M>,
}

impl<M> Clone for Recorder<M> {
    fn clone(&self) -> Self {
        Self::new(self.ledger.clone(), self.producer)
    }
}

impl<M> Recorder<M> {
    /// `producer` names the maker of the facts in their envelopes, such as `chancery/guestbook`.
    pub fn new(ledger: SharedLedger, producer: &'static str) -> Self {
        Self { ledger, producer, marks: PhantomData }
    }

    pub fn ledger(&self) -> &dyn Ledger {
        self.ledger.as_ref()
    }

    /// Decides and commits, and answers; or answers as before when the same effect has happened already.
    ///
    /// `decide` loads what the call is about and lets the rules decide. When something changed between decision and commit,
    /// it is called again and sees the new state. A decision without facts is committed only to keep its answer.
    pub async fn once<F, A, E, D, Fut>(&self, ctx: &Context, decide: D) -> Result<A, E>
    where
        F: Recordable,
        A: Answer,
        M: Marks<A>,
        E: From<Failure>,
        D: Fn() -> Fut,
        Fut: Future<Output = Result<Decision<F, A>, E>> + Send,
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
                return Err(Failure::Cancelled.into());
            }
            match self.commit(ctx, decision).await? {
                Outcome::Answered(answer) => return Ok(answer),
                Outcome::Conflict(refusal) => {
                    tracing::debug!(%refusal, attempt, "a write is decided again");
                    // A little later, and not all at the same moment.
                    tokio::time::sleep(Duration::from_millis(u64::from(attempt) * spread(ctx))).await;
                }
            }
        }
        Ok(self.recall(ctx).await?.ok_or(Failure::Contended)?)
    }

    /// Commits facts that other processes may record at the same time; theirs are as good as ours.
    pub async fn record_unless_done<F: Recordable>(
        &self,
        ctx: &Context,
        facts: Vec<F>,
        expectations: Vec<Expectation>,
    ) -> Result<(), Failure> {
        let facts = self.encode(ctx, facts).await?;
        let change = Change { audit: None, ..change(ctx, None, expectations, facts) };
        match self.ledger.commit(change).await {
            Ok(_) | Err(CommitError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn commit<F, A>(&self, ctx: &Context, decision: Decision<F, A>) -> Result<Outcome<A>, Failure>
    where
        F: Recordable,
        A: Answer,
        M: Marks<A>,
    {
        let Decision { facts, expectations, mut answer, aggregate, is_final } = decision;
        let key = idempotency(ctx).filter(|_| is_final);
        if facts.is_empty() && key.is_none() {
            return Ok(Outcome::Answered(answer));
        }
        let stored = key.map(|key| {
            let payload = serde_json::to_string(&answer).expect("a generated message has only string keys");
            let RecordKey { kind, id } = aggregate;
            (key, StoredAnswer { payload, aggregate_type: kind, aggregate_id: Some(id) })
        });
        let facts = self.encode(ctx, facts).await?;
        match self.ledger.commit(change(ctx, stored, expectations, facts)).await {
            Ok(Commit::Done { seq, .. }) => {
                ctx.audit.set_committed();
                M::set_read_point(&mut answer, seq);
                Ok(Outcome::Answered(answer))
            }
            Ok(Commit::Replayed(recalled)) => Ok(Outcome::Answered(self.replay(ctx, recalled).await?)),
            Err(CommitError::Refused(Refusal::KeyReused { .. })) => Err(key_reused(ctx)),
            Err(CommitError::Refused(Refusal::TooManyKeys { most })) => Err(too_many_keys(most)),
            Err(CommitError::Refused(refusal)) => Ok(Outcome::Conflict(refusal)),
            Err(error) => Err(error.into()),
        }
    }

    /// Facts as the ledger takes them. Many rows are encoded on a thread that may block.
    async fn encode<F: Recordable>(
        &self,
        ctx: &Context,
        facts: Vec<F>,
    ) -> Result<Vec<(NewFact, Vec<Effect>)>, Failure> {
        let rows: usize = facts.iter().map(F::rows).sum();
        let envelopes: Vec<String> = facts.iter().map(|_| envelope(ctx, self.producer)).collect();
        let encode = || facts.into_iter().zip(envelopes).map(|(fact, meta)| fact.encode(meta)).collect();
        // A call without a task has a thread of its own, which is as good.
        if rows <= ROWS_INLINE_MAX || tokio::task::try_id().is_none() {
            return Ok(encode());
        }
        tokio::task::spawn_blocking(encode).await.map_err(|stopped| match stopped.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Failure::Cancelled,
        })
    }

    async fn recall<A: Answer>(&self, ctx: &Context) -> Result<Option<A>, Failure>
    where
        M: Marks<A>,
    {
        let Some(effect) = idempotency(ctx) else { return Ok(None) };
        match self.ledger.recall(&ctx.scope.tenant, &effect).await? {
            Some(recalled) => self.replay(ctx, recalled).await.map(Some),
            None => Ok(None),
        }
    }

    /// The stored answer, marked as a repetition. It was stored before its point was known.
    async fn replay<A: Answer>(&self, ctx: &Context, recalled: Recalled) -> Result<A, Failure>
    where
        M: Marks<A>,
    {
        if !recalled.same_request {
            return Err(key_reused(ctx));
        }
        let mut answer: A = serde_json::from_str(&recalled.payload).map_err(|error| Failure::Internal {
            error_id: ctx.request.request_id.clone(),
            cause: format!("a stored answer cannot be read: {error}"),
        })?;
        M::set_read_point(&mut answer, self.ledger.point(&ctx.scope.tenant, At::Time(recalled.at)).await?);
        M::mark_replay(&mut answer, recalled.at);
        Ok(answer)
    }
}

/// What one attempt led to.
enum Outcome<A> {
    Answered(A),
    /// Something that the decision rests on has changed.
    Conflict(Refusal),
}

fn change(
    ctx: &Context,
    idempotency: Option<(Idempotency, StoredAnswer)>,
    expectations: Vec<Expectation>,
    facts: Vec<(NewFact, Vec<Effect>)>,
) -> Change {
    let audit = audit_entry(ctx);
    Change { tenant: ctx.scope.tenant.clone(), at: ctx.now, idempotency, expectations, facts, audit }
}

/// The audit record of the call, as the ledger takes it.
fn audit_entry(ctx: &Context) -> Option<AuditEntry> {
    Some(AuditEntry {
        id: ctx.request.request_id.clone(),
        principal: ctx.principal.id(),
        correlation_id: ctx.request.correlation_id.clone(),
        body: ctx.audit.body()?,
    })
}

fn idempotency(ctx: &Context) -> Option<Idempotency> {
    ctx.effect.as_ref().map(|effect| Idempotency {
        principal: ctx.principal.id(),
        operation: effect.operation.clone(),
        key: effect.key.clone(),
        request_hash: effect.request_hash.clone(),
    })
}

fn key_reused(ctx: &Context) -> Failure {
    Failure::KeyReused { key: ctx.effect.as_ref().map(|effect| effect.key.clone()).unwrap_or_default() }
}

fn too_many_keys(most: u64) -> Failure {
    let reason = format!("would be one more than the {most} that are kept for one caller");
    Failure::argument(
        "client_request_id",
        reason,
        "leave client_request_id out, or call again when older ones have expired, eight days after their use",
    )
}

/// Between 1 and 8, and different from call to call: ids are the only dice here.
fn spread(ctx: &Context) -> u64 {
    ctx.ids.next().bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))) % 8 + 1
}

#[cfg(test)]
mod tests;
