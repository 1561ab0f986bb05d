//! Finds: filters, orders, directions, counts.

use scope::Timestamp;

use super::sample::{LINK, THING, end, key, put};
use super::{Harness, Sample, link, record};
use crate::{Direction, Find, FindOrder, Record, RecordKey};

fn things() -> Find {
    Find::all(THING)
}

fn in_m1() -> Find {
    Find { scope: Some("m1".to_owned()), ..things() }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Six records that differ in one field each from a plain one, and one of another kind.
async fn differing(harness: &dyn Harness) -> Sample {
    let sample = Sample::new(harness);
    let other_kind = Record { key: RecordKey::new("conformance.other", "k"), ..record("k") };
    let records = [
        record("plain"),
        Record { scope: "m2".to_owned(), ..record("scope") },
        Record { r#type: "Special".to_owned(), ..record("type") },
        Record { status: text("open"), ..record("status") },
        Record { name: text("orders"), ..record("name") },
        Record { tags: vec!["red".to_owned(), "blue".to_owned()], ..record("tag") },
        Record { time: Some(Timestamp(100)), ..record("time") },
        other_kind,
    ];
    sample.write(records.into_iter().map(put).collect()).await;
    sample
}

/// Each filter with the ids it leaves.
fn filters(find: &Find) -> Vec<(Find, Vec<&'static str>)> {
    let time = |from, until| Some((Timestamp(from), Timestamp(until)));
    vec![
        (Find { scope: text("m2"), ..find.clone() }, vec!["scope"]),
        (Find { r#type: text("Special"), ..find.clone() }, vec!["type"]),
        (Find { status: text("open"), ..find.clone() }, vec!["status"]),
        (Find { name: text("orders"), ..find.clone() }, vec!["name"]),
        (Find { name: text("order"), ..find.clone() }, vec![]),
        (Find { name_prefix: text("ord"), ..find.clone() }, vec!["name"]),
        (Find { name_prefix: text("ords"), ..find.clone() }, vec![]),
        (Find { name_prefix: text(""), ..find.clone() }, vec!["name"]),
        (Find { tag: text("blue"), ..find.clone() }, vec!["tag"]),
        (Find { tag: text("green"), ..find.clone() }, vec![]),
        (Find { time: time(100, 101), ..find.clone() }, vec!["time"]),
        (Find { time: time(0, 100), ..find.clone() }, vec![]),
        (Find { time: time(101, 200), ..find.clone() }, vec![]),
        (Find { order: FindOrder::Name, ..find.clone() }, vec!["name"]),
        (Find { order: FindOrder::Time, ..find.clone() }, vec!["time"]),
        (Find { name: text("orders"), order: FindOrder::Time, ..find.clone() }, vec![]),
    ]
}

pub async fn each_filter_narrows(harness: &mut dyn Harness) {
    let sample = differing(harness).await;
    assert_eq!(sample.ids(things()).await, ["name", "plain", "scope", "status", "tag", "time", "type"]);
    assert_eq!(sample.ids(in_m1()).await, ["name", "plain", "status", "tag", "time", "type"]);
    for base in [things(), in_m1()] {
        for (find, expected) in filters(&base) {
            assert_eq!(sample.ids(find.clone()).await, expected, "{find:?}");
        }
    }
}

pub async fn every_filter_works_in_the_past(harness: &mut dyn Harness) {
    let sample = differing(harness).await;
    let then = sample.head().await;
    for id in ["name", "plain", "scope", "status", "tag", "time", "type"] {
        sample.write(vec![end(key(id))]).await;
    }
    sample.write(vec![put(Record { name: text("orders"), tags: vec!["blue".to_owned()], ..record("later") })]).await;
    for base in [things(), in_m1()] {
        for (find, expected) in filters(&base) {
            assert_eq!(sample.ids_at(then, find.clone()).await, expected, "{find:?}");
        }
    }
}

pub async fn filters_combine(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let mut effects = Vec::new();
    for number in 0..16_u8 {
        let bit = |index: u8| number & (1 << index) != 0;
        effects.push(put(Record {
            r#type: if bit(0) { "T" } else { "U" }.to_owned(),
            status: bit(1).then(|| "open".to_owned()),
            name: Some(if bit(2) { "alpha" } else { "beta" }.to_owned()),
            tags: if bit(3) { vec!["red".to_owned()] } else { Vec::new() },
            time: Some(Timestamp(i64::from(number))),
            ..record(&format!("{number:02}"))
        }));
    }
    sample.write(effects).await;
    for base in [things(), in_m1()] {
        for order in [FindOrder::Id, FindOrder::Name, FindOrder::Time] {
            let base = Find { order, ..base.clone() };
            let all = Find { r#type: text("T"), status: text("open"), tag: text("red"), ..base.clone() };
            let by_name: [&str; 2] = if order == FindOrder::Name { ["15", "11"] } else { ["11", "15"] };
            assert_eq!(sample.ids(all.clone()).await, by_name, "{order:?}");
            assert_eq!(sample.ids(Find { name_prefix: text("al"), ..all.clone() }).await, ["15"], "{order:?}");
            assert_eq!(sample.ids(Find { name: text("beta"), ..all.clone() }).await, ["11"], "{order:?}");
            let early = Some((Timestamp(0), Timestamp(15)));
            assert_eq!(sample.ids(Find { time: early, ..all.clone() }).await, ["11"], "{order:?}");
            assert_eq!(sample.ids(Find { name: text("beta"), name_prefix: text("al"), ..base }).await, [""; 0]);
        }
    }
}

pub async fn orders_break_ties_by_id(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let named = |id, name: &str, time| put(Record { name: text(name), time: Some(Timestamp(time)), ..record(id) });
    sample.write(vec![named("c", "x", 2), named("a", "y", 1), named("b", "x", 1), named("d", "Z", -1)]).await;
    for base in [things(), in_m1()] {
        let ordered = |order| Find { order, ..base.clone() };
        assert_eq!(sample.ids(ordered(FindOrder::Id)).await, ["a", "b", "c", "d"]);
        assert_eq!(sample.ids(ordered(FindOrder::Name)).await, ["d", "b", "c", "a"]);
        assert_eq!(sample.ids(ordered(FindOrder::Time)).await, ["d", "a", "b", "c"]);
    }
}

pub async fn a_prefix_is_exact_about_its_bounds(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let names = ["o", "or", "or%", "or_", "or\u{10ffff}z", "order", "os", "OR", "o\u{d7ff}", "o\u{e000}"];
    sample.write(names.iter().map(|name| put(Record { name: text(name), ..record(name) })).collect()).await;
    for base in [things(), in_m1()] {
        let starting = |prefix| Find { name_prefix: text(prefix), order: FindOrder::Name, ..base.clone() };
        assert_eq!(sample.ids(starting("or")).await, ["or", "or%", "or_", "order", "or\u{10ffff}z"]);
        assert_eq!(sample.ids(starting("or%")).await, ["or%"]);
        assert_eq!(sample.ids(starting("o\u{d7ff}")).await, ["o\u{d7ff}"]);
        assert_eq!(sample.ids(starting("or\u{10ffff}")).await, ["or\u{10ffff}z"]);
        assert_eq!(sample.ids(starting("")).await.len(), names.len());
    }
}

pub async fn links_are_found_in_three_directions(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let links =
        [link("1", "a", "b"), link("2", "b", "a"), link("3", "a", "a"), link("4", "b", "c"), link("5", "a", "c")];
    sample.write(links.into_iter().map(put).collect()).await;
    let then = sample.head().await;
    for past in [false, true] {
        let touching = |id: &str, direction| Find { touching: Some((id.to_owned(), direction)), ..Find::all(LINK) };
        assert_eq!(sample.ids_at(then, touching("a", Direction::Outgoing)).await, ["1", "3", "5"], "past: {past}");
        assert_eq!(sample.ids_at(then, touching("a", Direction::Incoming)).await, ["2", "3"], "past: {past}");
        assert_eq!(sample.ids_at(then, touching("a", Direction::Both)).await, ["1", "2", "3", "5"], "past: {past}");
        assert_eq!(sample.ids_at(then, touching("nobody", Direction::Both)).await, [""; 0]);
        let other_kind = Find { kind: THING.to_owned(), ..touching("a", Direction::Both) };
        assert_eq!(sample.ids_at(then, other_kind).await, [""; 0]);
        sample.write(vec![end(RecordKey::new(LINK, "3")), put(link("2", "b", "c")), put(link("6", "a", "b"))]).await;
    }
    let now = Find { touching: Some(("a".to_owned(), Direction::Both)), ..Find::all(LINK) };
    assert_eq!(sample.ids(now).await, ["1", "5", "6"]);
}

pub async fn deleted_and_changed_records_leave_the_listing(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let tagged = |tag: &str, scope: &str| Record { tags: vec![tag.to_owned()], scope: scope.to_owned(), ..record("a") };
    let by_tag = |tag, scope| Find { tag: text(tag), scope: text(scope), ..things() };
    sample.put(tagged("red", "m1")).await;
    assert_eq!(sample.ids(by_tag("red", "m1")).await, ["a"]);
    sample.put(tagged("blue", "m1")).await;
    assert_eq!(sample.ids(by_tag("red", "m1")).await, [""; 0]);
    sample.put(tagged("blue", "m2")).await;
    assert_eq!(sample.ids(by_tag("blue", "m1")).await, [""; 0]);
    assert_eq!(sample.ids(by_tag("blue", "m2")).await, ["a"]);
    assert_eq!(sample.ids(in_m1()).await, [""; 0]);
    sample.write(vec![end(key("a"))]).await;
    assert_eq!(sample.ids(by_tag("blue", "m2")).await, [""; 0]);
    assert_eq!(sample.ids(things()).await, [""; 0]);
}

pub async fn a_count_stops_at_its_cap(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.write((0..20).map(|number| put(record(&format!("{number:02}")))).collect()).await;
    let at = sample.head().await;
    for (most, expected) in [(0, 0), (7, 7), (20, 20), (u64::MAX, 20)] {
        for find in [things(), Find { limit: 1, after: text("10"), ..in_m1() }] {
            let counted = sample.ledger.count(&sample.tenant, at, find, most).await.expect("records can be counted");
            assert_eq!(counted, expected, "up to {most}");
        }
    }
}

/// What is unlisted is there for those who know what they look for.
pub async fn an_unlisted_record_is_found_but_not_listed(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let unlisted = Record {
        listed: false,
        r#type: "Special".to_owned(),
        name: text("hidden"),
        tags: vec!["blue".to_owned()],
        time: Some(Timestamp(100)),
        ..record("unlisted")
    };
    sample.write(vec![put(unlisted), put(record("listed"))]).await;
    let point = sample.head().await;
    sample.write(vec![end(key("unlisted")), put(record("later"))]).await;
    for (find, expected) in [
        (in_m1(), vec!["listed"]),
        (Find { r#type: text("Special"), ..in_m1() }, vec![]),
        (Find { tag: text("blue"), ..in_m1() }, vec!["unlisted"]),
        (Find { name: text("hidden"), ..in_m1() }, vec!["unlisted"]),
        (Find { order: FindOrder::Time, ..in_m1() }, vec!["unlisted"]),
        (Find { order: FindOrder::Time, r#type: text("Special"), ..in_m1() }, vec!["unlisted"]),
        (Find { order: FindOrder::Time, r#type: text("Plain"), ..in_m1() }, vec![]),
        (Find { time: Some((Timestamp(0), Timestamp(200))), ..in_m1() }, vec!["unlisted"]),
        (things(), vec!["listed", "unlisted"]),
    ] {
        assert_eq!(sample.ids_at(point, find.clone()).await, expected, "{find:?}");
    }
}
