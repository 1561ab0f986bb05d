//! Entities that an agent sends.

use std::collections::BTreeMap;
use std::sync::Mutex;

use contract::generated::neotoma::{IngestRequest, IngestResponse, IngestWarning, InterpretationSummary};
use contract::{Context, Object};
use desk::LocksHeld;
use ledger::RecordKey;
use serde_json::Value;

use super::absorb::{Absorbed, Origin};
use super::request::{self, Claimed};
use super::{Batch, Incoming, incoming};
use crate::Error;
use crate::domain::ids::{self, EntitiesHash};
use crate::domain::shape;
use crate::error::Flaws;
use crate::projection::Reader;
use crate::projection::content::ContentRow;
use crate::projection::fold::Happened;
use crate::projection::row::{Row, SourceKind, SourceRow, kind};
use crate::write::{Act, Decision, Plan, Progress, Write, pause};

/// The version of what turns entities into observations; part of what identifies a run.
const STRUCTURED: &str = "chancery-structured/1";
/// Steps that are reported: checked, found, observed, stored.
const STEPS: u64 = 4;
/// A call with at most this many entities reads ahead.
const AHEAD_MAX: usize = 16;
/// Entities and warnings that one answer lists.
const LISTED_MAX: usize = 150;

impl Write {
    /// Stores entities: one commit, or nothing.
    pub(super) async fn ingest_entities(
        &self,
        ctx: &Context,
        user: &str,
        request: &IngestRequest,
    ) -> Result<IngestResponse, Error> {
        let mut flaws = Flaws::default();
        let entities = flaws.check(incoming(&request.entities).await)?;
        let claimed = flaws.check(request::claimed(request.provenance.as_ref()))?;
        let priority = flaws.check(request::priority(request.source_priority))?;
        let filename = request.original_filename.as_deref().map_or(Ok(()), shape::check_file_name);
        flaws.check(filename.map_err(|reason| {
            Error::invalid("original_filename", reason, "give a plain file name, or leave it out")
        }))?;
        flaws.refuse()?;
        let (Some(entities), Some(claimed), Some(priority)) = (entities, claimed, priority) else {
            unreachable!("what is missing was refused above")
        };
        let progress = Progress::new(ctx, STEPS);
        progress.reach(1, "the entities are checked").await;
        let content_hash = content_hash(&request.entities).await;
        let source_id = ids::source(user, &content_hash);
        let reader = Reader::live(self.recorder.ledger(), ctx, user);
        let sent = Sent { request, claimed, priority, content_hash, source_id };
        let (plan, batch, _locks) = self.begin(&sent, &reader, ctx, entities).await?;
        let prepared = Mutex::new(Some((plan, batch)));
        progress.reach(2, "it is known which entities they are").await;
        let stored = self
            .recorder
            .once(ctx, Act::Insert, || async {
                // Decided again, everything is looked at anew.
                let taken = prepared.lock().map(|mut prepared| prepared.take()).unwrap_or_default();
                let (plan, batch) = match taken {
                    Some(prepared) => prepared,
                    None => prepared_anew(&reader, ctx, incoming(&request.entities).await?).await?,
                };
                let decision = sent.decide(plan, batch, ctx).await?;
                progress.reach(3, "the observations are made").await;
                Ok(decision)
            })
            .await?;
        progress.reach(STEPS, "everything is stored").await;
        Ok(stored)
    }

    /// Finds out what a call is about, and waits for whoever writes about the same.
    async fn begin<'r>(
        &self,
        sent: &Sent<'_>,
        reader: &'r Reader<'r>,
        ctx: &Context,
        entities: Vec<Incoming>,
    ) -> Result<(Plan<'r>, Batch, LocksHeld<'_>), Error> {
        let entities = if entities.len() <= AHEAD_MAX {
            let mut plan = Plan::new(reader, ctx.now);
            if let Some(batch) = Batch::assume(&mut plan, entities).await {
                let locks = self.lock_for(sent, &batch).await;
                if plan.read_ahead(&sent.source_id, &batch.entity_ids).await? {
                    return Ok((plan, batch, locks));
                }
            }
            incoming(&sent.request.entities).await?
        } else {
            entities
        };
        let (plan, batch) = prepared_anew(reader, ctx, entities).await?;
        let locks = self.lock_for(sent, &batch).await;
        Ok((plan, batch, locks))
    }

    async fn lock_for(&self, sent: &Sent<'_>, batch: &Batch) -> LocksHeld<'_> {
        self.recorder.lock(batch.entity_ids.iter().chain([&sent.source_id]).map(String::as_str)).await
    }
}

async fn prepared_anew<'r>(
    reader: &'r Reader<'r>,
    ctx: &Context,
    entities: Vec<Incoming>,
) -> Result<(Plan<'r>, Batch), Error> {
    let mut plan = Plan::new(reader, ctx.now);
    let batch = Batch::prepare(&mut plan, entities).await?;
    Ok((plan, batch))
}

async fn content_hash(entities: &[Object]) -> String {
    let mut hash = EntitiesHash::default();
    for (index, entity) in entities.iter().enumerate() {
        pause(index).await;
        hash.add(entity);
    }
    hash.finish()
}

/// What one call sent.
struct Sent<'a> {
    request: &'a IngestRequest,
    claimed: Claimed,
    priority: f64,
    content_hash: String,
    source_id: String,
}

impl Sent<'_> {
    async fn decide(&self, mut plan: Plan<'_>, batch: Batch, ctx: &Context) -> Result<Decision<IngestResponse>, Error> {
        let stored = plan.source(&self.source_id).await?;
        let origin = Origin {
            run_id: None,
            observed_at: self.claimed.observed_at,
            source_priority: self.priority,
            specificity_score: 1.0,
            kind: self.claimed.kind,
            is_new: stored.is_none(),
        };
        let version = stored.as_ref().map(|stored| stored.version);
        let mut source = stored.map_or_else(|| self.source(ctx), SourceRow::after);
        let absorbed = batch.absorb(&mut plan, &mut source, &origin).await?;
        if absorbed.observations_created > 0 || version.is_none() {
            if version.is_none() {
                plan.rows.push(Row::Content(ContentRow::new(&self.source_id, &self.request.entities)));
            }
            plan.put(Row::Source(source), version);
            plan.settle().await?;
        } else {
            // Nothing new was said, so nothing is stored.
            plan.rows.clear();
            plan.ends.clear();
            plan.expectations.clear();
        }
        let answer = self.answer(absorbed, &plan, version.is_some());
        Ok(plan.decision(Happened::Ingested, RecordKey::new(kind::SOURCE, &self.source_id), answer))
    }

    fn source(&self, ctx: &Context) -> SourceRow {
        SourceRow {
            id: self.source_id.clone(),
            kind: SourceKind::Structured,
            content_hash: self.content_hash.clone(),
            created_at: ctx.now,
            mime_type: Some("application/json".to_owned()),
            file_size: None,
            original_filename: self.request.original_filename.clone(),
            files: Vec::new(),
            content_seq: None,
            provenance: self.claimed.provenance.clone(),
            entities: BTreeMap::new(),
            properties: None,
        }
    }

    fn answer(&self, absorbed: Absorbed, plan: &Plan<'_>, deduplicated: bool) -> IngestResponse {
        let summary = InterpretationSummary {
            run_id: ids::run(&self.source_id, &Value::Null, STRUCTURED),
            entities_created: absorbed.entities_created,
            observations_created: absorbed.observations_created,
        };
        let mut response = IngestResponse {
            source_id: self.source_id.clone(),
            content_hash: self.content_hash.clone(),
            deduplicated,
            interpretation: Some(summary),
            ..IngestResponse::default()
        };
        list(&mut response, absorbed, plan);
        response
    }
}

/// Lists what became of the entities, as far as an answer can be read.
pub fn list(response: &mut IngestResponse, absorbed: Absorbed, plan: &Plan<'_>) {
    response.entities = absorbed.entities;
    response.warnings = absorbed.warnings;
    response.warnings.extend(plan.remarks.iter().map(|(entity, remark)| IngestWarning {
        index: None,
        field: None,
        message: format!("{entity}: {remark}"),
    }));
    if response.entities.len() > LISTED_MAX || response.warnings.len() > LISTED_MAX {
        response.entities.truncate(LISTED_MAX);
        response.warnings.truncate(LISTED_MAX);
        response.truncated = Some(true);
    }
}
