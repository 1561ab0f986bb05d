//! Paging: every record once, whatever happens between the pages.

use scope::Timestamp;

use super::sample::{LINK, THING, end, key, put};
use super::{Harness, Sample, link, record};
use crate::{Direction, Effect, FieldKey, FieldRange, Find, FindOrder, ReadError, Record, Seq};

const RECORDS: usize = 23;

fn numbered(number: usize) -> Record {
    Record {
        fields: vec![("size".to_owned(), FieldKey::number((number % 3) as f64))],
        name: Some(format!("name {}", number % 5)),
        time: Some(Timestamp((number % 7) as i64)),
        tags: vec!["all".to_owned()],
        status: Some("open".to_owned()),
        ..record(&format!("{:02}", number * 37 % 100))
    }
}

/// A link from the hub to itself, with what a record can be found by.
fn numbered_link(number: usize) -> Record {
    let plain = link(&format!("{number:02}"), "hub", "hub");
    Record { key: plain.key, ends: plain.ends, ..numbered(number) }
}

/// Every sort of listing over the same records.
fn listings() -> Vec<Find> {
    let mut listings = Vec::new();
    for scope in [None, Some("m1".to_owned())] {
        for order in [FindOrder::Id, FindOrder::Name, FindOrder::Time] {
            let base = Find { scope: scope.clone(), order, ..Find::all(THING) };
            listings.push(Find { r#type: Some("Plain".to_owned()), ..base.clone() });
            listings.push(Find { tag: Some("all".to_owned()), ..base.clone() });
            listings.push(Find { status: Some("open".to_owned()), ..base.clone() });
            listings.push(Find { name_prefix: Some("name".to_owned()), ..base.clone() });
            listings.push(Find { time: Some((Timestamp(0), Timestamp(100))), ..base.clone() });
            listings.push(Find { field: Some(FieldRange::all("size")), ..base.clone() });
            listings.push(base);
        }
    }
    for scope in [None, Some("m1".to_owned())] {
        for order in [FindOrder::Field, FindOrder::FieldDescending] {
            let sorted = Find { scope: scope.clone(), field: Some(FieldRange::all("size")), order, ..Find::all(THING) };
            listings.push(Find { r#type: Some("Plain".to_owned()), ..sorted.clone() });
            listings.push(Find { tag: Some("all".to_owned()), ..sorted.clone() });
            listings.push(sorted);
        }
    }
    for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
        listings.push(Find { touching: Some(("hub".to_owned(), direction)), ..Find::all(LINK) });
    }
    listings
}

async fn filled(harness: &dyn Harness) -> (Sample, Seq) {
    let sample = Sample::new(harness);
    let mut effects: Vec<Effect> = (0..RECORDS).map(|number| put(numbered(number))).collect();
    effects.extend((0..RECORDS).map(|number| put(numbered_link(number))));
    let seq = sample.write(effects).await;
    (sample, seq)
}

/// Reads all pages, and lets something happen after each.
async fn pages(sample: &Sample, at: Seq, find: &Find, limit: usize, between: impl AsyncFn()) -> Vec<String> {
    let mut find = Find { limit, ..find.clone() };
    let mut ids = Vec::new();
    loop {
        let page = sample.ledger.find(&sample.tenant, at, find.clone()).await.expect("records can be listed");
        assert!(page.items.len() <= limit);
        ids.extend(page.items.into_iter().map(|version| version.record.key.id));
        match page.next {
            None => return ids,
            next => find.after = next,
        }
        between().await;
    }
}

pub async fn pages_neither_repeat_nor_skip(harness: &mut dyn Harness) {
    let (sample, at) = filled(harness).await;
    for find in listings() {
        let whole = sample.ids_at(at, find.clone()).await;
        assert_eq!(whole.len(), RECORDS, "{find:?}");
        for limit in [1, 4, RECORDS, RECORDS + 1] {
            assert_eq!(pages(&sample, at, &find, limit, async || {}).await, whole, "by {limit}: {find:?}");
        }
    }
}

pub async fn pages_at_a_point_ignore_later_writes(harness: &mut dyn Harness) {
    let (sample, at) = filled(harness).await;
    let whole: Vec<Vec<String>> =
        futures::future::join_all(listings().into_iter().map(|find| sample.ids_at(at, find))).await;
    for (find, whole) in listings().into_iter().zip(whole) {
        let disturb = async || {
            let renamed = Record { name: Some("aaa".to_owned()), time: Some(Timestamp(-1)), ..record("37") };
            sample.write(vec![end(key("00")), put(record("00a")), put(renamed), put(link("99", "hub", "hub"))]).await;
        };
        assert_eq!(pages(&sample, at, &find, 5, disturb).await, whole, "{find:?}");
    }
}

/// Listings that take a part of the records: by one filter more, and of links in every order.
fn narrower_listings() -> Vec<Find> {
    let mut narrower = Vec::new();
    for listing in listings() {
        narrower.push(Find { r#type: Some("Special".to_owned()), ..listing.clone() });
        narrower.push(Find { tag: Some("some".to_owned()), ..listing.clone() });
        narrower.push(Find { status: Some("done".to_owned()), ..listing.clone() });
        narrower.push(Find { name: Some("name 2".to_owned()), ..listing.clone() });
        narrower.push(Find { time: Some((Timestamp(2), Timestamp(4))), ..listing.clone() });
        narrower.push(Find { scope: Some("m2".to_owned()), ..listing.clone() });
        let one = FieldRange::equal("size", &FieldKey::number(1.0));
        narrower.push(Find { field: Some(one), ..listing.clone() });
        let some = FieldRange::all("size").at_least(&FieldKey::number(1.0));
        narrower.push(Find { field: Some(some), ..listing.clone() });
        if listing.touching.is_some() {
            narrower.push(Find { order: FindOrder::Name, ..listing.clone() });
            narrower.push(Find { order: FindOrder::Time, ..listing });
        }
    }
    narrower
}

/// Changes of every sort to a third of the records and links, each round to another third.
fn round(number: usize) -> Vec<Effect> {
    let changed = |id: usize, before: Record| match (id + number) % 9 {
        0 => end(before.key),
        1 => put(Record { r#type: "Special".to_owned(), status: Some("done".to_owned()), ..before }),
        2 => put(Record { tags: vec!["some".to_owned()], name: Some(format!("name {}", number % 5)), ..before }),
        3 => put(Record { scope: "m2".to_owned(), time: Some(Timestamp(number as i64)), ..before }),
        4 => put(Record { name: None, time: None, status: None, tags: Vec::new(), fields: Vec::new(), ..before }),
        5 => put(Record { fields: vec![("size".to_owned(), FieldKey::number(number as f64))], ..before }),
        _ => put(before),
    };
    let chosen = || (0..RECORDS).filter(|id| (id + number).is_multiple_of(3));
    let things = chosen().map(|id| changed(id, numbered(id)));
    let links = chosen().map(|id| {
        let (source, target) = if id.is_multiple_of(2) { ("hub", "rim") } else { ("rim", "hub") };
        changed(id, Record { ends: link("", source, target).ends, ..numbered_link(id) })
    });
    things.chain(links).collect()
}

//
pub async fn pages_in_the_past_are_what_they_were(harness: &mut dyn Harness) {
    let (sample, first) = filled(harness).await;
    let everything: Vec<Find> = listings().into_iter().chain(narrower_listings()).collect();
    let mut remembered = Vec::new();
    let mut at = first;
    for number in 0..10 {
        for find in &everything {
            // At this moment the point is the head; later it is the past.
            remembered.push((at, find.clone(), sample.ids_at(at, find.clone()).await));
        }
        at = sample.write(round(number)).await;
    }
    for (at, find, whole) in remembered {
        assert_eq!(pages(&sample, at, &find, 4, async || {}).await, whole, "at {at}: {find:?}");
        let counted = sample.ledger.count(&sample.tenant, at, find.clone(), 7).await.expect("records can be counted");
        assert_eq!(counted, whole.len().min(7) as u64, "at {at}: {find:?}");
    }
}

pub async fn a_listing_by_id_goes_on_after_any_id(harness: &mut dyn Harness) {
    let (sample, at) = filled(harness).await;
    let later = sample.write(vec![put(record("zz"))]).await;
    for (at, scope) in [(at, None), (at, Some("m1".to_owned())), (later, Some("m1".to_owned()))] {
        let find = Find { scope, limit: 1000, ..Find::all(THING) };
        let whole = sample.ids_at(at, find.clone()).await;
        for after in ["", "0", "36", "37", "5", "zzz"] {
            let rest: Vec<String> = whole.iter().filter(|id| id.as_str() > after).cloned().collect();
            let find = Find { after: Some(after.to_owned()), ..find.clone() };
            assert_eq!(sample.ids_at(at, find).await, rest, "after {after:?}");
        }
    }
}

pub async fn a_page_passes_over_as_many_as_it_skips(harness: &mut dyn Harness) {
    let (sample, first) = filled(harness).await;
    let later = sample.write(round(0)).await;
    for at in [first, later] {
        for find in listings() {
            let whole = sample.ids_at(at, find.clone()).await;
            for skip in [0, 1, 5, whole.len(), whole.len() + 1] {
                let skipping = Find { skip, limit: 4, ..find.clone() };
                let page = sample.ledger.find(&sample.tenant, at, skipping.clone()).await.expect("records are listed");
                let ids: Vec<&str> = page.items.iter().map(|version| version.record.key.id.as_str()).collect();
                let rest: Vec<&str> = whole.iter().skip(skip).map(String::as_str).collect();
                assert_eq!(ids, rest[..rest.len().min(4)], "past {skip} at {at}: {find:?}");
                assert_eq!(page.next.is_some(), rest.len() > 4, "past {skip} at {at}: {find:?}");
                if let Some(next) = page.next {
                    let on = Find { after: Some(next), skip: 2, limit: 100, ..find.clone() };
                    assert_eq!(
                        sample.ids_at(at, on).await,
                        rest[6.min(rest.len())..],
                        "on from {skip} at {at}: {find:?}"
                    );
                }
                let counted =
                    sample.ledger.count(&sample.tenant, at, skipping, 1000).await.expect("records are counted");
                assert_eq!(counted, whole.len() as u64, "a count passes over nothing: {find:?}");
            }
        }
    }
}

pub async fn a_foreign_cursor_is_refused(harness: &mut dyn Harness) {
    let (sample, at) = filled(harness).await;
    for order in [FindOrder::Name, FindOrder::Time, FindOrder::Field, FindOrder::FieldDescending] {
        let field = Some(FieldRange::all("size"));
        let find = Find { order, field, after: Some("nonsense".to_owned()), ..Find::all(THING) };
        let outcome = sample.ledger.find(&sample.tenant, at, find).await;
        assert!(matches!(outcome, Err(ReadError::Cursor(_))), "{outcome:?}");
    }
}
