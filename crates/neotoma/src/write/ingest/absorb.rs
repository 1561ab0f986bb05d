//! From a batch to observations.

use std::collections::BTreeSet;

use contract::generated::neotoma::{IngestWarning, IngestedEntity};
use contract::{List, Object};
use ledger::{Find, RecordKey};
use scope::Timestamp;
use serde_json::Value;

use super::batch::{Batch, Item, Referred};
use crate::Error;
use crate::domain::identity::{is_single_token, normalise};
use crate::domain::schema::Strategy;
use crate::domain::{Kind, Map, Observation, Schema, State, ids};
use crate::projection::row::{EntityRow, SourceRow, kind, observation_key};
use crate::write::{Plan, pause, relate};

/// Duplicates are looked for among this many new entities of one call.
const HINTED_MAX: usize = 20;
const HINTS_MAX: usize = 3;

/// Where the entities of a batch come from.
#[derive(Debug, Clone)]
pub struct Origin {
    pub run_id: Option<String>,
    /// When the sender says it was true; now, if it does not say.
    pub observed_at: Option<Timestamp>,
    pub source_priority: f64,
    pub specificity_score: f64,
    pub kind: Option<Kind>,
    /// False when this source has spoken before.
    pub is_new: bool,
}

/// What became of a batch.
#[derive(Debug, Default)]
pub struct Absorbed {
    pub entities: Vec<IngestedEntity>,
    pub warnings: Vec<IngestWarning>,
    pub entities_created: u64,
    pub observations_created: u64,
}

impl Batch {
    /// Adds observations for everything that says something new, and notes in `source` what it spoke about.
    pub async fn absorb(self, plan: &mut Plan<'_>, source: &mut SourceRow, origin: &Origin) -> Result<Absorbed, Error> {
        let leads_to = plan.load(&self.entity_ids).await?;
        let survivor = |id: &str| {
            let position = self.entity_ids.binary_search_by(|wanted| wanted.as_str().cmp(id)).ok();
            position.and_then(|position| leads_to[position].clone())
        };
        let known = self.known_observations(plan, source, origin, &survivor).await?;
        let mut absorbed = Absorbed::default();
        // Only a batch that is about an entity twice has to know what it said before.
        let repeats = self.items.len() != self.entity_ids.len()
            || self.items.iter().any(|item| !item.references.is_empty())
            || has_merged(&self.entity_ids, &leads_to);
        let mut spoken = BTreeSet::new();
        let mut made = BTreeSet::new();
        for (index, mut item) in self.items.into_iter().enumerate() {
            pause(index).await;
            let number = u32::try_from(index).ok();
            warn(plan, &item, number, &mut absorbed.warnings);
            let found = survivor(&item.entity_id);
            let id = found.clone().unwrap_or_else(|| item.entity_id.clone());
            let existed = plan.entity(&id).is_some();
            if plan.entity(&id).is_some_and(|entity| entity.state.is_deleted()) {
                return Err(Error::EntityDeleted { field: format!("entities[{index}]"), entity_id: id });
            }
            if !existed {
                plan.create(&id, &item.entity_type, &item.name);
                absorbed.entities_created += 1;
            }
            let repeated = !origin.is_new || (repeats && !spoken.insert(id.clone()));
            let observation_id = observation_id(source, origin, &id, &item.fields);
            let says_nothing = existed
                && repeated
                && (known.contains(&observation_id)
                    || made.contains(&observation_id)
                    || plan
                        .entity(&id)
                        .is_some_and(|entity| says(entity, plan.schema(&item.entity_type), &item.fields)));
            let mut answer = IngestedEntity {
                id: id.clone(),
                entity_type: item.entity_type.clone(),
                action: if existed { "extended" } else { "created" }.to_owned(),
                ..IngestedEntity::default()
            };
            if says_nothing {
                answer.action = "matched".to_owned();
            } else {
                answer.observation_id = Some(observation_id.clone());
                if repeats {
                    made.insert(observation_id.clone());
                }
                let fields = std::mem::take(&mut item.fields);
                plan.observe(observation(plan, source, origin, &id, observation_id, &item.entity_type, fields));
                source.speak_of(&id);
                absorbed.observations_created += 1;
            }
            if !existed && absorbed.entities_created as usize <= HINTED_MAX {
                let hints = duplicates(plan, &id, &item).await?;
                answer.possible_duplicates = (!hints.is_empty()).then(|| List::of(hints));
            }
            absorbed.entities.push(answer);
            refer(plan, source, origin, &id, item.references, &survivor, &mut absorbed).await?;
        }
        Ok(absorbed)
    }

    /// The observations of this source that may be repeated, when the sender gave their time.
    async fn known_observations(
        &self,
        plan: &Plan<'_>,
        source: &SourceRow,
        origin: &Origin,
        survivor: &impl Fn(&str) -> Option<String>,
    ) -> Result<BTreeSet<String>, Error> {
        let Some(observed_at) = origin.observed_at.filter(|_| !origin.is_new) else { return Ok(BTreeSet::new()) };
        let keys = self.items.iter().map(|item| {
            let id = survivor(&item.entity_id).unwrap_or_else(|| item.entity_id.clone());
            observation_key(&id, observed_at, &observation_id(source, origin, &id, &item.fields))
        });
        let keys: Vec<RecordKey> = keys.collect();
        let found = plan.reader.rows::<Observation>(&keys).await?;
        Ok(found.into_iter().flatten().map(|found| found.row.id).collect())
    }
}

/// Whether one of the entities has become part of another.
fn has_merged(entity_ids: &[String], leads_to: &[Option<String>]) -> bool {
    entity_ids.iter().zip(leads_to).any(|(id, leads_to)| leads_to.as_ref().is_some_and(|leads_to| leads_to != id))
}

fn observation_id(source: &SourceRow, origin: &Origin, entity: &str, fields: &Map) -> String {
    // A time that the sender gave tells repetitions apart in whatever order they arrive; otherwise they are counted.
    let occurrence = match origin.observed_at {
        Some(at) => at.0.to_string(),
        None => format!("#{}", source.occurrences(entity)),
    };
    ids::observation(&source.id, origin.run_id.as_deref(), entity, fields, &occurrence)
}

fn observation(
    plan: &Plan<'_>,
    source: &SourceRow,
    origin: &Origin,
    entity: &str,
    id: String,
    entity_type: &str,
    fields: Map,
) -> Observation {
    let now = plan.moment_for(entity);
    Observation {
        id,
        entity_id: entity.to_owned(),
        entity_type: entity_type.to_owned(),
        schema_version: plan.schema(entity_type).schema_version.clone(),
        source_id: source.id.clone(),
        run_id: origin.run_id.clone(),
        observed_at: origin.observed_at.unwrap_or(now),
        created_at: now,
        source_priority: origin.source_priority,
        specificity_score: origin.specificity_score,
        kind: origin.kind,
        marker: None,
        fields: Object(fields),
    }
}

/// True when the entity's current truth holds all of `fields` already.
fn says(entity: &EntityRow, schema: &Schema, fields: &Map) -> bool {
    fields.iter().all(|(name, value)| current(&entity.state, schema, name, value))
}

fn current(state: &State, schema: &Schema, name: &str, value: &Value) -> bool {
    match (state.value(name), value) {
        (None, value) => value.is_null(),
        (Some(Value::Array(held)), Value::Array(sent)) if schema.reducer(name).strategy == Strategy::MergeArray => {
            sent.iter().all(|item| held.contains(item))
        }
        (Some(held), sent) => held == sent || ids::canonical(held) == ids::canonical(sent),
    }
}

fn warn(plan: &Plan<'_>, item: &Item, index: Option<u32>, warnings: &mut Vec<IngestWarning>) {
    let schema = plan.schema(&item.entity_type);
    if schema.is_inferred() {
        return;
    }
    let found = schema.warnings(&item.fields).into_iter();
    warnings.extend(found.map(|warning| IngestWarning {
        index,
        message: format!("{} {}", warning.field, warning.reason),
        field: Some(warning.field),
    }));
}

/// Live entities that a new one may repeat: of the same name, or with a longer name that begins with its only word.
async fn duplicates(plan: &Plan<'_>, id: &str, item: &Item) -> Result<Vec<String>, Error> {
    let (of, is_single) = (item.entity_type.as_str(), is_single_token(&item.name));
    let may_be_longer = is_single && matches!(of, "person" | "contact" | "company");
    if item.by_name && !may_be_longer {
        return Ok(Vec::new());
    }
    let name = normalise(of, &item.name);
    let narrow = Find {
        scope: Some(plan.reader.user.to_owned()),
        r#type: Some(item.entity_type.clone()),
        limit: HINTS_MAX,
        ..Find::all(kind::ENTITY)
    };
    let mut finds = Vec::new();
    if !item.by_name {
        finds.push(Find { name: Some(name.clone()), ..narrow.clone() });
    }
    if may_be_longer {
        finds.push(Find { name_prefix: Some(format!("{name} ")), ..narrow });
    }
    let mut found = Vec::new();
    for find in finds {
        let (rows, _) = plan.reader.find::<EntityRow>(find).await?;
        found.extend(rows.into_iter().map(|row| row.row.id).filter(|found| found != id));
    }
    found.dedup();
    found.truncate(HINTS_MAX);
    Ok(found)
}

/// Connects an entity with those that its reference fields name, and creates the ones that do not exist.
pub async fn refer(
    plan: &mut Plan<'_>,
    source: &mut SourceRow,
    origin: &Origin,
    from: &str,
    references: Vec<Referred>,
    survivor: &impl Fn(&str) -> Option<String>,
    absorbed: &mut Absorbed,
) -> Result<(), Error> {
    for referred in references {
        let found = survivor(&referred.entity_id);
        let id = found.unwrap_or_else(|| referred.entity_id.clone());
        if plan.entity(&id).is_none() {
            plan.create(&id, &referred.entity_type, &referred.name);
            absorbed.entities_created += 1;
            absorbed.observations_created += 1;
            let observed = observation_id(source, origin, &id, &referred.fields);
            let observation = observation(plan, source, origin, &id, observed, &referred.entity_type, referred.fields);
            absorbed.entities.push(IngestedEntity {
                id: id.clone(),
                entity_type: referred.entity_type,
                action: "created".to_owned(),
                observation_id: Some(observation.id.clone()),
                possible_duplicates: None,
            });
            plan.observe(observation);
            source.speak_of(&id);
        }
        let deleted = plan.entity(&id).is_some_and(|entity| entity.state.is_deleted());
        if !deleted && id != from {
            relate::connect(plan, &referred.relationship_type, from, &id, None).await?;
        }
    }
    Ok(())
}
