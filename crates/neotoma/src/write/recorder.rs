//! Decisions of this capability, on the write loop that all share.

use contract::Context;
use contract::generated::neotoma::{
    CorrectResponse, CreateRelationshipResponse, DeleteResponse, IngestResponse, MergeEntitiesResponse,
    RegisterSchemaResponse, ReinterpretResponse, RestoreResponse, UnmergeEntitiesResponse,
};
use desk::{Answer, Locks, LocksHeld};
use ledger::{Ledger, Seq, SharedLedger};
use scope::Timestamp;

use crate::Error;
use crate::domain::fact::Fact;

/// What a call does, and what it answers when that has been done.
pub type Decision<A> = desk::Decision<Fact, A>;

/// Commits decisions.
pub struct Recorder {
    recorder: desk::Recorder<Marks>,
    locks: Locks,
}

/// What a write does to the store; its code says so when the store does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Insert,
    Update,
    Delete,
}

impl Recorder {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { recorder: desk::Recorder::new(ledger, "chancery/neotoma"), locks: Locks::default() }
    }

    pub fn ledger(&self) -> &dyn Ledger {
        self.recorder.ledger()
    }

    /// Waits until nobody else in this process writes about these ids.
    pub async fn lock(&self, ids: impl IntoIterator<Item = &str>) -> LocksHeld<'_> {
        self.locks.lock(ids).await
    }

    /// Decides and commits, and answers; or answers as before when the same effect has happened already.
    pub async fn once<A, F, Fut>(&self, ctx: &Context, act: Act, decide: F) -> Result<A, Error>
    where
        A: Answer + Committed,
        Marks: desk::Marks<A>,
        F: Fn() -> Fut + Sync,
        Fut: Future<Output = Result<Decision<A>, Error>> + Send,
    {
        let decide = || async {
            let mut decision = decide().await?;
            decision.answer.set_committed();
            Ok(decision)
        };
        self.recorder.once(ctx, decide).await.map_err(|error| match (error, act) {
            (Error::InsertFailed, Act::Update) => Error::UpdateFailed,
            (Error::InsertFailed, Act::Delete) => Error::DeleteFailed,
            (error, _) => error,
        })
    }
}

/// An answer that says what became of the write.
pub trait Committed {
    /// Says that it has happened: nothing is filed for review here.
    fn set_committed(&mut self);
}

/// How the write loop marks our answers.
pub struct Marks;

/// Answers that say where they can be read again, and whether they are repetitions.
macro_rules! marked {
    ($($answer:ty),* $(,)?) => {$(
        impl Committed for $answer {
            fn set_committed(&mut self) {
                "committed".clone_into(&mut self.outcome);
            }
        }

        impl desk::Marks<$answer> for Marks {
            fn set_read_point(answer: &mut $answer, seq: Seq) {
                answer.read_point = Some(seq);
            }

            fn mark_replay(answer: &mut $answer, _at: Timestamp) {
                answer.idempotent_replay = Some(true);
            }
        }
    )*};
}

marked!(
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
