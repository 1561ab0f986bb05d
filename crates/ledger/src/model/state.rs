//! What the model remembers of one tenant, and how a change alters it.

use std::collections::{BTreeMap, BTreeSet};

use scope::Timestamp;

use crate::{
    AuditFind, Audited, Change, Effect, Expectation, Fact, Idempotency, NewFact, Recalled, Record, RecordKey,
    RecordVersion, Refusal, Seq, UniqueName,
};

#[derive(Default)]
pub(super) struct Tenant {
    pub facts: Vec<Fact>,
    /// All versions of all records, in the order in which they were made.
    pub versions: Vec<Version>,
    /// By principal, operation and key.
    pub answers: BTreeMap<(String, String, String), Answered>,
    /// Of the changes that had one, in the order in which they happened.
    pub audited: Vec<Audited>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub key: RecordKey,
    /// Nothing for the version that tells of a deletion.
    pub record: Option<Record>,
    pub version: u64,
    pub from: Seq,
    /// Nothing while it is live.
    pub to: Option<Seq>,
    pub at: Timestamp,
}

pub(super) struct Answered {
    pub hash: String,
    pub payload: String,
    pub at: Timestamp,
    pub expires_at: Timestamp,
}

impl Version {
    /// The record, if this version was visible at the point.
    pub(super) fn visible(&self, at: Seq) -> Option<RecordVersion> {
        let record = self.record.clone()?;
        let visible = self.from <= at && self.to.is_none_or(|to| to > at);
        visible.then_some(RecordVersion { record, version: self.version, seq: self.from, at: self.at })
    }
}

/// A version as reads give it.
pub(super) fn shown(mut version: RecordVersion) -> RecordVersion {
    version.record.fields.clear();
    version
}

impl Tenant {
    pub(super) fn head(&self) -> Seq {
        self.facts.len() as Seq
    }

    pub(super) fn last_until(&self, moment: Timestamp) -> Seq {
        self.facts.iter().filter(|fact| fact.at <= moment).count() as Seq
    }

    pub(super) fn get(&self, key: &RecordKey, at: Seq) -> Option<RecordVersion> {
        self.version_at(key, at).map(shown)
    }

    fn version_at(&self, key: &RecordKey, at: Seq) -> Option<RecordVersion> {
        self.versions.iter().filter(|version| version.key == *key).find_map(|version| version.visible(at))
    }

    pub(super) fn visible(&self, at: Seq) -> impl Iterator<Item = RecordVersion> {
        self.versions.iter().filter_map(move |version| version.visible(at))
    }

    pub(super) fn recall(&self, effect: &Idempotency, now: Timestamp) -> Option<Recalled> {
        let Idempotency { principal, operation, key, request_hash } = effect.clone();
        let answered = self.answers.get(&(principal, operation, key)).filter(|answered| answered.expires_at > now)?;
        let same_request = answered.hash == request_hash;
        Some(Recalled { same_request, payload: answered.payload.clone(), at: answered.at })
    }

    pub(super) fn audit(&self, find: &AuditFind) -> Vec<Audited> {
        let wanted = |audited: &&Audited| {
            find.before.is_none_or(|before| audited.at < before)
                && find.correlation_id.as_ref().is_none_or(|wanted| audited.entry.correlation_id == *wanted)
        };
        let mut found: Vec<Audited> = self.audited.iter().rev().filter(wanted).cloned().collect();
        // Stable, so that of one moment the last comes first.
        found.sort_by_key(|audited| std::cmp::Reverse(audited.at));
        let last = find.limit.checked_sub(1).and_then(|last| found.get(last)).map(|audited| audited.at);
        match (find.limit, last) {
            (0, _) => Vec::new(),
            (_, Some(last)) => found.into_iter().take_while(|audited| audited.at >= last).collect(),
            (_, None) => found,
        }
    }

    pub(super) fn append(&mut self, fact: NewFact, at: Timestamp, effects: &[Effect]) {
        let seq = self.head() + 1;
        let NewFact { kind, subject, body, meta } = fact;
        self.facts.push(Fact { seq, at, kind, subject, body, meta });
        for effect in effects {
            let (key, record) = match effect {
                Effect::Put(record) => (&record.key, Some((**record).clone())),
                Effect::End(key) => (key, None),
            };
            let newest = self.versions.iter_mut().rev().find(|version| version.key == *key);
            let live = newest.as_ref().is_some_and(|version| version.record.is_some());
            if record.is_none() && !live {
                continue;
            }
            let version = newest.as_ref().map_or(0, |version| version.version) + 1;
            if let Some(before) = newest.filter(|_| live) {
                before.to = Some(seq);
            }
            // A deletion is a version that is never visible: it ends where it begins.
            let to = record.is_none().then_some(seq);
            self.versions.push(Version { key: key.clone(), record, version, from: seq, to, at });
        }
    }

    pub(super) fn refusal(&self, change: &Change) -> Option<Refusal> {
        let refused = change.expectations.iter().find_map(|expectation| self.unmet(expectation));
        refused.or_else(|| self.taken_name(change))
    }

    fn unmet(&self, expectation: &Expectation) -> Option<Refusal> {
        let live = |key| self.version_at(key, self.head()).map(|version| version.version);
        match expectation {
            Expectation::Version { key, version } => {
                let actual = live(key);
                (actual != Some(*version)).then(|| Refusal::Record { key: key.clone(), actual })
            }
            Expectation::Exists { key } => {
                live(key).is_none().then(|| Refusal::Record { key: key.clone(), actual: None })
            }
            Expectation::Absent { key } => {
                live(key).map(|actual| Refusal::Record { key: key.clone(), actual: Some(actual) })
            }
            Expectation::LinksUnchanged { id, since } => {
                let later = |seq: Option<Seq>| seq.is_some_and(|seq| seq > *since);
                let changed = self.versions.iter().any(|version| {
                    let ends = version.record.as_ref().and_then(|record| record.ends.as_ref());
                    let here = ends.is_some_and(|ends| ends.source == *id || ends.target == *id);
                    here && (later(Some(version.from)) || later(version.to))
                });
                changed.then(|| Refusal::LinksChanged { id: id.clone(), since: *since })
            }
            Expectation::NoPath { kind, types, from, to } => {
                self.path_leads(kind, types, from, to).then(|| Refusal::Path { from: from.clone(), to: to.clone() })
            }
        }
    }

    fn path_leads(&self, kind: &str, types: &[String], from: &str, to: &str) -> bool {
        let (mut seen, mut ahead) = (BTreeSet::from([from.to_owned()]), vec![from.to_owned()]);
        while let Some(here) = ahead.pop() {
            for link in self.visible(self.head()).map(|version| version.record) {
                let followed = link.key.kind == kind && (types.is_empty() || types.contains(&link.r#type));
                let onward = link.ends.filter(|ends| followed && ends.source == here);
                ahead.extend(onward.map(|ends| ends.target).filter(|target| seen.insert(target.clone())));
            }
        }
        seen.contains(to)
    }

    fn taken_name(&self, change: &Change) -> Option<Refusal> {
        let effects = || change.facts.iter().flat_map(|(_, effects)| effects);
        let mut outcome: BTreeMap<&RecordKey, Option<&Record>> = BTreeMap::new();
        for effect in effects() {
            match effect {
                Effect::Put(record) => outcome.insert(&record.key, Some(record)),
                Effect::End(key) => outcome.insert(key, None),
            };
        }
        let mut holders: BTreeMap<UniqueName, RecordKey> = BTreeMap::new();
        for version in self.visible(self.head()) {
            let after = outcome.get(&version.record.key);
            let kept =
                |name: &UniqueName| after.is_none_or(|after| after.is_some_and(|record| record.unique.contains(name)));
            let key = &version.record.key;
            holders
                .extend(version.record.unique.iter().filter(|name| kept(name)).map(|name| (name.clone(), key.clone())));
        }
        for effect in effects() {
            let Effect::Put(record) = effect else { continue };
            let Some(last) = outcome.get(&record.key).copied().flatten() else { continue };
            for name in record.unique.iter().filter(|name| last.unique.contains(name)) {
                match holders.insert(name.clone(), record.key.clone()) {
                    Some(holder) if holder != record.key => {
                        return Some(Refusal::NameTaken { name: name.clone(), holder: holder.id });
                    }
                    _ => {}
                }
            }
        }
        None
    }
}
