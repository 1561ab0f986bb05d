//! Rows as lists show them. Each is a projection of the row of the same name, read in one pass without what lists leave out: a list
//! of a hundred reads a hundred of them.

use contract::Object;
use scope::Timestamp;
use serde::Deserialize;

use super::reader::{Belongs, EntityShape};
use super::row::{EntityRow, SourceKind};
use crate::domain::reducer::Summary;

/// An [`EntityRow`] as lists show it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Listed {
    pub id: String,
    pub entity_type: String,
    pub name: String,
    pub created_at: Timestamp,
    #[serde(default)]
    pub merged_into: Option<String>,
    pub state: Summary,
}

impl From<&EntityRow> for Listed {
    fn from(entity: &EntityRow) -> Self {
        Self {
            id: entity.id.clone(),
            entity_type: entity.entity_type.clone(),
            name: entity.name.clone(),
            created_at: entity.created_at,
            merged_into: entity.merged_into.clone(),
            state: Summary::from(&entity.state),
        }
    }
}

impl EntityShape for Listed {
    fn entity_type(&self) -> &str {
        &self.entity_type
    }

    fn merged_into(&self) -> Option<&str> {
        self.merged_into.as_deref()
    }

    fn is_deleted(&self) -> bool {
        self.state.is_deleted
    }
}

/// The body of an entity's record.
#[derive(Deserialize)]
struct Row<T> {
    entity: T,
}

impl Belongs for Listed {
    fn read(body: &str) -> Result<Self, String> {
        serde_json::from_str::<Row<Self>>(body).map(|row| row.entity).map_err(|error| error.to_string())
    }
}

/// Source material without its content, however large that is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SourceHead {
    pub id: String,
    pub kind: SourceKind,
    pub content_hash: String,
    pub created_at: Timestamp,
    #[serde(default)]
    pub mime_type: Option<String>,
    #[serde(default)]
    pub file_size: Option<u64>,
    #[serde(default)]
    pub original_filename: Option<String>,
    #[serde(default)]
    pub files: Vec<String>,
}

#[derive(Deserialize)]
struct SourceBody {
    source: SourceHead,
}

impl Belongs for SourceHead {
    fn read(body: &str) -> Result<Self, String> {
        serde_json::from_str::<SourceBody>(body).map(|row| row.source).map_err(|error| error.to_string())
    }
}

/// A relationship, with the last word about each key of its metadata.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "EdgeParts")]
pub struct Edge {
    pub id: String,
    pub relationship_type: String,
    pub source: String,
    pub target: String,
    pub created_at: Timestamp,
    pub metadata: Option<Object>,
}

#[derive(Deserialize)]
struct EdgeParts {
    id: String,
    relationship_type: String,
    source: String,
    target: String,
    created_at: Timestamp,
    observations: Vec<Said>,
    #[serde(default)]
    absorbed: Vec<Said>,
}

/// What one statement about a relationship adds to its metadata.
#[derive(Deserialize)]
struct Said {
    at: Timestamp,
    #[serde(default)]
    metadata: Option<Object>,
}

impl From<EdgeParts> for Edge {
    fn from(parts: EdgeParts) -> Self {
        let said = parts.observations.into_iter().chain(parts.absorbed);
        let mut said: Vec<(Timestamp, Object)> = said.filter_map(|said| Some((said.at, said.metadata?))).collect();
        said.sort_by_key(|(at, _)| *at);
        let metadata = said.into_iter().map(|(_, metadata)| metadata).reduce(|mut earlier, later| {
            earlier.extend(later.0);
            earlier
        });
        Self {
            id: parts.id,
            relationship_type: parts.relationship_type,
            source: parts.source,
            target: parts.target,
            created_at: parts.created_at,
            metadata,
        }
    }
}

#[derive(Deserialize)]
struct EdgeBody {
    relationship: Edge,
}

impl Belongs for Edge {
    fn read(body: &str) -> Result<Self, String> {
        serde_json::from_str::<EdgeBody>(body).map(|row| row.relationship).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::projection::row::{EdgeObservation, EdgeState, RelationshipRow, Row};

    #[test]
    fn an_edge_shows_what_its_row_would() {
        let says = |at: i64, metadata: serde_json::Value| EdgeObservation {
            id: format!("o{at}"),
            at: Timestamp(at),
            source_priority: 100.0,
            specificity_score: 1.0,
            metadata: metadata.as_object().cloned().map(Object),
            deletes: None,
        };
        let plain = RelationshipRow {
            id: "r".to_owned(),
            relationship_type: "REFERS_TO".to_owned(),
            named_source: "a".to_owned(),
            named_target: "b".to_owned(),
            source: "c".to_owned(),
            target: "d".to_owned(),
            created_at: Timestamp(7),
            state: EdgeState::Live,
            observations: vec![says(1, json!(null)), says(4, json!({"x": 4, "y": 4}))],
            absorbed: Vec::new(),
        };
        let absorbed = vec![says(2, json!({"z": 2, "x": 2})), says(4, json!({"y": 5}))];
        let silent = RelationshipRow { observations: vec![says(1, json!(null))], ..plain.clone() };
        for row in [RelationshipRow { absorbed, ..plain.clone() }, plain, silent] {
            let edge = Edge::read(&serde_json::to_string(&Row::Relationship(row.clone())).unwrap()).unwrap();
            assert_eq!((&edge.id, &edge.source, &edge.target), (&row.id, &row.source, &row.target));
            assert_eq!((edge.relationship_type, edge.created_at), (row.relationship_type.clone(), row.created_at));
            assert_eq!(json!(edge.metadata).to_string(), json!(row.metadata()).to_string());
        }
    }
}
