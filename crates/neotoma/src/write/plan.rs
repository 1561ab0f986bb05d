//! A plan: what one call changes about entities, gathered before it is committed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ledger::{Expectation, RecordKey};
use scope::Timestamp;

use super::ahead::Ahead;
use super::{Decision, pause};
use crate::Error;
use crate::domain::identity::{self, normalise};
use crate::domain::{Map, Observation, Schema, schema, timeline};
use crate::projection::fold::{Fact, Happened};
use crate::projection::row::{self, EntityRow, EventRow, Row, kind};
use crate::projection::{Reader, Stored};

/// What a call has loaded and decided so far.
pub struct Plan<'a> {
    pub reader: &'a Reader<'a>,
    pub now: Timestamp,
    entities: BTreeMap<String, Work>,
    schemas: BTreeMap<String, Declared>,
    pub(super) ahead: Option<Ahead>,
    pub rows: Vec<Row>,
    pub ends: Vec<RecordKey>,
    pub expectations: Vec<Expectation>,
    /// About names that could not be taken.
    pub remarks: Vec<(String, String)>,
}

/// An entity before and after; one of them is there.
struct Work {
    before: Option<Stored<EntityRow>>,
    /// As the plan leaves it, once the plan has changed it.
    after: Option<EntityRow>,
}

impl Work {
    fn row(&self) -> Option<&EntityRow> {
        self.after.as_ref().or_else(|| self.before.as_ref().map(|before| &before.row))
    }

    fn row_mut(&mut self) -> &mut EntityRow {
        let before = self.before.as_ref();
        self.after.get_or_insert_with(|| before.expect("an entity is loaded or created").row.clone())
    }
}

/// A schema, and whether it has to be stored.
struct Declared {
    schema: Cow<'static, Schema>,
    /// The schema that what is stored was derived by, when it was another one.
    former: Option<Cow<'static, Schema>>,
    version: Option<u64>,
    changed: bool,
}

impl Declared {
    fn new(schema: Cow<'static, Schema>, version: Option<u64>, changed: bool) -> Self {
        Self { schema, former: None, version, changed }
    }
}

impl<'a> Plan<'a> {
    pub fn new(reader: &'a Reader<'a>, now: Timestamp) -> Self {
        Self {
            reader,
            now,
            entities: BTreeMap::new(),
            schemas: BTreeMap::new(),
            ahead: None,
            rows: Vec::new(),
            ends: Vec::new(),
            expectations: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Loads the schemas of these types. A type that nobody declared has an inferred one.
    pub async fn load_schemas<'t>(&mut self, types: impl Iterator<Item = &'t str> + Clone + Send) -> Result<(), Error> {
        let mut own = self.reader.schemas(types.clone()).await?;
        for of in types {
            if self.schemas.contains_key(of) {
                continue;
            }
            let declared = match (own.remove(of), schema::builtin(of)) {
                (Some(own), _) => Declared::new(Cow::Owned(own.row), Some(own.version), false),
                (None, Some(builtin)) => Declared::new(Cow::Borrowed(builtin), None, false),
                (None, None) => Declared::new(Cow::Owned(schema::infer(of, &[])), None, true),
            };
            self.schemas.insert(of.to_owned(), declared);
        }
        Ok(())
    }

    /// Takes the built-in schema of a type without looking for one of the user's own. False when there is none.
    pub fn assume_schema(&mut self, of: &str) -> bool {
        let builtin = schema::builtin(of).map(|builtin| Declared::new(Cow::Borrowed(builtin), None, false));
        builtin.map(|declared| self.schemas.insert(of.to_owned(), declared)).is_some()
    }

    /// The types whose schema is not the user's own, as far as is known.
    pub(super) fn assumed_types(&self) -> impl Iterator<Item = &str> {
        let assumed = self.schemas.iter().filter(|(_, declared)| declared.version.is_none());
        assumed.map(|(of, _)| of.as_str())
    }

    /// The schema of a type that was loaded.
    pub fn schema(&self, entity_type: &str) -> &Schema {
        &self.schemas.get(entity_type).expect("schemas are loaded before they are used").schema
    }

    /// Lets inferred schemas take in new fields.
    pub fn grow_schema(&mut self, entity_type: &str, samples: &[&Map]) {
        let declared = self.schemas.get_mut(entity_type).expect("schemas are loaded before they are used");
        if let Some(grown) = declared.schema.grown(samples) {
            declared.schema = Cow::Owned(grown);
            declared.changed = true;
        }
    }

    /// Puts a schema in the place of the one that was loaded; it will be stored.
    pub fn declare(&mut self, schema: Schema) {
        let declared = self.schemas.get_mut(&schema.entity_type).expect("schemas are loaded before they are used");
        declared.former = Some(std::mem::replace(&mut declared.schema, Cow::Owned(schema)));
        declared.changed = true;
    }

    /// Loads entities, following merges. The answer has the entity that each id leads to, or nothing.
    pub async fn load(&mut self, ids: &[String]) -> Result<Vec<Option<String>>, Error> {
        let found = self.entities(ids).await?;
        let mut leads_to = Vec::with_capacity(ids.len());
        for found in found {
            let Some(found) = found else {
                leads_to.push(None);
                continue;
            };
            let survivor = match found.row.merged_into {
                Some(_) => self.reader.survivor(found).await?,
                None => found,
            };
            leads_to.push(Some(survivor.row.id.clone()));
            self.hold(survivor);
        }
        Ok(leads_to)
    }

    /// Takes an entity that was loaded already.
    pub fn hold(&mut self, entity: Stored<EntityRow>) {
        self.entities.entry(entity.row.id.clone()).or_insert_with(|| Work { before: Some(entity), after: None });
    }

    /// Adds an entity that does not exist yet.
    pub fn create(&mut self, id: &str, entity_type: &str, name: &str) {
        let after = EntityRow::new(id.to_owned(), entity_type.to_owned(), name.to_owned(), self.now);
        self.entities.insert(id.to_owned(), Work { before: None, after: Some(after) });
    }

    /// An entity as the plan leaves it.
    pub fn entity(&self, id: &str) -> Option<&EntityRow> {
        self.entities.get(id).and_then(Work::row)
    }

    /// The entity for changing; it will be stored.
    pub fn entity_mut(&mut self, id: &str) -> &mut EntityRow {
        self.entities.get_mut(id).expect("entities are loaded before they are changed").row_mut()
    }

    /// True when the plan creates this entity.
    pub fn is_new(&self, id: &str) -> bool {
        self.entities.get(id).is_some_and(|work| work.before.is_none())
    }

    /// Expects that an entity which was loaded does not change until the commit.
    pub fn expect_unchanged(&mut self, id: &str) {
        let before = self.entities.get(id).and_then(|work| work.before.as_ref());
        let unchanged = before.map(|stored| Expectation::Version { key: stored.key.clone(), version: stored.version });
        self.expectations.extend(unchanged);
    }

    /// A moment for what is stored now about an entity: later than everything stored about it before.
    pub fn moment_for(&self, id: &str) -> Timestamp {
        match self.entities.get(id).and_then(|work| work.before.as_ref()) {
            Some(before) if before.row.updated_at >= self.now => before.row.updated_at.plus_micros(1),
            _ => self.now,
        }
    }

    /// Adds an observation to its entity.
    pub fn observe(&mut self, observation: Observation) {
        let declared = self.schemas.get(&observation.entity_type).expect("schemas are loaded before they are used");
        let work = self.entities.get_mut(&observation.entity_id).expect("entities are loaded before they are changed");
        let entity = work.row_mut();
        entity.state.add(&declared.schema, &observation);
        entity.updated_at = entity.updated_at.max(observation.created_at);
        self.rows.push(Row::Observation(observation));
    }

    /// The decision that this plan is.
    pub fn decision<A>(self, happened: Happened, subject: RecordKey, answer: A) -> Decision<A> {
        let Self { reader, rows, ends, expectations, .. } = self;
        let facts = Fact::of(reader.user, happened, &subject, rows, ends);
        Decision { expectations, ..Decision::new(facts, subject, answer) }
    }

    /// Puts a row and expects that its record is at `version`, or absent.
    pub fn put(&mut self, row: Row, version: Option<u64>) {
        let key = row.key(self.reader.user);
        self.expectations.push(match version {
            Some(version) => Expectation::Version { key, version },
            None => Expectation::Absent { key },
        });
        self.rows.push(row);
    }

    /// Derives names, identifiers and events of everything touched, and turns it into rows. This is the last step: the
    /// plan has no entities after it.
    pub async fn settle(&mut self) -> Result<(), Error> {
        self.settle_schemas();
        for (index, work) in std::mem::take(&mut self.entities).into_values().enumerate() {
            pause(index).await;
            let Work { before, after: Some(mut entity) } = work else { continue };
            let shown = identity::display_name(&entity.entity_type, &entity.state);
            if let Some(name) = shown.as_deref().filter(|_| entity.is_live()) {
                self.rename(before.as_ref(), &mut entity, name).await?;
            }
            let declared = self.schemas.get(&entity.entity_type).expect("schemas are loaded before they are used");
            let (schema, former) = (&declared.schema, declared.former.as_ref().unwrap_or(&declared.schema));
            entity.derive(schema, shown);
            let old = before.as_ref().map(|before| events(former, &before.row)).unwrap_or_default();
            let new = events(schema, &entity);
            for gone in old.iter().filter(|old| !new.iter().any(|new| new.id == old.id)) {
                self.ends.push(RecordKey::new(kind::EVENT, &gone.id));
            }
            let fresh = new.into_iter().filter(|new| !old.contains(new));
            self.rows.extend(fresh.map(Row::Event));
            self.put(Row::Entity(entity), before.map(|before| before.version));
        }
        Ok(())
    }

    fn settle_schemas(&mut self) {
        let user = self.reader.user;
        let mut changed = Vec::new();
        for (of, declared) in &self.schemas {
            if declared.changed && (!declared.schema.fields.is_empty() || !declared.schema.is_inferred()) {
                changed.push((Row::Schema(declared.schema.clone().into_owned()), declared.version));
            } else {
                let key = row::schema_key(user, of);
                self.expectations.push(match declared.version {
                    Some(version) => Expectation::Version { key, version },
                    None => Expectation::Absent { key },
                });
            }
        }
        changed.into_iter().for_each(|(row, version)| self.put(row, version));
    }

    /// Gives an entity the `name` that its snapshot has now, unless another of its type has it. The old name becomes an alias.
    async fn rename(
        &mut self,
        before: Option<&Stored<EntityRow>>,
        entity: &mut EntityRow,
        name: &str,
    ) -> Result<(), Error> {
        if name == entity.name {
            return Ok(());
        }
        let of = entity.entity_type.as_str();
        let same = normalise(of, name) == normalise(of, &entity.name);
        if before.is_some() && !same {
            let holders = self.reader.identified(name, Some(of), 2).await?;
            if holders.iter().any(|holder| holder.row.id != entity.id && !entity.members.contains(&holder.row.id)) {
                self.remarks
                    .push((entity.id.clone(), "another entity has the new name; this one keeps its own".to_owned()));
                return Ok(());
            }
        }
        let old = std::mem::replace(&mut entity.name, name.to_owned());
        if before.is_some() && !same && !old.is_empty() && !entity.aliases.contains(&old) {
            entity.aliases.push(old);
            entity.aliases.sort();
        }
        entity.aliases.retain(|alias| *alias != entity.name);
        Ok(())
    }
}

/// The events of an entity; one that is merged away or deleted has none.
fn events(schema: &Schema, entity: &EntityRow) -> Vec<EventRow> {
    if !entity.is_live() {
        return Vec::new();
    }
    let found = timeline::events(schema, &entity.id, &entity.state);
    let row = |event: timeline::Event| {
        let winner = entity.state.winner(&event.field)?;
        Some(EventRow {
            id: event.id,
            event_type: event.event_type,
            at: event.at,
            entity_id: entity.id.clone(),
            entity_type: entity.entity_type.clone(),
            source_id: winner.source_id.clone(),
            value: entity.state.value(&event.field)?.clone(),
            field: event.field,
        })
    };
    found.into_iter().filter_map(row).collect()
}
