//! Runs: what an interpreter made of a file.

use bytes::Bytes;
use contract::Object;
use contract::generated::neotoma::{IngestedEntity, InterpretationSummary};
use ledger::RecordKey;
use serde::Serialize;
use serde_json::Value;

use super::content::Arrived;
use crate::Error;
use crate::domain::{ids, shape};
use crate::interpret::{Document, Extracted};
use crate::projection::Reader;
use crate::projection::row::{RunRow, RunStatus, SourceRow, kind};
use crate::write::Write;
use crate::write::ingest::ENTITIES_MAX;

/// Entities that one answer lists.
const LISTED_MAX: usize = 200;

/// Whether a file is to be interpreted.
#[derive(Debug, Clone)]
pub enum Wanted {
    Nothing,
    Run { config: Object },
}

impl Wanted {
    /// With this configuration, or with none.
    pub fn run(config: Option<&impl Serialize>) -> Self {
        let config = config.and_then(|config| serde_json::to_value(config).ok());
        match config {
            Some(Value::Object(config)) => Self::Run { config: Object(config) },
            _ => Self::Run { config: Object::default() },
        }
    }
}

/// What came of it.
#[derive(Debug, Clone)]
pub enum Ran {
    Nothing,
    /// The same run was made before.
    Before(Box<RunRow>),
    Found {
        run_id: String,
        config: Object,
        extractor: String,
        entities: Vec<Extracted>,
    },
    Failed {
        run_id: String,
        config: Object,
        extractor: String,
        reason: String,
    },
}

impl Write {
    /// The name of a run: the same source, configuration and interpreter are the same run.
    pub(super) fn run_id(&self, source_id: &str, config: &Object) -> String {
        ids::run(source_id, &Value::Object(config.0.clone()), &self.parts.interpreter.version())
    }

    /// Interprets a file that is stored under `path`, unless the same run was made before.
    pub(super) async fn interpret(
        &self,
        reader: &Reader<'_>,
        source_id: &str,
        (file, path): (&Arrived, &str),
        wanted: &Wanted,
    ) -> Result<Ran, Error> {
        let Wanted::Run { config } = wanted else { return Ok(Ran::Nothing) };
        let (run_id, extractor) = (self.run_id(source_id, config), self.parts.interpreter.version());
        let before = reader.row::<RunRow>(RecordKey::new(kind::RUN, &run_id)).await?;
        if let Some(before) = before.filter(|before| before.row.status == RunStatus::Completed) {
            return Ok(Ran::Before(Box::new(before.row)));
        }
        let (mime_type, filename) = (file.mime_type, file.filename.as_deref());
        let bytes = match &file.held {
            Some(held) => held.clone(),
            None if self.parts.interpreter.reads(mime_type, filename) => self.fetch(reader.tenant, path).await?,
            None => Bytes::new(),
        };
        let document = Document { bytes: &bytes, mime_type, filename };
        let config = config.clone();
        Ok(match self.parts.interpreter.interpret(document, &config).await {
            Ok(mut entities) => {
                // What could not be stored by hand is not stored from a file either.
                entities.retain(|found| shape::check_shape(&Value::Object(found.fields.0.clone())).is_ok());
                entities.truncate(ENTITIES_MAX);
                Ran::Found { run_id, config, extractor, entities }
            }
            Err(failure) => Ran::Failed { run_id, config, extractor, reason: failure.reason },
        })
    }
}

pub fn summary(run: &RunRow) -> InterpretationSummary {
    InterpretationSummary {
        run_id: run.id.clone(),
        entities_created: run.entities_created,
        observations_created: run.observations_created,
    }
}

/// The entities that a source spoke about before.
pub async fn spoken_of(reader: &Reader<'_>, source: &SourceRow) -> Result<Vec<IngestedEntity>, Error> {
    let ids: Vec<String> = source.entities.iter().take(LISTED_MAX).map(|(id, _)| id.clone()).collect();
    let found = reader.entities(&ids).await?.into_iter().flatten();
    let matched = |id: String, entity_type: String| IngestedEntity {
        id,
        entity_type,
        action: "matched".to_owned(),
        ..IngestedEntity::default()
    };
    Ok(found.map(|found| matched(found.row.id, found.row.entity_type)).collect())
}
