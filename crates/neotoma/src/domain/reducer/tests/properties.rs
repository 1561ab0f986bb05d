//! What holds for all observations in every order.

use proptest::prelude::{Just, Strategy as Generator, prop_assert, prop_assert_eq, prop_compose, proptest};
use proptest::sample::{select, subsequence};
use serde_json::Map;

use super::*;

const FIELDS: [(&str, Strategy, Option<TieBreaker>); 6] = [
    ("last", Strategy::LastWrite, None),
    ("priority", Strategy::HighestPriority, None),
    ("priority_tied", Strategy::HighestPriority, Some(TieBreaker::SourcePriority)),
    ("specific", Strategy::MostSpecific, None),
    ("specific_tied", Strategy::MostSpecific, Some(TieBreaker::SourcePriority)),
    ("merged", Strategy::MergeArray, None),
];

fn schema() -> Schema {
    let mut schema = infer("thing", &[]);
    for (field, strategy, tie_breaker) in FIELDS {
        schema.reducers.insert(field.to_owned(), Reducer { strategy, tie_breaker });
    }
    schema
}

/// Few values, moments and priorities, so that ties are common; notations that differ and mean the same.
fn values() -> impl Generator<Value = Value> {
    select(vec![
        Value::Null,
        json!("b"),
        json!([]),
        json!(["a", "b"]),
        json!([1, {"k": 1, "l": 2}]),
        json!([1.0, {"l": 2, "k": 1}, "a"]),
        json!(9_007_199_254_740_993_i64),
    ])
}

prop_compose! {
    fn observation(id: usize)(
        fields in subsequence(FIELDS.to_vec(), 0..=FIELDS.len()),
        values in proptest::collection::vec(values(), FIELDS.len()),
        (at, stored) in (0..4_i64, 0..4_i64),
        priority in select(vec![0.0, 0.0, 100.0, 1000.0, 1001.0]),
        specificity in select(vec![0.5, 0.1 + 0.2, 1.0]),
        kind in select(vec![None, Some(Kind::Sensor), Some(Kind::Sync)]),
        marker in select(vec![None, None, None, Some(Marker::Deleted), Some(Marker::Restored)]),
    ) -> Observation {
        let fields: Map<String, Value> =
            fields.into_iter().map(|(name, ..)| name.to_owned()).zip(values).collect();
        let mut observation = seen(&format!("{:02}", id * 7 % 10), at, Value::Object(fields));
        observation.created_at = Timestamp(stored);
        Observation { marker, kind, ..observation.priority(priority).specificity(specificity) }
    }
}

/// Up to ten observations with distinct ids, and the same in another order.
fn shuffled() -> impl Generator<Value = (Vec<Observation>, Vec<Observation>)> {
    let observations = (0..10_usize).prop_flat_map(|count| (0..count).map(observation).collect::<Vec<_>>());
    observations.prop_flat_map(|observations| (Just(observations.clone()), Just(observations).prop_shuffle()))
}

fn bytes(state: &State) -> String {
    serde_json::to_string(state).unwrap()
}

/// What the field should be, told by its ranking alone.
fn expected(schema: &Schema, field: &str, observations: &[Observation]) -> Value {
    let ranking = ranked(schema, field, observations);
    let value = |observation: &Observation| observation.fields[field].clone();
    let Some((first, _)) = ranking.first() else { return Value::Null };
    if schema.reducer(field).strategy != Strategy::MergeArray || value(first).is_null() {
        return value(first);
    }
    let sharing = ranking.iter().filter(|(_, reason)| ["won", "merged"].contains(reason));
    let items = sharing.flat_map(|(one, _)| match value(one) {
        Value::Array(items) => items,
        single => vec![single],
    });
    let set: BTreeMap<String, Value> = items.map(|item| (crate::domain::ids::canonical(&item), item)).collect();
    Value::Array(set.into_values().collect())
}

proptest! {
    // N-251
    #[test]
    fn a_state_does_not_depend_on_the_order_of_arrival((one, other) in shuffled()) {
        let (one, other) = (State::of(&schema(), &one), State::of(&schema(), &other));
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(bytes(&one), bytes(&other));
        prop_assert_eq!(Value::Object(one.snapshot()).to_string(), Value::Object(other.snapshot()).to_string());
    }

    #[test]
    fn absorbing_a_state_is_adding_its_observations((all, mixed) in shuffled(), split in 0..10_usize) {
        let (one, other) = mixed.split_at(split.min(mixed.len()));
        let mut state = State::of(&schema(), one);
        state.absorb(&schema(), &State::of(&schema(), other));
        prop_assert_eq!(bytes(&state), bytes(&State::of(&schema(), &all)));
    }

    #[test]
    fn a_stored_state_goes_on_as_if_it_had_not_been_stored((all, mixed) in shuffled()) {
        let mut state = State::empty();
        for observation in &mixed {
            state.add(&schema(), observation);
            let stored: State = serde_json::from_str(&bytes(&state)).unwrap();
            prop_assert_eq!(&stored, &state);
            state = stored;
        }
        prop_assert_eq!(bytes(&state), bytes(&State::of(&schema(), &all)));
    }

    // N-108
    #[test]
    fn every_field_can_be_traced((all, _) in shuffled()) {
        let state = State::of(&schema(), &all);
        let provenance = state.provenance();
        let snapshot = state.snapshot();
        prop_assert_eq!(snapshot.keys().collect::<Vec<_>>(), provenance.keys().collect::<Vec<_>>());
        let mut traced: Vec<(&String, &String)> = provenance.iter().collect();
        let contributors = state.contributors();
        traced.extend(contributors.iter().flat_map(|(field, ids)| ids.iter().map(move |id| (field, id))));
        for (field, id) in traced {
            let origin = all.iter().find(|observation| &observation.id == id);
            prop_assert!(origin.is_some_and(|origin| origin.fields.contains_key(field)), "{} {}", field, id);
        }
    }

    #[test]
    fn the_ranking_explains_the_snapshot((all, _) in shuffled()) {
        let state = State::of(&schema(), &all);
        for (field, ..) in FIELDS {
            let value = state.value(field).cloned().unwrap_or_default();
            let wanted = expected(&schema(), field, &all);
            prop_assert_eq!(crate::domain::ids::canonical(&value), crate::domain::ids::canonical(&wanted));
            let first = ranked(&schema(), field, &all).first().map(|(first, _)| first.id.clone());
            prop_assert_eq!(state.winner(field).map(|winner| winner.id.clone()), first);
        }
    }

    // N-286
    #[test]
    fn corrections_always_win((all, _) in shuffled()) {
        let state = State::of(&schema(), &all);
        for (field, ..) in FIELDS {
            let corrected = all.iter().any(|one| {
                one.marker.is_none() && one.source_priority >= 1000.0 && one.fields.contains_key(field)
            });
            let by_correction = state.winner(field).is_some_and(|winner| winner.source_priority >= 1000.0);
            prop_assert_eq!(by_correction, corrected, "{}", field);
        }
    }
}
