//! The relationships that a chunk tells about, read at the same point as the element.

use std::collections::{BTreeMap, BTreeSet};

use ledger::{Direction, Find, Page};

use super::chunk::{Tie, Ties};
use crate::Error;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::relationship::Relationship;
use crate::domain::{Mention, Stored};
use crate::metamodel::RelationshipType;
use crate::projection::Snapshot;

/// At most this many relationships of an element are read.
pub const RELATIONSHIPS_MAX: usize = 30;
/// At most this many relationships of a capability are looked through for what belongs to it.
const OWNED_MAX: usize = 5000;

/// The relationships of each element, outgoing first.
pub async fn ties_of(snapshot: &Snapshot<'_>, elements: &[&Element]) -> Result<Vec<Ties>, Error> {
    let mut pages = Vec::with_capacity(elements.len());
    for element in elements {
        let find = Find { limit: RELATIONSHIPS_MAX, ..touching(&element.id) };
        let page: Page<Stored<Relationship>> = snapshot.page(find).await?;
        pages.push(page);
    }
    let ends: BTreeSet<&str> = pages
        .iter()
        .flat_map(|page| &page.items)
        .flat_map(|relationship| [relationship.source_id.as_str(), relationship.target_id.as_str()])
        .collect();
    let ends: Vec<&str> = ends.into_iter().collect();
    let known: BTreeMap<&str, Stored<Element>> = ends
        .iter()
        .zip(snapshot.elements_by_id(&ends).await?)
        .filter_map(|(id, element)| Some((*id, element?)))
        .collect();
    let mention = |id: &str| known.get(id).map(|element| element.mention());
    let of = |(element, page): (&&Element, &Page<Stored<Relationship>>)| {
        ties(&element.id, page.items.iter().map(|stored| &stored.state), page.next.is_some(), mention)
    };
    Ok(elements.iter().zip(&pages).map(of).collect())
}

/// The relationships as they are seen from one element, outgoing first; `mention` knows the elements at their other ends.
pub fn ties<'r>(
    element_id: &str,
    relationships: impl Iterator<Item = &'r Relationship>,
    more: bool,
    mention: impl Fn(&str) -> Option<Mention>,
) -> Ties {
    let seen_from_here = |relationship: &Relationship| {
        let outgoing = relationship.source_id == element_id;
        let other = if outgoing { &relationship.target_id } else { &relationship.source_id };
        Some(Tie { r#type: relationship.r#type, outgoing, other: mention(other)? })
    };
    let mut shown: Vec<Tie> = relationships.filter_map(seen_from_here).collect();
    shown.sort_by(|a, b| order(a).cmp(&order(b)));
    Ties { shown, more }
}

/// The ids of what realizes, is assigned to or is part of a capability, and its own.
pub async fn owned_by(snapshot: &Snapshot<'_>, capability_id: &str) -> Result<BTreeSet<String>, Error> {
    let mut owned = BTreeSet::from([capability_id.to_owned()]);
    let mut find = Find { limit: 500, ..touching(capability_id) };
    let mut looked_through = 0;
    loop {
        let page: Page<Stored<Relationship>> = snapshot.page(find.clone()).await?;
        looked_through += page.items.len();
        owned.extend(page.items.iter().filter_map(|relationship| part_of(relationship, capability_id)));
        match page.next {
            Some(next) if looked_through < OWNED_MAX => find.after = Some(next),
            _ => return Ok(owned),
        }
    }
}

fn part_of(relationship: &Relationship, capability_id: &str) -> Option<String> {
    use RelationshipType::{Aggregation, Assignment, Composition, Realization};
    let (whole, part) = match relationship.r#type {
        Realization | Assignment => (&relationship.target_id, &relationship.source_id),
        Composition | Aggregation => (&relationship.source_id, &relationship.target_id),
        _ => return None,
    };
    (whole == capability_id).then(|| part.clone())
}

/// All relationships of an element.
pub fn touching(element_id: &str) -> Find {
    Find { touching: Some((element_id.to_owned(), Direction::Both)), ..Find::all(kind::RELATIONSHIP) }
}

fn order(tie: &Tie) -> (bool, RelationshipType, &str, &str) {
    (!tie.outgoing, tie.r#type, &tie.other.name, &tie.other.id)
}
