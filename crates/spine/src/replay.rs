//! The first, forgetful layer of idempotency.
//!
//! It answers a repeated effect without troubling the store. It is filled after a commit only, and whatever it does not
//! know is a miss: the ledger decides. Losing it loses nothing but time.
//!
//! How a replay is worded is the capability's business: what is kept is the answer that it gave to the first repetition,
//! so that a repetition has the same bytes wherever it is answered. Until there is one, it is only known that the effect
//! happened, and that nobody needs to confirm it again.

use std::collections::BTreeMap;

use contract::{Answer, Context, Effect, Structured};
use quick_cache::sync::Cache;
use scope::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::seal;

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
    /// Absent before the first repetition.
    replay: Option<Answer>,
    at: Timestamp,
}

/// What is known about an effect that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// It happened.
    Done,
    /// This is what a repetition of it is answered with.
    Replay(Answer),
}

impl Default for Replays {
    fn default() -> Self {
        Self { answers: Cache::new(ANSWERS_MAX) }
    }
}

impl Replays {
    /// What is known of the same effect.
    pub fn find(&self, ctx: &Context, effect: &Effect) -> Option<Known> {
        let kept = self.answers.get(&identity(ctx, effect))?;
        let fresh = ctx.now.0 - kept.at.0 < DAY_US;
        if !fresh || kept.request_hash != effect.request_hash {
            return None;
        }
        Some(kept.replay.map_or(Known::Done, Known::Replay))
    }

    /// Remembers an effect that is durable, with its answer if that was a repetition.
    pub fn keep(&self, ctx: &Context, effect: &Effect, answer: &Answer) {
        let replay = is_replay(answer).then(|| answer.clone());
        let kept = Kept { request_hash: effect.request_hash.clone(), replay, at: ctx.now };
        self.answers.insert(identity(ctx, effect), kept);
    }
}

/// True when a capability marked its answer as one that it gave before.
fn is_replay(answer: &Answer) -> bool {
    const MARK: &str = "idempotent_replay";
    #[derive(Deserialize)]
    struct Marked {
        #[serde(default)]
        idempotent_replay: bool,
    }
    let text = answer.structured.as_ref().map(Structured::text).unwrap_or_default();
    // Few answers hold the word, and in some of them it stands further in, where it means nothing.
    text.contains(MARK) && serde_json::from_str(text).is_ok_and(|Marked { idempotent_replay }| idempotent_replay)
}

/// SHA-256 over the RFC 8785 form of the arguments without the key, and the operation with its major version.
pub fn request_hash(operation: &str, arguments: &Map<String, Value>) -> String {
    // By reference: an argument may hold a whole file.
    let named: BTreeMap<_, _> = arguments.iter().filter(|(name, _)| *name != KEY_ARGUMENT).collect();
    let canonical = serde_jcs::to_vec(&named).expect("JSON has a canonical form");
    let mut hash = Sha256::new().chain_update(operation).chain_update("@1\n").chain_update(canonical);
    named.values().for_each(|value| add_exact(&mut hash, value));
    hex::encode(hash.finalize())
}

/// RFC 8785 writes every number as the float it is nearest to. Numbers that lose by it are added as they are.
fn add_exact(hash: &mut Sha256, value: &Value) {
    const WHOLE_MAX: u64 = 1 << 53;
    match value {
        Value::Number(number) => {
            let whole = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
            let float = || number.as_f64().and_then(serde_json::Number::from_f64);
            let is_exact = whole.map_or_else(|| float().as_ref() == Some(number), |whole| whole < WHOLE_MAX);
            if !is_exact {
                hash.update([0]);
                hash.update(number.to_string());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_exact(hash, item)),
        Value::Object(entries) => {
            let sorted: BTreeMap<_, _> = entries.iter().collect();
            sorted.values().for_each(|value| add_exact(hash, value));
        }
        _ => {}
    }
}

/// What a sealed value is bound to besides its caller: the operation and every argument, the key included.
pub fn binding(operation: &str, arguments: &Map<String, Value>) -> String {
    let key = arguments.get(KEY_ARGUMENT).map(Value::to_string).unwrap_or_default();
    seal::purpose(&[operation, &request_hash(operation, arguments), &key])
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
        let canonical = Sha256::digest("t.op@1\n{\"a\":1,\"b\":{\"x\":1,\"y\":2}}");
        assert_eq!(first, hex::encode(canonical), "the operation, its major version and the canonical form");
    }

    // R-266: what a float cannot hold makes a difference.
    #[test]
    fn the_hash_tells_numbers_apart_that_are_the_same_float() {
        let hash = |text: &str| request_hash("t.op", &serde_json::from_str(text).unwrap());
        assert_ne!(hash(r#"{"a":9007199254740993}"#), hash(r#"{"a":9007199254740992}"#));
        assert_ne!(hash(r#"{"a":[18446744073709551615]}"#), hash(r#"{"a":[18446744073709551614]}"#));
        assert_ne!(hash(r#"{"a":{"b":-9007199254740993}}"#), hash(r#"{"a":{"b":-9007199254740992}}"#));
        let swapped =
            (r#"{"a":9007199254740992,"b":9007199254740993}"#, r#"{"a":9007199254740993,"b":9007199254740992}"#);
        assert_ne!(hash(swapped.0), hash(swapped.1));
        assert_eq!(hash(r#"{"a":1.0}"#), hash(r#"{"a":1}"#));
        assert_eq!(hash(r#"{"a":{"y":9007199254740993,"x":1}}"#), hash(r#"{"a":{"x":1,"y":9007199254740993}}"#));
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
            audit: contract::AuditDraft::default(),
        }
    }

    fn effect(key: &str, hash: &str) -> Effect {
        Effect { operation: "t.op".to_owned(), key: key.to_owned(), request_hash: hash.to_owned() }
    }

    // R-263, R-285, R-492
    #[test]
    fn an_answer_is_kept_a_day_and_for_its_own_caller_and_request_only() {
        let replays = Replays::default();
        let structured = Some(json!({ "success": true, "idempotent_replay": true }).into());
        let answer = Answer { structured, ..Answer::default() };
        replays.keep(&context("a", "me", 0), &effect("k", "h"), &answer);
        let found = |tenant: &str, subject: &str, now: i64, key: &str, hash: &str| {
            replays.find(&context(tenant, subject, now), &effect(key, hash))
        };
        assert_eq!(found("a", "me", DAY_US - 1, "k", "h"), Some(Known::Replay(answer)));
        assert_eq!(found("a", "me", DAY_US, "k", "h"), None);
        assert_eq!(found("b", "me", 1, "k", "h"), None);
        assert_eq!(found("a", "you", 1, "k", "h"), None);
        assert_eq!(found("a", "me", 1, "other", "h"), None);
        assert_eq!(found("a", "me", 1, "k", "other"), None);
    }

    // R-272: the capability says what a replay looks like.
    #[test]
    fn only_what_the_capability_marked_is_given_again() {
        for whole in [
            json!({ "success": true }),
            json!({ "idempotent_replay": false }),
            json!({ "in": { "idempotent_replay": true } }),
        ] {
            let replays = Replays::default();
            let answer = Answer { structured: Some(whole.clone().into()), ..Answer::default() };
            replays.keep(&context("a", "me", 0), &effect("k", "h"), &answer);
            assert_eq!(replays.find(&context("a", "me", 1), &effect("k", "h")), Some(Known::Done), "{whole}");
        }
    }
}
