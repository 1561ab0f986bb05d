//! create_relationship, and what is stored about edges that other writes want.

use contract::Context;
use contract::generated::neotoma::{CreateRelationshipRequest, CreateRelationshipResponse};
use serde_json::Value;

use super::{Act, Decision, Write, load};
use crate::domain::fact::Happening;
use crate::domain::plan::Plan;
use crate::domain::relate::{Known, Wanted, connect};
use crate::domain::relationship::Relationship;
use crate::domain::shape;
use crate::projection::Reader;
use crate::query::relationships::no_such_type;
use crate::{Error, user};

impl Write {
    pub(super) async fn relate(
        &self,
        ctx: &Context,
        request: &CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        if let Some(metadata) = &request.metadata {
            shape::check_shape(&Value::Object(metadata.0.clone())).map_err(|shape| {
                Error::invalid(
                    format!("metadata{}", shape.path),
                    shape.reason,
                    "send plain text, numbers, lists and objects",
                )
            })?;
        }
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.source_entity_id, &request.target_entity_id]).await;
        self.recorder.once(ctx, Act::Insert, || decide(&reader, ctx, request)).await
    }
}

async fn decide(
    reader: &Reader<'_>,
    ctx: &Context,
    request: &CreateRelationshipRequest,
) -> Result<Decision<CreateRelationshipResponse>, Error> {
    let mut plan = Plan::new(reader.user, ctx.now);
    let source = reader.resolved("source_entity_id", &request.source_entity_id).await?;
    let target = reader.resolved("target_entity_id", &request.target_entity_id).await?;
    let (relationship_type, source_id) = (request.relationship_type.clone(), source.row.id.clone());
    let wanted = Wanted { relationship_type, source: source_id, target: target.row.id.clone() };
    plan.hold(source);
    plan.hold(target);
    let known = known(reader, &plan, std::slice::from_ref(&wanted)).await?;
    let edge = connect(&mut plan, &known, &wanted, request.metadata.clone())?;
    load::settle(reader, &mut plan).await?;
    Ok(plan.decision(&Happening::Related { edge: edge.key() }, answer(&edge)))
}

fn answer(edge: &Relationship) -> CreateRelationshipResponse {
    CreateRelationshipResponse {
        id: edge.id.clone(),
        relationship_type: edge.relationship_type.clone(),
        source_entity_id: edge.source.clone(),
        target_entity_id: edge.target.clone(),
        metadata: edge.metadata(),
        created_at: edge.created_at.to_string(),
        ..CreateRelationshipResponse::default()
    }
}

/// Loads what is stored about edges that are wanted. What the plan creates has none.
pub async fn known(reader: &Reader<'_>, plan: &Plan, wanted: &[Wanted]) -> Result<Known, Error> {
    let mut known = Known::default();
    for edge in wanted {
        let of = &edge.relationship_type;
        if !known.has_relation(of) {
            match reader.relation_type(of).await? {
                Some(relation) => known.hold_relation(relation),
                None => return Err(no_such_type(reader, "relationship_type", of).await?),
            }
        }
        let is_stored = |id: &str| plan.entity(id).is_some() && !plan.is_new(id);
        if !is_stored(&edge.source) || !is_stored(&edge.target) {
            continue;
        }
        let found = match load::edge_between(reader, of, &edge.source, &edge.target).await? {
            Some(found) => Some(found),
            None => load::edge_by_id(reader, &edge.id(reader.user)).await?,
        };
        if let Some(found) = found {
            known.hold(edge.clone(), found);
        }
    }
    Ok(known)
}
