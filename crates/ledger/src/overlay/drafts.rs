//! What was laid over the base: the records it would hold, by key.

use std::collections::BTreeMap;
use std::ops::Bound;

use scope::Timestamp;

use crate::{Effect, Find, RecordKey, RecordVersion, Seq};

#[derive(Debug)]
pub(super) struct Drafts {
    by_key: BTreeMap<RecordKey, Draft>,
    /// The number that the last fact laid over would have.
    last: Seq,
}

#[derive(Debug)]
struct Draft {
    /// Whether the base has the record.
    replaces: bool,
    /// How many versions there are, ends included.
    versions: u64,
    /// None when it was ended.
    now: Option<RecordVersion>,
    /// False while it is only remembered.
    laid: bool,
}

impl Drafts {
    pub(super) fn new(since: Seq) -> Self {
        Self { by_key: BTreeMap::new(), last: since }
    }

    /// Notes which version the base has of a record, before something is laid over it.
    pub(super) fn remember(&mut self, key: RecordKey, version: Option<u64>) {
        let draft = Draft { replaces: version.is_some(), versions: version.unwrap_or(0), now: None, laid: false };
        self.by_key.entry(key).or_insert(draft);
    }

    /// Applies the effects of one fact; what they are about is remembered.
    pub(super) fn lay(&mut self, effects: &[Effect], at: Timestamp) {
        self.last += 1;
        for effect in effects {
            let draft = self.by_key.get_mut(effect.key()).expect("what is laid over was remembered");
            let is_live = if draft.laid { draft.now.is_some() } else { draft.replaces };
            let record = match effect {
                Effect::Put(record) => Some((**record).clone()),
                Effect::End(_) => None,
            };
            // Nothing happens to a record that is not live when it is ended.
            if record.is_none() && !is_live {
                continue;
            }
            draft.laid = true;
            draft.versions += 1;
            draft.now = record.map(|record| RecordVersion { record, version: draft.versions, seq: self.last, at });
        }
        self.by_key.retain(|_, draft| draft.laid);
    }

    pub(super) fn knows(&self, key: &RecordKey) -> bool {
        self.by_key.contains_key(key)
    }

    /// The draft of a record, if there is one: what it would be, or that it would be gone.
    pub(super) fn get(&self, key: &RecordKey) -> Option<Option<RecordVersion>> {
        self.by_key.get(key).map(|draft| draft.now.as_ref().map(shown))
    }

    pub(super) fn has(&self, kind: &str) -> bool {
        self.of(kind).next().is_some()
    }

    pub(super) fn keys(&self, kind: &str) -> Vec<RecordKey> {
        self.of(kind).map(|(key, _)| key.clone()).collect()
    }

    /// The keys of records of the base that drafts take the place of, in order.
    pub(super) fn replaced(&self, kind: &str) -> Vec<RecordKey> {
        self.of(kind).filter(|(_, draft)| draft.replaces).map(|(key, _)| key.clone()).collect()
    }

    /// The records of a kind that there would be.
    pub(super) fn live(&self, kind: &str) -> Vec<RecordVersion> {
        self.of(kind).filter_map(|(_, draft)| draft.now.as_ref().map(shown)).collect()
    }

    /// Those among them that match.
    pub(super) fn matching(&self, find: &Find) -> Vec<RecordVersion> {
        let now = self.of(&find.kind).filter_map(|(_, draft)| draft.now.as_ref());
        now.filter(|version| find.admits(&version.record)).map(shown).collect()
    }

    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = (&'a RecordKey, &'a Draft)> {
        let first = Bound::Included(RecordKey::new(kind, ""));
        self.by_key.range((first, Bound::Unbounded)).take_while(move |(key, _)| key.kind == kind)
    }
}

/// A version as reads give it.
fn shown(version: &RecordVersion) -> RecordVersion {
    let mut version = version.clone();
    version.record.fields.clear();
    version
}
