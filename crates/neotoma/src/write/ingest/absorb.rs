//! From a batch to observations: loads what is stored about it, and lets the rules add what it says.

use std::collections::BTreeSet;

use ledger::{Find, RecordKey};
use scope::pace;

use super::batch::Batch;
use crate::Error;
use crate::domain::identity::normalise;
use crate::domain::ingest::{
    Absorbed, Absorbing, HINTED_MAX, Heard, Item, Origin, Referred, by_name_alone, observation_id,
};
use crate::domain::plan::Plan;
use crate::domain::relate::{Known, Wanted};
use crate::domain::{Observation, source::Source};
use crate::projection::Reader;
use crate::projection::row::{EntityRow, kind, observation_key};
use crate::write::ahead::Ahead;
use crate::write::{PER_ENTITY, load, relate};

const HINTS_MAX: usize = 3;

impl Batch {
    /// Adds observations for everything that says something new, and notes in `source` what it spoke about.
    pub async fn absorb(
        mut self,
        reader: &Reader<'_>,
        plan: &mut Plan,
        ahead: Option<Ahead>,
        source: &mut Source,
        origin: &Origin,
    ) -> Result<Absorbed, Error> {
        let found = match ahead {
            Some(ahead) => ahead.entities,
            None => reader.entities(&self.entity_ids).await?,
        };
        let leads_to = load::survivors(reader, plan, found).await?;
        // Only a batch that is about an entity twice has to know what it said before.
        let repeats = self.items.len() != self.entity_ids.len()
            || self.items.iter().any(|item| !item.references.is_empty())
            || has_merged(&self.entity_ids, &leads_to);
        self.lead(&leads_to);
        let observations = self.known_observations(reader, source, origin).await?;
        let known = self.known_edges(reader, plan).await?;
        let mut duplicates = self.duplicates(reader, plan).await?.into_iter();
        let mut absorbing = Absorbing::new(plan, source, origin, Heard { observations, repeats, known });
        for (index, item) in self.items.into_iter().enumerate() {
            pace::spend_async(PER_ENTITY).await;
            absorbing.take(index, item, duplicates.next().unwrap_or_default())?;
        }
        Ok(absorbing.finish())
    }

    /// Leads items and references to the entities that theirs have become part of.
    fn lead(&mut self, leads_to: &[Option<String>]) {
        if !has_merged(&self.entity_ids, leads_to) {
            return;
        }
        let entity_ids = &self.entity_ids;
        let lead = |id: &mut String| {
            let survivor = entity_ids.binary_search(id).ok().and_then(|position| leads_to[position].as_ref());
            if let Some(survivor) = survivor {
                id.clone_from(survivor);
            }
        };
        for item in &mut self.items {
            lead(&mut item.entity_id);
            item.references.iter_mut().for_each(|referred| lead(&mut referred.entity_id));
        }
    }

    /// The observations of this source that may be repeated, when the sender gave their time.
    async fn known_observations(
        &self,
        reader: &Reader<'_>,
        source: &Source,
        origin: &Origin,
    ) -> Result<BTreeSet<String>, Error> {
        let Some(observed_at) = origin.observed_at.filter(|_| !origin.is_new) else { return Ok(BTreeSet::new()) };
        let key = |item: &Item| {
            let id = &item.entity_id;
            observation_key(id, observed_at, &observation_id(source, origin, id, &item.fields))
        };
        let keys: Vec<RecordKey> = self.items.iter().map(key).collect();
        let found = reader.rows::<Observation>(&keys).await?;
        Ok(found.into_iter().flatten().map(|found| found.row.id).collect())
    }

    /// What is stored about the edges that the items want.
    async fn known_edges(&self, reader: &Reader<'_>, plan: &Plan) -> Result<Known, Error> {
        let wanted: Vec<Wanted> =
            self.items.iter().flat_map(|item| edges_wanted(&item.entity_id, &item.references)).collect();
        relate::known(reader, plan, &wanted).await
    }

    /// For each of the first items, the live entities that it may repeat when it is new.
    async fn duplicates(&self, reader: &Reader<'_>, plan: &Plan) -> Result<Vec<Vec<String>>, Error> {
        let mut found = Vec::new();
        let mut new = BTreeSet::new();
        for item in &self.items {
            if new.len() >= HINTED_MAX {
                break;
            }
            let is_new = plan.entity(&item.entity_id).is_none() && new.insert(item.entity_id.as_str());
            found.push(if is_new { duplicates(reader, item).await? } else { Vec::new() });
        }
        Ok(found)
    }
}

/// The edges from an entity to those that its fields name.
pub fn edges_wanted(from: &str, references: &[Referred]) -> Vec<Wanted> {
    let others = references.iter().filter(|referred| referred.entity_id != from);
    others.map(|referred| referred.wanted(from)).collect()
}

/// Whether one of the entities has become part of another.
fn has_merged(entity_ids: &[String], leads_to: &[Option<String>]) -> bool {
    entity_ids.iter().zip(leads_to).any(|(id, leads_to)| leads_to.as_ref().is_some_and(|leads_to| leads_to != id))
}

/// Live entities that a new one may repeat: of the same name, or with a longer name that begins with its only word.
async fn duplicates(reader: &Reader<'_>, item: &Item) -> Result<Vec<String>, Error> {
    if by_name_alone(item) {
        return Ok(Vec::new());
    }
    let name = normalise(&item.entity_type, &item.name);
    let narrow = Find {
        scope: Some(reader.user.to_owned()),
        r#type: Some(item.entity_type.clone()),
        limit: HINTS_MAX,
        ..Find::all(kind::ENTITY)
    };
    let mut finds = Vec::new();
    if !item.by_name {
        finds.push(Find { name: Some(name.clone()), ..narrow.clone() });
    }
    if item.may_be_longer() {
        finds.push(Find { name_prefix: Some(format!("{name} ")), ..narrow });
    }
    let mut found = Vec::new();
    for find in finds {
        let (rows, _) = reader.find::<EntityRow>(find).await?;
        found.extend(rows.into_iter().map(|row| row.row.id).filter(|found| *found != item.entity_id));
    }
    found.dedup();
    found.truncate(HINTS_MAX);
    Ok(found)
}
