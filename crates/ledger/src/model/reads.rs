//! How the model answers: scan, filter, sort.

use std::collections::{BTreeMap, BTreeSet};

use scope::Timestamp;

use super::state::{Tenant, shown};
use crate::place::{self, Place};
use crate::words::Query;
use crate::{
    Direction, Find, FindOrder, Neighbour, Page, ReadError, Record, RecordVersion, Search, SearchHit, Seq, Traversal,
    Traverse,
};

impl Tenant {
    pub(super) fn page(&self, at: Seq, find: &Find) -> Result<Page<RecordVersion>, ReadError> {
        let after = find.after.as_ref().map(|text| place::parse(find.order, text)).transpose()?;
        let mut items = self.placed(at, find);
        items.retain(|(place, _)| after.as_ref().is_none_or(|after| place::comes_after(find.order, place, after)));
        items.drain(..find.skip.min(items.len()));
        let more = items.len() > find.limit;
        items.truncate(find.limit);
        let next = items.last().filter(|_| more).map(|(place, _)| match find.order {
            FindOrder::Id => place.2.clone(),
            FindOrder::Time => Find::after_time(Timestamp(place.1.unwrap_or(i64::MIN)), &place.2),
            _ => serde_json::to_string(place).expect("texts and numbers are JSON"),
        });
        Ok(Page { items: items.into_iter().map(|(_, version)| shown(version)).collect(), next })
    }

    /// Everything that matches, in order.
    pub(super) fn matching(&self, at: Seq, find: &Find) -> Vec<RecordVersion> {
        self.placed(at, find).into_iter().map(|(_, version)| version).collect()
    }

    fn placed(&self, at: Seq, find: &Find) -> Vec<(Place, RecordVersion)> {
        let matching = self.visible(at).filter(|version| find.admits(&version.record));
        let mut items: Vec<(Place, RecordVersion)> = matching
            .flat_map(|version| {
                find.places(&version.record).into_iter().map(move |place| (place, version.clone())).collect::<Vec<_>>()
            })
            .collect();
        items.sort_by(|(one, _), (other, _)| one.cmp(other));
        if find.order == FindOrder::FieldDescending {
            items.reverse();
        }
        items
    }

    pub(super) fn counts(&self, at: Seq, kind: &str, scope: &str) -> Vec<(String, u64)> {
        let mut counts = BTreeMap::new();
        let wanted = |record: &Record| record.key.kind == kind && record.scope == scope && record.is_counted();
        for version in self.visible(at).filter(|version| wanted(&version.record)) {
            *counts.entry(version.record.r#type).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    pub(super) fn traverse(&self, at: Seq, traverse: &Traverse) -> Traversal {
        let followed = |link: &Record| {
            link.key.kind == traverse.kind && (traverse.types.is_empty() || traverse.types.contains(&link.r#type))
        };
        let links: Vec<RecordVersion> = self.visible(at).filter(|version| followed(&version.record)).collect();
        let mut seen = BTreeSet::from([traverse.from.clone()]);
        let mut frontier = seen.clone();
        let mut reached = Vec::new();
        for hops in 1..=traverse.hops_max {
            let mut steps: BTreeMap<String, &RecordVersion> = BTreeMap::new();
            for link in &links {
                let Some(ends) = &link.record.ends else { continue };
                let forward = (traverse.direction != Direction::Incoming).then_some((&ends.source, &ends.target));
                let backward = (traverse.direction != Direction::Outgoing).then_some((&ends.target, &ends.source));
                for (_, to) in forward.into_iter().chain(backward).filter(|(from, _)| frontier.contains(*from)) {
                    let first = steps.entry(to.clone()).or_insert(link);
                    if link.record.key.id < first.record.key.id {
                        *first = link;
                    }
                }
            }
            frontier.clear();
            for (id, link) in steps.into_iter().filter(|(id, _)| !seen.contains(id)) {
                if reached.len() == traverse.records_max {
                    return Traversal { reached, capped: true };
                }
                frontier.insert(id.clone());
                reached.push(Neighbour { id, hops, link: shown(link.clone()) });
            }
            seen.extend(frontier.iter().cloned());
            if frontier.is_empty() {
                break;
            }
        }
        Traversal { reached, capped: false }
    }

    pub(super) fn search(&self, at: Seq, search: &Search) -> Vec<SearchHit> {
        let query = Query::new(search);
        let mut newest: Vec<RecordVersion> =
            self.visible(at).filter(|version| in_search(search, &version.record)).collect();
        newest.reverse();
        let holds = |index: usize, version: &RecordVersion| {
            crate::words::words(&version.record.text).iter().any(|word| query.stands_for(index, word))
        };
        let indexes = 0..query.words.len();
        let mut candidates: BTreeMap<String, RecordVersion> = BTreeMap::new();
        if query.all_words && !query.words.is_empty() {
            let matching = newest.iter().filter(|version| indexes.clone().all(|index| holds(index, version)));
            candidates.extend(matching.take(query.candidates_max()).map(by_id));
        } else {
            for index in indexes {
                let matching = newest.iter().filter(|version| holds(index, version));
                candidates.extend(matching.take(query.candidates_max()).map(by_id));
            }
        }
        let scores = query.scores(candidates.values().map(|version| version.record.text.as_str()));
        let wanted = |(version, _): &(RecordVersion, f64)| {
            search.r#type.as_ref().is_none_or(|wanted| *wanted == version.record.r#type)
        };
        let weighed = candidates.into_values().zip(scores).filter(wanted);
        let hits = weighed.map(|(version, score)| SearchHit { version: shown(version), score });
        let mut hits: Vec<SearchHit> = hits.collect();
        hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        hits.truncate(search.limit);
        hits
    }
}

fn by_id(version: &RecordVersion) -> (String, RecordVersion) {
    (version.record.key.id.clone(), version.clone())
}

fn in_search(search: &Search, record: &Record) -> bool {
    record.key.kind == search.kind && search.scope.as_ref().is_none_or(|scope| *scope == record.scope)
}
