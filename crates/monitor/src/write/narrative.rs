//! The tools that tell a story, each in its file; here they meet the write loop.

use contract::generated::monitor::{
    AppendTurnRequest, AppendTurnResponse, BatchCallRequest, BatchCallResponse, CanonizeSceneRequest,
    CanonizeSceneResponse, CreateCharacterMemoryRequest, CreateCharacterMemoryResponse, CreateDocumentRequest,
    CreateDocumentResponse, CreateProposedChangeRequest, CreateProposedChangeResponse, CreateResolutionRequest,
    CreateResolutionResponse, CreateSceneRequest, CreateSceneResponse, CreateSnippetRequest, CreateSnippetResponse,
    EvaluateProposalRequest, EvaluateProposalResponse, FinalizeSceneRequest, FinalizeSceneResponse,
    NarrativeWriteService,
};
use contract::{CallError, Context};

use super::Write;

impl NarrativeWriteService for Write {
    async fn create_scene(&self, ctx: &Context, request: CreateSceneRequest) -> Result<CreateSceneResponse, CallError> {
        Ok(self.recorder.once(ctx, || self.new_scene(ctx, &request)).await?)
    }

    async fn append_turn(&self, ctx: &Context, request: AppendTurnRequest) -> Result<AppendTurnResponse, CallError> {
        let _held = self.lock(&request.scene_id).await;
        Ok(self.recorder.once(ctx, || self.new_turn(ctx, &request)).await?)
    }

    async fn finalize_scene(
        &self,
        ctx: &Context,
        request: FinalizeSceneRequest,
    ) -> Result<FinalizeSceneResponse, CallError> {
        let _held = self.lock(&request.scene_id).await;
        Ok(self.recorder.once(ctx, || self.finalized(ctx, &request)).await?)
    }

    async fn create_proposed_change(
        &self,
        ctx: &Context,
        request: CreateProposedChangeRequest,
    ) -> Result<CreateProposedChangeResponse, CallError> {
        let _held = self.lock(&request.scene_id).await;
        Ok(self.recorder.once(ctx, || self.new_proposal(ctx, &request)).await?)
    }

    async fn evaluate_proposal(
        &self,
        ctx: &Context,
        request: EvaluateProposalRequest,
    ) -> Result<EvaluateProposalResponse, CallError> {
        Ok(self.recorder.once(ctx, || self.evaluated(ctx, &request)).await?)
    }

    async fn create_character_memory(
        &self,
        ctx: &Context,
        request: CreateCharacterMemoryRequest,
    ) -> Result<CreateCharacterMemoryResponse, CallError> {
        Ok(self.recorder.once(ctx, || self.new_memory(ctx, &request)).await?)
    }

    async fn create_resolution(
        &self,
        ctx: &Context,
        request: CreateResolutionRequest,
    ) -> Result<CreateResolutionResponse, CallError> {
        Ok(self.recorder.once(ctx, || self.new_resolution(ctx, &request)).await?)
    }

    async fn create_document(
        &self,
        ctx: &Context,
        request: CreateDocumentRequest,
    ) -> Result<CreateDocumentResponse, CallError> {
        Ok(self.recorder.once(ctx, || self.new_document(ctx, &request)).await?)
    }

    async fn create_snippet(
        &self,
        ctx: &Context,
        request: CreateSnippetRequest,
    ) -> Result<CreateSnippetResponse, CallError> {
        Ok(self.recorder.once(ctx, || self.new_snippet(ctx, &request)).await?)
    }

    async fn canonize_scene(
        &self,
        ctx: &Context,
        request: CanonizeSceneRequest,
    ) -> Result<CanonizeSceneResponse, CallError> {
        let _held = self.lock(&request.scene_id).await;
        Ok(self.recorder.once(ctx, || self.canonized(ctx, &request)).await?)
    }

    /// The capability itself takes a batch apart, because each of its calls is admitted for itself.
    async fn batch_call(&self, _ctx: &Context, _request: BatchCallRequest) -> Result<BatchCallResponse, CallError> {
        Err(CallError::invalid("a batch is called as a tool").field("calls").hint("call composite_batch_call over MCP"))
    }
}

impl Write {
    /// Waits until nobody else in this process changes the scene.
    async fn lock(&self, scene_id: &str) -> desk::LocksHeld<'_> {
        let name = scene_id.to_ascii_lowercase();
        self.locks.lock([name.as_str()]).await
    }
}
