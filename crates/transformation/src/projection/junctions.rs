//! What meets at a junction: the ways through it, followed until they come to elements.

use std::collections::BTreeSet;

use ledger::Direction;

use super::Snapshot;
use crate::Error;
use crate::domain::element::Element;
use crate::domain::relationship::junction::collects;
use crate::domain::relationship::{End, Junctions, Relationship};
use crate::domain::{Mention, Stored};
use crate::metamodel::{Concept, ElementType, RelationshipType};

/// At most this many relationships are followed from junction to junction.
const LEGS_MAX: usize = 1_000;

/// The ways from or to one junction.
#[derive(Default)]
struct Ways {
    junctions: Vec<String>,
    /// The type that meets at the junction itself.
    r#type: Option<RelationshipType>,
    elements: Vec<Mention>,
}

impl Snapshot<'_> {
    /// What meets where these ends are junctions; empty where neither is.
    pub async fn junctions(&self, source: &End, target: &End) -> Result<Junctions, Error> {
        let mut found = Junctions { since: self.since, ..Junctions::default() };
        if let Some(junction) = source.junction() {
            let ways = self.ways("source_id", junction, Direction::Incoming).await?;
            (found.source_type, found.sources) = (ways.r#type, ways.elements);
            found.ids.extend(ways.junctions);
        }
        if let Some(junction) = target.junction() {
            let ways = self.ways("target_id", junction, Direction::Outgoing).await?;
            (found.target_type, found.targets) = (ways.r#type, ways.elements);
            found.ids.extend(ways.junctions);
        }
        found.ids.sort();
        found.ids.dedup();
        Ok(found)
    }

    async fn ways(&self, field: &str, start: &Stored<Element>, direction: Direction) -> Result<Ways, Error> {
        let mut ways = Ways::default();
        let mut seen = BTreeSet::from([start.id.clone()]);
        let mut open = vec![start.id.clone()];
        let mut legs_followed = 0;
        while let Some(junction) = open.pop() {
            let legs = self.relationships_of(&junction).await?;
            legs_followed += legs.len();
            if legs_followed > LEGS_MAX {
                let reason = format!("lies in a net of junctions with more than {LEGS_MAX} relationships");
                return Err(Error::invalid(field, reason, "join fewer relationships with one net of junctions"));
            }
            for (leg, other) in self.others(&junction, &legs).await? {
                let incoming = leg.target_id == junction;
                if incoming && collects(leg.r#type, Concept::from(other.r#type)) {
                    continue;
                }
                if junction == start.id {
                    ways.r#type = Some(leg.r#type);
                }
                if incoming != (direction == Direction::Incoming) || !seen.insert(other.id.clone()) {
                    continue;
                }
                match other.r#type == ElementType::JUNCTION {
                    true => open.push(other.id.clone()),
                    false => ways.elements.push(other.mention()),
                }
            }
            ways.junctions.push(junction);
        }
        Ok(ways)
    }

    /// The relationships at a junction, each with the element at its other end.
    async fn others<'r>(
        &self,
        junction: &str,
        legs: &'r [Relationship],
    ) -> Result<Vec<(&'r Relationship, Stored<Element>)>, Error> {
        let other = |leg: &'r Relationship| if leg.target_id == junction { &leg.source_id } else { &leg.target_id };
        let ids: Vec<&str> = legs.iter().map(|leg| other(leg).as_str()).collect();
        let elements = self.elements_by_id(&ids).await?;
        Ok(legs.iter().zip(elements).filter_map(|(leg, element)| Some((leg, element?))).collect())
    }
}
