//! Fields: found and sorted by what a record holds, and counted by type.

use scope::Timestamp;

use super::sample::{THING, end, key, put};
use super::{Harness, Sample, record};
use crate::{FieldKey, FieldRange, Find, FindOrder, Record, Seq};

fn number(value: f64) -> FieldKey {
    FieldKey::number(value)
}

/// A record made at a time, with a field that has these keys.
fn sized(id: &str, time: i64, keys: &[FieldKey]) -> Record {
    let fields = keys.iter().map(|key| ("size".to_owned(), key.clone())).collect();
    Record { time: Some(Timestamp(time)), fields, ..record(id) }
}

fn in_m1(field: FieldRange) -> Find {
    Find { scope: Some("m1".to_owned()), field: Some(field), ..Find::all(THING) }
}

/// The same find by every way that an engine may take.
fn ways(find: &Find) -> [Find; 3] {
    let typed = Find { r#type: Some("Plain".to_owned()), ..find.clone() };
    [find.clone(), typed, Find { scope: None, ..find.clone() }]
}

async fn five(harness: &dyn Harness) -> Sample {
    let sample = Sample::new(harness);
    let records = [
        sized("a", 5, &[number(2.0)]),
        sized("b", 4, &[number(10.0), FieldKey::text("10")]),
        sized("c", 3, &[number(9.0)]),
        sized("d", 2, &[number(9.0)]),
        sized("e", 1, &[FieldKey::text("many")]),
        record("f"),
    ];
    sample.write(records.into_iter().map(put).collect()).await;
    sample
}

pub async fn records_are_found_by_what_their_fields_hold(harness: &mut dyn Harness) {
    let sample = five(harness).await;
    let numbers = FieldRange::of_sort("size", &number(0.0));
    for (range, expected) in [
        (FieldRange::equal("size", &number(9.0)), vec!["c", "d"]),
        (FieldRange::equal("size", &number(8.0)), vec![]),
        (FieldRange::equal("weight", &number(9.0)), vec![]),
        (numbers.clone(), vec!["a", "b", "c", "d"]),
        (numbers.clone().at_least(&number(9.0)), vec!["b", "c", "d"]),
        (numbers.clone().at_most(&number(8.9)), vec!["a"]),
        (FieldRange::starting_with("size", "ma"), vec!["e"]),
        (FieldRange::all("size"), vec!["a", "b", "c", "d", "e"]),
    ] {
        for find in ways(&in_m1(range.clone())) {
            assert_eq!(sample.ids(find.clone()).await, expected, "{find:?}");
            let reversed: Vec<&str> = expected.iter().rev().copied().collect();
            assert_eq!(sample.ids(Find { order: FindOrder::Time, ..find.clone() }).await, reversed, "{find:?}");
            for (skip, limit) in [(0, 1), (0, 4), (2, 2), (3, 9)] {
                let part = Find { order: FindOrder::Time, skip, limit, ..find.clone() };
                let expected: Vec<&str> = reversed.iter().skip(skip).take(limit).copied().collect();
                assert_eq!(sample.ids(part.clone()).await, expected, "{part:?}");
            }
            let at = sample.head().await;
            for most in [1, 100] {
                let count = sample.ledger.count(&sample.tenant, at, find.clone(), most).await;
                assert_eq!(count.expect("records are counted"), most.min(expected.len() as u64), "{find:?}");
            }
        }
        let other_type = Find { r#type: Some("Special".to_owned()), ..in_m1(range.clone()) };
        assert_eq!(sample.ids(other_type).await, [""; 0]);
        let other_scope = Find { scope: Some("m2".to_owned()), ..in_m1(range) };
        assert_eq!(sample.ids(other_scope).await, [""; 0]);
    }
}

pub async fn records_are_sorted_by_a_field(harness: &mut dyn Harness) {
    let sample = five(harness).await;
    for find in ways(&in_m1(FieldRange::all("size"))) {
        let sorted = Find { order: FindOrder::Field, ..find.clone() };
        assert_eq!(sample.ids(sorted.clone()).await, ["a", "d", "c", "b", "b", "e"], "{find:?}");
        for (most, expected) in [(4, 4), (100, 6)] {
            let count = sample.ledger.count(&sample.tenant, sample.head().await, sorted.clone(), most).await;
            assert_eq!(count.expect("keys are counted"), expected, "{find:?}");
        }
        let descending = Find { order: FindOrder::FieldDescending, ..find };
        assert_eq!(sample.ids(descending).await, ["e", "b", "b", "c", "d", "a"]);
        let none = Find { field: None, ..sorted };
        assert_eq!(sample.ids(none).await, [""; 0]);
    }
}

pub async fn a_field_shows_what_it_held_then(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let first = sample.put(sized("a", 1, &[number(1.0)])).await;
    let second = sample.put(sized("a", 1, &[number(2.0)])).await;
    // Several versions in one change: only the last was ever visible.
    let third = sample.write([3.0, 4.0, 1.0].map(|value| put(sized("a", 1, &[number(value)]))).into()).await;
    let moved = sample.put(Record { scope: "m2".to_owned(), ..sized("a", 1, &[number(1.0)]) }).await;
    let back = sample.put(Record { r#type: "Special".to_owned(), ..sized("a", 9, &[number(1.0)]) }).await;
    let gone = sample.write(vec![end(key("a"))]).await;
    let held = async |at: Seq| {
        let mut held = Vec::new();
        for value in [1.0, 2.0, 3.0, 4.0] {
            for find in ways(&in_m1(FieldRange::equal("size", &number(value)))).into_iter().take(1) {
                for order in [FindOrder::Id, FindOrder::Time, FindOrder::Field, FindOrder::FieldDescending] {
                    let found = sample.ids_at(at, Find { order, ..find.clone() }).await;
                    held.extend((!found.is_empty()).then_some(value));
                }
            }
        }
        held.dedup();
        held
    };
    for _ in 0..2 {
        for (at, expected) in [
            (first, vec![1.0]),
            (second, vec![2.0]),
            (third, vec![1.0]),
            (moved, vec![]),
            (back, vec![1.0]),
            (gone, vec![]),
        ] {
            assert_eq!(held(at).await, expected, "at {at}");
        }
        sample.put(sized("b", 1, &[number(7.0)])).await;
    }
}

pub async fn a_field_that_stays_the_same_is_found_through_all_versions(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let find = in_m1(FieldRange::equal("size", &number(1.0)));
    for version in 1..=4 {
        sample.put(Record { body: format!("{version}"), ..sized("a", 1, &[number(1.0)]) }).await;
    }
    for version in 1..=4 {
        let page = sample.ledger.find(&sample.tenant, version, find.clone()).await.expect("records can be listed");
        let bodies: Vec<&str> = page.items.iter().map(|found| found.record.body.as_str()).collect();
        assert_eq!(bodies, [version.to_string()], "at {version}");
    }
}

pub async fn counts_follow_types_and_scopes(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let typed = |id: &str, r#type: &str| Record { r#type: r#type.to_owned(), ..record(id) };
    let uncounted = Record { listed: false, ..record("hidden") };
    let timed = Record { time: Some(Timestamp(1)), ..Record { listed: false, ..typed("timed", "A") } };
    let steps = [
        vec![put(typed("1", "A")), put(typed("2", "B")), put(typed("3", "B")), put(uncounted), put(timed)],
        vec![put(typed("1", "B")), put(typed("1", "A")), put(typed("2", "B"))],
        vec![put(typed("1", "C")), end(key("2"))],
        vec![put(Record { scope: "m2".to_owned(), ..typed("3", "B") })],
        vec![end(key("1")), end(key("3")), end(key("timed")), end(key("hidden"))],
    ];
    for step in steps {
        sample.write(step).await;
    }
    let counts = async |at: Seq, scope: &str| {
        let counts = sample.ledger.counts(&sample.tenant, at, THING, scope).await.expect("records can be counted");
        counts.into_iter().map(|(of, count)| format!("{of} {count}")).collect::<Vec<_>>().join(", ")
    };
    for (at, expected, elsewhere) in [
        (0, "", ""),
        (1, "A 2, B 2", ""),
        (2, "A 2, B 2", ""),
        (3, "A 1, B 1, C 1", ""),
        (4, "A 1, C 1", "B 1"),
        (5, "", ""),
    ] {
        assert_eq!((counts(at, "m1").await, counts(at, "m2").await), (expected.to_owned(), elsewhere.to_owned()));
    }
}
