//! The feed: facts of every capability as CloudEvents, in the order of their commits.
//!
//! The cursor is the sequence number of the last fact seen, so a consumer that stops and goes on misses none.

use contract::{Context, Object};
use ledger::{Fact, Ledger, Seq};
use serde::{Deserialize, Serialize};

use crate::Failure;

const PAGE_DEFAULT: u32 = 100;
const PAGE_MAX: u32 = 500;

/// A fact as consumers get it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    pub specversion: &'static str,
    pub id: String,
    pub source: String,
    pub r#type: String,
    pub subject: String,
    pub time: String,
    pub datacontenttype: &'static str,
    pub data: Object,
    pub tenantid: String,
    pub correlationid: String,
    pub causationid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    pub sequence: String,
}

/// Facts after a sequence number.
#[derive(Debug, Clone, PartialEq)]
pub struct Events {
    pub events: Vec<Event>,
    /// Where the next page goes on.
    pub last_sequence: Seq,
    pub more: bool,
}

/// What is read of an envelope, of any capability and age.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Origin {
    message_id: String,
    correlation_id: String,
    causation_id: String,
    producer: String,
    traceparent: Option<String>,
}

/// The facts after `after`, at most `page_size` of them; 0 for the usual number. `event_type` names the type of the ones to
/// show, and `None` passes over the others.
pub async fn page(
    ledger: &dyn Ledger,
    ctx: &Context,
    after: Seq,
    page_size: u32,
    event_type: impl Fn(&Fact) -> Option<String>,
) -> Result<Events, Failure> {
    let size = if page_size == 0 { PAGE_DEFAULT } else { page_size.min(PAGE_MAX) } as usize;
    let facts = ledger.facts(&ctx.scope.tenant, after, size).await?;
    let shown = facts.iter().filter_map(|fact| event_type(fact).map(|r#type| event(ctx, fact, r#type)));
    Ok(Events {
        events: shown.collect::<Result<_, _>>()?,
        last_sequence: facts.last().map_or(after, |fact| fact.seq),
        more: facts.len() == size,
    })
}

/// The type of an event where a capability has no other: `io.ameide.CAPABILITY.fact.NAME.v1`.
pub fn plain_type(fact: &Fact) -> String {
    let capability = fact.kind.split('.').next().unwrap_or_default();
    let name = fact.kind.rsplit('.').next().unwrap_or_default();
    format!("io.ameide.{capability}.fact.{name}.v1")
}

fn event(ctx: &Context, fact: &Fact, r#type: String) -> Result<Event, Failure> {
    let unreadable = |error: serde_json::Error| Failure::Internal {
        error_id: ctx.request.request_id.clone(),
        cause: format!("fact {} cannot be read: {error}", fact.seq),
    };
    let origin: Origin = serde_json::from_str(&fact.meta).map_err(unreadable)?;
    Ok(Event {
        specversion: "1.0",
        id: origin.message_id,
        source: format!("urn:{}", origin.producer.replace('/', ":")),
        r#type,
        subject: format!("{}/{}", fact.subject.kind.rsplit('.').next().unwrap_or_default(), fact.subject.id),
        time: fact.at.to_string(),
        datacontenttype: "application/json",
        data: Object(serde_json::from_str(&fact.body).map_err(unreadable)?),
        tenantid: ctx.scope.tenant.to_string(),
        correlationid: origin.correlation_id,
        causationid: origin.causation_id,
        traceparent: origin.traceparent.filter(|parent| !parent.is_empty()),
        sequence: format!("{:020}", fact.seq),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::model::ModelLedger;
    use ledger::{Change, NewFact, RecordKey};
    use scope::FixedClock;
    use serde_json::json;

    use super::*;
    use crate::testing::context;

    #[tokio::test]
    async fn facts_of_any_capability_are_events_and_the_cursor_passes_over_the_rest() {
        let ctx = context();
        let ledger = ModelLedger::new(Arc::new(FixedClock::at(ctx.now)));
        let fact = |kind: &str, meta: serde_json::Value| {
            let subject = RecordKey::new("a.thing", "t1");
            let (body, meta) = (json!({"name": "x"}).to_string(), meta.to_string());
            (NewFact { kind: kind.to_owned(), subject, body, meta }, Vec::new())
        };
        let facts = vec![
            fact("a.Made", json!({"message_id": "m1", "producer": "chancery/a", "traceparent": null})),
            fact("b.Made", json!({"message_id": "m2"})),
            fact("a.Named", json!({"message_id": "m3", "traceparent": "00-1-2-01", "unknown": 1})),
        ];
        let tenant = ctx.scope.tenant.clone();
        let change = Change { tenant, at: ctx.now, idempotency: None, expectations: Vec::new(), facts, audit: None };
        ledger.commit(change).await.unwrap();
        let of_a = |fact: &Fact| fact.kind.starts_with("a.").then(|| plain_type(fact));
        let first = page(&ledger, &ctx, 0, 2, of_a).await.unwrap();
        assert_eq!((first.events.len(), first.last_sequence, first.more), (1, 2, true));
        assert_eq!(
            serde_json::to_value(&first.events[0]).unwrap(),
            json!({
                "specversion": "1.0", "id": "m1", "source": "urn:chancery:a", "type": "io.ameide.a.fact.Made.v1",
                "subject": "thing/t1", "time": "2026-07-28T10:00:00.000000Z", "datacontenttype": "application/json",
                "data": {"name": "x"}, "tenantid": "local", "correlationid": "", "causationid": "",
                "sequence": "00000000000000000001",
            })
        );
        let rest = page(&ledger, &ctx, first.last_sequence, 2, of_a).await.unwrap();
        assert_eq!(
            (rest.events[0].traceparent.as_deref(), rest.last_sequence, rest.more),
            (Some("00-1-2-01"), 3, false)
        );
    }
}
