//! Files: stored by their content, interpreted into entities.
//!
//! [`Arrived`] is a file that passed its checks. Storing it goes in this order: refuse what can be refused, keep the
//! bytes, interpret them, commit source, run and observations together. Bytes without a commit harm nobody; they are
//! found again by their hash.

mod content;
mod link;
mod quota;
mod reinterpret;
mod run;
mod upload;

use std::collections::BTreeMap;

use contract::generated::neotoma::{IngestRequest, IngestResponse};
use contract::{Context, Object};
use ledger::RecordKey;

use super::ingest::{Batch, Incoming, list};
use super::{Act, Decision, Progress, Write, load};
use crate::Error;
use crate::domain::fact::Happening;
use crate::domain::ids;
use crate::domain::ingest::{Origin, Warning};
use crate::domain::plan::Plan;
use crate::domain::row::{Row, kind};
use crate::domain::run::{Run, RunStatus};
use crate::domain::source::{Source, SourceKind};
use crate::projection::Reader;

use content::Arrived;
pub(super) use quota::Running;
use run::{Ran, Wanted};

/// What an interpretation counts for against what people and agents say.
const INTERPRETED: (f64, f64) = (0.0, 0.5);
const BUCKET: &str = "files";
/// Steps that are reported: kept, interpreted, stored.
const STEPS: u64 = 3;

impl Write {
    /// Stores a file that came as base64.
    pub(super) async fn ingest_file(
        &self,
        ctx: &Context,
        user: &str,
        request: &IngestRequest,
    ) -> Result<IngestResponse, Error> {
        let file = content::decode(request, self.parts.config.file_bytes_max)?;
        let wanted = match request.interpret {
            Some(false) => Wanted::Nothing,
            _ => Wanted::run(request.interpretation_config.as_ref()),
        };
        let source_id = ids::source(user, &file.hash);
        let reader = Reader::live(self.recorder.ledger(), ctx, user);
        let admitted = self.admit_run(&reader, ctx, &source_id, &wanted).await?;
        let mut content = file.held.as_deref().unwrap_or_default();
        let path = self.keep(ctx, user, BUCKET, &mut content).await?.key.to_string();
        let progress = Progress::new(ctx, STEPS);
        progress.reach(1, "the file is kept").await;
        let _locks = self.recorder.lock([source_id.as_str()]).await;
        let ran = self.interpret(&reader, ctx, &source_id, (&file, &path), (&wanted, admitted)).await?;
        progress.reach(2, "the file is interpreted").await;
        let storing = Storing { source_id, file: &file, path, attach: false, properties: None, ran };
        let answer = self.recorder.once(ctx, Act::Insert, || storing.decide(&reader, ctx)).await?;
        progress.reach(STEPS, "everything is stored").await;
        storing.failure(answer)
    }
}

/// A file on its way into the ledger.
pub(super) struct Storing<'a> {
    pub source_id: String,
    pub file: &'a Arrived,
    /// Where its bytes are.
    pub path: String,
    /// The source exists already and gets another file.
    pub attach: bool,
    pub properties: Option<Object>,
    pub ran: Ran,
}

impl Storing<'_> {
    pub async fn decide(&self, reader: &Reader<'_>, ctx: &Context) -> Result<Decision<IngestResponse>, Error> {
        let mut plan = Plan::new(reader.user, ctx.now);
        let stored = reader.source(&self.source_id).await?;
        let deduplicated = stored.is_some() && !self.attach;
        let version = stored.as_ref().map(|stored| stored.version);
        let mut source = stored.map_or_else(|| self.source(ctx), Source::after);
        let mut changed = version.is_none();
        if !source.files.contains(&self.path) {
            source.files.push(self.path.clone());
            changed = true;
        }
        if self.properties.is_some() && source.properties != self.properties {
            source.properties.clone_from(&self.properties);
            changed = true;
        }
        let mut response = IngestResponse {
            source_id: self.source_id.clone(),
            content_hash: self.file.hash.clone(),
            file_size: Some(self.file.size),
            deduplicated,
            file_path: Some(self.path.clone()),
            ..IngestResponse::default()
        };
        if self.ran.commit(reader, &mut plan, &mut source, &mut response).await? {
            changed = true;
        }
        if changed {
            plan.put(Row::Source(source), version);
        }
        load::settle(reader, &mut plan).await?;
        if !changed {
            plan.clear();
        }
        let is_final = !matches!(self.ran, Ran::Failed { .. });
        let happening = Happening::Ingested { source_id: self.source_id.clone() };
        Ok(Decision { is_final, ..plan.decision(&happening, response) })
    }

    /// The refusal of an interpretation that failed, once the file is stored.
    pub fn failure(&self, answer: IngestResponse) -> Result<IngestResponse, Error> {
        match &self.ran {
            Ran::Failed { reason, .. } => {
                Err(Error::AnalysisFailed { source_id: self.source_id.clone(), reason: reason.clone() })
            }
            _ => Ok(answer),
        }
    }

    fn source(&self, ctx: &Context) -> Source {
        Source {
            id: self.source_id.clone(),
            kind: SourceKind::File,
            content_hash: self.file.hash.clone(),
            created_at: ctx.now,
            mime_type: Some(self.file.mime_type.to_owned()),
            file_size: Some(self.file.size),
            original_filename: self.file.filename.clone(),
            files: Vec::new(),
            content_seq: None,
            provenance: None,
            entities: BTreeMap::new(),
            properties: None,
        }
    }
}

impl Ran {
    /// Adds what the interpretation found to the plan. True when there is something to store.
    async fn commit(
        &self,
        reader: &Reader<'_>,
        plan: &mut Plan,
        source: &mut Source,
        response: &mut IngestResponse,
    ) -> Result<bool, Error> {
        let (mut run, found) = match self {
            Self::Nothing => return Ok(false),
            Self::Before(run) => {
                response.interpretation = Some(run::summary(run));
                response.entities = run::spoken_of(reader, source).await?;
                return Ok(false);
            }
            Self::Failed { run, .. } => (Run::clone(run), None),
            Self::Found { run, entities, links, remarks } => (Run::clone(run), Some((entities, links, remarks))),
        };
        run.source_id.clone_from(&source.id);
        if let Some((found, links, remarks)) = found {
            run.status = RunStatus::Completed;
            let incoming: Vec<Incoming> = found
                .iter()
                .map(|found| Incoming { entity_type: found.entity_type.clone(), fields: found.fields.0.clone() })
                .collect();
            let (batch, left_out) = Batch::prepare_found(reader, plan, incoming).await?;
            let origin = Origin {
                run_id: Some(run.id.clone()),
                observed_at: None,
                source_priority: INTERPRETED.0,
                specificity_score: INTERPRETED.1,
                kind: None,
                is_new: true,
            };
            let places = batch.places.clone();
            let mut absorbed = batch.absorb(reader, plan, None, source, &origin).await?;
            let named = places.into_iter().zip(absorbed.item_ids.iter().cloned()).collect();
            let unrelated = link::store(reader, plan, &run.id, links, &named).await?;
            if unrelated > 0 {
                let message =
                    format!("{unrelated} relationships that the file states are not stored: an end is missing");
                absorbed.warnings.push(Warning { message, ..Warning::default() });
            }
            if left_out > 0 {
                let message =
                    format!("{left_out} of the entities that the file has cannot be stored: no type, or no identity");
                absorbed.warnings.push(Warning { message, ..Warning::default() });
            }
            let about_file = |message: &String| Warning { message: message.clone(), ..Warning::default() };
            absorbed.warnings.splice(0..0, remarks.iter().map(about_file));
            run.entities_created = absorbed.entities_created;
            run.observations_created = absorbed.observations_created;
            list(response, absorbed, plan);
        }
        response.interpretation = Some(run::summary(&run));
        // A run that failed before is made again under its name.
        let key = RecordKey::new(kind::RUN, &run.id);
        let before = reader.row::<Run>(key).await?;
        plan.put(Row::Run(run), before.map(|before| before.version));
        Ok(true)
    }
}
