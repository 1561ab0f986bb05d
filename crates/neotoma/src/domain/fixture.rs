//! Data for the tests of the rules: contacts of one user, and what was said about them.

use std::collections::BTreeMap;

use contract::Object;
use desk::Stored;
use ledger::{Expectation, RecordKey};
use scope::Timestamp;
use serde_json::Value;

use super::plan::{Plan, Taken};
use super::reach::Reach;
use super::relationship::{EdgeObservation, EdgeState, Relationship};
use super::row::{Row, kind};
use super::{Entity, Kind, Observation, State, identity, schema};
use crate::Error;

pub const USER: &str = "u";
pub const TYPE: &str = "contact";

pub fn at(second: i64) -> Timestamp {
    Timestamp(1_800_000_000_000_000 + second * 1_000_000)
}

/// A plan made at second 100, with the schema of contacts.
pub fn plan() -> Plan {
    let mut plan = Plan::new(USER, at(100));
    plan.hold_schemas([TYPE].into_iter(), BTreeMap::new());
    plan
}

pub fn stored<T>(key: RecordKey, row: T) -> Stored<T> {
    Stored { row, key, version: 1, seq: 1, at: at(0) }
}

/// What was said about an entity at a second.
pub fn observation(entity_id: &str, second: i64, fields: Value) -> Observation {
    Observation {
        id: format!("{entity_id}@{second}"),
        entity_id: entity_id.to_owned(),
        entity_type: TYPE.to_owned(),
        schema_version: "1.0".to_owned(),
        source_id: format!("s{second}"),
        run_id: None,
        observed_at: at(second),
        created_at: at(second),
        source_priority: 100.0,
        specificity_score: 1.0,
        kind: Some(Kind::Human),
        marker: None,
        fields: Object(fields.as_object().cloned().unwrap_or_default()),
    }
}

/// The entity that this was said about.
pub fn entity(id: &str, said: &[Observation]) -> Stored<Entity> {
    let mut entity = Entity::new(id.to_owned(), TYPE.to_owned(), String::new(), at(0));
    entity.state = State::of(schema::builtin(TYPE).expect("contacts are built in"), said);
    entity.name = identity::display_name(TYPE, &entity.state).unwrap_or_default();
    stored(RecordKey::new(kind::ENTITY, id), entity)
}

/// An entity of which nothing but the name was said, at second 1.
pub fn named(id: &str, name: &str) -> Stored<Entity> {
    entity(id, &[observation(id, 1, serde_json::json!({ "name": name }))])
}

/// A live edge, written like `PART_OF a b`.
pub fn edge(text: &str) -> Stored<Relationship> {
    let [of, source, target] = text.split(' ').collect::<Vec<_>>()[..] else {
        panic!("an edge is three words: {text}")
    };
    let row = Relationship {
        id: text.to_owned(),
        relationship_type: of.to_owned(),
        named_source: source.to_owned(),
        named_target: target.to_owned(),
        source: source.to_owned(),
        target: target.to_owned(),
        created_at: at(1),
        state: EdgeState::Live,
        observations: vec![EdgeObservation {
            id: format!("{text}@1"),
            at: at(1),
            source_priority: 100.0,
            specificity_score: 0.8,
            metadata: None,
            deletes: None,
        }],
        absorbed: Vec::new(),
    };
    stored(row.key(), row)
}

/// Settles a plan over these stored edges, with these names taken; what it puts and ends, a line each.
pub fn settled(mut plan: Plan, edges: &[&str], taken: &[(&str, &str)]) -> Result<Vec<String>, Error> {
    while let Some(search) = plan.next_search() {
        let mut reach = Reach::new(&plan, &search);
        while let Some(from) = reach.next(&search)? {
            let edges = edges.iter().map(|text| edge(text).into_row());
            reach
                .follow(edges.filter(|edge| edge.relationship_type == search.relationship_type && edge.source == from));
        }
        let passed = reach.passed();
        plan.found_no_path(&search, passed);
    }
    let mut holders = Taken::default();
    for (of, name) in plan.names_wanted() {
        let by = taken.iter().filter(|(taken, _)| *taken == name).map(|(_, by)| (*by).to_owned());
        holders.by(&of, &name, by);
    }
    plan.settle(&holders);
    let ends = plan.ends.iter().map(|key| format!("end {}", key.kind.trim_start_matches("neotoma.")));
    Ok(plan.rows.iter().map(shown).chain(ends).collect())
}

/// What a plan expects of links and paths at the commit.
pub fn guards(plan: &Plan) -> Vec<String> {
    let shown = |expectation: &Expectation| match expectation {
        Expectation::LinksUnchanged { id, .. } => Some(format!("links of {id}")),
        Expectation::NoPath { from, to, .. } => Some(format!("no path from {from} to {to}")),
        _ => None,
    };
    plan.expectations.iter().filter_map(shown).collect()
}

fn shown(row: &Row) -> String {
    match row {
        Row::Source(source) => format!("source {}", source.kind.name()),
        Row::Content(_) => "content".to_owned(),
        Row::Observation(observation) => {
            let said = match observation.marker {
                Some(marker) => format!("{marker:?}"),
                None => serde_json::to_string(&observation.fields).expect("fields have only string keys"),
            };
            format!("observation of {}: {said}", observation.entity_id)
        }
        Row::Entity(entity) => {
            let mut text = format!("entity {} {:?}", entity.id, entity.name);
            if !entity.aliases.is_empty() {
                text.push_str(&format!(" also {}", entity.aliases.join(", ")));
            }
            if !entity.members.is_empty() {
                text.push_str(&format!(" with {}", entity.members.join(", ")));
            }
            match (&entity.merged_into, entity.state.is_deleted()) {
                (Some(into), _) => text.push_str(&format!(" part of {into}")),
                (None, true) => text.push_str(" deleted"),
                (None, false) => {}
            }
            text
        }
        Row::Event(event) => format!("event {} at {}", event.event_type, event.at),
        Row::Relationship(edge) => {
            format!("edge {} {} {} {:?}", edge.relationship_type, edge.source, edge.target, edge.state)
        }
        Row::Merge(merge) => format!("merge {} into {}", merge.from, merge.to),
        Row::Run(run) => format!("run {}", run.id),
        Row::Schema(schema) => format!("schema {} {}", schema.entity_type, schema.schema_version),
        Row::RelationType(relation) => format!("relation {}", relation.name),
    }
}
