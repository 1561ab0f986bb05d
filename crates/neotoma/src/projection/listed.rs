//! Entities as listings show them: read in one pass, without identifiers, members and ranks.

use serde::Deserialize;

use super::reader::Belongs;
use crate::domain::reducer::Shown;

/// An entity for listings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Listed {
    pub id: String,
    pub entity_type: String,
    pub name: String,
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
