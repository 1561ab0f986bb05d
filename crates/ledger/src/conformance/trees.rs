//! Trees: they grow by whole batches, after the facts, and what was kept stays.

use std::slice::from_ref;
use std::sync::Arc;

use scope::TenantId;

use super::sample::{NOON, audit, put};
use super::{Harness, Sample, change, record};
use crate::Change;
use crate::tree::{Advance, Batch, Checkpoint, Grown, Growth, Numbers, Span, Tile, TilePlace, Tree, Trees};

fn growth(tenant: &TenantId, tree: Tree, from: u64, size: u64) -> Growth {
    let place = TilePlace { level: 0, number: from / 256 };
    Growth {
        tenant: tenant.clone(),
        tree,
        from,
        checkpoint: Checkpoint { size, at: NOON, note: format!("{} {size} — signed\n", tree.name()) },
        tiles: vec![Tile { place, hashes: vec![size as u8; 32 * (size - from) as usize] }],
        span: None,
    }
}

async fn grow(trees: &Arc<dyn Trees>, growths: Vec<Growth>, advance: Option<Advance>) -> Grown {
    trees.grow(Batch { growths, advance }).await.expect("a tree grows where a commit would succeed")
}

async fn sizes(trees: &Arc<dyn Trees>, tenant: &TenantId, tree: Tree) -> Vec<u64> {
    let found = trees.checkpoints(tenant, tree, 0, 100).await.expect("checkpoints can be read");
    found.iter().map(|checkpoint| checkpoint.size).collect()
}

pub async fn a_tree_grows_and_is_read_back(harness: &mut dyn Harness) {
    let (trees, acme) = (harness.trees(), Sample::of(harness, "acme"));
    let zenith = TenantId::new("zenith").expect("a literal that is a valid id");
    assert_eq!(trees.checkpoint(&acme.tenant, Tree::Facts).await.expect("it can be read"), None);
    acme.put(record("a")).await;
    let first = growth(&acme.tenant, Tree::Facts, 0, 1);
    assert_eq!(grow(&trees, vec![first.clone()], None).await, Grown::Done);
    let second = growth(&acme.tenant, Tree::Facts, 1, 3);
    assert_eq!(grow(&trees, vec![second.clone()], None).await, Grown::Done);
    let last = trees.checkpoint(&acme.tenant, Tree::Facts).await.expect("it can be read");
    assert_eq!(last, Some(second.checkpoint.clone()));
    let all = trees.checkpoints(&acme.tenant, Tree::Facts, 0, 10).await.expect("they can be read");
    assert_eq!(all, [first.checkpoint, second.checkpoint.clone()]);
    let later = trees.checkpoints(&acme.tenant, Tree::Facts, 1, 10).await.expect("they can be read");
    assert_eq!(later, [second.checkpoint]);
    let places = [TilePlace { level: 1, number: 0 }, TilePlace { level: 0, number: 0 }];
    // A tile is replaced by the wider one.
    let tiles = trees.tiles(&acme.tenant, Tree::Facts, &places).await.expect("they can be read");
    assert_eq!(tiles, [None, second.tiles.first().cloned()]);
    for (tenant, tree) in [(&zenith, Tree::Facts), (&acme.tenant, Tree::Audit)] {
        assert_eq!(sizes(&trees, tenant, tree).await, [] as [u64; 0]);
        assert_eq!(trees.tiles(tenant, tree, &places).await.expect("they can be read"), [None, None]);
    }
    assert_eq!(trees.trees().await.expect("they can be read"), [(acme.tenant.clone(), Tree::Facts)]);
}

pub async fn trees_grow_together_or_not_at_all(harness: &mut dyn Harness) {
    let trees = harness.trees();
    let [acme, zenith] = ["acme", "zenith"].map(|name| TenantId::new(name).expect("a literal that is a valid id"));
    let advance = |from, to| Some(Advance { source: "changes".to_owned(), from, to });
    let of_both = |from, to| vec![growth(&acme, Tree::Audit, from, to), growth(&zenith, Tree::Audit, from, to)];
    assert_eq!(grow(&trees, of_both(0, 2), advance(0, 7)).await, Grown::Done);
    // One of them has grown meanwhile, or the source was read further.
    assert_eq!(grow(&trees, vec![growth(&zenith, Tree::Audit, 2, 3)], None).await, Grown::Done);
    assert_eq!(grow(&trees, of_both(2, 4), advance(7, 9)).await, Grown::Overtaken);
    assert_eq!(grow(&trees, vec![growth(&acme, Tree::Audit, 2, 3)], advance(6, 8)).await, Grown::Overtaken);
    assert_eq!(sizes(&trees, &acme, Tree::Audit).await, [2]);
    assert_eq!(sizes(&trees, &zenith, Tree::Audit).await, [2, 3]);
    assert_eq!(trees.advanced("changes").await.expect("it can be read"), 7);
    assert_eq!(trees.advanced("other").await.expect("it can be read"), 0);
}

pub async fn tenants_with_new_facts_are_behind(harness: &mut dyn Harness) {
    let (trees, acme, zenith) = (harness.trees(), Sample::of(harness, "acme"), Sample::of(harness, "zenith"));
    let behind = async |most| trees.behind(most).await.expect("it can be read");
    assert_eq!(behind(10).await, []);
    acme.put(record("a")).await;
    zenith.put(record("a")).await;
    zenith.put(record("b")).await;
    assert_eq!(behind(10).await, [acme.tenant.clone(), zenith.tenant.clone()]);
    assert_eq!(behind(1).await, from_ref(&acme.tenant));
    grow(&trees, vec![growth(&acme.tenant, Tree::Facts, 0, 1)], None).await;
    // A tree of audit records says nothing about facts.
    grow(&trees, vec![growth(&zenith.tenant, Tree::Audit, 0, 2)], None).await;
    grow(&trees, vec![growth(&zenith.tenant, Tree::Facts, 0, 1)], None).await;
    assert_eq!(behind(10).await, from_ref(&zenith.tenant));
    grow(&trees, vec![growth(&zenith.tenant, Tree::Facts, 1, 2)], None).await;
    assert_eq!(behind(10).await, []);
    acme.put(record("c")).await;
    assert_eq!(behind(10).await, from_ref(&acme.tenant));
}

pub async fn audit_records_are_numbered_in_the_order_of_commits(harness: &mut dyn Harness) {
    let (trees, acme, zenith) = (harness.trees(), Sample::of(harness, "acme"), Sample::of(harness, "zenith"));
    for (sample, id) in [(&acme, "1"), (&zenith, "2"), (&acme, "3")] {
        let audited = Change { audit: Some(audit(id, "c")), ..change(&sample.tenant, vec![put(record(id))]) };
        sample.commit(audited).await.expect("it is plain");
    }
    let read = async |tenant: Option<&TenantId>, after, through, most| {
        let numbers = Numbers { tenant: tenant.cloned(), after, through, most };
        trees.audited(numbers).await.expect("audit records can be read")
    };
    let all = read(None, 0, u64::MAX, 10).await;
    let told: Vec<(&str, &str)> =
        all.iter().map(|record| (record.tenant.as_str(), record.audited.entry.id.as_str())).collect();
    assert_eq!(told, [("acme", "1"), ("zenith", "2"), ("acme", "3")]);
    assert!(all.windows(2).all(|pair| pair[0].number < pair[1].number), "{all:?}");
    assert_eq!(read(None, 0, u64::MAX, 2).await, all[..2]);
    assert_eq!(read(None, all[0].number, all[1].number, 10).await, all[1..2]);
    assert_eq!(read(Some(&acme.tenant), 0, u64::MAX, 10).await, [all[0].clone(), all[2].clone()]);
    assert_eq!(read(Some(&acme.tenant), all[0].number, u64::MAX, 10).await, all[2..]);
}

pub async fn spans_are_found_by_leaf(harness: &mut dyn Harness) {
    let (trees, acme) = (harness.trees(), Sample::of(harness, "acme"));
    let span = |first_leaf, leaves, source: &str, after, through| {
        Some(Span { first_leaf, leaves, source: source.to_owned(), after, through })
    };
    let spans = [span(0, 2, "changes", 0, 5), span(2, 3, "calls", 0, 9), span(5, 1, "changes", 5, 8)];
    for (from, to, span) in [(0, 2, &spans[0]), (2, 5, &spans[1]), (5, 6, &spans[2])] {
        let growth = Growth { span: span.clone(), ..growth(&acme.tenant, Tree::Audit, from, to) };
        grow(&trees, vec![growth], None).await;
    }
    let found = async |from, most| trees.spans(&acme.tenant, from, most).await.expect("spans can be read");
    let told = |range: std::ops::Range<usize>| spans[range].iter().flatten().cloned().collect::<Vec<_>>();
    assert_eq!(found(0, 10).await, told(0..3));
    assert_eq!(found(1, 1).await, told(0..1));
    assert_eq!(found(2, 10).await, told(1..3));
    assert_eq!(found(4, 1).await, told(1..2));
    assert_eq!(found(6, 10).await, []);
    let end = async |source: &str, through| trees.span_end(source, through).await.expect("spans can be read");
    assert_eq!((end("changes", 4).await, end("changes", 7).await, end("changes", u64::MAX).await), (0, 5, 8));
    assert_eq!((end("calls", 9).await, end("other", 9).await), (9, 0));
    let zenith = TenantId::new("zenith").expect("a literal that is a valid id");
    assert_eq!(trees.spans(&zenith, 0, 10).await.expect("spans can be read"), []);
}

pub async fn a_tree_outlives_a_crash(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.put(record("a")).await;
    grow(&harness.trees(), vec![growth(&sample.tenant, Tree::Facts, 0, 1)], None).await;
    let tenant = sample.tenant.clone();
    drop(sample);
    harness.crash();
    let head = Sample::new(harness).head().await;
    let size =
        harness.trees().checkpoint(&tenant, Tree::Facts).await.expect("it can be read").map_or(0, |last| last.size);
    // An engine without durability has neither.
    assert_eq!(size, head);
}
