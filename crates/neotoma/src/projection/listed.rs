//! Entities and sources as answers show them: read in one pass, without what answers do not tell.

use scope::Timestamp;
use serde::Deserialize;

use super::reader::Belongs;
use super::row::SourceKind;
use crate::domain::reducer::Shown;

/// An entity for listings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Listed {
    pub id: String,
    pub entity_type: String,
    pub name: String,
    pub created_at: Timestamp,
    #[serde(default)]
    pub merged_into: Option<String>,
    pub state: Shown,
}

#[derive(Deserialize)]
struct Row {
    entity: Listed,
}

impl Belongs for Listed {
    fn read(body: &str) -> Result<Self, String> {
        serde_json::from_str::<Row>(body).map(|row| row.entity).map_err(|error| error.to_string())
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
