//! reinterpret: another run over a source that is stored.

use contract::Context;
use contract::generated::neotoma::{IngestResponse, ReinterpretRequest, ReinterpretResponse};

use super::Storing;
use super::content::Arrived;
use super::run::Wanted;
use crate::projection::Reader;
use crate::projection::row::{SourceKind, SourceRow};
use crate::write::{Act, Progress, Write};
use crate::{Error, user};

/// Steps that are reported: interpreted, stored.
const STEPS: u64 = 2;

impl Write {
    pub(in crate::write) async fn run_again(
        &self,
        ctx: &Context,
        request: &ReinterpretRequest,
    ) -> Result<ReinterpretResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let config = request.interpretation_config.clone().unwrap_or_default();
        if config.feature_flags.iter().flat_map(|flags| flags.values()).any(|flag| !flag.is_boolean()) {
            return Err(Error::invalid(
                "interpretation_config.feature_flags",
                "holds more than booleans",
                "give true or false",
            ));
        }
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let source = reader.named_source("source_id", &request.source_id).await?;
        if source.kind != SourceKind::File {
            return Err(Error::invalid("source_id", "is not a file", "name a source that was stored from a file"));
        }
        let wanted = Wanted::run(Some(&config));
        let admitted = self.admit_run(&reader, ctx, &source.id, &wanted).await?;
        let _locks = self.recorder.lock([source.id.as_str()]).await;
        let path = source.files.first().cloned().ok_or(Error::NoSuchFile { field: "source_id" })?;
        let file = stored(&source);
        let ran = self.interpret(&reader, ctx, &source.id, (&file, &path), (&wanted, admitted)).await?;
        let progress = Progress::new(ctx, STEPS);
        progress.reach(1, "the file is interpreted").await;
        let storing = Storing { source_id: source.id, file: &file, path, attach: true, properties: None, ran };
        let again = self
            .recorder
            .once(ctx, Act::Insert, || async {
                let decision = storing.decide(&reader, ctx).await?;
                Ok(decision.map(|stored| answer(&stored)))
            })
            .await?;
        progress.reach(STEPS, "everything is stored").await;
        storing.failure(IngestResponse::default())?;
        Ok(again)
    }
}

/// A file whose bytes are in the store.
fn stored(source: &SourceRow) -> Arrived {
    let known = blobs::media::supported().find(|known| Some(*known) == source.mime_type.as_deref());
    Arrived {
        size: source.file_size.unwrap_or_default(),
        hash: source.content_hash.clone(),
        held: None,
        mime_type: known.unwrap_or("text/plain"),
        filename: source.original_filename.clone(),
    }
}

fn answer(answer: &IngestResponse) -> ReinterpretResponse {
    let run = answer.interpretation.clone().unwrap_or_default();
    ReinterpretResponse {
        run_id: run.run_id,
        entities_created: run.entities_created,
        observations_created: run.observations_created,
        source_id: answer.source_id.clone(),
        warnings: answer.warnings.clone(),
        ..ReinterpretResponse::default()
    }
}
