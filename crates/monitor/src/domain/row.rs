//! Rows: what a fact of monitor puts, and how each sort is found.
//!
//! Everything that belongs to a universe has its id as scope, so one universe is read without the others. What involves
//! entities carries a field for each, with the moment of its record: newest first is then one walk of an index.

use ledger::{Ends, FieldKey, Record, RecordKey};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::claim;
use super::narrative::{Access, Document, Memory, Proposal, Resolution, Scene, Snippet, Turn};
use super::node::{Axiom, Entity, Event, Fact, Link, Multiverse, Relationship, Source, Story, Universe};
use super::words::{CanonLevel, ProposalStatus};

/// The scope of what belongs to no universe, and of proposals, which are also asked for across all scenes.
pub const WORLD: &str = "world";

/// A record of monitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    Multiverse(Multiverse),
    Universe(Universe),
    Source(Source),
    Axiom(Axiom),
    Entity(Entity),
    Fact(Fact),
    Event(Event),
    Relationship(Relationship),
    Link(Link),
    Story(Story),
    Scene(Scene),
    Turn(Turn),
    Proposal(Proposal),
    Resolution(Resolution),
    Memory(Memory),
    Access(Access),
    Document(Document),
    Snippet(Snippet),
}

/// The kinds of records.
pub mod kind {
    pub const MULTIVERSE: &str = "monitor.multiverse";
    pub const UNIVERSE: &str = "monitor.universe";
    pub const SOURCE: &str = "monitor.source";
    pub const AXIOM: &str = "monitor.axiom";
    pub const ENTITY: &str = "monitor.entity";
    pub const FACT: &str = "monitor.fact";
    pub const EVENT: &str = "monitor.event";
    pub const RELATIONSHIP: &str = "monitor.relationship";
    pub const LINK: &str = "monitor.link";
    pub const STORY: &str = "monitor.story";
    pub const SCENE: &str = "monitor.scene";
    pub const TURN: &str = "monitor.turn";
    pub const PROPOSAL: &str = "monitor.proposal";
    pub const RESOLUTION: &str = "monitor.resolution";
    pub const MEMORY: &str = "monitor.memory";
    pub const ACCESS: &str = "monitor.access";
    pub const DOCUMENT: &str = "monitor.document";
    pub const SNIPPET: &str = "monitor.snippet";
}

/// The fields that records are found by.
pub mod field {
    /// The id of an involved entity, a participant or the bearer.
    pub const ENTITY: &str = "entity";
    /// What a fact claims, whether it affirms or denies it.
    pub const CLAIM: &str = "claim";
    /// The state tags that a fact gave to an entity.
    pub const TAGGED: &str = "tagged";
    pub const STORY: &str = "story";
    pub const SCENE: &str = "scene";
    /// The scene of a proposal that nobody has decided.
    pub const PENDING: &str = "pending";
    pub const NUMBER: &str = "number";
    pub const IMPORTANCE: &str = "importance";
    pub const DOCUMENT: &str = "document";
    /// What filters ask for together: class and canon level of an entity, canon level and authority of a fact.
    pub const FACET: &str = "facet";
    /// When a fact became true, or an event happened.
    pub const WHEN: &str = "when";
    pub const DOMAIN: &str = "domain";
    pub const PARENT: &str = "parent";
    pub const MULTIVERSE: &str = "multiverse";
}

/// The key of what filters ask for together.
pub fn facet_key(first: &str, second: &str) -> FieldKey {
    FieldKey::text(&format!("{first}/{second}"))
}

fn facet(first: &str, second: &str) -> (String, FieldKey) {
    (field::FACET.to_owned(), facet_key(first, second))
}

fn when(time_ref: Option<Timestamp>) -> impl Iterator<Item = (String, FieldKey)> {
    time_ref.map(|moment| (field::WHEN.to_owned(), FieldKey::moment(moment))).into_iter()
}

impl Row {
    pub fn key(&self) -> RecordKey {
        let (kind, id) = match self {
            Self::Multiverse(row) => (kind::MULTIVERSE, &row.multiverse_id),
            Self::Universe(row) => (kind::UNIVERSE, &row.universe_id),
            Self::Source(row) => (kind::SOURCE, &row.source_id),
            Self::Axiom(row) => (kind::AXIOM, &row.axiom_id),
            Self::Entity(row) => (kind::ENTITY, &row.entity_id),
            Self::Fact(row) => (kind::FACT, &row.fact_id),
            Self::Event(row) => (kind::EVENT, &row.event_id),
            Self::Relationship(row) => (kind::RELATIONSHIP, &row.relationship_id),
            Self::Link(row) => return RecordKey::new(kind::LINK, row.id()),
            Self::Story(row) => (kind::STORY, &row.story_id),
            Self::Scene(row) => (kind::SCENE, &row.scene_id),
            Self::Turn(row) => (kind::TURN, &row.turn_id),
            Self::Proposal(row) => (kind::PROPOSAL, &row.proposal_id),
            Self::Resolution(row) => (kind::RESOLUTION, &row.resolution_id),
            Self::Memory(row) => (kind::MEMORY, &row.memory_id),
            Self::Access(row) => (kind::ACCESS, &row.memory_id),
            Self::Document(row) => (kind::DOCUMENT, &row.document_id),
            Self::Snippet(row) => (kind::SNIPPET, &row.snippet_id),
        };
        RecordKey::new(kind, id)
    }

    /// The record of the row, without its body.
    pub fn record(&self) -> Record {
        match self {
            Self::Multiverse(row) => self.named(WORLD, "multiverse", &row.name, row.created_at),
            Self::Universe(row) => Record {
                fields: one(field::MULTIVERSE, Some(&row.multiverse_id)).collect(),
                ..self.named(WORLD, "universe", &row.name, row.created_at)
            },
            Self::Source(row) => Record {
                status: Some(row.canon_level.to_string()),
                ..self.named(&row.universe_id, row.source_type.as_str(), &row.title, row.created_at)
            },
            Self::Axiom(row) => Record {
                status: Some(row.canon_level.to_string()),
                fields: one(field::DOMAIN, Some(&row.domain)).collect(),
                ..self.at(&row.universe_id, "axiom", row.created_at)
            },
            Self::Entity(row) => Record {
                status: Some(row.canon_level.to_string()),
                tags: row.state_tags.clone(),
                fields: vec![facet(row.entity_class.as_str(), row.canon_level.as_str())],
                ..self.named(&row.universe_id, row.entity_type.as_str(), &row.name, row.created_at)
            },
            Self::Fact(row) => self.fact(row),
            Self::Event(row) => Record {
                status: Some(row.canon_level.to_string()),
                fields: entities(&row.involved_entity_ids)
                    .chain(one(field::SCENE, row.scene_id.as_ref()))
                    .chain(when(row.time_ref))
                    .collect(),
                ..self.at(&row.universe_id, "event", row.created_at)
            },
            Self::Relationship(row) => Record {
                status: Some(row.canon_level.to_string()),
                ends: Some(Ends { source: row.from_entity_id.clone(), target: row.to_entity_id.clone() }),
                ..self.at(&row.universe_id, &row.rel_type, row.created_at)
            },
            Self::Link(row) => Record {
                listed: false,
                ends: Some(Ends { source: row.from.clone(), target: row.to.clone() }),
                ..Record::new(self.key(), &row.universe_id, &row.r#type)
            },
            Self::Story(row) => Record {
                status: Some(row.status.to_string()),
                fields: one(field::PARENT, row.parent_story_id.as_ref()).collect(),
                ..self.named(&row.universe_id, row.story_type.as_str(), &row.title, row.created_at)
            },
            Self::Scene(_) | Self::Turn(_) | Self::Proposal(_) | Self::Resolution(_) => self.told(),
            Self::Memory(row) => Record {
                fields: vec![(field::IMPORTANCE.to_owned(), FieldKey::number(row.importance))],
                ..self.at(&row.entity_id, "memory", row.created_at)
            },
            Self::Access(row) => Record { listed: false, ..Record::new(self.key(), &row.entity_id, "access") },
            Self::Document(row) => self.named(&row.universe_id, row.kind.as_str(), &row.title, row.created_at),
            Self::Snippet(row) => Record {
                fields: one(field::DOCUMENT, row.document_id.as_ref()).collect(),
                ..self.at(&row.universe_id, "snippet", row.created_at)
            },
        }
    }

    fn fact(&self, row: &Fact) -> Record {
        let claimed = (row.canon_level == CanonLevel::Canon)
            .then(|| (field::CLAIM.to_owned(), claim::key(&row.statement, &row.involved_entity_ids)));
        let given = row.state_change.iter().filter(|_| row.canon_level == CanonLevel::Canon);
        let tagged = given.flat_map(|change| change.add.iter().map(|tag| tagged(&change.entity_id, tag)));
        Record {
            status: Some(row.canon_level.to_string()),
            fields: entities(&row.involved_entity_ids)
                .chain(claimed)
                .chain(tagged)
                .chain(when(row.time_ref))
                .chain([facet(row.canon_level.as_str(), row.authority.as_str())])
                .collect(),
            ..self.at(&row.universe_id, row.fact_type.as_str(), row.created_at)
        }
    }

    fn told(&self) -> Record {
        match self {
            Self::Scene(row) => Record {
                status: Some(row.status.to_string()),
                fields: entities(&row.participating_entities).chain(one(field::STORY, Some(&row.story_id))).collect(),
                ..self.named(&row.universe_id, "scene", &row.title, row.created_at)
            },
            Self::Turn(row) => {
                Record { fields: vec![number(row.number)], ..self.at(&row.scene_id, "turn", row.timestamp) }
            }
            Self::Proposal(row) => {
                let pending = (row.status == ProposalStatus::Pending).then_some(&row.scene_id);
                Record {
                    status: Some(row.status.to_string()),
                    fields: one(field::SCENE, Some(&row.scene_id)).chain(one(field::PENDING, pending)).collect(),
                    ..self.at(WORLD, row.r#type.as_str(), row.created_at)
                }
            }
            Self::Resolution(row) => self.at(&row.scene_id, "resolution", row.created_at),
            _ => unreachable!("only what was told comes here"),
        }
    }

    fn at(&self, scope: &str, r#type: &str, time: Timestamp) -> Record {
        Record { time: Some(time), ..Record::new(self.key(), scope, r#type) }
    }

    fn named(&self, scope: &str, r#type: &str, name: &str, time: Timestamp) -> Record {
        Record { name: Some(name.to_lowercase()), ..self.at(scope, r#type, time) }
    }
}

/// The key under which the fact is found that gave an entity a tag.
pub fn tagged_key(entity: &str, tag: &str) -> FieldKey {
    FieldKey::text(&claim::digest([entity, tag]))
}

fn tagged(entity: &str, tag: &str) -> (String, FieldKey) {
    (field::TAGGED.to_owned(), tagged_key(entity, tag))
}

fn entities(ids: &[String]) -> impl Iterator<Item = (String, FieldKey)> {
    ids.iter().map(|id| (field::ENTITY.to_owned(), FieldKey::text(id)))
}

fn one(name: &str, id: Option<&String>) -> impl Iterator<Item = (String, FieldKey)> {
    id.map(|id| (name.to_owned(), FieldKey::text(id))).into_iter()
}

fn number(value: u64) -> (String, FieldKey) {
    #[expect(clippy::cast_precision_loss, reason = "no scene has 2^53 turns")]
    (field::NUMBER.to_owned(), FieldKey::number(value as f64))
}
