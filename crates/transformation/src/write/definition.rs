//! Definitions: written, and promoted.

mod answer;

use contract::generated::transformation::{
    DefinitionWriteService, PromoteDefinitionRequest, PromoteDefinitionResponse, UpsertDefinitionRequest,
    UpsertDefinitionResponse,
};
use contract::{CallError, Context};
use ledger::SharedLedger;

use super::Recorder;
use crate::Error;
use crate::domain::definition::{self, PromoteDefinition, Promoted, UpsertDefinition, Upserted};
use crate::domain::proposal::refuse_unless_steward;
use crate::domain::{Decision, Name};
use crate::projection::{Snapshot, message};

/// Everything that changes definitions. They say what agents may do, so only stewards write them.
#[derive(Clone)]
pub struct DefinitionWrite {
    planner: DefinitionPlanner,
    recorder: Recorder,
}

impl DefinitionWrite {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { planner: DefinitionPlanner::new(ledger.clone()), recorder: Recorder::new(ledger) }
    }
}

impl DefinitionWriteService for DefinitionWrite {
    async fn upsert_definition(
        &self,
        ctx: &Context,
        request: UpsertDefinitionRequest,
    ) -> Result<UpsertDefinitionResponse, CallError> {
        refuse_unless_steward(&ctx.principal, "write definitions")?;
        let command = UpsertDefinition::read(ctx, request)?;
        Ok(self.recorder.once(ctx, || self.planner.upsert(ctx, &command)).await?)
    }

    async fn promote_definition(
        &self,
        ctx: &Context,
        request: PromoteDefinitionRequest,
    ) -> Result<PromoteDefinitionResponse, CallError> {
        refuse_unless_steward(&ctx.principal, "promote definitions")?;
        let command = PromoteDefinition::read(ctx, request)?;
        Ok(self.recorder.once(ctx, || self.planner.promote(ctx, &command)).await?)
    }
}

/// Decides what becomes of definitions without doing it.
#[derive(Clone)]
pub struct DefinitionPlanner {
    ledger: SharedLedger,
}

impl DefinitionPlanner {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger }
    }

    pub async fn upsert(&self, ctx: &Context, command: &UpsertDefinition) -> Result<Decision<Upserted>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let existing = snapshot.definition_of(command.kind, &command.name).await?;
        definition::upsert(ctx.scope.repository.as_str(), existing.as_ref(), command)
    }

    pub async fn promote(&self, ctx: &Context, command: &PromoteDefinition) -> Result<Decision<Promoted>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        definition::promote(&snapshot.definition(&command.definition).await?, command)
    }
}

impl UpsertDefinition {
    pub fn read(ctx: &Context, request: UpsertDefinitionRequest) -> Result<Self, Error> {
        let kind = message::definition::kind(request.kind)
            .ok_or_else(|| Error::invalid("kind", "is missing".to_owned(), "give process, agent or extension"))?;
        Ok(Self {
            id: ctx.ids.next(),
            now: ctx.now,
            kind,
            name: Name::new("name", &request.name)?,
            payload: request.payload.map(|payload| payload.0),
            source_version_id: request.source_version_id.filter(|id| !id.is_empty()),
            retired: request.retired.unwrap_or_default(),
            expected_version: request.expected_version,
        })
    }
}

impl PromoteDefinition {
    pub fn read(ctx: &Context, request: PromoteDefinitionRequest) -> Result<Self, Error> {
        Ok(Self { definition: request.definition_id, now: ctx.now, expected_version: request.expected_version })
    }
}
