//! Relationships that a file states between the entities that it gave.

use std::collections::BTreeMap;

use contract::Object;

use super::INTERPRETED;
use crate::Error;
use crate::domain::plan::Plan;
use crate::domain::relate::{Wanted, connect_with};
use crate::interpret::Link;
use crate::projection::Reader;
use crate::write::relate;

/// Adds edges with what in the file says so, and counts those whose ends are not both stored.
///
/// An end that has become part of another entity is that other one; what was deleted is not related to anything.
pub async fn store(
    reader: &Reader<'_>,
    plan: &mut Plan,
    run_id: &str,
    links: &[Link],
    named: &BTreeMap<usize, String>,
) -> Result<usize, Error> {
    let mut wanted = Vec::with_capacity(links.len());
    let mut unrelated = 0;
    for link in links {
        let is_there = |id: &&String| plan.entity(id).is_some_and(|entity| !entity.state.is_deleted());
        let end = |place: usize| named.get(&place).filter(is_there).cloned();
        match (end(link.source), end(link.target)) {
            (Some(source), Some(target)) if source != target => {
                let relationship_type = link.relationship_type.to_owned();
                wanted.push((Wanted { relationship_type, source, target }, link));
            }
            // Two names of one entity are no relationship.
            (Some(_), Some(_)) => {}
            _ => unrelated += 1,
        }
    }
    let edges: Vec<Wanted> = wanted.iter().map(|(edge, _)| edge.clone()).collect();
    let known = relate::known(reader, plan, &edges).await?;
    for (edge, link) in wanted {
        let mut said = Object::default();
        said.insert("evidence".to_owned(), link.evidence.as_str().into());
        said.insert("interpretation_run_id".to_owned(), run_id.into());
        connect_with(plan, &known, &edge, Some(said), INTERPRETED)?;
    }
    Ok(unrelated)
}
