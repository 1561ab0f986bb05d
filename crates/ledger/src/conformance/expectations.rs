//! Expectations: every variant, both outcomes.

use super::sample::{LINK, end, key, put};
use super::{Harness, Sample, change, link, record};
use crate::{Change, Expectation, Record, RecordKey, Refusal};

async fn check(sample: &Sample, expectation: Expectation, refusal: Option<Refusal>) {
    let nothing = Change { expectations: vec![expectation], facts: Vec::new(), ..change(&sample.tenant, Vec::new()) };
    match refusal {
        None => assert!(sample.commit(nothing.clone()).await.is_ok(), "{nothing:?}"),
        Some(refusal) => assert_eq!(sample.refused(nothing).await, refusal),
    }
}

fn at_version(id: &str, actual: Option<u64>) -> Option<Refusal> {
    Some(Refusal::Record { key: key(id), actual })
}

pub async fn version_holds_only_for_the_live_version(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let expect = |version| Expectation::Version { key: key("a"), version };
    check(&sample, expect(1), at_version("a", None)).await;
    sample.put(record("a")).await;
    check(&sample, expect(1), None).await;
    sample.put(record("a")).await;
    check(&sample, expect(1), at_version("a", Some(2))).await;
    check(&sample, expect(2), None).await;
    sample.write(vec![end(key("a"))]).await;
    check(&sample, expect(2), at_version("a", None)).await;
    check(&sample, expect(3), at_version("a", None)).await;
    sample.put(record("a")).await;
    check(&sample, expect(4), None).await;
}

pub async fn exists_holds_only_for_a_live_record(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let expect = || Expectation::Exists { key: key("a") };
    check(&sample, expect(), at_version("a", None)).await;
    sample.put(record("a")).await;
    check(&sample, expect(), None).await;
    sample.write(vec![end(key("a"))]).await;
    check(&sample, expect(), at_version("a", None)).await;
}

pub async fn absent_holds_only_without_a_live_record(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let expect = || Expectation::Absent { key: key("a") };
    check(&sample, expect(), None).await;
    sample.put(record("a")).await;
    check(&sample, expect(), at_version("a", Some(1))).await;
    sample.write(vec![end(key("a"))]).await;
    check(&sample, expect(), None).await;
}

pub async fn links_unchanged_notices_put_move_and_end(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let expect = |id: &str, since| Expectation::LinksUnchanged { id: id.to_owned(), since };
    let changed = |id: &str, since| Some(Refusal::LinksChanged { id: id.to_owned(), since });
    check(&sample, expect("a", 0), None).await;
    let made = sample.put(link("l", "a", "b")).await;
    for id in ["a", "b"] {
        check(&sample, expect(id, made - 1), changed(id, made - 1)).await;
        check(&sample, expect(id, made), None).await;
    }
    // A record that is no link does not count.
    sample.put(record("a")).await;
    check(&sample, expect("a", made), None).await;
    let moved = sample.put(link("l", "a", "c")).await;
    for id in ["a", "b", "c"] {
        check(&sample, expect(id, moved - 1), changed(id, moved - 1)).await;
    }
    let ended = sample.write(vec![end(RecordKey::new(LINK, "l"))]).await;
    check(&sample, expect("b", ended - 1), None).await;
    check(&sample, expect("c", ended - 1), changed("c", ended - 1)).await;
    check(&sample, expect("c", ended), None).await;
}

pub async fn no_path_follows_live_links_of_its_types(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let typed = |id, source, target, name: &str| put(Record { r#type: name.to_owned(), ..link(id, source, target) });
    sample.write(vec![typed("1", "a", "b", "X"), typed("2", "b", "c", "X"), typed("3", "c", "a", "Y")]).await;
    let expect = |types: &[&str], from: &str, to: &str| Expectation::NoPath {
        kind: LINK.to_owned(),
        types: types.iter().map(|name| (*name).to_owned()).collect(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let leads = |from: &str, to: &str| Some(Refusal::Path { from: from.to_owned(), to: to.to_owned() });
    check(&sample, expect(&["X"], "a", "c"), leads("a", "c")).await;
    check(&sample, expect(&["X"], "c", "a"), None).await;
    check(&sample, expect(&["X", "Y"], "c", "b"), leads("c", "b")).await;
    check(&sample, expect(&[], "b", "a"), leads("b", "a")).await;
    check(&sample, expect(&["Y"], "a", "b"), None).await;
    check(&sample, expect(&[], "a", "nowhere"), None).await;
    // A record leads to itself, so a link to oneself closes a circle.
    check(&sample, expect(&["X"], "d", "d"), leads("d", "d")).await;
    sample.write(vec![end(RecordKey::new(LINK, "2"))]).await;
    check(&sample, expect(&["X"], "a", "c"), None).await;
}

pub async fn all_expectations_must_hold(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.put(record("a")).await;
    let mut both = change(&sample.tenant, vec![put(record("b"))]);
    both.expectations = vec![Expectation::Exists { key: key("a") }, Expectation::Exists { key: key("ghost") }];
    assert_eq!(sample.refused(both).await, Refusal::Record { key: key("ghost"), actual: None });
    assert_eq!(sample.get("b").await, None);
}
