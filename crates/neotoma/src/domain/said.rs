//! What a caller says without material: corrections and markers. A source of its own stands for each, so that provenance
//! always leads somewhere.

use std::collections::BTreeMap;

use contract::Object;
use desk::Stored;
use serde_json::json;

use super::plan::Plan;
use super::row::Row;
use super::source::{Content, Source, SourceKind};
use super::{Kind, Map, Marker, Observation, ids};

/// Something said about one entity.
#[derive(Debug, Clone)]
pub struct Said {
    /// What is done by saying it, for example `correction`.
    pub act: &'static str,
    pub entity_id: String,
    pub fields: Map,
    pub source_priority: f64,
    pub kind: Kind,
    pub marker: Option<Marker>,
}

/// The source that stands for it.
#[derive(Debug, Clone)]
pub struct Internal {
    pub row: Source,
    version: Option<u64>,
    /// What was said, when it is new.
    content: Option<Content>,
}

impl Said {
    /// The id of the source of what is said; the same words about the same entity have the same.
    pub fn source_id(&self, user: &str) -> String {
        let words = ids::canonical(&self.fields.clone().into());
        ids::internal_source(user, &[self.act, &self.entity_id, &words])
    }

    /// The source of what is said, which may have been said before.
    pub fn source(&self, plan: &Plan, stored: Option<Stored<Source>>) -> Internal {
        if let Some(stored) = stored {
            return Internal { version: Some(stored.version), row: Source::after(stored), content: None };
        }
        let content = json!({"act": self.act, "entity_id": self.entity_id, "fields": self.fields});
        let row = Source {
            id: self.source_id(&plan.user),
            kind: SourceKind::Internal,
            content_hash: ids::content_hash(ids::canonical(&content)),
            created_at: plan.now,
            mime_type: None,
            file_size: None,
            original_filename: None,
            files: Vec::new(),
            content_seq: None,
            provenance: None,
            entities: BTreeMap::new(),
            properties: None,
        };
        let said = Object(content.as_object().cloned().unwrap_or_default());
        let content = Some(Content::new(&row.id, &[said]));
        Internal { row, version: None, content }
    }

    /// The observation of it, next in line of those from its source.
    pub fn observation(self, plan: &Plan, source: &Source) -> Observation {
        let entity_type =
            &plan.entity(&self.entity_id).expect("entities are loaded before they are changed").entity_type;
        let now = plan.moment_for(&self.entity_id);
        let occurrence = format!("#{}", source.occurrences(&self.entity_id));
        Observation {
            id: ids::observation(&source.id, None, &self.entity_id, &self.fields, &occurrence),
            entity_type: entity_type.clone(),
            schema_version: plan.schema(entity_type).schema_version.clone(),
            source_id: source.id.clone(),
            run_id: None,
            observed_at: now,
            created_at: now,
            source_priority: self.source_priority,
            specificity_score: 1.0,
            kind: Some(self.kind),
            marker: self.marker,
            entity_id: self.entity_id,
            fields: Object(self.fields),
        }
    }
}

impl Internal {
    /// Adds the observation to the plan, and the source that it is from.
    pub fn observe(mut self, plan: &mut Plan, observation: Observation) {
        self.row.speak_of(&observation.entity_id);
        plan.observe(observation);
        plan.rows.extend(self.content.map(Row::Content));
        plan.put(Row::Source(self.row), self.version);
    }
}
