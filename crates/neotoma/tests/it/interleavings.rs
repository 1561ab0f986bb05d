//! Any interleaving of writes leaves what a fresh look at the observations gives.

use std::collections::{BTreeMap, BTreeSet};

use ledger::{Find, LIVE};
use neotoma::domain::observation::CORRECTION_PRIORITY;
use neotoma::domain::{Observation, State, schema};
use neotoma::projection::row::{EdgeState, EntityRow, MergeRow, RelationshipRow, Row, kind};
use scope::TenantId;
use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

/// A small generator of its own, so that a seed means the same for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// All live rows of a kind.
async fn rows(desk: &Desk, of: &str) -> Vec<Row> {
    let tenant = TenantId::new(ANN.tenant).unwrap();
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = desk.ledger.find(&tenant, LIVE, Find { after, limit: 1000, ..Find::all(of) }).await.unwrap();
        all.extend(page.items.iter().map(|found| serde_json::from_str::<Row>(&found.record.body).unwrap()));
        after = page.next;
        if after.is_none() {
            return all;
        }
    }
}

/// What the rows say, read without any rule of the crate but the reducer.
struct Store {
    entities: BTreeMap<String, EntityRow>,
    observations: Vec<Observation>,
    merges: BTreeMap<String, MergeRow>,
    edges: Vec<RelationshipRow>,
    events: BTreeSet<String>,
}

impl Store {
    async fn read(desk: &Desk) -> Self {
        let mut store = Self {
            entities: BTreeMap::new(),
            observations: Vec::new(),
            merges: BTreeMap::new(),
            edges: Vec::new(),
            events: BTreeSet::new(),
        };
        for of in [kind::ENTITY, kind::MERGE, kind::RELATIONSHIP, kind::EVENT] {
            for row in rows(desk, of).await {
                match row {
                    Row::Entity(entity) => _ = store.entities.insert(entity.id.clone(), entity),
                    Row::Observation(observation) => store.observations.push(observation),
                    Row::Merge(merge) => _ = store.merges.insert(merge.from.clone(), merge),
                    Row::Relationship(edge) => store.edges.push(edge),
                    Row::Event(event) => _ = store.events.insert(event.id),
                    _ => {}
                }
            }
        }
        store
    }

    fn root<'a>(&'a self, mut id: &'a str) -> &'a str {
        for _ in 0..=self.merges.len() {
            match self.merges.get(id) {
                Some(merge) => id = &merge.to,
                None => return id,
            }
        }
        panic!("merges run in a circle")
    }

    fn is_part(&self, part: &str, whole: &str) -> bool {
        let mut id = part;
        while let Some(merge) = self.merges.get(id) {
            id = &merge.to;
            if id == whole {
                return true;
            }
        }
        false
    }

    /// Entities are the reduction of what leads to them.
    fn check_entities(&self) {
        for (id, entity) in &self.entities {
            let schema = schema::builtin(&entity.entity_type).unwrap();
            let members: Vec<&String> = self.entities.keys().filter(|part| self.is_part(part, id)).collect();
            assert_eq!(entity.members.iter().collect::<Vec<_>>(), members);
            assert_eq!(entity.merged_into.as_ref(), self.merges.get(id).map(|merge| &merge.to));
            let here: Vec<&Observation> = self
                .observations
                .iter()
                .filter(|observation| observation.entity_id == *id || entity.members.contains(&observation.entity_id))
                .collect();
            assert_eq!(entity.state, State::of(schema, here.iter().copied()), "{}", entity.name);
            for (field, winner) in entity.state.provenance() {
                let corrected = here.iter().any(|seen| {
                    seen.source_priority >= CORRECTION_PRIORITY
                        && seen.marker.is_none()
                        && seen.fields.contains_key(&field)
                });
                let won = here.iter().find(|seen| seen.id == winner).unwrap();
                assert_eq!(won.source_priority >= CORRECTION_PRIORITY, corrected, "corrections win");
            }
            let events = neotoma::domain::timeline::events(schema, id, &entity.state.snapshot());
            for event in events {
                assert_eq!(self.events.contains(&event.id), entity.is_live());
            }
        }
    }

    /// Nobody goes by a name that only others were given.
    fn check_names(&self) {
        for (id, entity) in &self.entities {
            let own = self.observations.iter().filter(|observation| observation.entity_id == *id);
            let given: BTreeSet<&str> =
                own.filter_map(|observation| observation.fields.get("name")?.as_str()).collect();
            let names = std::iter::once(&entity.name).chain(&entity.aliases);
            assert!(
                names.clone().all(|name| given.contains(name.as_str())),
                "{:?}, {given:?}",
                names.collect::<Vec<_>>()
            );
        }
    }

    /// Each edge leads where its named ends lead, and exactly one of those that say the same is seen.
    fn check_edges(&self) {
        let mut seen = BTreeSet::new();
        let mut said = BTreeSet::new();
        for edge in &self.edges {
            assert_eq!(
                (edge.source.as_str(), edge.target.as_str()),
                (self.root(&edge.named_source), self.root(&edge.named_target))
            );
            let key = (&edge.relationship_type, &edge.source, &edge.target);
            let deleted_end = [&edge.source, &edge.target].iter().any(|end| self.entities[*end].state.is_deleted());
            let deleted = edge.observations.last().is_some_and(|last| last.deletes == Some(true));
            assert_eq!(edge.state == EdgeState::Deleted, deleted);
            match edge.state {
                EdgeState::Live => assert!(seen.insert(key) && !deleted_end && edge.source != edge.target),
                EdgeState::Hidden => assert!(seen.insert(key) && deleted_end),
                EdgeState::Folded | EdgeState::Deleted => {}
            }
            if !deleted && edge.source != edge.target {
                said.insert(key);
            }
        }
        assert_eq!(seen, said, "what is said and not deleted is seen once");
        self.check_acyclic();
    }

    fn check_acyclic(&self) {
        let live = |edge: &&RelationshipRow| edge.state == EdgeState::Live && edge.relationship_type == "PART_OF";
        let mut left: Vec<(&str, &str)> =
            self.edges.iter().filter(live).map(|edge| (edge.source.as_str(), edge.target.as_str())).collect();
        loop {
            let before = left.len();
            let sources: BTreeSet<&str> = left.iter().map(|(source, _)| *source).collect();
            left.retain(|(_, target)| sources.contains(target));
            if left.len() == before {
                assert!(left.is_empty(), "PART_OF runs in a circle");
                return;
            }
        }
    }
}

/// Asserts that entities, events and edges are what observations, merges and markers make of them.
pub async fn check(desk: &Desk) {
    let store = Store::read(desk).await;
    store.check_entities();
    store.check_edges();
}

const NAMES: [&str; 6] = ["Acme", "Globex", "Initech", "Umbrella", "Hooli", "Stark"];
const TYPES: [&str; 2] = ["PART_OF", "REFERS_TO"];

/// One random call, by what is known of the store.
fn call(dice: &mut Dice, ids: &[String], edges: &[String]) -> (&'static str, Value) {
    let name = NAMES[dice.roll(NAMES.len())];
    let one = ids[dice.roll(ids.len())].clone();
    let two = ids[dice.roll(ids.len())].clone();
    match dice.roll(12) {
        0 | 1 => {
            let date = format!("2027-{:02}-01", 1 + dice.roll(12));
            let fields = [
                json!({"phone": dice.roll(3).to_string()}),
                json!({"connected_on": date}),
                json!({"role": "x", "phone": null, "nicknames": ["a", "b"], "mood": {"deep": 1}}),
            ];
            let mut entity = fields[dice.roll(fields.len())].clone();
            entity["entity_type"] = json!("contact");
            entity["name"] = json!(name);
            ("ingest", json!({"entities": [entity], "source_priority": dice.roll(3) * 100}))
        }
        2 => {
            let (field, value) =
                [("phone", json!("9")), ("name", json!(format!("{name} Two"))), ("connected_on", Value::Null)]
                    [dice.roll(3)]
                .clone();
            ("correct", json!({"entity_id": one, "entity_type": "contact", "field": field, "value": value}))
        }
        3 | 4 => ("merge_entities", json!({"from_entity_id": one, "to_entity_id": two})),
        5 | 6 => ("unmerge_entities", json!({"from_entity_id": one})),
        7 if dice.roll(2) == 0 => ("delete", json!({"id": one})),
        8 => ("restore", json!({"id": one})),
        9 if !edges.is_empty() => (["delete", "restore"][dice.roll(2)], json!({"id": edges[dice.roll(edges.len())]})),
        _ => {
            let of = TYPES[dice.roll(TYPES.len())];
            let metadata = json!({ ["a", "b"][dice.roll(2)]: dice.roll(3) });
            (
                "create_relationship",
                json!({"relationship_type": of, "source_entity_id": one, "target_entity_id": two, "metadata": metadata}),
            )
        }
    }
}

/// Every field of every snapshot leads to an observation that carries it and to its source.
async fn trace_every_field(desk: &Desk) {
    for entity in desk.ok("retrieve_entities", json!({})).await["entities"].as_array().unwrap() {
        let snapshot = desk.snapshot(entity["id"].as_str().unwrap()).await;
        let observations = desk.ok("list_observations", json!({"entity_id": entity["id"]})).await;
        for (field, value) in snapshot["snapshot"].as_object().unwrap() {
            let found = desk.ok("get_field_provenance", json!({"entity_id": entity["id"], "field": field})).await;
            let winner = &found["source_observation"];
            assert_eq!((&found["value"], &winner["id"]), (value, &snapshot["provenance"][field]), "{field}");
            assert_eq!(found["source_material"]["id"], winner["source_id"], "{field}");
            let listed = observations["observations"].as_array().unwrap();
            let origin = listed.iter().find(|one| one["id"] == winner["id"]).unwrap();
            assert_eq!((&origin["fields"][field], &origin["source_id"]), (value, &winner["source_id"]), "{field}");
        }
    }
}

/// Makes random calls; the tools that answered.
async fn run(seed: u64, calls: usize) -> BTreeSet<&'static str> {
    let desk = Desk::new();
    let mut dice = Dice(seed);
    let named: Vec<Value> = NAMES
        .iter()
        .map(|name| json!({"entity_type": "contact", "name": name, "connected_on": "2027-01-01"}))
        .collect();
    let stored = desk.ok("ingest", json!({ "entities": named })).await;
    let ids: Vec<String> =
        stored["entities"].as_array().unwrap().iter().map(|entity| entity["id"].as_str().unwrap().to_owned()).collect();
    let (mut edges, mut answered) = (Vec::new(), BTreeSet::new());
    for step in 0..calls {
        let (tool, arguments) = call(&mut dice, &ids, &edges);
        match desk.call_as(ANN, tool, arguments.clone()).await {
            Ok(answer) => {
                answered.insert(tool);
                if tool == "create_relationship" {
                    edges.push(answer["id"].as_str().unwrap().to_owned());
                }
            }
            Err(error) => assert!(
                ["VALIDATION_ERROR", "ENTITY_NOT_FOUND", "ENTITY_ALREADY_MERGED", "ENTITY_DELETED", "CYCLE_DETECTED"]
                    .contains(&error.code.as_ref()),
                "seed {seed}, step {step}: {tool} {arguments}: {error:?}"
            ),
        }
        if step % 10 == 9 {
            check(&desk).await;
        }
    }
    trace_every_field(&desk).await;
    // Taken apart, everything is as if it had never been together.
    for merged in Store::read(&desk).await.merges.into_keys() {
        desk.ok("unmerge_entities", json!({"from_entity_id": merged})).await;
    }
    check(&desk).await;
    let store = Store::read(&desk).await;
    store.check_names();
    assert!(store.entities.values().all(|entity| entity.members.is_empty()));
    desk.verify().await;
    answered
}

// N-132, N-199, N-221, N-222, N-225, N-293
#[tokio::test]
async fn snapshots_edges_and_events_are_what_a_fresh_look_gives() {
    let runs: u64 = std::env::var("NEOTOMA_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(6);
    let mut answered = BTreeSet::new();
    for seed in 0..runs {
        answered.extend(run(seed, 120).await);
    }
    assert_eq!(answered.len(), 7, "every tool was used: {answered:?}");
}
