//! What a caller says without material: corrections and markers. A source of its own stands for each, so that
//! provenance always leads somewhere.

use std::collections::BTreeMap;

use contract::Object;
use serde_json::json;

use super::Plan;
use crate::Error;
use crate::domain::{Kind, Map, Marker, Observation, ids};
use crate::projection::content::ContentRow;
use crate::projection::row::{Row, SourceKind, SourceRow};

/// Something said about one entity.
pub struct Said {
    /// What is done by saying it, for example `correction`.
    pub act: &'static str,
    pub entity_id: String,
    pub fields: Map,
    pub source_priority: f64,
    pub marker: Option<Marker>,
}

/// The source that stands for it.
pub struct Internal {
    pub row: SourceRow,
    version: Option<u64>,
    /// What was said, when it is new.
    content: Option<ContentRow>,
}

impl Said {
    /// The source of what is said; the same words about the same entity have the same.
    pub async fn source(&self, plan: &Plan<'_>) -> Result<Internal, Error> {
        let reader = plan.reader;
        let words = ids::canonical(&self.fields.clone().into());
        let id = ids::internal_source(reader.user, &[self.act, &self.entity_id, &words]);
        if let Some(stored) = reader.source(&id).await? {
            return Ok(Internal { version: Some(stored.version), row: stored.into_row(), content: None });
        }
        let content = json!({"act": self.act, "entity_id": self.entity_id, "fields": self.fields});
        let row = SourceRow {
            id,
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
        let content = Some(ContentRow::new(&row.id, &[said]));
        Ok(Internal { row, version: None, content })
    }

    /// The observation of it, next in line of those from its source.
    pub fn observation(self, plan: &Plan<'_>, source: &SourceRow) -> Observation {
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
            kind: Some(Kind::Human),
            marker: self.marker,
            entity_id: self.entity_id,
            fields: Object(self.fields),
        }
    }
}

impl Internal {
    /// Adds the observation to the plan, and the source that it is from.
    pub fn observe(mut self, plan: &mut Plan<'_>, observation: Observation) {
        self.row.speak_of(&observation.entity_id);
        plan.observe(observation);
        plan.rows.extend(self.content.map(Row::Content));
        plan.put(Row::Source(self.row), self.version);
    }
}
