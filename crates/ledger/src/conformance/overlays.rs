//! Overlays: facts that are laid over a ledger read as if they had been committed to it.

use std::collections::BTreeSet;

use super::commands::Dice;
use super::sample::{LINK, NOON, THING, put, tenant};
use super::{Harness, change, record};
use crate::{
    At, Change, CommitError, Effect, Find, FindOrder, LIVE, Ledger, Overlay, RecordKey, RecordVersion, Search, Seq,
    Traverse,
};

const ROUNDS: usize = 150;
const READS: usize = 25;

/// Random commands on a small world, each round laid over the ledger first and committed then.
pub async fn an_overlay_reads_as_the_ledger_does_after_the_commit(harness: &mut dyn Harness) {
    let ledger = harness.ledger();
    let mut dice = Dice(15);
    let tenant = tenant("acme");
    let mut ended = BTreeSet::new();
    for round in 0..ROUNDS {
        let since = ledger.point(&tenant, At::Head).await.expect("a head");
        let mut next = Change { tenant: tenant.clone(), ..dice.change(since) };
        (next.expectations, next.idempotency, next.at) = (Vec::new(), None, NOON.plus_micros(1_000_000_000));
        next.facts.iter_mut().flat_map(|(_, effects)| effects).for_each(forget_names);
        let overlay = Overlay::over(ledger.clone(), tenant.clone(), since);
        for (_, effects) in &next.facts {
            overlay.lay(effects, next.at).await.expect("the base can be read");
        }
        let questions: Vec<Question> = (0..READS).map(|_| Question::new(&mut dice)).collect();
        let mut over = Vec::new();
        for question in &questions {
            over.push(question.answer(&overlay, &tenant, since, &ended).await);
        }
        ledger.commit(next.clone()).await.expect("nothing stands in the way");
        let head = ledger.point(&tenant, At::Head).await.expect("a head");
        for (question, over) in questions.iter().zip(over) {
            let after = question.answer(ledger.as_ref(), &tenant, head, &ended).await;
            assert!(over == after, "round {round}: {question:?} after {next:#?}\noverlay: {over}\nledger: {after}");
        }
        note_ends(&next, &mut ended);
    }
}

pub async fn nothing_is_committed_to_an_overlay(harness: &mut dyn Harness) {
    let tenant = tenant("acme");
    let overlay = Overlay::over(harness.ledger(), tenant.clone(), 0);
    let refused = overlay.commit(change(&tenant, vec![put(record("a"))])).await;
    assert!(matches!(refused, Err(CommitError::Unavailable(_))), "{refused:?}");
}

pub async fn an_overlay_is_of_one_tenant_and_of_no_earlier_point(harness: &mut dyn Harness) {
    let ledger = harness.ledger();
    let (acme, zenith) = (tenant("acme"), tenant("zenith"));
    for tenant in [&acme, &zenith] {
        ledger.commit(change(tenant, vec![put(record("a"))])).await.expect("a first record");
    }
    let overlay = Overlay::over(ledger.clone(), acme.clone(), 1);
    overlay.lay(&[put(record("b"))], NOON).await.expect("the base can be read");
    let key = [RecordKey::new(THING, "b")];
    let seen = async |tenant, at| {
        let got = overlay.get(tenant, at, &key).await.expect("a read")[0].is_some();
        let found = overlay.find(tenant, at, Find::all(THING)).await.expect("a read").items.len();
        (got, found)
    };
    assert_eq!(seen(&acme, 1).await, (true, 2));
    assert_eq!(seen(&acme, LIVE).await, (true, 2));
    assert_eq!(seen(&acme, 0).await, (false, 0));
    assert_eq!(seen(&zenith, 1).await, (false, 1));
    assert!(overlay.get(&acme, 2, &key).await.is_err(), "a point that has not happened");
}

#[derive(Debug)]
enum Question {
    Get(Vec<RecordKey>),
    /// Every page of a find, and how many there are.
    Find(Box<Find>),
    Counts,
    Traverse(Traverse),
    /// Which records a search finds that weighs all there are.
    Search(Search),
}

impl Question {
    fn new(dice: &mut Dice) -> Self {
        match dice.below(6) {
            0 => Self::Get((0..3).map(|_| dice.key()).collect()),
            1 => Self::Counts,
            2 => {
                let (types, hops_max, records_max) = (Vec::new(), 4, dice.below(20));
                Self::Traverse(Traverse { types, hops_max, records_max, ..dice.traverse() })
            }
            3 => Self::Search(Search { weighed_max: 1000, limit: 100, r#type: None, ..dice.search() }),
            _ => {
                let find = dice.find();
                let order = if find.order.is_by_field() { FindOrder::Name } else { find.order };
                Self::Find(Box::new(Find { order, field: None, limit: dice.below(4), ..find }))
            }
        }
    }

    async fn answer(
        &self,
        ledger: &dyn Ledger,
        tenant: &scope::TenantId,
        at: Seq,
        ended: &BTreeSet<RecordKey>,
    ) -> String {
        let shown = |version: &RecordVersion| shown(version, ended);
        match self {
            Self::Get(keys) => {
                let got = ledger.get(tenant, at, keys).await.expect("a read");
                format!("{:#?}", got.iter().map(|found| found.as_ref().map(shown)).collect::<Vec<_>>())
            }
            Self::Counts => {
                let mut counts = Vec::new();
                for (kind, scope) in [(THING, "m1"), (THING, "m2"), (LINK, "m1"), (LINK, "m2")] {
                    counts.push(ledger.counts(tenant, at, kind, scope).await.expect("a read"));
                }
                format!("{counts:?}")
            }
            Self::Traverse(traverse) => {
                let walked = ledger.traverse(tenant, at, traverse.clone()).await.expect("a read");
                let reached = walked.reached.iter().map(|to| (to.id.clone(), to.hops, shown(&to.link)));
                format!("{:#?} {}", reached.collect::<Vec<_>>(), walked.capped)
            }
            Self::Search(search) => {
                let hits = ledger.search(tenant, at, search.clone()).await.expect("a read");
                let mut found: Vec<String> = hits.iter().map(|hit| shown(&hit.version)).collect();
                found.sort();
                format!("{found:#?}")
            }
            Self::Find(find) => {
                let all = ledger.count(tenant, at, (**find).clone(), 1000).await.expect("a read");
                let few = ledger.count(tenant, at, (**find).clone(), 2).await.expect("a read");
                let pages = pages(ledger, tenant, at, (**find).clone()).await;
                let pages: Vec<Vec<String>> = pages.iter().map(|page| page.iter().map(shown).collect()).collect();
                format!("{all} {few} {pages:#?}")
            }
        }
    }
}

async fn pages(ledger: &dyn Ledger, tenant: &scope::TenantId, at: Seq, mut find: Find) -> Vec<Vec<RecordVersion>> {
    let mut pages = Vec::new();
    loop {
        let page = ledger.find(tenant, at, find.clone()).await.expect("a read");
        pages.push(page.items);
        match page.next {
            Some(next) => (find.after, find.skip) = (Some(next), 0),
            None => return pages,
        }
    }
}

/// A version without its number where the record had been ended before: an overlay counts those from one.
fn shown(version: &RecordVersion, ended: &BTreeSet<RecordKey>) -> String {
    let counted = (!ended.contains(&version.record.key)).then_some(version.version);
    format!("{:?} {counted:?} {} {:?}", version.record, version.seq, version.at)
}

/// Names that are taken would refuse a change, and no read shows them.
fn forget_names(effect: &mut Effect) {
    if let Effect::Put(record) = effect {
        record.unique.clear();
    }
}

fn note_ends(change: &Change, ended: &mut BTreeSet<RecordKey>) {
    let ends = change.facts.iter().flat_map(|(_, effects)| effects).filter_map(|effect| match effect {
        Effect::End(key) => Some(key.clone()),
        Effect::Put(_) => None,
    });
    ended.extend(ends);
}
