//! A plan: what one call changes, gathered before it is committed.
//!
//! A call loads what it touches into a plan and lets the rules change it. [`Plan::settle`] comes last: it derives names,
//! identifiers and events of what was changed. Which names that takes, and which paths between entities must not be there,
//! is known only then; the plan asks for both ([`Plan::names_wanted`], [`Plan::next_search`]) and is told.

mod settle;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use desk::{Decision, Stored};
use ledger::{Expectation, RecordKey};
use scope::Timestamp;

use super::fact::{Fact, Happening};
use super::reach::Search;
use super::relationship::Relationship;
use super::row::Row;
use super::{Entity, Map, Observation, Schema, schema};

pub use settle::Taken;

/// What a call has loaded and decided so far.
pub struct Plan {
    pub user: String,
    pub now: Timestamp,
    entities: BTreeMap<String, Work>,
    schemas: BTreeMap<String, Declared>,
    searches: VecDeque<Search>,
    /// Where in `rows` the edges are, by id.
    edges: BTreeMap<String, usize>,
    pub rows: Vec<Row>,
    pub ends: Vec<RecordKey>,
    pub expectations: Vec<Expectation>,
    /// About names that could not be taken.
    pub remarks: Vec<(String, String)>,
}

/// An entity before and after; one of them is there.
struct Work {
    before: Option<Stored<Entity>>,
    /// As the plan leaves it, once the plan has changed it.
    after: Option<Entity>,
    /// It keeps the name that it has, whatever its snapshot calls it.
    keeps_name: bool,
}

impl Work {
    fn row(&self) -> Option<&Entity> {
        self.after.as_ref().or_else(|| self.before.as_ref().map(|before| &before.row))
    }

    fn row_mut(&mut self) -> &mut Entity {
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

impl Plan {
    pub fn new(user: &str, now: Timestamp) -> Self {
        Self {
            user: user.to_owned(),
            now,
            entities: BTreeMap::new(),
            schemas: BTreeMap::new(),
            searches: VecDeque::new(),
            edges: BTreeMap::new(),
            rows: Vec::new(),
            ends: Vec::new(),
            expectations: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Takes the schemas of these types; `own` are those of the user's own among them. A type that nobody declared has an
    /// inferred one.
    pub fn hold_schemas<'t>(
        &mut self,
        types: impl Iterator<Item = &'t str>,
        mut own: BTreeMap<String, Stored<Schema>>,
    ) {
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
    }

    /// Takes the built-in schema of a type without looking for one of the user's own. False when there is none.
    pub fn assume_schema(&mut self, of: &str) -> bool {
        let builtin = schema::builtin(of).map(|builtin| Declared::new(Cow::Borrowed(builtin), None, false));
        builtin.map(|declared| self.schemas.insert(of.to_owned(), declared)).is_some()
    }

    /// The types whose schema is not the user's own, as far as is known.
    pub fn assumed_types(&self) -> impl Iterator<Item = &str> {
        let assumed = self.schemas.iter().filter(|(_, declared)| declared.version.is_none());
        assumed.map(|(of, _)| of.as_str())
    }

    /// The types whose schema this plan stores.
    pub fn changed_types(&self) -> impl Iterator<Item = &str> {
        self.schemas.iter().filter(|(_, declared)| declared.is_stored()).map(|(of, _)| of.as_str())
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

    /// Takes an entity that was loaded.
    pub fn hold(&mut self, entity: Stored<Entity>) {
        let work = |before| Work { before: Some(before), after: None, keeps_name: false };
        self.entities.entry(entity.row.id.clone()).or_insert_with(|| work(entity));
    }

    /// Adds an entity that does not exist yet.
    pub fn create(&mut self, id: &str, entity_type: &str, name: &str) {
        let after = Entity::new(id.to_owned(), entity_type.to_owned(), name.to_owned(), self.now);
        self.entities.insert(id.to_owned(), Work { before: None, after: Some(after), keeps_name: false });
    }

    /// An entity as the plan leaves it.
    pub fn entity(&self, id: &str) -> Option<&Entity> {
        self.entities.get(id).and_then(Work::row)
    }

    /// The entity for changing; it will be stored.
    pub fn entity_mut(&mut self, id: &str) -> &mut Entity {
        self.entities.get_mut(id).expect("entities are loaded before they are changed").row_mut()
    }

    /// Lets an entity keep the name that it has, whatever its snapshot calls it now.
    pub fn keep_name(&mut self, id: &str) {
        self.entities.get_mut(id).expect("entities are loaded before they are changed").keeps_name = true;
    }

    /// True when the plan creates this entity.
    pub fn is_new(&self, id: &str) -> bool {
        self.entities.get(id).is_some_and(|work| work.before.is_none())
    }

    /// Expects that an entity which was loaded does not change until the commit.
    pub fn expect_unchanged(&mut self, id: &str) {
        let before = self.entities.get(id).and_then(|work| work.before.as_ref());
        self.expectations.extend(before.map(Stored::unchanged));
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

    /// Puts a row and expects that its record is at `version`, or absent.
    pub fn put(&mut self, row: Row, version: Option<u64>) {
        let key = row.key(&self.user);
        if let Row::Relationship(edge) = &row {
            self.edges.insert(edge.id.clone(), self.rows.len());
        }
        self.expectations.push(expected(key, version));
        self.rows.push(row);
    }

    /// An edge that this plan puts.
    pub fn edge(&self, id: &str) -> Option<&Relationship> {
        match self.rows.get(*self.edges.get(id)?) {
            Some(Row::Relationship(edge)) => Some(edge),
            _ => None,
        }
    }

    /// All edges that this plan puts.
    pub fn edges(&self) -> impl Iterator<Item = &Relationship> {
        self.edges.keys().filter_map(|id| self.edge(id))
    }

    /// Asks whether there is a path that must not be there.
    pub fn search(&mut self, search: Search) {
        self.searches.push_back(search);
    }

    /// The next path to look for.
    pub fn next_search(&mut self) -> Option<Search> {
        self.searches.pop_front()
    }

    /// Notes that nothing was found on the way: what was passed stays as it is, or the path may be there at the commit.
    pub fn found_no_path(&mut self, search: &Search, passed: BTreeSet<String>) {
        self.expectations.extend(search.guards(passed));
    }

    /// Leaves everything as it is.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.edges.clear();
        self.ends.clear();
        self.expectations.clear();
    }

    /// The decision that this plan is, once it is settled.
    pub fn decision<A>(self, happening: &Happening, answer: A) -> Decision<Fact, A> {
        let Self { user, rows, ends, expectations, .. } = self;
        let facts = Fact::of(&user, happening, rows, ends);
        Decision { expectations, ..Decision::new(facts, happening.subject(), answer) }
    }
}

impl Declared {
    /// An inferred schema without a field says nothing.
    fn is_stored(&self) -> bool {
        self.changed && (!self.schema.fields.is_empty() || !self.schema.is_inferred())
    }
}

/// The expectation that a record is at `version`, or absent.
fn expected(key: RecordKey, version: Option<u64>) -> Expectation {
    match version {
        Some(version) => Expectation::Version { key, version },
        None => Expectation::Absent { key },
    }
}
