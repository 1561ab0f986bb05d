//! Runs: what an interpreter made of a file.

use bytes::Bytes;
use contract::generated::neotoma::{IngestedEntity, InterpretationSummary};
use contract::{Context, Object};
use ledger::RecordKey;
use serde::Serialize;
use serde_json::Value;

use super::content::Arrived;
use super::quota::Admitted;
use crate::Error;
use crate::domain::{ids, shape};
use crate::interpret::{Document, Extracted, Link, Understood};
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
        run: Box<RunRow>,
        entities: Vec<Extracted>,
        links: Vec<Link>,
        /// What was understood in part or not at all.
        remarks: Vec<String>,
    },
    Failed {
        run: Box<RunRow>,
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
        ctx: &Context,
        source_id: &str,
        (file, path): (&Arrived, &str),
        (wanted, admitted): (&Wanted, Option<Admitted>),
    ) -> Result<Ran, Error> {
        let Wanted::Run { config } = wanted else { return Ok(Ran::Nothing) };
        let run_id = self.run_id(source_id, config);
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
        let run = RunRow {
            id: run_id,
            source_id: source_id.to_owned(),
            config: config.clone(),
            extractor: self.parts.interpreter.version(),
            status: RunStatus::Failed,
            entities_created: 0,
            observations_created: 0,
            started_at: ctx.now,
            completed_at: ctx.now,
            free: !self.parts.interpreter.is_metered(),
        };
        self.count_run(reader, ctx, run.clone(), admitted).await?;
        let run = Box::new(run);
        Ok(match self.parts.interpreter.interpret(document, config).await {
            Ok(understood) => {
                let Understood { entities, links, remarks } = storable(understood, source_id, file);
                Ran::Found { run, entities, links, remarks }
            }
            Err(failure) => Ran::Failed { run, reason: failure.reason },
        })
    }
}

/// What can be stored of what was found, and what there is to say about it. The file itself is an entity when nothing in
/// it is.
fn storable(understood: Understood, source_id: &str, file: &Arrived) -> Understood {
    let Understood { mut entities, mut links, mut remarks } = understood;
    let found = entities.len();
    // What could not be stored by hand is not stored from a file either.
    let is_kept = |found: &Extracted| shape::check_shape(&Value::Object(found.fields.0.clone())).is_ok();
    let kept: Vec<bool> = entities.iter().map(is_kept).collect();
    // Entities are known by their places, which change where one before them goes.
    let mut next = 0..ENTITIES_MAX;
    let places: Vec<Option<usize>> = kept.iter().map(|kept| if *kept { next.next() } else { None }).collect();
    links.retain_mut(|link| match (places[link.source], places[link.target]) {
        (Some(source), Some(target)) => {
            (link.source, link.target) = (source, target);
            true
        }
        _ => false,
    });
    let mut kept = kept.into_iter();
    entities.retain(|_| kept.next().unwrap_or_default());
    entities.truncate(ENTITIES_MAX);
    if entities.len() < found {
        let left_out = found - entities.len();
        remarks.push(format!("{left_out} entities of the file are not stored: they are too many or too large."));
    }
    if entities.is_empty() {
        if remarks.is_empty() {
            remarks.push("Nothing in the file was understood.".to_owned());
        }
        remarks.push("The file itself is stored as an entity of type document.".to_owned());
        entities.push(document(source_id, file));
    }
    Understood { entities, links, remarks }
}

/// A file as an entity. Its source identifies it: other files may have the same name.
fn document(source_id: &str, file: &Arrived) -> Extracted {
    let mut fields = Object::default();
    fields.insert("source_id".to_owned(), source_id.into());
    fields.extend(file.filename.as_ref().map(|name| ("filename".to_owned(), name.as_str().into())));
    fields.insert("mime_type".to_owned(), file.mime_type.into());
    fields.insert("file_size".to_owned(), file.size.into());
    Extracted { entity_type: "document".to_owned(), fields }
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
