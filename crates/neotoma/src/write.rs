//! Writes: load what a call touches, let the rules decide, commit.
//!
//! One file for each group of tools: it loads what a call is about into a plan, lets [`crate::domain`] decide, and words the
//! answer. [`load`] is what they have in common. [`Recorder`] makes decisions durable, at most once for each
//! `client_request_id`.

mod ahead;
mod correct;
mod file;
mod ingest;
mod load;
mod merge;
mod progress;
mod recorder;
mod register;
mod relate;
mod remove;

use contract::generated::neotoma::{
    CorrectRequest, CorrectResponse, CreateRelationshipRequest, CreateRelationshipResponse, DeleteRequest,
    DeleteResponse, IngestRequest, IngestResponse, MergeEntitiesRequest, MergeEntitiesResponse, NeotomaWriteService,
    RegisterSchemaRequest, RegisterSchemaResponse, ReinterpretRequest, ReinterpretResponse, RestoreRequest,
    RestoreResponse, UnmergeEntitiesRequest, UnmergeEntitiesResponse, UploadFileRequest, UploadFileResponse, manifest,
};
use contract::{CallError, Context};
use desk::LocksHeld;
use desk::policy::{Governance, Policy, WriteScopes};

use crate::Error;
use crate::capability::Parts;
use crate::projection::Reader;

use progress::Progress;
use recorder::Act;
pub use recorder::{Decision, Recorder};

/// The scopes that writes ask for.
const SCOPES: WriteScopes = WriteScopes { write: "mcp:tools", propose: "neotoma:propose" };

/// Estimated CPU time of deciding on one entity of a batch, in nanoseconds.
const PER_ENTITY: u32 = 10_000;

/// The write side.
pub struct Write {
    recorder: Recorder,
    parts: Parts,
    policy: Policy,
    running: file::Running,
}

impl Write {
    pub fn new(recorder: Recorder, parts: Parts) -> Self {
        let policy = Policy::new(Governance::default(), SCOPES, &manifest());
        Self { recorder, parts, policy, running: file::Running::default() }
    }

    /// Asks the policy about a write of the risk that its tool publishes. What would have to be reviewed is refused.
    fn permit(&self, ctx: &Context, tool: &str, field: &'static str) -> Result<(), Error> {
        let ruling = self.policy.rule_without_review(&ctx.principal, self.policy.tier(tool));
        Ok(ruling.commit_or_refuse(ctx, field)?)
    }

    /// Waits until nobody else writes about what these arguments name, as far as they name something.
    async fn lock_named(&self, reader: &Reader<'_>, references: &[&str]) -> LocksHeld<'_> {
        let mut about = Vec::with_capacity(references.len());
        for reference in references {
            let id = match reader.named("id", reference).await {
                Ok(entity) => entity.row.merged_into.unwrap_or(entity.row.id),
                Err(_) => (*reference).to_owned(),
            };
            about.push(id);
        }
        self.recorder.lock(about.iter().map(String::as_str)).await
    }
}

impl NeotomaWriteService for Write {
    async fn ingest(&self, ctx: &Context, request: IngestRequest) -> Result<IngestResponse, CallError> {
        self.permit(ctx, "ingest", "entities")?;
        Ok(self.store(ctx, request).await?)
    }

    async fn create_relationship(
        &self,
        ctx: &Context,
        request: CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, CallError> {
        self.permit(ctx, "create_relationship", "relationship_type")?;
        Ok(self.relate(ctx, &request).await?)
    }

    async fn upload_file(&self, ctx: &Context, request: UploadFileRequest) -> Result<UploadFileResponse, CallError> {
        self.permit(ctx, "upload_file", "file_path")?;
        Ok(self.upload(ctx, &request).await?)
    }

    async fn correct(&self, ctx: &Context, request: CorrectRequest) -> Result<CorrectResponse, CallError> {
        self.permit(ctx, "correct", "entity_id")?;
        Ok(self.correct_field(ctx, &request).await?)
    }

    async fn reinterpret(&self, ctx: &Context, request: ReinterpretRequest) -> Result<ReinterpretResponse, CallError> {
        self.permit(ctx, "reinterpret", "source_id")?;
        Ok(self.run_again(ctx, &request).await?)
    }

    async fn merge_entities(
        &self,
        ctx: &Context,
        request: MergeEntitiesRequest,
    ) -> Result<MergeEntitiesResponse, CallError> {
        self.permit(ctx, "merge_entities", "from_entity_id")?;
        Ok(self.merge(ctx, &request).await?)
    }

    async fn unmerge_entities(
        &self,
        ctx: &Context,
        request: UnmergeEntitiesRequest,
    ) -> Result<UnmergeEntitiesResponse, CallError> {
        self.permit(ctx, "unmerge_entities", "from_entity_id")?;
        Ok(self.unmerge(ctx, &request).await?)
    }

    async fn delete(&self, ctx: &Context, request: DeleteRequest) -> Result<DeleteResponse, CallError> {
        self.permit(ctx, "delete", "id")?;
        Ok(self.remove(ctx, &request).await?)
    }

    async fn restore(&self, ctx: &Context, request: RestoreRequest) -> Result<RestoreResponse, CallError> {
        self.permit(ctx, "restore", "id")?;
        Ok(self.bring_back(ctx, &request).await?)
    }

    async fn register_schema(
        &self,
        ctx: &Context,
        request: RegisterSchemaRequest,
    ) -> Result<RegisterSchemaResponse, CallError> {
        self.permit(ctx, "register_schema", "definition")?;
        Ok(self.register(ctx, &request).await?)
    }
}
