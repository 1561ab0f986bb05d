//! How the write loop marks our answers: with a receipt.

use contract::generated::monitor::{
    AppendTurnResponse, CanonizeSceneResponse, CreateAxiomResponse, CreateCharacterMemoryResponse,
    CreateDocumentResponse, CreateEntityResponse, CreateEventResponse, CreateFactResponse, CreateMultiverseResponse,
    CreateProposedChangeResponse, CreateRelationshipResponse, CreateResolutionResponse, CreateSceneResponse,
    CreateSnippetResponse, CreateSourceResponse, CreateStoryResponse, CreateUniverseResponse, EvaluateProposalResponse,
    FinalizeSceneResponse, Receipt, UpdateEntityStateResponse, UpdateFactCanonLevelResponse, UpdateStoryResponse,
};
use ledger::Seq;
use scope::Timestamp;

/// The receipt of a write that happens now; where it can be read is filled in by its commit.
pub fn receipt() -> Option<Receipt> {
    Some(Receipt { outcome: "committed".to_owned(), ..Receipt::default() })
}

/// Marks answers of this capability.
pub struct Marks;

macro_rules! marked {
    ($($answer:ty),* $(,)?) => {$(
        impl desk::Marks<$answer> for Marks {
            fn set_read_point(answer: &mut $answer, seq: Seq) {
                answer.receipt.get_or_insert_default().sequence = seq.cast_signed();
            }

            fn mark_replay(answer: &mut $answer, at: Timestamp) {
                let receipt = answer.receipt.get_or_insert_default();
                receipt.idempotent_replay = Some(true);
                receipt.original_request_time = Some(at.to_string());
            }
        }
    )*};
}

marked!(
    CreateMultiverseResponse,
    CreateUniverseResponse,
    CreateSourceResponse,
    CreateAxiomResponse,
    CreateEntityResponse,
    UpdateEntityStateResponse,
    CreateRelationshipResponse,
    CreateFactResponse,
    CreateEventResponse,
    UpdateFactCanonLevelResponse,
    CreateStoryResponse,
    UpdateStoryResponse,
    CreateSceneResponse,
    AppendTurnResponse,
    FinalizeSceneResponse,
    CreateProposedChangeResponse,
    EvaluateProposalResponse,
    CreateCharacterMemoryResponse,
    CreateResolutionResponse,
    CreateDocumentResponse,
    CreateSnippetResponse,
    CanonizeSceneResponse,
);
