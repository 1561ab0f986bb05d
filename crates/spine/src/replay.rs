//! The first, forgetful layer of idempotency.
//!
//! It answers a repeated effect without troubling the store. It is filled after a commit only, and whatever it does not
//! know is a miss: the ledger decides. Losing it loses nothing but time.

use std::collections::BTreeMap;

use contract::{Answer, Context, Effect, Structured};
use quick_cache::sync::Cache;
use scope::Timestamp;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// How many answers are kept.
const ANSWERS_MAX: usize = 4096;
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
/// The name of the argument that carries the caller's key.
pub const KEY_ARGUMENT: &str = "client_request_id";

pub struct Replays {
    answers: Cache<Identity, Kept>,
}

#[derive(Clone)]
struct Kept {
    request_hash: String,
    answer: Answer,
    at: Timestamp,
}

impl Default for Replays {
    fn default() -> Self {
        Self { answers: Cache::new(ANSWERS_MAX) }
    }
}

impl Replays {
    /// The answer of the same effect, marked as a replay.
    pub fn find(&self, ctx: &Context, effect: &Effect) -> Option<Answer> {
        let kept = self.answers.get(&identity(ctx, effect))?;
        let fresh = ctx.now.0 - kept.at.0 < DAY_US;
        if !fresh || kept.request_hash != effect.request_hash {
            return None;
        }
        let mut answer = kept.answer;
        if let Some(Value::Object(mut whole)) = answer.structured.as_ref().map(Structured::value) {
            whole.insert("idempotent_replay".to_owned(), Value::Bool(true));
            whole.insert("original_request_time".to_owned(), Value::from(kept.at.to_string()));
            answer.structured = Some(Value::Object(whole).into());
        }
        Some(answer)
    }

    /// Remembers the answer of an effect that is durable.
    pub fn keep(&self, ctx: &Context, effect: &Effect, answer: &Answer) {
        // A field of that name further in has the same effect: the answer is not kept, and the ledger is asked.
        if answer.structured.as_ref().is_some_and(|whole| whole.text().contains(r#""idempotent_replay":"#)) {
            return;
        }
        let kept = Kept { request_hash: effect.request_hash.clone(), answer: answer.clone(), at: ctx.now };
        self.answers.insert(identity(ctx, effect), kept);
    }
}

/// SHA-256 over the RFC 8785 form of the arguments without the key, and the operation with its major version.
pub fn request_hash(operation: &str, arguments: &Map<String, Value>) -> String {
    // By reference: an argument may hold a whole file.
    let named: BTreeMap<_, _> = arguments.iter().filter(|(name, _)| *name != KEY_ARGUMENT).collect();
    let canonical = serde_jcs::to_vec(&named).expect("JSON has a canonical form");
    hex::encode(Sha256::new().chain_update(operation).chain_update("@1\n").chain_update(canonical).finalize())
}

/// What a sealed value is bound to besides its caller: the operation and every argument, the key included.
pub fn binding(operation: &str, arguments: &Map<String, Value>) -> String {
    let key = arguments.get(KEY_ARGUMENT).map(Value::to_string).unwrap_or_default();
    format!("{operation}\n{}\n{key}", request_hash(operation, arguments))
}

/// What makes an effect the same one: tenant, principal, operation and key.
pub type Identity = [u8; 32];

/// Hash of the length-prefixed four parts, so that no two identities run together.
pub fn identity(ctx: &Context, effect: &Effect) -> Identity {
    let mut hash = Sha256::new();
    for part in [ctx.scope.tenant.as_str(), &ctx.principal.id(), &effect.operation, &effect.key] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // R-266
    #[test]
    fn the_hash_ignores_order_and_key_and_sees_everything_else() {
        let hash = |value: Value| request_hash("t.op", value.as_object().unwrap());
        let first = hash(json!({ "a": 1, "b": { "x": 1, "y": 2 }, "client_request_id": "k" }));
        assert_eq!(first, hash(json!({ "b": { "y": 2, "x": 1 }, "a": 1, "client_request_id": "other" })));
        assert_ne!(first, hash(json!({ "a": 2, "b": { "x": 1, "y": 2 } })));
        assert_ne!(first, request_hash("t.other", json!({ "a": 1, "b": { "x": 1, "y": 2 } }).as_object().unwrap()));
    }

    fn context(tenant: &str, subject: &str, now: i64) -> Context {
        Context {
            scope: scope::Scope { tenant: scope::TenantId::new(tenant).unwrap(), ..scope::Scope::local() },
            principal: scope::Principal::local(subject),
            request: contract::RequestMeta::default(),
            now: Timestamp(now),
            ids: std::sync::Arc::new(scope::RandomIds),
            client: std::sync::Arc::new(contract::NoClient),
            cancelled: tokio_util::sync::CancellationToken::new(),
            effect: None,
            verdict: contract::Verdict::default(),
        }
    }

    // R-263, R-285
    #[test]
    fn an_answer_is_kept_a_day_and_for_its_own_caller_and_request_only() {
        let replays = Replays::default();
        let effect = |key: &str, hash: &str| Effect {
            operation: "t.op".to_owned(),
            key: key.to_owned(),
            request_hash: hash.to_owned(),
        };
        let answer = Answer { structured: Some(json!({ "success": true }).into()), ..Answer::default() };
        replays.keep(&context("a", "me", 0), &effect("k", "h"), &answer);
        let found = |tenant: &str, subject: &str, now: i64, key: &str, hash: &str| {
            replays.find(&context(tenant, subject, now), &effect(key, hash)).is_some()
        };
        assert!(found("a", "me", DAY_US - 1, "k", "h"));
        assert!(!found("a", "me", DAY_US, "k", "h"));
        assert!(!found("b", "me", 1, "k", "h"));
        assert!(!found("a", "you", 1, "k", "h"));
        assert!(!found("a", "me", 1, "other", "h"));
        assert!(!found("a", "me", 1, "k", "other"));
    }
}
