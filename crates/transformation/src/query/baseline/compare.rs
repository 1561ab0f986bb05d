//! Two states side by side: elements first, then relationships, each in the order of ids.
//!
//! Between two whole states only what the facts in between touched can differ, so few facts are read instead of a whole
//! model. Otherwise both states are walked together.

use std::collections::{BTreeMap, BTreeSet};

use contract::Context;
use contract::generated::transformation::{ChangeKind, CompareRequest, CompareResponse, StateChange};
use desk::PageTokens;
use ledger::{Find, Ledger};
use serde::de::DeserializeOwned;

use crate::Error;
use crate::domain::compare::{self, Change, Difference};
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::relationship::Relationship;
use crate::domain::{Name, Stored};
use crate::projection::{Listing, Snapshot};

const PAGE_DEFAULT: u32 = 100;
const PAGE_MAX: u32 = 200;
/// How many ids are looked at together.
const STRIDE: usize = 200;
/// One call looks at no more ids than this; the next page goes on.
const IDS_MAX: usize = 10_000;
/// With more facts than this in between, walking both states is the shorter way.
const FACTS_MAX: u64 = 5_000;

pub async fn compare(
    ledger: &dyn Ledger,
    tokens: &PageTokens,
    ctx: &Context,
    request: CompareRequest,
) -> Result<CompareResponse, Error> {
    let arguments = (&request.model_id, request.page_size);
    if request.to.is_some() && request.read_context.is_some() {
        let reason = "is given beside to, which means the same";
        return Err(Error::argument("read_context", reason, "give only one of to and read_context"));
    }
    let later = request.to.as_ref().or(request.read_context.as_ref());
    let contexts = [("from", request.from.as_ref()), ("to", later)];
    let listing = Listing::over(tokens, ctx, "compareStates", &arguments, &contexts, request.page_token.as_deref())?;
    let states = listing.snapshots(ledger, ctx).await?;
    let [from, to] = states.as_slice() else { unreachable!("two contexts make two states") };
    let model_id = model_id(from, to, request.model_id.as_deref()).await?;
    let asked = if request.page_size == 0 { PAGE_DEFAULT } else { request.page_size.min(PAGE_MAX) };
    let mut comparison = Comparison {
        from,
        to,
        touched: from.touched_until(to, FACTS_MAX).await?,
        model_id: &model_id,
        size: usize::try_from(asked).unwrap_or(100),
        looked_at: 0,
        found: Vec::new(),
    };
    let next = comparison.run(listing.after.as_deref()).await?;
    Ok(CompareResponse {
        summary: compare::summary(&comparison.found, next.is_some()),
        changes: comparison.found.iter().map(message).collect(),
        next_page_token: listing.token(&[from, to], next),
        from: Some(from.read_context()),
        to: Some(to.read_context()),
        model_id,
    })
}

/// The model that both states show: the one named, or the one that the later state means by default.
async fn model_id(from: &Snapshot<'_>, to: &Snapshot<'_>, reference: Option<&str>) -> Result<String, Error> {
    let later = if reference.is_none() && from.is_narrowed() && !to.is_narrowed() { from } else { to };
    let model_id = later.model_id(reference).await?;
    from.refuse_other_model(&model_id)?;
    to.refuse_other_model(&model_id)?;
    Ok(model_id)
}

struct Comparison<'a> {
    from: &'a Snapshot<'a>,
    to: &'a Snapshot<'a>,
    /// Ids by kind; none when both states are to be walked.
    touched: Option<BTreeMap<String, BTreeSet<String>>>,
    model_id: &'a str,
    size: usize,
    looked_at: usize,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    /// Fills a page from `after` on and says where the next one starts.
    async fn run(&mut self, after: Option<&str>) -> Result<Option<String>, Error> {
        let (mut kind, mut id) = after.and_then(|after| after.split_once('/')).unwrap_or(("element", ""));
        let mut last: String;
        loop {
            let ids = self.ids(kind, id).await?;
            let Some(end) = ids.last() else {
                if kind == "relationship" {
                    return Ok(None);
                }
                (kind, id) = ("relationship", "");
                continue;
            };
            if let Some(stopped) = self.look(kind, &ids).await? {
                return Ok(Some(format!("{kind}/{stopped}")));
            }
            self.looked_at += ids.len();
            last = end.clone();
            if self.looked_at >= IDS_MAX {
                return Ok(Some(format!("{kind}/{last}")));
            }
            id = &last;
        }
    }

    /// The next ids after `after` that may differ.
    async fn ids(&self, kind: &str, after: &str) -> Result<Vec<String>, Error> {
        let kind = if kind == "element" { kind::ELEMENT } else { kind::RELATIONSHIP };
        if let Some(touched) = &self.touched {
            let ids = touched.get(kind).into_iter().flatten();
            return Ok(ids.filter(|id| id.as_str() > after).take(STRIDE).cloned().collect());
        }
        let (left, right) = (self.side(self.from, kind, after).await?, self.side(self.to, kind, after).await?);
        Ok(known_to_both(&left, &right, STRIDE))
    }

    async fn side(&self, state: &Snapshot<'_>, kind: &str, after: &str) -> Result<Vec<String>, Error> {
        let scope = Some(self.model_id.to_owned());
        let after = (!after.is_empty()).then_some(after);
        state.ids_after(Find { scope, limit: STRIDE, ..Find::all(kind) }, after).await
    }

    /// Compares these ids; when the page is full, the last one that was looked at.
    async fn look(&mut self, kind: &str, ids: &[String]) -> Result<Option<String>, Error> {
        let differences = if kind == "element" { self.elements(ids).await? } else { self.relationships(ids).await? };
        for (difference, id) in differences.into_iter().zip(ids) {
            self.found.extend(difference);
            if self.found.len() == self.size {
                return Ok(Some(id.clone()));
            }
        }
        Ok(None)
    }

    async fn elements(&self, ids: &[String]) -> Result<Vec<Option<Difference>>, Error> {
        let (from, to) =
            (self.read::<Element>(self.from, kind::ELEMENT, ids).await?, self.read(self.to, kind::ELEMENT, ids).await?);
        let of_model = |element: &&Stored<Element>| element.model_id == self.model_id;
        let pair = from.iter().zip(&to);
        Ok(pair
            .map(|(from, to)| compare::elements(from.as_ref().filter(of_model), to.as_ref().filter(of_model)))
            .collect())
    }

    async fn relationships(&self, ids: &[String]) -> Result<Vec<Option<Difference>>, Error> {
        let (from, to) = (
            self.read::<Relationship>(self.from, kind::RELATIONSHIP, ids).await?,
            self.read::<Relationship>(self.to, kind::RELATIONSHIP, ids).await?,
        );
        let of_model = |link: &&Stored<Relationship>| link.model_id == self.model_id;
        let mut differences = Vec::with_capacity(ids.len());
        for (from, to) in from.iter().zip(&to) {
            let (from, to) = (from.as_ref().filter(of_model), to.as_ref().filter(of_model));
            let ends = match (from, to) {
                (Some(link), None) => names(self.from, link).await?,
                (None, Some(link)) => names(self.to, link).await?,
                _ => (None, None),
            };
            differences.push(compare::relationships(from, to, (ends.0.as_ref(), ends.1.as_ref())));
        }
        Ok(differences)
    }

    async fn read<T: DeserializeOwned>(
        &self,
        state: &Snapshot<'_>,
        kind: &str,
        ids: &[String],
    ) -> Result<Vec<Option<Stored<T>>>, Error> {
        state.by_id(kind, ids.iter().map(String::as_str)).await
    }
}

/// The ids of either side, in order, as far as both are known: beyond the end of a side that holds a full `stride`, its
/// next ids are not known yet.
fn known_to_both(left: &[String], right: &[String], stride: usize) -> Vec<String> {
    let end = [left, right].into_iter().filter(|side| side.len() == stride).filter_map(|side| side.last()).min();
    let both: BTreeSet<&String> = left.iter().chain(right).filter(|id| end.is_none_or(|end| *id <= end)).collect();
    both.into_iter().cloned().collect()
}

/// What the ends of a relationship are called.
async fn names(state: &Snapshot<'_>, link: &Relationship) -> Result<(Option<Name>, Option<Name>), Error> {
    let ends = state.elements_by_id(&[&link.source_id, &link.target_id]).await?;
    let mut names = ends.into_iter().map(|element| element.map(|element| element.state.name));
    Ok((names.next().flatten(), names.next().flatten()))
}

fn message(difference: &Difference) -> StateChange {
    let change = match difference.change {
        Change::Added => ChangeKind::Added,
        Change::Changed => ChangeKind::Changed,
        Change::Removed => ChangeKind::Removed,
    };
    StateChange {
        change: change.into(),
        kind: difference.kind.to_owned(),
        text: difference.text.clone(),
        element_id: difference.id.clone(),
        fields: difference.fields.iter().map(|field| (*field).to_owned()).collect(),
        from_version_id: difference.from_version_id.clone(),
        to_version_id: difference.to_version_id.clone(),
        repository_id: difference.repository_id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sides_are_walked_together_without_gaps() {
        check("abcdefg", "abcdefg");
        check("acegikmo", "bdf");
        check("", "abcdefgh");
        check("xyz", "abcdef");
        check("a", "");
        check("", "");
    }

    /// Walks two at a time and three at a time, and expects every id once.
    #[track_caller]
    fn check(left: &str, right: &str) {
        let ids = |side: &str| -> Vec<String> { side.chars().map(String::from).collect() };
        let all: BTreeSet<String> = ids(left).into_iter().chain(ids(right)).collect();
        for stride in [1, 2, 3] {
            let after = |side: &str, last: &str| -> Vec<String> {
                ids(side).into_iter().filter(|id| id.as_str() > last).take(stride).collect()
            };
            let mut seen: Vec<String> = Vec::new();
            loop {
                let last = seen.last().cloned().unwrap_or_default();
                let next = known_to_both(&after(left, &last), &after(right, &last), stride);
                if next.is_empty() {
                    break;
                }
                seen.extend(next);
            }
            assert!(seen.iter().eq(&all), "{left} and {right} by {stride}: {seen:?}");
        }
    }
}
