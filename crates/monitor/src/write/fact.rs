//! Writes of facts and events.

use contract::generated::monitor::{
    self as proto, CreateEventRequest, CreateEventResponse, CreateFactRequest, CreateFactResponse, FactWriteService,
    UpdateFactCanonLevelRequest, UpdateFactCanonLevelResponse,
};
use contract::{CallError, Context};
use desk::Stored;
use ledger::Expectation;
use serde_json::json;

use super::direct::{Claim, Ruled, evidence_resolves};
use super::entity::{authority, decision, first, object};
use super::{Decision, Write, receipt};
use crate::Error;
use crate::domain::fact::Happening;
use crate::domain::graph;
use crate::domain::node::{Entity, Event, Fact};
use crate::domain::retcon::{self, Retcon};
use crate::domain::row::{Row, kind};
use crate::domain::words::{CanonLevel, ProposalType};
use crate::domain::{Map, check, limit};
use crate::error::Flaws;
use crate::projection::Reader;
use crate::projection::message::{self, number, word};
use crate::query::linked_to;

impl FactWriteService for Write {
    async fn create_fact(&self, ctx: &Context, request: CreateFactRequest) -> Result<CreateFactResponse, CallError> {
        let _turn = self.locks.lock(request.involved_entity_ids.iter().map(String::as_str)).await;
        let decide = || self.new_fact(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn create_event(&self, ctx: &Context, request: CreateEventRequest) -> Result<CreateEventResponse, CallError> {
        let decide = || self.new_event(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn update_fact_canon_level(
        &self,
        ctx: &Context,
        request: UpdateFactCanonLevelRequest,
    ) -> Result<UpdateFactCanonLevelResponse, CallError> {
        let decide = || self.new_level(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }
}

impl Write {
    async fn new_fact(
        &self,
        ctx: &Context,
        request: &CreateFactRequest,
    ) -> Result<Decision<CreateFactResponse>, Error> {
        let mut flaws = Flaws::default();
        let statement = flaws.check(check::text("statement", &request.statement, limit::STATEMENT_CHARS_MAX));
        let time_ref = flaws.check(check::moment("time_ref", request.time_ref.as_deref()));
        let confidence = flaws.check(check::confidence("confidence", request.confidence));
        let evidence = flaws.check(check::evidence("evidence_refs", &request.evidence_refs));
        let involved = flaws.check(check::ids("involved_entity_ids", &request.involved_entity_ids));
        if request.duration.is_some_and(|seconds| seconds < 0) {
            flaws.push("duration", "is negative", "give seconds, or leave it out");
        }
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let universe = reader.universe("universe_id", &request.universe_id).await?;
        involved_exist(&reader, &universe.universe_id, &involved).await?;
        let mut content: Map = object(&json!({ "statement": statement, "involved_entity_ids": involved }));
        content.extend(time_ref.map(|moment| ("time_ref".to_owned(), json!(moment))));
        content.extend(request.duration.map(|seconds| ("duration".to_owned(), json!(seconds))));
        let claim = Claim {
            universe_id: universe.universe_id.clone(),
            r#type: ProposalType::Fact,
            content,
            authority: authority(request.authority),
            confidence,
            evidence,
            field: "statement",
        };
        let Ruled { rows, mut expectations } = self.judged(ctx, &reader, claim).await?;
        expectations.push(Expectation::Exists { key: universe.key });
        let is_new = |row: &&Fact| row.replaced_by.is_none();
        let fact = first(&rows, |row| if let Row::Fact(row) = row { Some(row).filter(is_new) } else { None })?;
        let answer = CreateFactResponse {
            fact_id: fact.fact_id.clone(),
            canon_level: number::<proto::CanonLevel>(fact.canon_level.as_str()),
            created_at: fact.created_at.to_string(),
            fact: Some(message::fact(fact)),
            receipt: receipt(),
        };
        Ok(decision(Happening::FactCreated, rows, expectations, answer))
    }

    async fn new_event(
        &self,
        ctx: &Context,
        request: &CreateEventRequest,
    ) -> Result<Decision<CreateEventResponse>, Error> {
        let mut flaws = Flaws::default();
        let title = flaws.check(check::name("title", &request.title));
        let description = flaws.check(check::text("description", &request.description, limit::DESCRIPTION_CHARS_MAX));
        let time_ref = flaws.check(check::moment("time_ref", request.time_ref.as_deref()));
        let confidence = flaws.check(check::confidence("confidence", request.confidence));
        let evidence = flaws.check(check::evidence("evidence_refs", &request.evidence_refs));
        let involved = flaws.check(check::ids("involved_entity_ids", &request.involved_entity_ids));
        let causes = flaws.check(check::ids("causes_event_ids", &request.causes_event_ids));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let universe = reader.universe("universe_id", &request.universe_id).await?;
        involved_exist(&reader, &universe.universe_id, &involved).await?;
        effects_exist(&reader, &universe.universe_id, &causes).await?;
        let scene_id = scene_of(&reader, &universe.universe_id, request.scene_id.as_deref()).await?;
        let mut content: Map = object(&json!({
            "title": title, "description": description, "involved_entity_ids": involved, "causes_event_ids": causes,
            "severity": request.severity.unwrap_or(0),
        }));
        content.extend(time_ref.map(|moment| ("time_ref".to_owned(), json!(moment))));
        let claim = Claim {
            universe_id: universe.universe_id.clone(),
            r#type: ProposalType::Event,
            content,
            authority: authority(request.authority),
            confidence,
            evidence,
            field: if causes.is_empty() { "title" } else { "causes_event_ids" },
        };
        let Ruled { mut rows, mut expectations } = self.judged(ctx, &reader, claim).await?;
        for row in &mut rows {
            if let Row::Event(event) = row {
                event.scene_id.clone_from(&scene_id);
            }
        }
        expectations.push(Expectation::Exists { key: universe.key });
        let event = first(&rows, |row| if let Row::Event(row) = row { Some(row) } else { None })?;
        expectations.extend(acyclic(&event.event_id, &causes));
        let answer = CreateEventResponse {
            event_id: event.event_id.clone(),
            canon_level: number::<proto::CanonLevel>(event.canon_level.as_str()),
            created_at: event.created_at.to_string(),
            event: Some(message::event(event)),
            receipt: receipt(),
        };
        Ok(decision(Happening::EventCreated, rows, expectations, answer))
    }

    async fn new_level(
        &self,
        ctx: &Context,
        request: &UpdateFactCanonLevelRequest,
    ) -> Result<Decision<UpdateFactCanonLevelResponse>, Error> {
        let mut flaws = Flaws::default();
        let evidence = flaws.check(check::evidence("evidence_refs", &request.evidence_refs));
        let statement = check::optional(
            "replacement_statement",
            request.replacement_statement.as_deref(),
            limit::STATEMENT_CHARS_MAX,
        );
        let statement = flaws.check(statement);
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let what = ("fact_id", "fact");
        let fact: Stored<Fact> = reader.get(kind::FACT, what, &request.fact_id).await?;
        evidence_resolves(&reader, &fact.universe_id, &evidence).await?;
        let change = Retcon {
            level: CanonLevel::of(word::<proto::CanonLevel>(request.canon_level)).unwrap_or_default(),
            replacement: Some(statement).filter(|statement| !statement.is_empty()),
            authority: authority(request.authority),
            evidence_refs: evidence.iter().map(|one| format!("{}:{}", one.r#type, one.ref_id)).collect(),
            now: ctx.now,
        };
        let (changed, replacement) = retcon::decide(&fact, change, || ctx.ids.next())?;
        let dependent_ids = linked_to(&reader, &fact.fact_id, None).await?;
        let answer = UpdateFactCanonLevelResponse {
            fact_id: fact.fact_id.clone(),
            canon_level: number::<proto::CanonLevel>(changed.canon_level.as_str()),
            replacement_fact_id: replacement.as_ref().map(|new| new.fact_id.clone()),
            dependent_ids,
            fact: Some(message::fact(&changed)),
            receipt: receipt(),
        };
        let rows = match replacement {
            Some(new) => [graph::retconned(&fact, &new.fact_id), graph::fact(new)].concat(),
            None => vec![Row::Fact(changed)],
        };
        Ok(decision(Happening::FactCanonLevelChanged, rows, vec![fact.unchanged()], answer))
    }
}

/// Refuses entities that do not exist, or that belong to another universe, each by its place.
async fn involved_exist(reader: &Reader<'_>, universe_id: &str, ids: &[String]) -> Result<(), Error> {
    let found = reader.all::<Entity>(kind::ENTITY, ids).await?;
    for (place, entity) in found.into_iter().enumerate() {
        let field = format!("involved_entity_ids[{place}]");
        let entity = entity.ok_or_else(|| Error::not_found(field.clone(), "entity", &ids[place]))?;
        if entity.universe_id != universe_id {
            let reason = format!("{field} names an entity of another universe");
            return Err(Error::constraint(field, reason, "name entities of the universe that universe_id names"));
        }
    }
    Ok(())
}

async fn effects_exist(reader: &Reader<'_>, universe_id: &str, ids: &[String]) -> Result<(), Error> {
    let found = reader.all::<Event>(kind::EVENT, ids).await?;
    for (place, event) in found.into_iter().enumerate() {
        let field = format!("causes_event_ids[{place}]");
        let event = event.ok_or_else(|| Error::not_found(field.clone(), "event", &ids[place]))?;
        if event.universe_id != universe_id {
            let reason = format!("{field} names an event of another universe");
            return Err(Error::constraint(field, reason, "name events of the universe that universe_id names"));
        }
    }
    Ok(())
}

async fn scene_of(reader: &Reader<'_>, universe_id: &str, id: Option<&str>) -> Result<Option<String>, Error> {
    let Some(id) = id else { return Ok(None) };
    let scene: Stored<crate::domain::narrative::Scene> = reader.get(kind::SCENE, ("scene_id", "scene"), id).await?;
    if scene.universe_id != universe_id {
        let fix = "name a scene of the universe that universe_id names";
        return Err(Error::constraint("scene_id", "scene_id names a scene of another universe", fix));
    }
    Ok(Some(scene.into_row().scene_id))
}

/// No chain of causes leads back to the event from what it causes. Checked by the commit itself, whoever else writes.
fn acyclic(event: &str, causes: &[String]) -> impl Iterator<Item = Expectation> {
    let no_path = |effect: &String| Expectation::NoPath {
        kind: kind::LINK.to_owned(),
        types: vec![graph::CAUSES.to_owned()],
        from: effect.clone(),
        to: event.to_owned(),
    };
    causes.iter().map(no_path)
}
