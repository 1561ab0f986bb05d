//! The envelope of a fact: how it came about.

use contract::Context;
use scope::Timestamp;
use serde::Serialize;

/// The envelope as it is written. Each fact has its own `message_id`, since consumers drop repetitions by it; the call ties
/// them together.
#[derive(Serialize)]
struct Meta<'a> {
    message_id: String,
    correlation_id: &'a str,
    tenant_id: &'a str,
    occurred_at: Timestamp,
    client_request_id: &'a str,
    causation_id: &'a str,
    producer: &'a str,
    traceparent: &'a str,
    tracestate: &'a str,
    actor: String,
}

/// The JSON text of a new fact's envelope.
pub fn envelope(ctx: &Context, producer: &str) -> String {
    let meta = Meta {
        message_id: ctx.ids.next(),
        correlation_id: &ctx.request.correlation_id,
        tenant_id: ctx.scope.tenant.as_str(),
        occurred_at: ctx.now,
        client_request_id: ctx.effect.as_ref().map(|effect| effect.key.as_str()).unwrap_or_default(),
        causation_id: &ctx.request.request_id,
        producer,
        traceparent: ctx.request.traceparent.as_deref().unwrap_or_default(),
        tracestate: ctx.request.tracestate.as_deref().unwrap_or_default(),
        actor: ctx.principal.id(),
    };
    serde_json::to_string(&meta).expect("an envelope has only string keys")
}
