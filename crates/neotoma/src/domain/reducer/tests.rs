//! Tests of the reducer: examples of each rule here, what always holds in `properties`.

mod properties;

use contract::Object;
use scope::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::domain::observation::{Kind, Marker};
use crate::domain::schema::{Strategy, TieBreaker, infer};

/// An observation from a structured source: `id` at second `at`.
fn seen(id: &str, at: i64, fields: Value) -> Observation {
    Observation {
        id: id.to_owned(),
        entity_id: "ent_000000000000000000000000".to_owned(),
        entity_type: "thing".to_owned(),
        schema_version: "1.0".to_owned(),
        source_id: format!("source-{id}"),
        run_id: None,
        observed_at: Timestamp(at * 1_000_000),
        created_at: Timestamp(at * 1_000_000),
        source_priority: 100.0,
        specificity_score: 1.0,
        kind: None,
        marker: None,
        fields: Object(fields.as_object().cloned().unwrap_or_default()),
    }
}

impl Observation {
    fn priority(self, source_priority: f64) -> Self {
        Self { source_priority, ..self }
    }

    fn specificity(self, specificity_score: f64) -> Self {
        Self { specificity_score, ..self }
    }

    fn kind(self, kind: Kind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    fn marker(self, marker: Marker) -> Self {
        Self { marker: Some(marker), ..self }
    }
}

/// A schema whose field `x` reduces by `strategy`.
fn by(strategy: Strategy, tie_breaker: Option<TieBreaker>) -> Schema {
    let mut schema = infer("thing", &[]);
    schema.reducers.insert("x".to_owned(), Reducer { strategy, tie_breaker });
    schema
}

/// Adds the observations in both directions and shows the value of `x` and the ids that `ranked` gives.
#[track_caller]
fn check(schema: &Schema, observations: &[Observation], value: Value, order: &str) {
    let state = State::of(schema, observations);
    assert_eq!(state, State::of(schema, observations.iter().rev()), "the order of arrival counts");
    assert_eq!(state.value("x").cloned().unwrap_or_default(), value);
    let ids: Vec<&str> = ranked(schema, "x", observations).iter().map(|(one, _)| one.id.as_str()).collect();
    assert_eq!(ids.join(" "), order);
    assert_eq!(state.winner("x").map(|winner| winner.id.as_str()), ids.first().copied());
}

// N-287
#[test]
fn the_last_write_wins_by_default() {
    let schema = by(Strategy::LastWrite, None);
    let observations = [seen("a", 1, json!({"x": 1})), seen("b", 3, json!({"x": 3})), seen("c", 2, json!({"x": 2}))];
    check(&schema, &observations, json!(3), "b c a");
}

// N-287
#[test]
fn the_last_write_is_the_last_that_carries_the_field() {
    let schema = infer("thing", &[]);
    check(&schema, &[seen("a", 1, json!({"x": 1})), seen("b", 3, json!({"y": 3}))], json!(1), "a");
}

// N-287
#[test]
fn an_explicit_null_clears_a_field() {
    let schema = by(Strategy::LastWrite, None);
    let observations = [seen("a", 1, json!({"x": 1, "y": 1})), seen("b", 2, json!({"x": null}))];
    check(&schema, &observations, Value::Null, "b a");
    let state = State::of(&schema, &observations);
    assert_eq!(Value::Object(state.snapshot()), json!({"y": 1}));
    assert_eq!(state.provenance().into_keys().collect::<Vec<_>>(), ["y"]);
}

// N-286
#[test]
fn a_correction_outranks_a_later_write_under_every_strategy() {
    for strategy in [Strategy::LastWrite, Strategy::HighestPriority, Strategy::MostSpecific] {
        let correction = seen("a", 1, json!({"x": "right"})).priority(1000.0).specificity(0.1);
        let later = seen("b", 9, json!({"x": "wrong"})).priority(999.0).specificity(1.0).kind(Kind::Sensor);
        check(&by(strategy, None), &[correction, later], json!("right"), "a b");
    }
}

// N-286
#[test]
fn strategies_order_corrections_among_themselves() {
    let corrections = [seen("a", 1, json!({"x": 1})).priority(1001.0), seen("b", 2, json!({"x": 2})).priority(1000.0)];
    check(&by(Strategy::LastWrite, None), &corrections, json!(2), "b a");
    check(&by(Strategy::HighestPriority, None), &corrections, json!(1), "a b");
}

// N-288
#[test]
fn the_highest_priority_wins_then_the_kind_then_the_time() {
    let schema = by(Strategy::HighestPriority, None);
    let observations = [
        seen("a", 9, json!({"x": "low"})).priority(1.0).kind(Kind::Sensor),
        seen("b", 8, json!({"x": "none"})),
        seen("c", 1, json!({"x": "sensor"})).kind(Kind::Sensor),
        seen("d", 2, json!({"x": "newer sensor"})).kind(Kind::Sensor),
        seen("e", 7, json!({"x": "sync"})).kind(Kind::Sync),
        seen("f", 6, json!({"x": "import"})).kind(Kind::Import),
        seen("g", 5, json!({"x": "human"})).kind(Kind::Human),
        seen("h", 4, json!({"x": "summary"})).kind(Kind::LlmSummary),
        seen("i", 3, json!({"x": "state"})).kind(Kind::WorkflowState),
    ];
    check(&schema, &observations, json!("newer sensor"), "d c i h g f e b a");
}

// N-288
#[test]
fn with_the_priority_as_tie_breaker_time_does_not_count() {
    let schema = by(Strategy::HighestPriority, Some(TieBreaker::SourcePriority));
    check(&schema, &[seen("b", 9, json!({"x": 9})), seen("a", 1, json!({"x": 1}))], json!(1), "a b");
}

// N-289
#[test]
fn the_most_specific_wins_then_the_time() {
    let schema = by(Strategy::MostSpecific, None);
    let observations = [
        seen("a", 1, json!({"x": "vague"})).specificity(0.5).priority(500.0),
        seen("b", 2, json!({"x": "old"})).priority(500.0),
        seen("c", 3, json!({"x": "new"})),
    ];
    check(&schema, &observations, json!("new"), "c b a");
}

// N-289
#[test]
fn with_the_priority_as_tie_breaker_it_counts_before_the_time() {
    let schema = by(Strategy::MostSpecific, Some(TieBreaker::SourcePriority));
    let observations = [
        seen("a", 3, json!({"x": "new"})),
        seen("b", 1, json!({"x": "sync"})).priority(500.0).kind(Kind::Sync),
        seen("c", 2, json!({"x": "human"})).priority(500.0).kind(Kind::Human),
    ];
    check(&schema, &observations, json!("human"), "c b a");
}

// N-290
#[test]
fn arrays_merge_to_a_sorted_set_of_the_highest_priority() {
    let observations = [
        seen("a", 1, json!({"x": ["pear", "apple"]})),
        seen("b", 2, json!({"x": ["fig", "apple"]})),
        seen("c", 3, json!({"x": ["low"]})).priority(1.0),
    ];
    check(&by(Strategy::MergeArray, None), &observations, json!(["apple", "fig", "pear"]), "b a c");
}

// N-290
#[test]
fn a_correction_replaces_a_merged_array() {
    let observations = [
        seen("a", 9, json!({"x": ["old"]})),
        seen("b", 1, json!({"x": ["first"]})).priority(1000.0),
        seen("c", 2, json!({"x": ["second"]})).priority(1000.0),
    ];
    check(&by(Strategy::MergeArray, None), &observations, json!(["second"]), "c b a");
}

#[test]
fn a_null_drops_what_was_merged_before_it() {
    let schema = by(Strategy::MergeArray, None);
    let early = seen("a", 1, json!({"x": ["early"]}));
    let null = seen("b", 2, json!({"x": null}));
    let late = seen("c", 3, json!({"x": "late"}));
    check(&schema, &[early.clone(), null.clone()], Value::Null, "b a");
    check(&schema, &[early, null, late], json!(["late"]), "c b a");
}

// N-109
#[test]
fn a_merged_array_names_its_first_and_all_its_contributors() {
    let schema = by(Strategy::MergeArray, None);
    let observations =
        [seen("b", 1, json!({"x": [1]})), seen("a", 2, json!({"x": [2]})), seen("c", 0, json!({"x": [], "y": 1}))];
    let state = State::of(&schema, &observations);
    assert_eq!(state.provenance()["x"], "a");
    assert_eq!(json!(state.contributors()), json!({"x": ["a", "b", "c"]}));
}

// N-291
#[test]
fn the_smaller_id_decides_between_equals() {
    for strategy in [Strategy::LastWrite, Strategy::HighestPriority, Strategy::MostSpecific] {
        let observations = [seen("b", 1, json!({"x": "b"})), seen("a", 1, json!({"x": "a"}))];
        check(&by(strategy, None), &observations, json!("a"), "a b");
    }
}

// N-293
#[test]
fn deletions_and_restorations_alternate() {
    let schema = infer("thing", &[]);
    let delete = |id, at| seen(id, at, json!({})).priority(1000.0).marker(Marker::Deleted);
    let restore = |id, at| seen(id, at, json!({})).priority(1001.0).marker(Marker::Restored);
    let observations = [seen("a", 1, json!({"x": 1})), delete("b", 2), restore("c", 3), delete("d", 4)];
    let deleted: Vec<bool> = (1..=4).map(|count| State::of(&schema, &observations[..count]).is_deleted()).collect();
    assert_eq!(deleted, [false, true, false, true]);
    assert!(!State::of(&schema, [&delete("a", 2), &restore("b", 2)]).is_deleted(), "of one moment, restoring wins");
}

// N-112
#[test]
fn a_snapshot_is_as_old_as_its_newest_observation() {
    let state = State::of(&infer("thing", &[]), &[seen("b", 7, json!({"x": 1})), seen("a", 3, json!({"y": 2}))]);
    assert_eq!(state.last_observation_at(), Some(Timestamp(7_000_000)));
    assert_eq!(state.count(), 2);
    assert_eq!(State::empty().last_observation_at(), None);
}

// N-301
#[test]
fn what_the_schema_does_not_declare_is_visible_and_named() {
    let schema = infer("thing", &[json!({"x": 1}).as_object().unwrap()]);
    let state = State::of(&schema, &[seen("a", 1, json!({"x": 1, "y": 2, "gone": null}))]);
    assert_eq!(Value::Object(state.snapshot()), json!({"x": 1, "y": 2}));
    assert_eq!(state.unvalidated(&schema), ["y"]);
}

// N-303
#[test]
fn promoting_a_field_changes_no_value() {
    let before = infer("thing", &[json!({"x": 1}).as_object().unwrap()]);
    let observation = seen("a", 1, json!({"x": 1, "y": 2}));
    let after = before.grown(&[&observation.fields]).unwrap();
    let (old, new) = (State::of(&before, [&observation]), State::of(&after, [&observation]));
    assert_eq!(old, new);
    assert_eq!((old.unvalidated(&before).len(), new.unvalidated(&after).len()), (1, 0));
}

#[test]
fn the_ranking_says_why_each_lost() {
    let observations = [
        seen("a", 1, json!({"x": 1})).priority(1000.0),
        seen("b", 2, json!({"x": 2})),
        seen("c", 0, json!({"x": 3})).priority(1000.0),
        seen("d", 1, json!({"x": 4})).priority(1000.0),
    ];
    let reasons: Vec<_> =
        ranked(&by(Strategy::LastWrite, None), "x", &observations).iter().map(|(_, reason)| *reason).collect();
    assert_eq!(reasons, ["won", "same rank, larger id", "older", "outranked by a correction"]);
}

#[test]
fn a_state_is_stored_with_each_winner_once() {
    let state = State::of(&infer("thing", &[]), &[seen("a", 1, json!({"x": "X", "y": 2}))]);
    assert_eq!(
        serde_json::to_string(&state).unwrap(),
        r#"{"count":1,"newest":1000000,"winners":[["a","source-a",1000000,100.0,1.0,null]],"fields":{"x":[0,"X"],"y":[0,2]}}"#
    );
}
