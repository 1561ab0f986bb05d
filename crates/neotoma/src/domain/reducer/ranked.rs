//! All observations of a field in order, with why each but the first lost.

use std::cmp::{Ordering, Reverse};

use scope::Timestamp;

use super::rank::{Rank, compare};
use crate::domain::Schema;
use crate::domain::observation::Observation;
use crate::domain::schema::{Reducer, Strategy};

/// The observations that carry `field`, the one that ranks first in front, each with why it lost or `won`.
pub fn ranked<'a>(
    schema: &Schema,
    field: &str,
    observations: &'a [Observation],
) -> Vec<(&'a Observation, &'static str)> {
    let reducer = schema.reducer(field);
    let carries = |observation: &&Observation| observation.marker.is_none() && observation.fields.contains_key(field);
    let mut carrying: Vec<&Observation> = observations.iter().filter(carries).collect();
    let order = |one: &&Observation, other: &&Observation| compare(reducer, Rank::from(*one), Rank::from(*other)).0;
    carrying.sort_by(order);
    match carrying.first() {
        Some(first) if reducer.strategy == Strategy::MergeArray && !Rank::from(*first).is_correction() => {
            merged(field, carrying)
        }
        _ => explained(reducer, &carrying),
    }
}

fn explained<'a>(reducer: Reducer, sorted: &[&'a Observation]) -> Vec<(&'a Observation, &'static str)> {
    let Some(first) = sorted.first() else { return Vec::new() };
    let why = |observation: &Observation| match compare(reducer, Rank::from(*first), Rank::from(observation)) {
        (Ordering::Less, reason) => reason,
        _ => "won",
    };
    sorted.iter().map(|observation| (*observation, why(observation))).collect()
}

/// Below corrections the observations of the highest priority share the field, up to the newest null.
fn merged<'a>(field: &str, mut sorted: Vec<&'a Observation>) -> Vec<(&'a Observation, &'static str)> {
    let highest = sorted.first().map_or(0.0, |first| first.source_priority);
    let is_null = |observation: &Observation| observation.fields.get(field).is_none_or(serde_json::Value::is_null);
    let shares = |observation: &Observation| observation.source_priority.total_cmp(&highest).is_eq();
    let nulls = sorted.iter().filter(|observation| shares(observation) && is_null(observation));
    let cleared: Option<Timestamp> = nulls.map(|null| null.observed_at).max();
    let contributes = |observation: &Observation| {
        shares(observation) && !is_null(observation) && cleared.is_none_or(|cleared| observation.observed_at >= cleared)
    };
    sorted.sort_by_key(|observation| Reverse(contributes(observation)));
    let why = |(index, observation): (usize, &'a Observation)| {
        let reason = match () {
            () if index == 0 => "won",
            () if contributes(observation) => "merged",
            () if !shares(observation) => "lower priority",
            () if is_null(observation) => "a null that later values follow",
            () => "cleared by a later null",
        };
        (observation, reason)
    };
    sorted.into_iter().enumerate().map(why).collect()
}
