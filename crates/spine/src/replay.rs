//! The first, forgetful layer of idempotency.
//!
//! It answers a repeated effect without troubling the store. It is filled after a commit only, and whatever it does not
//! know is a miss: the ledger decides. Losing it loses nothing but time.

use contract::{Answer, Context, Effect};
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
    answers: Cache<[u8; 32], Kept>,
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
        if let Some(Value::Object(whole)) = &mut answer.structured
            && !whole.contains_key("idempotent_replay")
        {
            whole.insert("idempotent_replay".to_owned(), Value::Bool(true));
            whole.insert("original_request_time".to_owned(), Value::from(kept.at.to_string()));
        }
        Some(answer)
    }

    /// Remembers the answer of an effect that is durable.
    pub fn keep(&self, ctx: &Context, effect: &Effect, answer: &Answer) {
        let is_replay = answer.structured.as_ref().is_some_and(|whole| whole.get("idempotent_replay").is_some());
        if is_replay {
            return;
        }
        let kept = Kept { request_hash: effect.request_hash.clone(), answer: answer.clone(), at: ctx.now };
        self.answers.insert(identity(ctx, effect), kept);
    }
}

/// SHA-256 over the RFC 8785 form of the arguments without the key, and the operation with its major version.
pub fn request_hash(operation: &str, arguments: &Map<String, Value>) -> String {
    let mut named = arguments.clone();
    named.shift_remove(KEY_ARGUMENT);
    let canonical = serde_jcs::to_vec(&named).expect("JSON has a canonical form");
    hex::encode(Sha256::new().chain_update(operation).chain_update("@1\n").chain_update(canonical).finalize())
}

/// What a sealed value is bound to besides its caller: the operation and every argument, the key included.
pub fn binding(operation: &str, arguments: &Map<String, Value>) -> String {
    let key = arguments.get(KEY_ARGUMENT).map(Value::to_string).unwrap_or_default();
    format!("{operation}\n{}\n{key}", request_hash(operation, arguments))
}

/// Hash of the length-prefixed four parts, so that no two identities run together.
fn identity(ctx: &Context, effect: &Effect) -> [u8; 32] {
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

    //
    #[test]
    fn the_hash_ignores_order_and_key_and_sees_everything_else() {
        let hash = |value: Value| request_hash("t.op", value.as_object().unwrap());
        let first = hash(json!({ "a": 1, "b": { "x": 1, "y": 2 }, "client_request_id": "k" }));
        assert_eq!(first, hash(json!({ "b": { "y": 2, "x": 1 }, "a": 1, "client_request_id": "other" })));
        assert_ne!(first, hash(json!({ "a": 2, "b": { "x": 1, "y": 2 } })));
        assert_ne!(first, request_hash("t.other", json!({ "a": 1, "b": { "x": 1, "y": 2 } }).as_object().unwrap()));
    }
}
