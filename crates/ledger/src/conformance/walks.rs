//! Walks along links: hops, caps, cycles, directions.

use super::sample::{LINK, end, put};
use super::{Harness, Sample, link};
use crate::{Direction, Record, RecordKey, Seq, Traverse};

fn from(id: &str) -> Traverse {
    Traverse {
        from: id.to_owned(),
        kind: LINK.to_owned(),
        types: Vec::new(),
        direction: Direction::Outgoing,
        hops_max: 10,
        records_max: 100,
    }
}

async fn linked(harness: &dyn Harness, ends: &[(&str, &str)]) -> Sample {
    let sample = Sample::new(harness);
    let effect = |(number, (source, target)): (usize, &(&str, &str))| put(link(&format!("l{number}"), source, target));
    sample.write(ends.iter().enumerate().map(effect).collect()).await;
    sample
}

/// `id@hops` for each record reached, and `…` when capped.
async fn walk_at(sample: &Sample, at: Seq, traverse: Traverse) -> String {
    let walked = sample.ledger.traverse(&sample.tenant, at, traverse).await.expect("links can be followed");
    let reached = walked.reached.iter().map(|found| format!("{}@{}", found.id, found.hops));
    reached.chain(walked.capped.then(|| "…".to_owned())).collect::<Vec<_>>().join(" ")
}

async fn walk(sample: &Sample, traverse: Traverse) -> String {
    walk_at(sample, sample.head().await, traverse).await
}

pub async fn hops_are_counted_and_capped(harness: &mut dyn Harness) {
    let sample = linked(harness, &[("a", "c"), ("a", "b"), ("b", "d"), ("d", "e"), ("c", "e")]).await;
    assert_eq!(walk(&sample, from("a")).await, "b@1 c@1 d@2 e@2");
    assert_eq!(walk(&sample, Traverse { hops_max: 1, ..from("a") }).await, "b@1 c@1");
    assert_eq!(walk(&sample, Traverse { hops_max: 0, ..from("a") }).await, "");
    assert_eq!(walk(&sample, from("e")).await, "");
    assert_eq!(walk(&sample, from("nobody")).await, "");
}

pub async fn cycles_end(harness: &mut dyn Harness) {
    let sample = linked(harness, &[("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")]).await;
    let far = Traverse { hops_max: u32::MAX, ..from("a") };
    assert_eq!(walk(&sample, far.clone()).await, "b@1 c@2");
    assert_eq!(walk(&sample, Traverse { direction: Direction::Both, ..far }).await, "b@1 c@1");
}

pub async fn direction_and_types_are_followed(harness: &mut dyn Harness) {
    let sample = linked(harness, &[("a", "b"), ("c", "a")]).await;
    sample.put(Record { r#type: "Other".to_owned(), ..link("x", "a", "d") }).await;
    sample.put(Record { key: RecordKey::new("conformance.other", "y"), ..link("y", "a", "e") }).await;
    assert_eq!(walk(&sample, from("a")).await, "b@1 d@1");
    assert_eq!(walk(&sample, Traverse { direction: Direction::Incoming, ..from("a") }).await, "c@1");
    assert_eq!(walk(&sample, Traverse { direction: Direction::Both, ..from("a") }).await, "b@1 c@1 d@1");
    let typed = |types: &[&str]| Traverse { types: types.iter().map(|t| (*t).to_owned()).collect(), ..from("a") };
    assert_eq!(walk(&sample, typed(&["Other"])).await, "d@1");
    assert_eq!(walk(&sample, typed(&["Other", "Flow"])).await, "b@1 d@1");
    assert_eq!(walk(&sample, typed(&["None"])).await, "");
}

pub async fn the_records_cap_is_told(harness: &mut dyn Harness) {
    let sample = linked(harness, &[("a", "b"), ("a", "c"), ("b", "d")]).await;
    let capped = |records_max| Traverse { records_max, ..from("a") };
    assert_eq!(walk(&sample, capped(0)).await, "…");
    assert_eq!(walk(&sample, capped(1)).await, "b@1 …");
    assert_eq!(walk(&sample, capped(2)).await, "b@1 c@1 …");
    assert_eq!(walk(&sample, Traverse { hops_max: 1, ..capped(2) }).await, "b@1 c@1");
    assert_eq!(walk(&sample, capped(3)).await, "b@1 c@1 d@2");
}

pub async fn the_smallest_link_is_shown(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.write(vec![put(link("z", "a", "b")), put(link("m", "a", "b")), put(link("c", "b", "a"))]).await;
    for (direction, expected) in [(Direction::Outgoing, "m"), (Direction::Both, "c")] {
        let traverse = Traverse { direction, ..from("a") };
        let walked = sample.ledger.traverse(&sample.tenant, 1, traverse).await.expect("links can be followed");
        assert_eq!(walked.reached[0].link.record.key.id, expected);
        assert_eq!(walked.reached[0].link.version, 1);
    }
}

pub async fn a_walk_in_the_past_sees_the_links_of_then(harness: &mut dyn Harness) {
    let sample = linked(harness, &[("a", "b"), ("b", "c")]).await;
    let moved = sample.put(link("l1", "b", "d")).await;
    let ended = sample.write(vec![end(RecordKey::new(LINK, "l0"))]).await;
    assert_eq!(walk_at(&sample, moved - 1, from("a")).await, "b@1 c@2");
    assert_eq!(walk_at(&sample, moved, from("a")).await, "b@1 d@2");
    assert_eq!(walk_at(&sample, ended, from("a")).await, "");
    assert_eq!(walk_at(&sample, 0, from("a")).await, "");
}
