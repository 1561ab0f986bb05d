//! Merged arrays: the set of what the observations of the highest priority say.
//!
//! A correction replaces the set, also one that an earlier correction gave. Below corrections, a null of the same
//! priority drops what was observed before it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use scope::Timestamp;
use serde_json::Value;

use super::Winner;
use super::rank::{Rank, compare};
use crate::domain::ids;
use crate::domain::schema::{Reducer, Strategy};

const MERGING: Reducer = Reducer { strategy: Strategy::MergeArray, tie_breaker: None };

/// The items of the highest priority seen so far. Everything of a lower priority is forgotten.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Union {
    /// Of those that contribute, the one that ranks first; of the nulls, when none contributes.
    first: Arc<Winner>,
    /// The newest null of this priority.
    cleared: Option<Timestamp>,
    /// Ids of the observations that contribute, with when they were observed.
    from: BTreeMap<String, Timestamp>,
    /// For each item, its canonical form and when it was last observed; sorted.
    items: Vec<(String, Timestamp)>,
    /// The items as they were sent, in the same order; null when no observation contributes.
    value: Value,
}

impl Union {
    /// The set that one observation states. A value that is no array is a set of one, null is none.
    pub fn new(winner: &Arc<Winner>, value: &Value) -> Self {
        let at = winner.observed_at;
        let mut union = Self {
            first: Arc::clone(winner),
            cleared: value.is_null().then_some(at),
            from: BTreeMap::new(),
            items: Vec::new(),
            value: Value::Null,
        };
        if !value.is_null() {
            union.from.insert(winner.id.clone(), at);
            union.value = Value::Array(Vec::new());
            let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for item in items {
                union.insert(ids::canonical(item), at, item.clone());
            }
        }
        union
    }

    /// Puts a stored set together again.
    pub fn restore(
        first: Arc<Winner>,
        cleared: Option<Timestamp>,
        from: BTreeMap<String, Timestamp>,
        seen: &[Timestamp],
        value: Value,
    ) -> Self {
        let keys = value.as_array().into_iter().flatten().map(ids::canonical);
        let items = keys.zip(seen.iter().copied()).collect();
        Self { first, cleared, from, items, value }
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    pub fn winner(&self) -> &Arc<Winner> {
        &self.first
    }

    pub fn contributors(&self) -> &BTreeMap<String, Timestamp> {
        &self.from
    }

    pub fn cleared(&self) -> Option<Timestamp> {
        self.cleared
    }

    /// When each item of the value was last observed.
    pub fn seen(&self) -> impl Iterator<Item = Timestamp> {
        self.items.iter().map(|(_, at)| *at)
    }

    /// Takes in what other observations state.
    pub fn join(&mut self, other: Self) {
        let (one, two) = (Rank::from(&*self.first), Rank::from(&*other.first));
        let by_priority = two.priority.total_cmp(&one.priority);
        if by_priority.is_ne() || one.is_correction() {
            if compare(MERGING, two, one).0.is_lt() {
                *self = other;
            }
            return;
        }
        self.first = first_of(self, &other);
        if other.cleared > self.cleared {
            self.cleared = other.cleared;
            self.drop_cleared();
        }
        let cleared = self.cleared;
        let is_live = |at: Timestamp| cleared.is_none_or(|cleared| at >= cleared);
        self.from.extend(other.from.into_iter().filter(|(_, at)| is_live(*at)));
        if !self.from.is_empty() && self.value.is_null() {
            self.value = Value::Array(Vec::new());
        }
        if let Value::Array(values) = other.value {
            for ((key, at), value) in other.items.into_iter().zip(values).filter(|((_, at), _)| is_live(*at)) {
                self.insert(key, at, value);
            }
        }
    }

    /// Puts an item where it belongs. Of two notations of one item the later observed stays, of one time the smaller.
    fn insert(&mut self, key: String, at: Timestamp, value: Value) {
        let Value::Array(values) = &mut self.value else { return };
        match self.items.binary_search_by(|(present, _)| present.as_str().cmp(&key)) {
            Err(index) => {
                self.items.insert(index, (key, at));
                values.insert(index, value);
            }
            Ok(index) => {
                let written = |value: &Value| value.to_string();
                let smaller = || written(&value) < written(&values[index]);
                match at.cmp(&self.items[index].1) {
                    Ordering::Greater => (self.items[index].1, values[index]) = (at, value),
                    Ordering::Equal if smaller() => values[index] = value,
                    Ordering::Equal | Ordering::Less => {}
                }
            }
        }
    }

    fn drop_cleared(&mut self) {
        let Some(cleared) = self.cleared else { return };
        self.from.retain(|_, at| *at >= cleared);
        if let Value::Array(values) = &mut self.value {
            let mut seen = self.items.iter();
            values.retain(|_| seen.next().is_some_and(|(_, at)| *at >= cleared));
        }
        self.items.retain(|(_, at)| *at >= cleared);
        if self.from.is_empty() {
            self.value = Value::Null;
        }
    }
}

/// Which observation ranks first in both sets together: one that contributes and is not cleared by the other set, else
/// the newest null.
fn first_of(one: &Union, other: &Union) -> Arc<Winner> {
    let cleared = one.cleared.max(other.cleared);
    let stays =
        |union: &Union| !union.from.is_empty() && cleared.is_none_or(|cleared| union.first.observed_at >= cleared);
    let clears = |union: &Union| union.from.is_empty();
    let better =
        if compare(MERGING, Rank::from(&*one.first), Rank::from(&*other.first)).0.is_le() { one } else { other };
    let first = match (stays(one), stays(other), clears(one), clears(other)) {
        (true, true, ..) | (false, false, true, true) => better,
        (true, false, ..) | (false, false, true, false) => one,
        _ => other,
    };
    Arc::clone(&first.first)
}
