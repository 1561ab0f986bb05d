//! Writes: load what a call touches, let the rules decide, commit.
//!
//! [`Recorder`] makes decisions durable, at most once for each `client_request_id`. [`Plan`] gathers what one call
//! changes about entities. One file for each group of tools.

mod file;
mod ingest;
mod plan;
mod recorder;
mod relate;
mod turns;

use contract::generated::neotoma::{
    CorrectRequest, CorrectResponse, CreateRelationshipRequest, CreateRelationshipResponse, DeleteRequest,
    DeleteResponse, IngestRequest, IngestResponse, MergeEntitiesRequest, MergeEntitiesResponse, NeotomaWriteService,
    RegisterSchemaRequest, RegisterSchemaResponse, ReinterpretRequest, ReinterpretResponse, RestoreRequest,
    RestoreResponse, UnmergeEntitiesRequest, UnmergeEntitiesResponse, UploadFileRequest, UploadFileResponse,
};
use contract::{CallError, Context};

use crate::capability::Parts;

pub use plan::Plan;
pub use recorder::{Decision, Recorder};

/// The write side.
pub struct Write {
    recorder: Recorder,
    parts: Parts,
}

impl Write {
    pub fn new(recorder: Recorder, parts: Parts) -> Self {
        Self { recorder, parts }
    }
}

impl NeotomaWriteService for Write {
    async fn ingest(&self, ctx: &Context, request: IngestRequest) -> Result<IngestResponse, CallError> {
        Ok(self.store(ctx, request).await?)
    }

    async fn create_relationship(
        &self,
        ctx: &Context,
        request: CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, CallError> {
        Ok(self.relate(ctx, &request).await?)
    }

    async fn upload_file(&self, ctx: &Context, request: UploadFileRequest) -> Result<UploadFileResponse, CallError> {
        Ok(self.upload(ctx, &request).await?)
    }

    async fn correct(&self, _ctx: &Context, _request: CorrectRequest) -> Result<CorrectResponse, CallError> {
        Err(CallError::absent("correct"))
    }

    async fn reinterpret(&self, ctx: &Context, request: ReinterpretRequest) -> Result<ReinterpretResponse, CallError> {
        Ok(self.run_again(ctx, &request).await?)
    }

    async fn merge_entities(
        &self,
        _ctx: &Context,
        _request: MergeEntitiesRequest,
    ) -> Result<MergeEntitiesResponse, CallError> {
        Err(CallError::absent("merge_entities"))
    }

    async fn unmerge_entities(
        &self,
        _ctx: &Context,
        _request: UnmergeEntitiesRequest,
    ) -> Result<UnmergeEntitiesResponse, CallError> {
        Err(CallError::absent("unmerge_entities"))
    }

    async fn delete(&self, _ctx: &Context, _request: DeleteRequest) -> Result<DeleteResponse, CallError> {
        Err(CallError::absent("delete"))
    }

    async fn restore(&self, _ctx: &Context, _request: RestoreRequest) -> Result<RestoreResponse, CallError> {
        Err(CallError::absent("restore"))
    }

    async fn register_schema(
        &self,
        _ctx: &Context,
        _request: RegisterSchemaRequest,
    ) -> Result<RegisterSchemaResponse, CallError> {
        Err(CallError::absent("register_schema"))
    }
}

/// Answers that say where they can be read again, and whether they are repetitions.
macro_rules! answered {
    ($($type:ty),* $(,)?) => {
        $(impl recorder::Answered for $type {
            fn set_read_point(&mut self, seq: ledger::Seq) {
                self.read_point = Some(seq);
            }

            fn mark_replay(&mut self) {
                self.idempotent_replay = Some(true);
            }
        })*
    };
}

answered!(
    IngestResponse,
    CorrectResponse,
    ReinterpretResponse,
    MergeEntitiesResponse,
    UnmergeEntitiesResponse,
    CreateRelationshipResponse,
    DeleteResponse,
    RestoreResponse,
    RegisterSchemaResponse,
);
