//! Rows: what the records of neotoma hold, and by what they are found.
//!
//! The ledger walks times and ids upwards. What is listed newest first therefore counts its time [`backwards`].

mod entity;
mod relationship;

use ledger::{Record, RecordKey};
use scope::Timestamp;

pub use crate::domain::Entity as EntityRow;
pub use crate::domain::merge::Merge as MergeRow;
pub use crate::domain::relationship::{EdgeObservation, EdgeState, Relationship as RelationshipRow};
pub use crate::domain::row::{Row, kind, newest_first, observation_key, relation_type_key, schema_key};
pub use crate::domain::run::{Run as RunRow, RunStatus};
pub use crate::domain::source::{Source as SourceRow, SourceKind};
pub use crate::domain::timeline::Entry as EventRow;
pub use entity::{deleted_scope, merged_scope};
pub use relationship::hidden_edge_scope;

/// A moment as the ledger keeps it for listings that begin with the newest.
pub fn backwards(moment: Timestamp) -> Timestamp {
    Timestamp(moment.0.saturating_neg())
}

/// Whether a record of [`kind::ENTITY`] is an observation.
pub fn is_observation(key: &RecordKey) -> bool {
    key.kind == kind::ENTITY && key.id.contains('/')
}

impl Row {
    /// The record that holds this row, with the row itself as `body`. Content has none.
    pub fn record(&self, user: &str, body: &str) -> Option<Record> {
        if matches!(self, Self::Content(_)) {
            return None;
        }
        let plain = Record {
            key: self.key(user),
            scope: user.to_owned(),
            r#type: String::new(),
            listed: true,
            status: None,
            name: None,
            time: None,
            tags: Vec::new(),
            ends: None,
            fields: Vec::new(),
            unique: Vec::new(),
            text: String::new(),
            body: body.to_owned(),
        };
        Some(match self {
            Self::Source(_) | Self::Content(_) => Record { listed: false, ..plain },
            // Found under the entity that it was written to, which belongs to one user.
            Self::Observation(observation) => Record { listed: false, scope: observation.entity_id.clone(), ..plain },
            Self::Entity(entity) => entity.record(user, plain),
            // Found by time, and by the entity and the source that it tells of.
            Self::Event(event) => Record {
                listed: false,
                r#type: event.event_type.clone(),
                time: Some(backwards(event.at)),
                tags: vec![event.source_id.clone(), event.entity_id.clone()],
                ..plain
            },
            Self::Relationship(relationship) => relationship.record(user, plain),
            Self::Merge(merge) => Record { r#type: merge.to.clone(), ..plain },
            // Found by when it began, for the quota.
            Self::Run(run) => {
                let time = (!run.free).then_some(run.started_at);
                Record { r#type: run.status.name().to_owned(), time, ..plain }
            }
            // Found by the other names of its type.
            Self::Schema(schema) => Record { tags: schema.aliases.clone(), ..plain },
            Self::RelationType(_) => plain,
        })
    }
}
