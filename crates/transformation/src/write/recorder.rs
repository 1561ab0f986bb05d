//! From a decision to something durable, at most once for each client_request_id.

use std::time::Duration;

use contract::Context;
use contract::generated::transformation::TransformationMessageMeta;
use ledger::{
    Change, Commit, CommitError, Effect, Idempotency, Ledger, NewFact, Recalled, Refusal, SharedLedger, StoredAnswer,
};

use super::answer::{Answered, Replayable};
use crate::Error;
use crate::domain::{Decision, Fact};
use crate::projection::fold;

/// A decision is made at most this often before the conflict is the caller's to solve.
const ATTEMPTS_MAX: u32 = 3;

/// Commits decisions.
#[derive(Clone)]
pub struct Recorder {
    ledger: SharedLedger,
}

impl Recorder {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger }
    }

    pub fn ledger(&self) -> &dyn Ledger {
        self.ledger.as_ref()
    }

    /// Decides and commits, and answers; or answers as before when the same effect has happened already.
    ///
    /// When something changed between decision and commit, `decide` sees the new state and decides again.
    pub async fn once<T, F, Fut>(&self, ctx: &Context, decide: F) -> Result<T::Answer, Error>
    where
        T: Answered + Send + Sync,
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Decision<T>, Error>> + Send,
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
            let answer = decision.outcome.answer(&decision.notes);
            let stored = StoredAnswer {
                payload: serde_json::to_string(&answer).expect("a generated message has only string keys"),
                aggregate_type: T::AGGREGATE.to_owned(),
                aggregate_id: Some(decision.outcome.aggregate_id().to_owned()),
            };
            if ctx.cancelled.is_cancelled() {
                return Err(Error::Cancelled);
            }
            match self.ledger.commit(change(ctx, &decision, Some(stored))).await {
                Ok(Commit::Done { .. }) => return Ok(answer),
                Ok(Commit::Replayed(recalled)) => return replay(ctx, recalled),
                Err(CommitError::Refused(Refusal::KeyReused { .. })) => return Err(key_reused(ctx)),
                Err(CommitError::Refused(refusal)) => {
                    tracing::debug!(%refusal, attempt, "a write is decided again");
                    // A little later, and not all at the same moment.
                    tokio::time::sleep(Duration::from_millis(u64::from(attempt) * spread(ctx))).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.recall(ctx).await?.ok_or(Error::Contended)
    }

    /// Commits a decision that other processes may make at the same time; theirs is as good as ours.
    pub async fn record_unless_done<T>(&self, ctx: &Context, decision: &Decision<T>) -> Result<(), Error> {
        match self.ledger.commit(change(ctx, decision, None)).await {
            Ok(_) | Err(CommitError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn recall<A: Replayable>(&self, ctx: &Context) -> Result<Option<A>, Error> {
        let Some(effect) = idempotency(ctx) else { return Ok(None) };
        let recalled = self.ledger.recall(&ctx.scope.tenant, &effect).await?;
        recalled.map(|recalled| replay(ctx, recalled)).transpose()
    }
}

/// The stored answer, marked as a repetition.
fn replay<A: Replayable>(ctx: &Context, recalled: Recalled) -> Result<A, Error> {
    if !recalled.same_request {
        return Err(key_reused(ctx));
    }
    let mut answer: A = serde_json::from_str(&recalled.payload).map_err(|error| Error::Internal {
        error_id: ctx.request.request_id.clone(),
        cause: format!("a stored answer cannot be read: {error}"),
    })?;
    answer.mark_replay(recalled.at);
    Ok(answer)
}

fn key_reused(ctx: &Context) -> Error {
    Error::KeyReused { key: ctx.effect.as_ref().map(|effect| effect.key.clone()).unwrap_or_default() }
}

fn idempotency(ctx: &Context) -> Option<Idempotency> {
    ctx.effect.as_ref().map(|effect| Idempotency {
        principal: ctx.principal.id(),
        operation: effect.operation.clone(),
        key: effect.key.clone(),
        request_hash: effect.request_hash.clone(),
    })
}

fn change<T>(ctx: &Context, decision: &Decision<T>, answer: Option<StoredAnswer>) -> Change {
    Change {
        tenant: ctx.scope.tenant.clone(),
        at: ctx.now,
        idempotency: idempotency(ctx).zip(answer),
        expectations: decision.expectations.clone(),
        facts: decision.facts.iter().map(|fact| new_fact(ctx, fact)).collect(),
    }
}

fn new_fact(ctx: &Context, fact: &Fact) -> (NewFact, Vec<Effect>) {
    let meta = serde_json::to_string(&meta(ctx)).expect("a generated message has only string keys");
    let new = NewFact { kind: fact.kind().to_owned(), subject: fact.subject(), body: fact.body(), meta };
    (new, fold::effects(fact))
}

/// The envelope of a fact. Each has its own message_id, since consumers drop repetitions by it; the call ties them together.
fn meta(ctx: &Context) -> TransformationMessageMeta {
    TransformationMessageMeta {
        message_id: ctx.ids.next(),
        correlation_id: ctx.request.correlation_id.clone(),
        tenant_id: ctx.scope.tenant.to_string(),
        occurred_at: Some(prost_types::Timestamp {
            seconds: ctx.now.0.div_euclid(1_000_000),
            nanos: i32::try_from(ctx.now.0.rem_euclid(1_000_000) * 1_000).expect("less than a second"),
        }),
        client_request_id: ctx.effect.as_ref().map(|effect| effect.key.clone()).unwrap_or_default(),
        causation_id: ctx.request.request_id.clone(),
        producer: "chancery/transformation".to_owned(),
        traceparent: ctx.request.traceparent.clone().unwrap_or_default(),
        tracestate: ctx.request.tracestate.clone().unwrap_or_default(),
        actor: ctx.principal.id(),
    }
}

/// Between 1 and 8, and different from call to call: ids are the only dice here.
fn spread(ctx: &Context) -> u64 {
    ctx.ids.next().bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))) % 8 + 1
}
