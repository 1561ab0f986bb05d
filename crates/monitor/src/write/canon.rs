//! Loads the part of the canon that proposals touch, and what must still hold when their decision is recorded.

use std::collections::BTreeSet;

use desk::{Stored, View};
use ledger::{At, Direction, Expectation, FieldKey, FieldRange, Find, FindOrder, RecordKey, Seq};
use serde::Deserialize;

use crate::Error;
use crate::domain::canonize::{Canon, references};
use crate::domain::narrative::{Evidence, Proposal};
use crate::domain::node::{Entity, Event, Fact, Relationship};
use crate::domain::row::{field, kind, tagged_key};
use crate::domain::words::{CanonLevel, EvidenceKind, Speaker};
use crate::domain::{claim, tags};
use crate::projection::Reader;

/// Facts that are compared with one statement, and relationships with one entity's new one.
const COMPARED_MAX: usize = 500;

/// What a piece of evidence resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub universe_id: String,
    /// Of a turn.
    pub speaker: Option<Speaker>,
}

/// The canon that the pending ones of these proposals are decided on. They are all of one universe; what belongs to another one
/// is not found.
pub async fn load(view: &View<'_>, proposals: &[Proposal]) -> Result<(Canon, Vec<Expectation>), Error> {
    let Some(universe) = proposals.first().map(|proposal| proposal.universe_id.as_str()) else {
        return Ok(Default::default());
    };
    let wanted = references(proposals);
    let since = view.ledger.point(view.tenant, At::Head).await?;
    let mut loading =
        Loading { reader: Reader { view: *view }, universe, canon: Canon::default(), expectations: Vec::new() };
    loading.entities(&wanted.entities).await?;
    loading.events(&wanted.events).await?;
    let facts: Vec<String> = wanted.facts.iter().cloned().collect();
    let found = loading.reader.all::<Fact>(kind::FACT, &facts).await?;
    found.into_iter().flatten().for_each(|fact| loading.keep_fact(fact));
    for (statement, entities) in &wanted.statements {
        let key = claim::key(statement, entities);
        loading.facts(field::CLAIM, &key).await?;
        loading.expectations.extend(entities.iter().min().map(|id| links_unchanged(id, since)));
    }
    for id in &wanted.related {
        loading.relationships(id).await?;
        loading.expectations.push(links_unchanged(id, since));
    }
    loading.evidence(wanted.evidence).await?;
    Ok((loading.canon, loading.expectations))
}

/// What pieces of evidence resolve to, in their order.
pub async fn evidence(view: &View<'_>, pieces: &[Evidence]) -> Result<Vec<Option<Found>>, Error> {
    let kinds = |one: &Evidence| match one.r#type {
        EvidenceKind::Source => vec![kind::SOURCE],
        EvidenceKind::Turn => vec![kind::TURN],
        EvidenceKind::Scene => vec![kind::SCENE],
        EvidenceKind::Snippet => vec![kind::SNIPPET],
        EvidenceKind::Rule => vec![kind::AXIOM, kind::SNIPPET],
    };
    let keys = |one: &Evidence| {
        let id = one.ref_id.to_ascii_lowercase();
        kinds(one).into_iter().map(move |kind| RecordKey::new(kind, id.clone())).collect::<Vec<_>>()
    };
    let wanted: Vec<Vec<RecordKey>> = pieces.iter().map(keys).collect();
    let mut versions = view.versions(&wanted.concat()).await?.into_iter();
    let mut found = Vec::with_capacity(pieces.len());
    for keys in &wanted {
        let tried: Vec<_> = versions.by_ref().take(keys.len()).collect();
        let version = tried.into_iter().flatten().next();
        let read = version.map(|version| Stored::<Piece>::read(version, view.error_id)).transpose()?;
        found.push(read.map(|piece| Found { universe_id: piece.row.universe_id, speaker: piece.row.speaker }));
    }
    Ok(found)
}

/// What all rows that can be evidence have in common.
#[derive(Deserialize)]
struct Piece {
    universe_id: String,
    speaker: Option<Speaker>,
}

struct Loading<'a> {
    reader: Reader<'a>,
    universe: &'a str,
    canon: Canon,
    expectations: Vec<Expectation>,
}

impl Loading<'_> {
    async fn entities(&mut self, ids: &BTreeSet<String>) -> Result<(), Error> {
        let ids: Vec<String> = ids.iter().cloned().collect();
        let found = self.reader.all::<Entity>(kind::ENTITY, &ids).await?;
        let universe = self.universe;
        for entity in found.into_iter().flatten().filter(|entity| entity.universe_id == universe) {
            self.expectations.push(entity.unchanged());
            // Who gave it a tag that excludes another one may be contradicted.
            for tag in entity.state_tags.iter().filter(|tag| tags::excluded_by(tag).next().is_some()) {
                self.facts(field::TAGGED, &tagged_key(&entity.entity_id, tag)).await?;
            }
            self.canon.entities.insert(entity.entity_id.clone(), entity.into_row());
        }
        Ok(())
    }

    async fn events(&mut self, ids: &BTreeSet<String>) -> Result<(), Error> {
        let ids: Vec<String> = ids.iter().cloned().collect();
        let found = self.reader.all::<Event>(kind::EVENT, &ids).await?;
        for event in found.into_iter().flatten().filter(|event| event.universe_id == self.universe) {
            self.expectations.push(event.unchanged());
            self.canon.events.insert(event.event_id.clone(), event.into_row());
        }
        Ok(())
    }

    /// Facts that are found by a key of a field.
    async fn facts(&mut self, name: &str, key: &FieldKey) -> Result<(), Error> {
        let find = Find {
            scope: Some(self.universe.to_owned()),
            field: Some(FieldRange::equal(name, key)),
            order: FindOrder::FieldDescending,
            ..Find::all(kind::FACT)
        };
        let (facts, _) = self.reader.some::<Fact>(find, COMPARED_MAX).await?;
        facts.into_iter().for_each(|fact| self.keep_fact(fact));
        Ok(())
    }

    fn keep_fact(&mut self, fact: Stored<Fact>) {
        if fact.universe_id == self.universe && !self.canon.facts.contains_key(&fact.fact_id) {
            self.expectations.push(fact.unchanged());
            self.canon.facts.insert(fact.fact_id.clone(), fact.into_row());
        }
    }

    /// The relationships that lead from an entity.
    async fn relationships(&mut self, id: &str) -> Result<(), Error> {
        let find = Find {
            touching: Some((id.to_owned(), Direction::Outgoing)),
            status: Some(CanonLevel::Canon.to_string()),
            ..Find::all(kind::RELATIONSHIP)
        };
        let (found, _) = self.reader.some::<Relationship>(find, COMPARED_MAX).await?;
        for edge in found {
            self.canon.relationships.insert(edge.relationship_id.clone(), edge.into_row());
        }
        Ok(())
    }

    async fn evidence(&mut self, wanted: BTreeSet<(EvidenceKind, String)>) -> Result<(), Error> {
        let pieces: Vec<Evidence> =
            wanted.into_iter().map(|(kind, ref_id)| Evidence { r#type: kind, ref_id }).collect();
        let found = evidence(&self.reader.view, &pieces).await?;
        for (piece, found) in pieces.into_iter().zip(found) {
            if let Some(found) = found.filter(|found| found.universe_id == self.universe) {
                self.canon.evidence.insert((piece.r#type, piece.ref_id), found.speaker);
            }
        }
        Ok(())
    }
}

fn links_unchanged(id: &str, since: Seq) -> Expectation {
    Expectation::LinksUnchanged { id: id.to_owned(), since }
}
