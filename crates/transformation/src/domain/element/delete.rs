//! When an element may go, and what goes with it.

use ledger::{Expectation, Seq};

use super::{Element, refuse_stale};
use crate::Error;
use crate::domain::name::quoted;
use crate::domain::relationship::{self, Relationship};
use crate::domain::{Decision, Fact, Notes, Stored};

/// What a caller wants to delete.
#[derive(Debug, Clone)]
pub struct DeleteElement {
    /// Id, key or name.
    pub element: String,
    pub cascade: bool,
    /// Also when the published baseline holds it.
    pub even_if_published: bool,
    pub expected_version: Option<u64>,
}

/// An element that goes, as it was, and what goes with it.
#[derive(Debug, Clone)]
pub struct Deleted {
    pub element: Stored<Element>,
    pub relationships: Vec<String>,
}

/// Decides whether `element` may go. `relationships` are all that touched it at `since`, or touched one of those.
pub fn delete(
    element: &Stored<Element>,
    relationships: &[Relationship],
    since: Seq,
    command: &DeleteElement,
) -> Result<Decision<Deleted>, Error> {
    refuse_stale(element, command.expected_version)?;
    let ids: Vec<String> = relationships.iter().map(|relationship| relationship.id.clone()).collect();
    if !command.cascade && !ids.is_empty() {
        return Err(Error::RelationshipsExist { element: element.mention(), relationships: ids });
    }
    let mut facts: Vec<Fact> = relationships.iter().cloned().map(Fact::ElementRelationshipDeleted).collect();
    facts.push(Fact::ElementDeleted(element.state.clone()));
    let mut expectations = vec![
        Expectation::Version { key: element.key(), version: element.version },
        Expectation::LinksUnchanged { id: element.id.clone(), since },
    ];
    expectations.extend(relationship::links_unchanged(relationships.iter(), since));
    let mut notes = Notes::default();
    if !ids.is_empty() {
        let message = format!("{} relationships of {} are deleted with it", ids.len(), quoted(element.name.as_str()));
        notes.warn("RELATIONSHIPS_DELETED", message, "Give cascade false to keep an element that is in use");
    }
    notes.suggest("The element and its relationships stay readable at an earlier read_context");
    Ok(Decision { outcome: Deleted { element: element.clone(), relationships: ids }, facts, expectations, notes })
}
