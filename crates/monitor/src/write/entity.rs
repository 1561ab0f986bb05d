//! Writes of entities and of the edges between them.

use contract::generated::monitor::{
    self as proto, CreateEntityRequest, CreateEntityResponse, CreateRelationshipRequest, CreateRelationshipResponse,
    EntityWriteService, UpdateEntityStateRequest, UpdateEntityStateResponse,
};
use contract::{CallError, Context};
use ledger::Expectation;
use serde_json::json;

use super::direct::{Claim, Ruled};
use super::{Decision, Write, receipt};
use crate::Error;
use crate::domain::fact::{Fact, Happening};
use crate::domain::node::{Entity, Fact as CanonFact, Relationship};
use crate::domain::row::Row;
use crate::domain::words::{Authority, EntityClass, EntityType, ProposalType};
use crate::domain::{Map, check, limit, relation, tags};
use crate::error::Flaws;
use crate::projection::Reader;
use crate::projection::message::{self, number, word};

impl EntityWriteService for Write {
    async fn create_entity(
        &self,
        ctx: &Context,
        request: CreateEntityRequest,
    ) -> Result<CreateEntityResponse, CallError> {
        let wanted = NewEntity::read(&request)?;
        let decide = || self.new_entity(ctx, &wanted);
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn update_entity_state(
        &self,
        ctx: &Context,
        request: UpdateEntityStateRequest,
    ) -> Result<UpdateEntityStateResponse, CallError> {
        let _turn = self.locks.lock([request.entity_id.as_str()]).await;
        let decide = || self.new_state(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn create_relationship(
        &self,
        ctx: &Context,
        request: CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, CallError> {
        let _turn = self.locks.lock([request.from_entity_id.as_str(), request.to_entity_id.as_str()]).await;
        let decide = || self.new_relationship(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }
}

/// The arguments of a new entity, checked by themselves.
struct NewEntity {
    universe_id: String,
    entity_type: EntityType,
    derives_from: Option<String>,
    claim: Claim,
}

impl NewEntity {
    fn read(request: &CreateEntityRequest) -> Result<Self, Error> {
        let mut flaws = Flaws::default();
        let name = flaws.check(check::name("name", &request.name));
        let description = flaws.check(check::text("description", &request.description, limit::DESCRIPTION_CHARS_MAX));
        let confidence = flaws.check(check::confidence("confidence", request.confidence));
        let evidence = flaws.check(check::evidence("evidence_refs", &request.evidence_refs));
        let class = EntityClass::of(word::<proto::EntityClass>(request.entity_class)).unwrap_or_default();
        let entity_type = EntityType::of(word::<proto::EntityType>(request.entity_type)).unwrap_or_default();
        let properties = properties(&mut flaws, request.properties.as_ref());
        let tags = flaws.check(tags::normalise(&request.state_tags).map_err(|reason| flaw("state_tags", &reason)));
        if let Some((one, other)) = tags::clash(&tags) {
            let reason = format!("names {one:?} and {other:?}, which exclude each other");
            flaws.push("state_tags", reason, "name one of them");
        }
        if class == EntityClass::Axiomatica {
            let fix = "leave it out, or create an EntityConcreta";
            if !request.state_tags.is_empty() {
                flaws.push("state_tags", "is given, and an EntityAxiomatica is timeless and has no state", fix);
            }
            if request.derives_from.is_some() {
                flaws.push("derives_from", "is given, and an EntityAxiomatica derives from nothing", fix);
            }
        }
        flaws.refuse()?;
        let derives_from = request.derives_from.as_ref().map(|id| id.to_ascii_lowercase());
        let mut content = Map::new();
        content.insert("entity_class".to_owned(), json!(class.as_str()));
        content.insert("name".to_owned(), json!(name));
        content.insert("entity_type".to_owned(), json!(entity_type.as_str()));
        content.insert("description".to_owned(), json!(description));
        content.insert("properties".to_owned(), json!(properties));
        content.insert("state_tags".to_owned(), json!(tags));
        content.extend(derives_from.as_ref().map(|id| ("derives_from".to_owned(), json!(id))));
        let universe_id = request.universe_id.to_ascii_lowercase();
        let claim = Claim {
            universe_id: universe_id.clone(),
            r#type: ProposalType::Entity,
            content,
            authority: authority(request.authority),
            confidence,
            evidence,
            field: "name",
        };
        Ok(Self { universe_id, entity_type, derives_from, claim })
    }
}

impl Write {
    async fn new_entity(&self, ctx: &Context, wanted: &NewEntity) -> Result<Decision<CreateEntityResponse>, Error> {
        let reader = self.reader(ctx);
        let universe = reader.universe("universe_id", &wanted.universe_id).await?;
        if let Some(id) = &wanted.derives_from {
            let archetype = reader.entity("derives_from", id).await?;
            derivable(&archetype, wanted)?;
        }
        let Ruled { rows, mut expectations } = self.judged(ctx, &reader, wanted.claim.clone()).await?;
        expectations.push(Expectation::Exists { key: universe.key });
        let entity = first(&rows, |row| if let Row::Entity(row) = row { Some(row) } else { None })?;
        let answer = CreateEntityResponse {
            entity_id: entity.entity_id.clone(),
            canon_level: number::<proto::CanonLevel>(entity.canon_level.as_str()),
            created_at: entity.created_at.to_string(),
            entity: Some(message::entity(entity)),
            receipt: receipt(),
        };
        Ok(decision(Happening::EntityCreated, rows, expectations, answer))
    }

    async fn new_state(
        &self,
        ctx: &Context,
        request: &UpdateEntityStateRequest,
    ) -> Result<Decision<UpdateEntityStateResponse>, Error> {
        let reader = self.reader(ctx);
        let mut flaws = Flaws::default();
        let evidence = flaws.check(check::evidence("evidence_refs", &request.evidence_refs));
        let wanted = request.state_tag_changes.clone().unwrap_or_default();
        let id = request.entity_id.to_ascii_lowercase();
        let change = tags::change(&id, &wanted.add, &wanted.remove);
        let change = flaws.check(change.map_err(|(part, reason)| flaw(&format!("state_tag_changes.{part}"), &reason)));
        flaws.refuse()?;
        let entity = reader.entity("entity_id", &id).await?;
        if entity.entity_class == EntityClass::Axiomatica {
            return Err(Error::constraint(
                "entity_id",
                "entity_id names an EntityAxiomatica, which is timeless and has no state",
                "name an EntityConcreta, such as one that derives from it",
            ));
        }
        let claim = Claim {
            universe_id: entity.universe_id.clone(),
            r#type: ProposalType::StateChange,
            content: object(&json!({ "entity_id": id, "add": change.add, "remove": change.remove })),
            authority: Authority::of(word::<proto::PlayAuthority>(request.authority)).unwrap_or_default(),
            // A direct change is what CanonKeeper knows; the policy weighs who says so.
            confidence: 1.0,
            evidence,
            field: "state_tag_changes",
        };
        let Ruled { rows, mut expectations } = self.judged(ctx, &reader, claim).await?;
        expectations.push(entity.unchanged());
        let changed = first(&rows, |row| if let Row::Entity(row) = row { Some(row) } else { None })?;
        let answer = UpdateEntityStateResponse {
            entity_id: id,
            new_state_tags: changed.state_tags.clone(),
            fact_ids: new_facts(&rows),
            entity: Some(message::entity(changed)),
            receipt: receipt(),
        };
        Ok(decision(Happening::EntityStateChanged, rows, expectations, answer))
    }

    async fn new_relationship(
        &self,
        ctx: &Context,
        request: &CreateRelationshipRequest,
    ) -> Result<Decision<CreateRelationshipResponse>, Error> {
        let mut flaws = Flaws::default();
        let evidence = flaws.check(check::evidence("evidence_refs", &request.evidence_refs));
        let confidence = flaws.check(check::confidence("confidence", request.confidence));
        let rel_type = flaws.check(relation::normalise(&request.rel_type).map_err(|reason| flaw("rel_type", &reason)));
        let mut properties = properties(&mut flaws, request.properties.as_ref());
        let time_ref = flaws.check(check::moment("time_ref", request.time_ref.as_deref()));
        let (from, to) = (request.from_entity_id.to_ascii_lowercase(), request.to_entity_id.to_ascii_lowercase());
        if from == to {
            flaws.push("to_entity_id", "is from_entity_id", "name another entity");
        }
        flaws.refuse()?;
        properties.extend(time_ref.map(|moment| ("time_ref".to_owned(), json!(moment))));
        let reader = self.reader(ctx);
        let universe_id = common_universe(&reader, &from, &to).await?;
        let claim = Claim {
            universe_id,
            r#type: ProposalType::Relationship,
            content: object(&json!({
                "from_entity_id": from, "to_entity_id": to, "rel_type": rel_type, "properties": properties,
            })),
            authority: authority(request.authority),
            confidence,
            evidence,
            field: "rel_type",
        };
        let Ruled { rows, expectations } = self.judged(ctx, &reader, claim).await?;
        let is_new =
            |row: &Relationship| (&row.from_entity_id, &row.to_entity_id, &row.rel_type) == (&from, &to, &rel_type);
        let edge = first(&rows, |row| match row {
            Row::Relationship(row) if is_new(row) => Some(row),
            _ => None,
        })?;
        let answer = CreateRelationshipResponse {
            relationship_id: edge.relationship_id.clone(),
            canon_level: number::<proto::CanonLevel>(edge.canon_level.as_str()),
            created_at: edge.created_at.to_string(),
            relationship: Some(message::relationship(edge)),
            receipt: receipt(),
        };
        Ok(decision(Happening::RelationshipCreated, rows, expectations, answer))
    }
}

/// Refuses an archetype that an entity cannot derive from.
fn derivable(archetype: &Entity, wanted: &NewEntity) -> Result<(), Error> {
    let refuse = |reason: String, fix: &str| Err(Error::constraint("derives_from", reason, fix));
    let id = &archetype.entity_id;
    if archetype.universe_id != wanted.universe_id {
        return refuse(
            format!("derives_from names {id}, which is of another universe"),
            "name an archetype of this one",
        );
    }
    if archetype.entity_class != EntityClass::Axiomatica {
        return refuse(format!("derives_from names {id}, which is an EntityConcreta"), "name an EntityAxiomatica");
    }
    if archetype.entity_type != wanted.entity_type {
        let (is, wants) = (archetype.entity_type, wanted.entity_type);
        return refuse(format!("derives_from names a {is}, and the entity is a {wants}"), "name one of the same type");
    }
    Ok(())
}

/// The universe of two entities that are to be related.
async fn common_universe(reader: &Reader<'_>, from: &str, to: &str) -> Result<String, Error> {
    let from = reader.entity("from_entity_id", from).await?;
    let to = reader.entity("to_entity_id", to).await?;
    if from.universe_id == to.universe_id {
        return Ok(from.into_row().universe_id);
    }
    Err(Error::constraint(
        "to_entity_id",
        "to_entity_id names an entity of another universe",
        "relate entities of one universe",
    ))
}

/// The ids of facts that are new in these rows, not those that are retconned by them.
fn new_facts(rows: &[Row]) -> Vec<String> {
    let fact = |row: &Row| match row {
        Row::Fact(CanonFact { fact_id, replaced_by: None, .. }) => Some(fact_id.clone()),
        _ => None,
    };
    rows.iter().filter_map(fact).collect()
}

/// A decision about what comes first in its rows.
pub(super) fn decision<A>(
    happening: Happening,
    rows: Vec<Row>,
    expectations: Vec<Expectation>,
    answer: A,
) -> Decision<A> {
    let fact = Fact::new(happening, rows);
    let aggregate = fact.subject();
    Decision { expectations, ..Decision::new(vec![fact], aggregate, answer) }
}

/// What a claim brings, among the rows that record it.
pub(super) fn first<'a, T>(rows: &'a [Row], pick: impl Fn(&'a Row) -> Option<&'a T>) -> Result<&'a T, Error> {
    rows.iter().find_map(pick).ok_or_else(|| Error::internal("-", "a claim was accepted and brought nothing"))
}

pub(super) fn authority(number: i32) -> Authority {
    Authority::of(word::<proto::Authority>(number)).unwrap_or_default()
}

pub(super) fn object(value: &serde_json::Value) -> Map {
    value.as_object().cloned().unwrap_or_default()
}

fn flaw(field: &str, reason: &str) -> crate::error::Flaw {
    let (reason, fix) = reason.split_once("; ").unwrap_or((reason, "compare it with the tool's description"));
    crate::error::Flaw { field: field.to_owned(), reason: reason.to_owned(), fix: fix.to_owned() }
}

/// Open properties, within bounds.
fn properties(flaws: &mut Flaws, given: Option<&contract::Object>) -> Map {
    let properties = given.map(|given| given.0.clone()).unwrap_or_default();
    let chars = serde_json::Value::Object(properties.clone()).to_string().len();
    if chars > limit::CONTENT_CHARS_MAX {
        let fix = format!("cut it to {} bytes of JSON", limit::CONTENT_CHARS_MAX);
        flaws.push("properties", format!("takes {chars} bytes"), fix);
    }
    properties
}
