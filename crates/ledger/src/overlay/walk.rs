//! Finds and walks over an overlay: what the base gives, with the drafts in their places.

use std::collections::{BTreeMap, BTreeSet};

use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::Overlay;
use crate::place::Place;
use crate::{Direction, Find, FindOrder, Neighbour, Page, ReadError, Record, RecordVersion, Seq, Traversal, Traverse};

/// How many records more than wanted a page of the base is asked for, in case drafts replace some of them.
const SPARE_MAX: usize = 8;

/// Links of one record are read in pages of this size.
const LINKS_READ: usize = 500;

/// Where a page in the order of names ended: where the base is asked again, and after which place.
#[derive(Debug, Serialize, Deserialize)]
struct Cursor {
    base: Option<String>,
    place: Place,
}

impl Overlay<'_> {
    /// Why a find cannot be answered where drafts may be among its matches.
    pub(super) fn refused(&self, find: &Find) -> Option<ReadError> {
        let by_field = find.field.is_some() || find.order.is_by_field();
        by_field.then(|| ReadError::Unavailable("an overlay is not read by field".to_owned()))
    }

    pub(super) async fn find_over(&self, at: Seq, find: Find) -> Result<Page<RecordVersion>, ReadError> {
        let (replaced, drafted) = {
            let drafts = self.read();
            (drafts.replaced(&find.kind), drafts.matching(&find))
        };
        if replaced.is_empty() && drafted.is_empty() {
            return self.base.find(&self.tenant, at, find).await;
        }
        if let Some(refused) = self.refused(&find) {
            return Err(refused);
        }
        let (mut base_after, after) = resume(&find)?;
        let place_of = |version: &RecordVersion| find.places(&version.record).into_iter().next();
        let is_ahead = |place: &Place| after.as_ref().is_none_or(|after| place > after);
        let mut ahead: Vec<(Place, RecordVersion)> = drafted
            .into_iter()
            .filter_map(|version| Some((place_of(&version)?, version)))
            .filter(|(place, _)| is_ahead(place))
            .collect();
        ahead.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut ahead = ahead.into_iter().peekable();

        let wanted = find.skip.saturating_add(find.limit);
        let mut items: Vec<(Place, RecordVersion)> = Vec::new();
        // Where the base is asked to go on from the record that ends the page.
        let mut resumed_at = base_after.clone();
        let mut exhausted = false;
        while items.len() <= wanted && !exhausted {
            let limit = (wanted - items.len()).saturating_add(1 + replaced.len().min(SPARE_MAX));
            let asked = Find { after: base_after.clone(), skip: 0, limit, ..find.clone() };
            let page = self.base.find(&self.tenant, at, asked).await?;
            exhausted = page.next.is_none();
            for version in page.items {
                let Some(place) = place_of(&version).filter(|place| is_ahead(place)) else { continue };
                while let Some(draft) = ahead.next_if(|(draft, _)| *draft < place) {
                    items.push(draft);
                }
                if replaced.binary_search(&version.record.key).is_err() {
                    items.push((place, version));
                }
            }
            if items.len() < wanted && !exhausted {
                resumed_at.clone_from(&page.next);
            }
            base_after = page.next;
        }
        if exhausted {
            items.extend(ahead);
        }
        let more = items.len() > wanted;
        items.truncate(wanted);
        items.drain(..find.skip.min(items.len()));
        let next = items.last().filter(|_| more).map(|(place, _)| ended(find.order, resumed_at, place));
        Ok(Page { items: items.into_iter().map(|(_, version)| version).collect(), next })
    }

    pub(super) async fn traverse_over(&self, at: Seq, traverse: Traverse) -> Result<Traversal, ReadError> {
        let plain = self.base.traverse(&self.tenant, at, traverse.clone()).await?;
        let touched = self.ends_of_drafts(at, &traverse).await?;
        let reached = std::iter::once(&traverse.from).chain(plain.reached.iter().map(|neighbour| &neighbour.id));
        // A walk that never stands where a draft begins takes the same way with and without them.
        if !plain.capped && reached.into_iter().all(|id| !touched.contains(id)) {
            return Ok(plain);
        }
        self.walk(at, &traverse).await
    }

    /// The ends of all links that drafts put, change or end, and that a walk would follow.
    async fn ends_of_drafts(&self, at: Seq, traverse: &Traverse) -> Result<BTreeSet<String>, ReadError> {
        let (replaced, live) = {
            let drafts = self.read();
            (drafts.replaced(&traverse.kind), drafts.live(&traverse.kind))
        };
        let before = self.base.get(&self.tenant, at, &replaced).await?;
        let links = before.into_iter().flatten().chain(live).map(|version| version.record);
        let followed = links.filter(|link| is_followed(traverse, link)).filter_map(|link| link.ends);
        Ok(followed.flat_map(|ends| [ends.source, ends.target]).collect())
    }

    /// The walk, one record after the other.
    async fn walk(&self, at: Seq, traverse: &Traverse) -> Result<Traversal, ReadError> {
        let mut seen = BTreeSet::from([traverse.from.clone()]);
        let mut frontier = seen.clone();
        let mut reached = Vec::new();
        for hops in 1..=traverse.hops_max {
            let mut steps: BTreeMap<String, RecordVersion> = BTreeMap::new();
            for here in &frontier {
                for link in self.links_at(at, traverse, here).await? {
                    let ends = link.record.ends.clone().expect("what touches a record has ends");
                    let forward = (traverse.direction != Direction::Incoming).then_some((&ends.source, &ends.target));
                    let backward = (traverse.direction != Direction::Outgoing).then_some((&ends.target, &ends.source));
                    for (_, to) in forward.into_iter().chain(backward).filter(|(from, _)| *from == here) {
                        let first = steps.entry(to.clone()).or_insert_with(|| link.clone());
                        if link.record.key.id < first.record.key.id {
                            *first = link.clone();
                        }
                    }
                }
            }
            frontier.clear();
            for (id, link) in steps.into_iter().filter(|(id, _)| !seen.contains(id)) {
                if reached.len() == traverse.records_max {
                    return Ok(Traversal { reached, capped: true });
                }
                frontier.insert(id.clone());
                reached.push(Neighbour { id, hops, link });
            }
            seen.extend(frontier.iter().cloned());
            if frontier.is_empty() {
                break;
            }
        }
        Ok(Traversal { reached, capped: false })
    }

    async fn links_at(&self, at: Seq, traverse: &Traverse, id: &str) -> Result<Vec<RecordVersion>, ReadError> {
        let touching = Some((id.to_owned(), traverse.direction));
        let mut find = Find { touching, limit: LINKS_READ, ..Find::all(&*traverse.kind) };
        let mut links = Vec::new();
        loop {
            let page = self.find_over(at, find.clone()).await?;
            links.extend(page.items.into_iter().filter(|link| is_followed(traverse, &link.record)));
            match page.next {
                Some(next) => find.after = Some(next),
                None => return Ok(links),
            }
        }
    }
}

fn is_followed(traverse: &Traverse, link: &Record) -> bool {
    link.key.kind == traverse.kind && (traverse.types.is_empty() || traverse.types.contains(&link.r#type))
}

/// Where the base is asked to go on, and the place after which the page begins.
fn resume(find: &Find) -> Result<(Option<String>, Option<Place>), ReadError> {
    let Some(text) = &find.after else { return Ok((None, None)) };
    let refused = || ReadError::Cursor(text.clone());
    match find.order {
        // Cursors in these orders are made of any place, also that of a draft.
        FindOrder::Id => Ok((Some(text.clone()), Some((None, None, text.clone())))),
        FindOrder::Time => {
            let (time, id) = Find::parse_time(text).ok_or_else(refused)?;
            Ok((Some(text.clone()), Some((None, Some(time.0), id.to_owned()))))
        }
        _ => {
            let Cursor { base, place } = serde_json::from_str(text).map_err(|_| refused())?;
            Ok((base, Some(place)))
        }
    }
}

fn ended(order: FindOrder, base: Option<String>, place: &Place) -> String {
    match order {
        FindOrder::Id => place.2.clone(),
        FindOrder::Time => Find::after_time(Timestamp(place.1.unwrap_or(i64::MIN)), &place.2),
        _ => {
            let cursor = Cursor { base, place: place.clone() };
            serde_json::to_string(&cursor).expect("texts and numbers are JSON")
        }
    }
}
