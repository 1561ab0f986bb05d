//! The rows of the benchmark: an element as a capability would write it.

use ledger::{AuditEntry, Change, Effect, Ends, Idempotency, NewFact, Record, RecordKey, StoredAnswer, UniqueName};
use scope::{TenantId, Timestamp};

pub const KIND: &str = "bench.element";
pub const LINK: &str = "bench.link";

pub fn tenant() -> TenantId {
    TenantId::new("bench").unwrap()
}

/// One create with its idempotency key.
pub fn create(number: u64) -> Change {
    let record = element(number);
    let payload = record.body.clone();
    let effect = Idempotency {
        principal: "local|bench".to_owned(),
        operation: "createElement".to_owned(),
        key: format!("create-{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        request_hash: format!("{number:064x}"),
    };
    let answer = StoredAnswer { payload, aggregate_type: KIND.to_owned(), aggregate_id: Some(record.key.id.clone()) };
    Change {
        tenant: tenant(),
        at: Timestamp(1_800_000_000_000_000 + number as i64),
        idempotency: Some((effect, answer)),
        expectations: Vec::new(),
        audit: None,
        facts: vec![(fact(&record), vec![Effect::Put(Box::new(record))])],
    }
}

/// The same with its audit record, as a call has it.
pub fn audited(number: u64) -> Change {
    Change { audit: Some(audit(number)), ..create(number) }
}

/// The audit record of a create, as long as most are.
fn audit(number: u64) -> AuditEntry {
    let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    AuditEntry {
        id: format!("019a0000-{:04x}-7000-8000-{number:012x}", number >> 16),
        principal: "local|bench".to_owned(),
        correlation_id: format!("{random:032x}"),
        body: format!(r#"{{"method":"tools/call","target":"createElement","arguments":"{}"}}"#, "x".repeat(450)),
    }
}

/// Many elements, each with a link to a hub, in one change.
pub fn import(numbers: std::ops::Range<u64>) -> Change {
    let facts = numbers.map(|number| {
        let record = element(number);
        let ends = Some(Ends { source: record.key.id.clone(), target: "hub".to_owned() });
        let link = Record { key: RecordKey::new(LINK, format!("link-{number:09}")), ends, ..plain(number) };
        (fact(&record), vec![Effect::Put(Box::new(record)), Effect::Put(Box::new(link))])
    });
    Change { idempotency: None, facts: facts.collect(), ..create(0) }
}

pub fn element(number: u64) -> Record {
    let name = format!("element {number:09}");
    Record {
        name: Some(name.clone()),
        tags: vec![if number.is_multiple_of(2) { "even" } else { "odd" }.to_owned()],
        unique: vec![UniqueName { space: "element:m1:Application".to_owned(), name: name.clone() }],
        text: format!("{name} handles orders and invoices for the warehouse"),
        ..plain(number)
    }
}

fn plain(number: u64) -> Record {
    Record {
        // Time-ordered like the ids of the platform.
        key: RecordKey::new(KIND, format!("019a0000-{:04x}-7000-8000-{number:012x}", number >> 16)),
        scope: "m1".to_owned(),
        r#type: "Application".to_owned(),
        listed: true,
        status: None,
        name: None,
        time: None,
        tags: Vec::new(),
        ends: None,
        fields: Vec::new(),
        unique: Vec::new(),
        text: String::new(),
        body: format!(r#"{{"number":{number},"documentation":"{}"}}"#, "lorem ipsum ".repeat(20)),
    }
}

fn fact(record: &Record) -> NewFact {
    NewFact {
        kind: "bench.ElementCreated".to_owned(),
        subject: record.key.clone(),
        body: record.body.clone(),
        meta: r#"{"actor":"local|bench","correlation_id":"019a0000-0000-7000-8000-000000000000"}"#.to_owned(),
    }
}
