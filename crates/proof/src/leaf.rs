//! Leaves: the text of a fact or an audit record in canonical JSON. What is stored as text stays text, so every byte counts.

use ledger::tree::Numbered;
use ledger::{Audited, Fact};
use scope::TenantId;
use serde::Serialize;

/// The leaf of a fact.
pub fn of_fact(tenant: &TenantId, fact: &Fact) -> String {
    #[derive(Serialize)]
    struct Leaf<'a> {
        at: String,
        body: &'a str,
        kind: &'a str,
        meta: &'a str,
        sequence: String,
        subject: [&'a str; 2],
        tenant: &'a str,
    }
    canonical(&Leaf {
        at: fact.at.to_string(),
        body: &fact.body,
        kind: &fact.kind,
        meta: &fact.meta,
        // As text, since numbers of JSON are exact up to 2^53 only.
        sequence: fact.seq.to_string(),
        subject: [&fact.subject.kind, &fact.subject.id],
        tenant: tenant.as_str(),
    })
}

/// The leaf of the audit record of a change.
pub fn of_change(record: &Numbered) -> String {
    #[derive(Serialize)]
    struct Leaf<'a> {
        at: String,
        body: &'a str,
        correlation_id: &'a str,
        principal: &'a str,
        request_id: &'a str,
        sequence: String,
        tenant: &'a str,
    }
    let Audited { entry, at, seq } = &record.audited;
    canonical(&Leaf {
        at: at.to_string(),
        body: &entry.body,
        correlation_id: &entry.correlation_id,
        principal: &entry.principal,
        request_id: &entry.id,
        sequence: seq.to_string(),
        tenant: record.tenant.as_str(),
    })
}

/// Canonical JSON (RFC 8785) of what has only texts and texts for keys.
pub fn canonical(leaf: &impl Serialize) -> String {
    serde_jcs::to_string(leaf).expect("texts can be written as JSON")
}

#[cfg(test)]
mod tests {
    use ledger::RecordKey;
    use scope::Timestamp;

    use super::*;

    // A leaf that was signed must be the same for ever.
    #[test]
    fn the_text_of_a_leaf_stays() {
        let fact = Fact {
            seq: 3,
            at: Timestamp(1_785_000_000_000_001),
            kind: "guestbook.signed".to_owned(),
            subject: RecordKey { kind: "entry".to_owned(), id: "e1".to_owned() },
            body: r#"{"line":"héllo"}"#.to_owned(),
            meta: "{}".to_owned(),
        };
        assert_eq!(
            of_fact(&TenantId::new("acme").unwrap(), &fact),
            r#"{"at":"2026-07-25T17:20:00.000001Z","body":"{\"line\":\"héllo\"}","kind":"guestbook.signed","meta":"{}","sequence":"3","subject":["entry","e1"],"tenant":"acme"}"#
        );
    }
}
