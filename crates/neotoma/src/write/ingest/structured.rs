//! Entities that an agent sends.

use std::collections::BTreeMap;
use std::sync::Mutex;

use contract::generated::neotoma::{
    IngestRequest, IngestResponse, IngestWarning, IngestedEntity, InterpretationSummary,
};
use contract::{Context, List, Object};
use desk::LocksHeld;
use serde_json::Value;

use super::request::{self, Claimed};
use super::{Batch, Incoming, incoming};
use crate::Error;
use crate::domain::fact::Happening;
use crate::domain::ids::{self, EntitiesHash};
use crate::domain::ingest::{Absorbed, Action, Became, Origin, Warning};
use crate::domain::plan::Plan;
use crate::domain::row::{Row, schema_key};
use crate::domain::source::{Content, Source, SourceKind};
use crate::domain::{Speaker, shape};
use crate::error::Flaws;
use crate::projection::Reader;
use crate::write::ahead::{self, Ahead};
use crate::write::{Act, Decision, Progress, Write, load};

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
        let entities = flaws.check(incoming(&request.entities))?;
        let claimed = flaws.check(request::claimed(request.provenance.as_ref()))?;
        let speaker = Speaker::of(&ctx.principal);
        let priority = flaws.check(request::priority(request.source_priority))?;
        let priority = priority.map(|priority| speaker.permitted_priority(priority)).transpose()?;
        let claimed = claimed.map(|claimed| claimed.by(speaker)).transpose()?;
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
        let content_hash = content_hash(&request.entities);
        let source_id = ids::source(user, &content_hash);
        let reader = Reader::live(self.recorder.ledger(), ctx, user);
        let sent = Sent { request, claimed, priority, content_hash, source_id };
        let (prepared, _locks) = self.begin(&sent, &reader, ctx, entities).await?;
        let prepared = Mutex::new(Some(prepared));
        progress.reach(2, "it is known which entities they are").await;
        let stored = self
            .recorder
            .once(ctx, Act::Insert, || async {
                // Decided again, everything is looked at anew.
                let taken = prepared.lock().map(|mut prepared| prepared.take()).unwrap_or_default();
                let prepared = match taken {
                    Some(prepared) => prepared,
                    None => prepared_anew(&reader, ctx, incoming(&request.entities)?).await?,
                };
                let decision = sent.decide(&reader, prepared, ctx).await?;
                progress.reach(3, "the observations are made").await;
                Ok(decision)
            })
            .await?;
        progress.reach(STEPS, "everything is stored").await;
        Ok(stored)
    }

    /// Finds out what a call is about, and waits for whoever writes about the same.
    async fn begin(
        &self,
        sent: &Sent<'_>,
        reader: &Reader<'_>,
        ctx: &Context,
        entities: Vec<Incoming>,
    ) -> Result<(Prepared, LocksHeld<'_>), Error> {
        let entities = if entities.len() <= AHEAD_MAX {
            let mut plan = Plan::new(reader.user, ctx.now);
            if let Some(batch) = Batch::assume(&mut plan, entities).await {
                let locks = self.lock_for(sent, &plan, &batch).await;
                if let Some(ahead) = ahead::read(reader, &plan, &sent.source_id, &batch.entity_ids).await? {
                    return Ok((Prepared { plan, batch, ahead: Some(ahead) }, locks));
                }
            }
            incoming(&sent.request.entities)?
        } else {
            entities
        };
        let prepared = prepared_anew(reader, ctx, entities).await?;
        let locks = self.lock_for(sent, &prepared.plan, &prepared.batch).await;
        Ok((prepared, locks))
    }

    /// Waits until nobody else writes about the same entities, or teaches the same types.
    async fn lock_for(&self, sent: &Sent<'_>, plan: &Plan, batch: &Batch) -> LocksHeld<'_> {
        let types: Vec<String> = plan.changed_types().map(|of| schema_key(&plan.user, of).id).collect();
        self.recorder.lock(batch.entity_ids.iter().chain([&sent.source_id]).chain(&types).map(String::as_str)).await
    }
}

/// What a call is about, loaded as far as was needed to know that.
struct Prepared {
    plan: Plan,
    batch: Batch,
    ahead: Option<Ahead>,
}

async fn prepared_anew(reader: &Reader<'_>, ctx: &Context, entities: Vec<Incoming>) -> Result<Prepared, Error> {
    let mut plan = Plan::new(reader.user, ctx.now);
    let batch = Batch::prepare(reader, &mut plan, entities).await?;
    Ok(Prepared { plan, batch, ahead: None })
}

fn content_hash(entities: &[Object]) -> String {
    let mut hash = EntitiesHash::default();
    entities.iter().for_each(|entity| hash.add(entity));
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
    async fn decide(
        &self,
        reader: &Reader<'_>,
        prepared: Prepared,
        ctx: &Context,
    ) -> Result<Decision<IngestResponse>, Error> {
        let Prepared { mut plan, batch, mut ahead } = prepared;
        let stored = match &mut ahead {
            Some(ahead) => ahead.source.take(),
            None => reader.source(&self.source_id).await?,
        };
        let origin = Origin {
            run_id: None,
            observed_at: self.claimed.observed_at,
            source_priority: self.priority,
            specificity_score: 1.0,
            kind: self.claimed.kind,
            is_new: stored.is_none(),
        };
        let version = stored.as_ref().map(|stored| stored.version);
        let mut source = stored.map_or_else(|| self.source(ctx), Source::after);
        let absorbed = batch.absorb(reader, &mut plan, ahead, &mut source, &origin).await?;
        if absorbed.observations_created > 0 || version.is_none() {
            if version.is_none() {
                plan.rows.push(Row::Content(Content::new(&self.source_id, &self.request.entities)));
            }
            plan.put(Row::Source(source), version);
            load::settle(reader, &mut plan).await?;
        } else {
            // Nothing new was said, so nothing is stored.
            plan.clear();
        }
        let answer = self.answer(absorbed, &plan, version.is_some());
        Ok(plan.decision(&Happening::Ingested { source_id: self.source_id.clone() }, answer))
    }

    fn source(&self, ctx: &Context) -> Source {
        Source {
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

    fn answer(&self, absorbed: Absorbed, plan: &Plan, deduplicated: bool) -> IngestResponse {
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
pub fn list(response: &mut IngestResponse, absorbed: Absorbed, plan: &Plan) {
    let remarks = plan.remarks.iter().map(|(entity, remark)| format!("{entity}: {remark}"));
    let remarks = remarks.map(|message| Warning { message, ..Warning::default() });
    let is_short = absorbed.entities.len() <= LISTED_MAX && absorbed.warnings.len() + plan.remarks.len() <= LISTED_MAX;
    response.entities = absorbed.entities.into_iter().take(LISTED_MAX).map(listed).collect();
    response.warnings = absorbed.warnings.into_iter().chain(remarks).take(LISTED_MAX).map(warning).collect();
    response.truncated = (!is_short).then_some(true);
}

fn listed(became: Became) -> IngestedEntity {
    let action = match became.action {
        Action::Created => "created",
        Action::Matched => "matched",
        Action::Extended => "extended",
    };
    let duplicates = became.possible_duplicates;
    IngestedEntity {
        id: became.id,
        entity_type: became.entity_type,
        action: action.to_owned(),
        observation_id: became.observation_id,
        possible_duplicates: (!duplicates.is_empty()).then(|| List::of(duplicates)),
    }
}

fn warning(warning: Warning) -> IngestWarning {
    IngestWarning { index: warning.index, field: warning.field, message: warning.message }
}
