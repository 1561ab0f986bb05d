//! How a state is written: every winning observation once, fields pointing at it by its index.
//!
//! Winners are sorted by id and fields by name, so equal states give equal bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use scope::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::marker::Mark;
use super::slot::Slot;
use super::union::Union;
use super::{State, Winner};
use crate::domain::observation::{Kind, Marker};

/// A state as it is stored. Moments are microseconds since 1970.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newest: Option<i64>,
    /// Id, moment of storing, priority and marker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<(String, i64, f64, Marker)>,
    /// Id, source, moment of observing, priority, specificity and kind.
    winners: Vec<(String, String, i64, f64, f64, Option<Kind>)>,
    /// Winner and value.
    fields: BTreeMap<Cow<'a, str>, (usize, Cow<'a, Value>)>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    merged: BTreeMap<Cow<'a, str>, StoredUnion<'a>>,
}

#[derive(Serialize, Deserialize)]
struct StoredUnion<'a> {
    first: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cleared: Option<i64>,
    from: BTreeMap<Cow<'a, str>, i64>,
    seen: Vec<i64>,
    value: Cow<'a, Value>,
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let winners: BTreeMap<&str, &Winner> =
            self.fields.values().map(|slot| (slot.winner().id.as_str(), &**slot.winner())).collect();
        let indices: BTreeMap<&str, usize> = winners.keys().enumerate().map(|(index, id)| (*id, index)).collect();
        let mut stored = Stored {
            count: self.count,
            newest: self.newest.map(|newest| newest.0),
            mark: self.mark.as_ref().map(|mark| (mark.id.clone(), mark.created_at.0, mark.priority, mark.marker)),
            winners: winners.into_values().map(write_winner).collect(),
            fields: BTreeMap::new(),
            merged: BTreeMap::new(),
        };
        for (name, slot) in &self.fields {
            let index = indices[slot.winner().id.as_str()];
            match slot {
                Slot::Single { value, .. } => {
                    stored.fields.insert(Cow::Borrowed(name), (index, Cow::Borrowed(value)));
                }
                Slot::Merged(union) => {
                    stored.merged.insert(Cow::Borrowed(name), write_union(index, union));
                }
            }
        }
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let winners: Vec<Arc<Winner>> =
            stored.winners.into_iter().map(|winner| Arc::new(read_winner(winner))).collect();
        let winner =
            |index: usize| winners.get(index).cloned().ok_or_else(|| D::Error::custom("a field points at no winner"));
        let mut fields = BTreeMap::new();
        for (name, (index, value)) in stored.fields {
            fields.insert(name.into_owned(), Slot::Single { winner: winner(index)?, value: value.into_owned() });
        }
        for (name, union) in stored.merged {
            let first = winner(union.first)?;
            fields.insert(name.into_owned(), Slot::Merged(read_union(first, union)));
        }
        let mark = stored.mark.map(|(id, created_at, priority, marker)| Mark {
            id,
            created_at: Timestamp(created_at),
            priority,
            marker,
        });
        Ok(Self { count: stored.count, newest: stored.newest.map(Timestamp), mark, fields })
    }
}

fn write_winner(winner: &Winner) -> (String, String, i64, f64, f64, Option<Kind>) {
    let Winner { id, source_id, observed_at, source_priority, specificity_score, kind } = winner;
    (id.clone(), source_id.clone(), observed_at.0, *source_priority, *specificity_score, *kind)
}

fn read_winner(stored: (String, String, i64, f64, f64, Option<Kind>)) -> Winner {
    let (id, source_id, observed_at, source_priority, specificity_score, kind) = stored;
    Winner { id, source_id, observed_at: Timestamp(observed_at), source_priority, specificity_score, kind }
}

fn write_union(first: usize, union: &Union) -> StoredUnion<'_> {
    StoredUnion {
        first,
        cleared: union.cleared().map(|cleared| cleared.0),
        from: union.contributors().iter().map(|(id, at)| (Cow::Borrowed(id.as_str()), at.0)).collect(),
        seen: union.seen().map(|at| at.0).collect(),
        value: Cow::Borrowed(union.value()),
    }
}

fn read_union(first: Arc<Winner>, stored: StoredUnion<'_>) -> Union {
    let from = stored.from.into_iter().map(|(id, at)| (id.into_owned(), Timestamp(at))).collect();
    let seen: Vec<Timestamp> = stored.seen.into_iter().map(Timestamp).collect();
    Union::restore(first, stored.cleared.map(Timestamp), from, &seen, stored.value.into_owned())
}
