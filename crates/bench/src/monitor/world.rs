//! A story world of a size: everybody belongs to a faction and knows somebody, and every scene has turns and proposals.

use std::path::Path;
use std::sync::Arc;

use ledger_sqlite::{Options, SqliteLedger};
use monitor::domain::graph;
use monitor::domain::narrative::{Evidence, Memory, Proposal, Scene, Snippet, Turn};
use monitor::domain::node::{Entity, Fact, Multiverse, Relationship, Story, Universe};
use monitor::domain::row::Row;
use monitor::domain::words::{
    Authority, CanonLevel, EntityClass, EntityType, EvidenceKind, FactType, ProposalStatus, ProposalType, SceneStatus,
    Speaker, StoryStatus, StoryType,
};
use monitor::portable::{self, World};
use scope::{Clock as _, IdSource as _, RandomIds, SystemClock, Timestamp};
use serde_json::{Map, json};
use server::Platform;

use crate::{governance, seed};

/// Entities that belong to one faction, scenes of one story, and what each scene has.
const MEMBERS: usize = 100;
const SCENES_PER_STORY: usize = 20;
const PARTICIPANTS: usize = 5;
const TURNS: usize = 8;
const PROPOSALS: usize = 4;
/// Every so many entities, one remembers something.
const FORGETFUL: usize = 5;
const MEMORIES: usize = 3;
const WORDS: &[&str] = &[
    "harbour", "lantern", "oath", "winter", "copper", "raven", "bridge", "ledger", "storm", "orchard", "gate", "salt",
    "mirror", "tower", "wolf", "silver", "market", "tide", "ember", "crown", "forest", "bell", "river", "stone",
];

/// How much there is of everything.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub entities: usize,
    pub facts: usize,
    pub scenes: usize,
}

/// The ids that questions name.
pub struct Ids {
    pub universe: String,
    pub entities: Vec<String>,
    pub facts: Vec<String>,
    pub stories: Vec<String>,
    pub scenes: Vec<String>,
    pub proposals: Vec<String>,
}

/// Fills a data directory with a universe of this size.
pub async fn seed(data: &Path, size: Size) -> anyhow::Result<Ids> {
    drop(Platform::open(&seed::config(data)).await?);
    let ledger = Arc::new(SqliteLedger::open(data, Options::default())?);
    let mut maker = Maker::new(SystemClock.now());
    maker.canon(size);
    maker.told(size.scenes);
    let Maker { ids, rows, .. } = maker;
    let world = World { format: "chancery/monitor/1".to_owned(), universe_id: ids.universe.clone(), rows };
    portable::import(ledger, &governance::context("bench"), world).await?;
    Ok(ids)
}

/// Makes rows.
struct Maker {
    now: Timestamp,
    ids: Ids,
    rows: Vec<Row>,
}

impl Maker {
    fn new(now: Timestamp) -> Self {
        let (multiverse_id, universe): (String, String) = (RandomIds.next(), RandomIds.next());
        let rows = vec![
            Row::Multiverse(Multiverse {
                multiverse_id: multiverse_id.clone(),
                name: "Measured".to_owned(),
                system_name: "Bench".to_owned(),
                description: String::new(),
                created_at: now,
            }),
            Row::Universe(Universe {
                universe_id: universe.clone(),
                multiverse_id,
                name: "Measured world".to_owned(),
                description: String::new(),
                genre: "fantasy".to_owned(),
                tone: String::new(),
                tech_level: String::new(),
                authority: Authority::Gm,
                canon_level: CanonLevel::Canon,
                confidence: 1.0,
                created_at: now,
            }),
        ];
        let ids = Ids {
            universe,
            entities: Vec::new(),
            facts: Vec::new(),
            stories: Vec::new(),
            scenes: Vec::new(),
            proposals: Vec::new(),
        };
        Self { now, ids, rows }
    }

    /// Something new happens a moment later each time.
    fn tick(&mut self) -> Timestamp {
        self.now = self.now.plus_micros(1);
        self.now
    }

    fn canon(&mut self, size: Size) {
        for number in 0..size.entities {
            let entity = self.entity(number);
            self.rows.extend(graph::entity(entity));
        }
        for number in 0..size.entities {
            let faction = number - number % MEMBERS;
            self.relate(number, faction, "MEMBER_OF");
            self.relate(number, (number * 7 + 3) % size.entities, "KNOWS");
        }
        for number in 0..size.facts {
            let fact = self.fact(number, size.entities);
            self.rows.extend(graph::fact(fact));
        }
    }

    fn entity(&mut self, number: usize) -> Entity {
        let (entity_id, created_at): (String, Timestamp) = (RandomIds.next(), self.tick());
        self.ids.entities.push(entity_id.clone());
        // The first of each hundred is the faction of the others.
        let kind = if number.is_multiple_of(MEMBERS) { 1 } else { number % EntityType::ALL.len() };
        let tags = ["alive", "hidden", "wounded", "friendly"];
        let remembers = number.is_multiple_of(FORGETFUL);
        for memory in 0..if remembers { MEMORIES } else { 0 } {
            self.remember(&entity_id, number * MEMORIES + memory);
        }
        Entity {
            entity_id,
            universe_id: self.ids.universe.clone(),
            entity_class: EntityClass::Concreta,
            name: format!("{} of {} {number}", word(number), word(number / 7)),
            entity_type: EntityType::ALL[kind],
            description: format!("Known for {}, and seen at {}.", text(number, 8), text(number / 3, 5)),
            properties: Map::from_iter([("age".to_owned(), json!(number % 90))]),
            state_tags: vec![tags[number % tags.len()].to_owned()],
            derives_from: None,
            confidence: 1.0,
            authority: Authority::Gm,
            canon_level: CanonLevel::Canon,
            evidence_refs: Vec::new(),
            created_at,
            updated_at: created_at,
        }
    }

    fn relate(&mut self, from: usize, to: usize, rel_type: &str) {
        if from == to {
            return;
        }
        let relationship = Relationship {
            relationship_id: RandomIds.next(),
            universe_id: self.ids.universe.clone(),
            from_entity_id: self.ids.entities[from].clone(),
            to_entity_id: self.ids.entities[to].clone(),
            rel_type: rel_type.to_owned(),
            canon_level: CanonLevel::Canon,
            authority: Authority::Gm,
            confidence: 1.0,
            created_at: self.tick(),
            ..Relationship::default()
        };
        self.rows.extend(graph::relationship(relationship));
    }

    fn fact(&mut self, number: usize, entities: usize) -> Fact {
        let (fact_id, created_at): (String, Timestamp) = (RandomIds.next(), self.tick());
        self.ids.facts.push(fact_id.clone());
        let (one, other) = (number % entities, (number * 31 + 1) % entities);
        let mut involved_entity_ids = vec![self.ids.entities[one].clone()];
        if other != one {
            involved_entity_ids.push(self.ids.entities[other].clone());
        }
        Fact {
            fact_id,
            universe_id: self.ids.universe.clone(),
            statement: format!("In year {number}, {}.", text(number, 12)),
            fact_type: FactType::ALL[number % FactType::ALL.len()],
            time_ref: Some(created_at),
            involved_entity_ids,
            confidence: 1.0,
            authority: Authority::ALL[number % Authority::ALL.len()],
            canon_level: CanonLevel::Canon,
            created_at,
            ..Fact::default()
        }
    }

    fn remember(&mut self, entity_id: &str, number: usize) {
        let memory = Memory {
            memory_id: RandomIds.next(),
            entity_id: entity_id.to_owned(),
            universe_id: self.ids.universe.clone(),
            text: text(number, 14),
            linked_fact_id: None,
            scene_id: None,
            emotional_valence: 0.0,
            #[expect(clippy::cast_precision_loss, reason = "below ten")]
            importance: (number % 10) as f64 / 10.0,
            certainty: 1.0,
            created_at: self.tick(),
        };
        self.rows.push(Row::Memory(memory));
    }

    fn told(&mut self, scenes: usize) {
        for number in 0..scenes {
            if number.is_multiple_of(SCENES_PER_STORY) {
                self.story(number / SCENES_PER_STORY);
            }
            self.scene(number, number % SCENES_PER_STORY == SCENES_PER_STORY - 1);
        }
        for number in 0..scenes / 4 {
            let snippet = Snippet {
                snippet_id: RandomIds.next(),
                universe_id: self.ids.universe.clone(),
                document_id: None,
                source_id: None,
                doc_id: "rules".to_owned(),
                text: text(number, 60),
                page: None,
                section: format!("Chapter {}", number / 10),
                number: number as u64,
                created_at: self.tick(),
            };
            self.rows.push(Row::Snippet(snippet));
        }
    }

    fn story(&mut self, number: usize) {
        let story = Story {
            story_id: RandomIds.next(),
            universe_id: self.ids.universe.clone(),
            title: format!("The {} and the {}", word(number), word(number + 5)),
            story_type: StoryType::Campaign,
            theme: String::new(),
            premise: text(number, 10),
            parent_story_id: None,
            status: StoryStatus::Active,
            start_time_ref: None,
            end_time_ref: None,
            created_at: self.tick(),
            completed_at: None,
        };
        self.ids.stories.push(story.story_id.clone());
        self.rows.push(Row::Story(story));
    }

    /// A scene with its turns and proposals. The last one of each story is still played.
    fn scene(&mut self, number: usize, is_active: bool) {
        let (scene_id, created_at): (String, Timestamp) = (RandomIds.next(), self.tick());
        let story_id = self.ids.stories[number / SCENES_PER_STORY].clone();
        let count = self.ids.entities.len();
        let entity = |part: usize| self.ids.entities[(number * 37 + part * 11) % count].clone();
        let participating_entities: Vec<String> = (0..PARTICIPANTS).map(entity).collect();
        let location_ref = Some(entity(PARTICIPANTS));
        for turn in 0..TURNS {
            let turn = Turn {
                turn_id: RandomIds.next(),
                scene_id: scene_id.clone(),
                story_id: story_id.clone(),
                universe_id: self.ids.universe.clone(),
                number: turn as u64 + 1,
                speaker: Speaker::Gm,
                entity_id: None,
                text: text(number * TURNS + turn, 40),
                resolution_ref: None,
                timestamp: self.tick(),
            };
            self.rows.push(Row::Turn(turn));
        }
        for proposal in 0..PROPOSALS {
            let about = participating_entities[proposal % PARTICIPANTS].clone();
            self.propose(&scene_id, about, proposal, is_active);
        }
        let ended = self.tick();
        self.rows.push(Row::Scene(Scene {
            scene_id: scene_id.clone(),
            story_id,
            universe_id: self.ids.universe.clone(),
            title: format!("At the {} {number}", word(number)),
            purpose: text(number, 8),
            status: if is_active { SceneStatus::Active } else { SceneStatus::Completed },
            order: None,
            location_ref,
            participating_entities,
            canonical_outcomes: Vec::new(),
            summary: if is_active { String::new() } else { text(number, 30) },
            gm_notes: String::new(),
            turn_count: TURNS as u64,
            last_turn_at: Some(ended),
            proposal_count: PROPOSALS as u64,
            canonization: None,
            created_at,
            updated_at: ended,
            completed_at: (!is_active).then_some(ended),
        }));
        self.ids.scenes.push(scene_id);
    }

    fn propose(&mut self, scene_id: &str, about: String, number: usize, is_pending: bool) {
        let (proposal_id, created_at): (String, Timestamp) = (RandomIds.next(), self.tick());
        self.ids.proposals.push(proposal_id.clone());
        let content = json!({ "statement": text(number, 10), "involved_entity_ids": [about] });
        self.rows.push(Row::Proposal(Proposal {
            proposal_id,
            scene_id: scene_id.to_owned(),
            universe_id: self.ids.universe.clone(),
            turn_id: None,
            r#type: ProposalType::Fact,
            content: content.as_object().cloned().unwrap_or_default(),
            evidence: vec![Evidence { r#type: EvidenceKind::Scene, ref_id: scene_id.to_owned() }],
            confidence: 0.9,
            authority: Authority::Gm,
            by_gm: false,
            status: if is_pending { ProposalStatus::Pending } else { ProposalStatus::Rejected },
            reason: None,
            rationale: None,
            score: None,
            canonical_id: None,
            retconned: Vec::new(),
            proposer_id: "bench".to_owned(),
            proposer_type: "Narrator".to_owned(),
            created_at,
            evaluated_at: None,
        }));
    }
}

fn word(number: usize) -> &'static str {
    WORDS[number % WORDS.len()]
}

/// Words that differ from number to number.
fn text(number: usize, words: usize) -> String {
    let each = |place: usize| word((number + 1) * (place + 3) + number / (place + 1));
    (0..words).map(each).collect::<Vec<_>>().join(" ")
}
