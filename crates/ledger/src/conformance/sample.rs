//! Sample data for the promises: records, links, changes, and a fold that makes them again from facts.

use std::sync::Arc;

use scope::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::Harness;
use crate::{
    At, AuditEntry, AuditFind, Audited, Change, Commit, CommitError, Effect, Ends, Find, Fold, Folds, Idempotency,
    NewFact, Record, RecordKey, RecordVersion, Refusal, Seq, SharedLedger, StoredAnswer,
};

/// The kind of plain records in the promises.
pub(super) const THING: &str = "conformance.thing";
/// The kind of links in the promises.
pub(super) const LINK: &str = "conformance.link";
/// When the samples happen unless they say otherwise.
pub(super) const NOON: Timestamp = super::CLOCK_START;

/// A record with nothing but a body.
pub fn record(id: &str) -> Record {
    Record {
        key: RecordKey::new(THING, id),
        scope: "m1".to_owned(),
        r#type: "Plain".to_owned(),
        listed: true,
        status: None,
        name: None,
        time: None,
        tags: Vec::new(),
        fields: Vec::new(),
        ends: None,
        unique: Vec::new(),
        text: String::new(),
        body: format!(r#"{{"id":"{id}"}}"#),
    }
}

/// A link between two records.
pub fn link(id: &str, source: &str, target: &str) -> Record {
    let ends = Some(Ends { source: source.to_owned(), target: target.to_owned() });
    Record { key: RecordKey::new(LINK, id), r#type: "Flow".to_owned(), ends, ..record(id) }
}

pub(super) fn key(id: &str) -> RecordKey {
    RecordKey::new(THING, id)
}

pub(super) fn put(record: Record) -> Effect {
    Effect::Put(Box::new(record))
}

pub(super) fn end(key: RecordKey) -> Effect {
    Effect::End(key)
}

pub(super) fn tenant(id: &str) -> TenantId {
    TenantId::new(id).expect("sample tenants are valid")
}

/// A change with one fact that has these effects.
pub fn change(tenant: &TenantId, effects: Vec<Effect>) -> Change {
    let steps: Vec<Step> = effects.iter().map(Step::from).collect();
    let fact = NewFact {
        kind: "conformance.Happened".to_owned(),
        subject: key("subject"),
        body: serde_json::to_string(&steps).expect("steps are JSON"),
        meta: "{}".to_owned(),
    };
    Change {
        tenant: tenant.clone(),
        at: NOON,
        idempotency: None,
        expectations: Vec::new(),
        facts: vec![(fact, effects)],
        audit: None,
    }
}

/// An idempotency key with the answer to store under it.
pub(super) fn keyed(principal: &str, operation: &str, key: &str, hash: &str) -> (Idempotency, StoredAnswer) {
    let [principal, operation, key, request_hash] = [principal, operation, key, hash].map(str::to_owned);
    let payload = format!(r#"{{"first":"{hash}"}}"#);
    let answer = StoredAnswer { payload, aggregate_type: THING.to_owned(), aggregate_id: None };
    (Idempotency { principal, operation, key, request_hash }, answer)
}

/// The audit record of a call.
pub(super) fn audit(id: &str, correlation_id: &str) -> AuditEntry {
    AuditEntry {
        id: id.to_owned(),
        principal: "alice".to_owned(),
        correlation_id: correlation_id.to_owned(),
        body: format!(r#"{{"target":"{id}"}}"#),
    }
}

/// The folds that verify needs to understand the sample facts.
pub fn folds() -> Folds {
    Folds::from([("conformance".to_owned(), Arc::new(SampleFold) as Arc<dyn Fold>)])
}

/// The body of a sample fact is the list of its effects.
struct SampleFold;

impl Fold for SampleFold {
    fn effects(&self, fact: &NewFact) -> Result<Vec<Effect>, String> {
        let steps: Vec<Step> = serde_json::from_str(&fact.body).map_err(|error| error.to_string())?;
        Ok(steps.into_iter().map(Effect::from).collect())
    }
}

#[derive(Serialize, Deserialize)]
enum Step {
    Put(Box<Record>),
    End(RecordKey),
}

impl From<&Effect> for Step {
    fn from(effect: &Effect) -> Self {
        match effect {
            Effect::Put(record) => Self::Put(record.clone()),
            Effect::End(key) => Self::End(key.clone()),
        }
    }
}

impl From<Step> for Effect {
    fn from(step: Step) -> Self {
        match step {
            Step::Put(record) => Self::Put(record),
            Step::End(key) => Self::End(key),
        }
    }
}

/// A tenant's view of the engine under test: asks, and expects an answer.
pub struct Sample {
    pub ledger: SharedLedger,
    pub tenant: TenantId,
}

impl Sample {
    pub fn new(harness: &dyn Harness) -> Self {
        Self::of(harness, "acme")
    }

    pub fn of(harness: &dyn Harness, tenant_id: &str) -> Self {
        Self { ledger: harness.ledger(), tenant: tenant(tenant_id) }
    }

    /// Commits one fact with these effects and says its number.
    pub async fn write(&self, effects: Vec<Effect>) -> Seq {
        match self.commit(change(&self.tenant, effects)).await {
            Ok(Commit::Done { seq, .. }) => seq,
            other => panic!("a plain write answered {other:?}"),
        }
    }

    pub async fn put(&self, record: Record) -> Seq {
        self.write(vec![put(record)]).await
    }

    pub async fn commit(&self, change: Change) -> Result<Commit, CommitError> {
        self.ledger.commit(change).await
    }

    /// Commits a change that must be refused and says why it was.
    pub async fn refused(&self, change: Change) -> Refusal {
        match self.commit(change).await {
            Err(CommitError::Refused(refusal)) => refusal,
            other => panic!("expected a refusal, not {other:?}"),
        }
    }

    pub async fn head(&self) -> Seq {
        self.ledger.point(&self.tenant, At::Head).await.expect("the head can be read")
    }

    pub async fn get(&self, id: &str) -> Option<RecordVersion> {
        self.get_at(id, self.head().await).await
    }

    pub async fn get_at(&self, id: &str, at: Seq) -> Option<RecordVersion> {
        let mut found = self.ledger.get(&self.tenant, at, &[key(id)]).await.expect("a record can be read");
        found.pop().expect("one answer for one key")
    }

    /// The last audit records, newest first.
    pub async fn audited(&self, limit: usize) -> Vec<Audited> {
        let find = AuditFind { correlation_id: None, before: None, limit };
        self.ledger.audit(&self.tenant, find).await.expect("audit records can be read")
    }

    /// The ids that a find lists now.
    pub async fn ids(&self, find: Find) -> Vec<String> {
        self.ids_at(self.head().await, find).await
    }

    pub async fn ids_at(&self, at: Seq, find: Find) -> Vec<String> {
        let page = self.ledger.find(&self.tenant, at, find).await.expect("records can be listed");
        page.items.into_iter().map(|version| version.record.key.id).collect()
    }
}
