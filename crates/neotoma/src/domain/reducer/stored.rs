//! How a state is written: every winning observation once, fields pointing at it by its index.
//!
//! Winners are sorted by id and fields by name, so equal states give equal bytes.

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
#[derive(Deserialize)]
struct StateBody {
    count: u64,
    #[serde(default)]
    newest: Option<i64>,
    /// Id, moment of storing, priority and marker.
    #[serde(default)]
    mark: Option<(String, i64, f64, Marker)>,
    /// Id, source, moment of observing, priority, specificity and kind.
    winners: Vec<(String, String, i64, f64, f64, Option<Kind>)>,
    /// Winner and value.
    fields: BTreeMap<String, (usize, Value)>,
    #[serde(default)]
    merged: BTreeMap<String, UnionBody>,
}

#[derive(Deserialize)]
struct UnionBody {
    first: usize,
    #[serde(default)]
    cleared: Option<i64>,
    from: BTreeMap<String, i64>,
    seen: Vec<i64>,
    value: Value,
}

/// Id, source, moment of observing, priority, specificity and kind.
type WrittenWinner<'a> = (&'a str, &'a str, i64, f64, f64, Option<Kind>);

/// The same as [`StateBody`], on its way out of a state.
#[derive(Serialize)]
struct Written<'a> {
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    newest: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<(&'a str, i64, f64, Marker)>,
    winners: Vec<WrittenWinner<'a>>,
    fields: Pairs<'a, (usize, &'a Value)>,
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    merged: Pairs<'a, WrittenUnion<'a>>,
}

#[derive(Serialize)]
struct WrittenUnion<'a> {
    first: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cleared: Option<i64>,
    from: Pairs<'a, i64>,
    seen: Vec<i64>,
    value: &'a Value,
}

/// Names with something, in the order in which they are written.
struct Pairs<'a, T>(Vec<(&'a str, T)>);

impl<T> Pairs<'_, T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for Pairs<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut winners: Vec<&Winner> = self.fields.values().map(|slot| &**slot.winner()).collect();
        winners.sort_by_key(|winner| winner.id.as_str());
        winners.dedup_by_key(|winner| winner.id.as_str());
        let mut fields = Vec::with_capacity(self.fields.len());
        let mut merged = Vec::new();
        for (name, slot) in &self.fields {
            let id = slot.winner().id.as_str();
            let index = winners.partition_point(|winner| winner.id.as_str() < id);
            match slot {
                Slot::Single { value, .. } => fields.push((name.as_str(), (index, value))),
                Slot::Merged(union) => merged.push((name.as_str(), write_union(index, union))),
            }
        }
        let written = Written {
            count: self.count,
            newest: self.newest.map(|newest| newest.0),
            mark: self.mark.as_ref().map(|mark| (mark.id.as_str(), mark.created_at.0, mark.priority, mark.marker)),
            winners: winners.into_iter().map(write_winner).collect(),
            fields: Pairs(fields),
            merged: Pairs(merged),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StateBody::deserialize(deserializer)?;
        let winners: Vec<Arc<Winner>> =
            stored.winners.into_iter().map(|winner| Arc::new(read_winner(winner))).collect();
        let winner =
            |index: usize| winners.get(index).cloned().ok_or_else(|| D::Error::custom("a field points at no winner"));
        let mut fields = BTreeMap::new();
        for (name, (index, value)) in stored.fields {
            fields.insert(name, Slot::Single { winner: winner(index)?, value });
        }
        for (name, union) in stored.merged {
            let first = winner(union.first)?;
            fields.insert(name, Slot::Merged(read_union(first, union)));
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

fn write_winner(winner: &Winner) -> WrittenWinner<'_> {
    let Winner { id, source_id, observed_at, source_priority, specificity_score, kind } = winner;
    (id, source_id, observed_at.0, *source_priority, *specificity_score, *kind)
}

fn read_winner(stored: (String, String, i64, f64, f64, Option<Kind>)) -> Winner {
    let (id, source_id, observed_at, source_priority, specificity_score, kind) = stored;
    Winner { id, source_id, observed_at: Timestamp(observed_at), source_priority, specificity_score, kind }
}

fn write_union(first: usize, union: &Union) -> WrittenUnion<'_> {
    WrittenUnion {
        first,
        cleared: union.cleared().map(|cleared| cleared.0),
        from: Pairs(union.contributors().iter().map(|(id, at)| (id.as_str(), at.0)).collect()),
        seen: union.seen().map(|at| at.0).collect(),
        value: union.value(),
    }
}

fn read_union(first: Arc<Winner>, stored: UnionBody) -> Union {
    let from = stored.from.into_iter().map(|(id, at)| (id, Timestamp(at))).collect();
    let seen: Vec<Timestamp> = stored.seen.into_iter().map(Timestamp).collect();
    Union::restore(first, stored.cleared.map(Timestamp), from, &seen, stored.value)
}
