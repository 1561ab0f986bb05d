//! Junctions: all that meets at one has one type, and every way through it is permitted from end to end.

use ledger::{Expectation, Seq};

use super::End;
use crate::Error;
use crate::domain::Mention;
use crate::metamodel::{Concept, ElementType, Profile, RelationshipType};

/// What meets where a new relationship would touch a junction.
#[derive(Debug, Clone, Default)]
pub struct Junctions {
    /// Ids of all junctions that were looked at, at `since`.
    pub ids: Vec<String>,
    pub since: Seq,
    /// The type that meets at the source, if that is a junction with relationships.
    pub source_type: Option<RelationshipType>,
    /// The same for the target.
    pub target_type: Option<RelationshipType>,
    /// Elements from which ways through junctions lead to the source.
    pub sources: Vec<Mention>,
    /// Elements to which ways through junctions lead from the target.
    pub targets: Vec<Mention>,
}

impl Junctions {
    /// That no other relationship comes to these junctions.
    pub(super) fn expectations(&self) -> impl Iterator<Item = Expectation> {
        self.ids.iter().map(|id| Expectation::LinksUnchanged { id: id.clone(), since: self.since })
    }
}

/// Whether a relationship only collects a junction, as a Grouping or a Location does with what it holds.
pub fn collects(of: RelationshipType, source: Concept) -> bool {
    use RelationshipType::{Aggregation, Composition};
    matches!(of, Aggregation | Composition)
        && [ElementType::GROUPING, ElementType::LOCATION].map(Concept::from).contains(&source)
}

/// Refuses a relationship that does not go with what meets at a junction.
pub(super) fn refuse(
    profile: Profile,
    source: &End,
    target: &End,
    junctions: &Junctions,
    of: RelationshipType,
) -> Result<(), Error> {
    let (at_source, at_target) = (source.junction(), target.junction());
    if at_source.is_none() && at_target.is_none() || collects(of, source.concept()) {
        return Ok(());
    }
    let meets = [("source_id", at_source, junctions.source_type), ("target_id", at_target, junctions.target_type)];
    for (field, junction, existing) in meets {
        if let (Some(junction), Some(existing)) = (junction, existing.filter(|existing| *existing != of)) {
            return Err(Error::JunctionMixed { field, junction: junction.mention(), existing, relationship: of });
        }
    }
    let (itself, other) = ([source.mention()], [target.mention()]);
    let sources = if at_source.is_some() { junctions.sources.as_slice() } else { &itself };
    let targets = if at_target.is_some() { junctions.targets.as_slice() } else { &other };
    for from in sources {
        if let Some(to) = targets.iter().find(|to| !profile.permits(of, from.r#type, to.r#type)) {
            let permitted = profile.permitted(from.r#type, to.r#type);
            return Err(Error::JunctionPath { relationship: of, from: from.clone(), to: to.clone(), permitted });
        }
    }
    Ok(())
}
