//! Registering types: what a user declares about entities and relationships of their own.

use contract::Context;
use contract::generated::neotoma::{RegisterSchemaRequest, RegisterSchemaResponse};
use desk::Stored;
use ledger::{Find, FindOrder, RecordKey};
use serde_json::Value;

use super::{Act, Progress, Write, load};
use crate::domain::fact::Happening;
use crate::domain::plan::Plan;
use crate::domain::register::{self, Names};
use crate::domain::relation::{RelationType, is_relation_name};
use crate::domain::schema::{self, BadType};
use crate::domain::{Observation, Schema, shape};
use crate::projection::Reader;
use crate::projection::row::{self, EntityRow, deleted_scope, kind, merged_scope};
use crate::{Error, user};

/// Entities whose snapshots one call computes again.
const RECOMPUTED_MAX: usize = 5000;
const ENTITIES_PER_STEP: usize = 500;
/// Steps that are reported.
const STEPS: u64 = 20;

impl Write {
    pub(super) async fn register(
        &self,
        ctx: &Context,
        request: &RegisterSchemaRequest,
    ) -> Result<RegisterSchemaResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let wanted = Wanted::of(request)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let subject = wanted.key(&user);
        let _locks = self.recorder.lock([subject.id.as_str()]).await;
        let progress = Progress::new(ctx, STEPS);
        let decide = || async {
            let mut plan = Plan::new(&user, ctx.now);
            let answer = match &wanted {
                Wanted::Entity(schema) => register_schema(&reader, &mut plan, schema, &progress).await?,
                Wanted::Relation(relation) => register_relation(&reader, &mut plan, relation).await?,
            };
            load::settle(&reader, &mut plan).await?;
            Ok(plan.decision(&Happening::SchemaRegistered { what: subject.clone() }, answer))
        };
        let registered = self.recorder.once(ctx, Act::Insert, decide).await?;
        progress.reach(STEPS, "everything is stored").await;
        Ok(registered)
    }
}

/// What is to be registered.
enum Wanted {
    Entity(Box<Schema>),
    Relation(RelationType),
}

impl Wanted {
    fn of(request: &RegisterSchemaRequest) -> Result<Self, Error> {
        match (&request.entity_type, &request.relationship_type) {
            (Some(of), None) => Self::entity(of, request),
            (None, Some(name)) => Self::relation(name, request),
            (Some(_), Some(_)) => Err(Error::invalid(
                "relationship_type",
                "came together with entity_type",
                "register an entity type and a relationship type with two calls",
            )),
            (None, None) => Err(Error::invalid(
                "entity_type",
                "is required",
                "give entity_type with definition, or relationship_type with acyclic",
            )),
        }
    }

    fn entity(of: &str, request: &RegisterSchemaRequest) -> Result<Self, Error> {
        if !schema::is_entity_type(of) {
            return Err(Error::invalid("entity_type", "is not a type name", BadType.to_string()));
        }
        let Some(definition) = &request.definition else {
            let fix = "give a definition in the form that describe_schema shows";
            return Err(Error::invalid("definition", "is required with entity_type", fix));
        };
        let shaped = shape::check_shape(&Value::Object(definition.0.clone()));
        shaped.map_err(|shape| invalid(format!("definition{}", shape.path), shape.reason))?;
        let schema = schema::define(of, definition).map_err(|bad| invalid(bad.field, bad.reason))?;
        match schema.problems().into_iter().next() {
            Some(problem) => Err(invalid(path(&problem.field), problem.reason)),
            None => Ok(Self::Entity(Box::new(schema))),
        }
    }

    fn relation(name: &str, request: &RegisterSchemaRequest) -> Result<Self, Error> {
        if !is_relation_name(name) {
            let fix = "a relationship type has to match ^[A-Za-z][A-Za-z0-9_]{0,63}$";
            return Err(Error::invalid("relationship_type", "is not a type name", fix));
        }
        if request.definition.is_some() {
            let fix = "leave definition out; a relationship type is its name and whether it is acyclic";
            return Err(Error::invalid("definition", "came with relationship_type", fix));
        }
        Ok(Self::Relation(RelationType { name: name.to_owned(), acyclic: request.acyclic.unwrap_or_default() }))
    }

    fn key(&self, user: &str) -> RecordKey {
        match self {
            Self::Entity(schema) => row::schema_key(user, &schema.entity_type),
            Self::Relation(relation) => row::relation_type_key(user, &relation.name),
        }
    }
}

fn invalid(path: String, reason: String) -> Error {
    Error::invalid(path, reason, "write the definition in the form that describe_schema shows")
}

/// Where in a definition a finding about a schema is.
fn path(found: &str) -> String {
    match found {
        "identity" | "strict" | "entity_type" => format!("definition.{found}"),
        field => format!("definition.fields.{field}"),
    }
}

async fn register_schema(
    reader: &Reader<'_>,
    plan: &mut Plan,
    definition: &Schema,
    progress: &Progress<'_>,
) -> Result<RegisterSchemaResponse, Error> {
    let of = definition.entity_type.as_str();
    let names = names(reader, definition).await?;
    load::schemas(reader, plan, std::iter::once(of)).await?;
    let schema = register::define(plan, definition, &names)?;
    let mut answer = RegisterSchemaResponse {
        entity_type: Some(of.to_owned()),
        schema_version: Some(schema.as_ref().unwrap_or_else(|| plan.schema(of)).schema_version.clone()),
        ..RegisterSchemaResponse::default()
    };
    let Some(schema) = schema else {
        *plan = Plan::new(reader.user, plan.now);
        return Ok(answer);
    };
    let entities = of_type(reader, of).await?;
    let (count, reduces_anew) = (entities.len(), register::reduces_anew(plan, &schema));
    answer.entities_recomputed = count as u64;
    for (index, entity) in entities.into_iter().enumerate() {
        // All but the last step are about the snapshots.
        let done = index as u64 * (STEPS - 1) / count as u64;
        progress.reach(done, "snapshots are computed again").await;
        let written = if reduces_anew { Some(written_to(reader, &entity.row).await?) } else { None };
        register::recompute(plan, &schema, entity, written.as_deref());
    }
    plan.declare(schema);
    Ok(answer)
}

/// Loads what the names in a definition mean.
async fn names(reader: &Reader<'_>, definition: &Schema) -> Result<Names, Error> {
    let of = definition.entity_type.as_str();
    let meant = reader.types_meant(std::iter::once(of)).await?.remove(of);
    let types = reader.schemas(definition.aliases.iter().map(String::as_str)).await?.into_keys().collect();
    let mut names = Names { meant, types, ..Names::default() };
    for alias in &definition.aliases {
        names.aliases.extend(reader.aliased_type(alias).await?.map(|of| (alias.clone(), of)));
    }
    for reference in &definition.reference_fields {
        names.relations.extend(reader.relation_type(&reference.relationship_type).await?.map(|of| of.name));
    }
    Ok(names)
}

/// Every entity of a type, merged and deleted ones too.
async fn of_type(reader: &Reader<'_>, of: &str) -> Result<Vec<Stored<EntityRow>>, Error> {
    let mut found = Vec::new();
    for scope in [reader.user.to_owned(), merged_scope(reader.user), deleted_scope(reader.user)] {
        let mut after = None;
        loop {
            let find = Find {
                scope: Some(scope.clone()),
                r#type: Some(of.to_owned()),
                order: FindOrder::Time,
                after,
                limit: ENTITIES_PER_STEP,
                ..Find::all(kind::ENTITY)
            };
            let (entities, next) = reader.find::<EntityRow>(find).await?;
            found.extend(entities);
            if found.len() > RECOMPUTED_MAX {
                return Err(Error::invalid(
                    "entity_type",
                    format!("has more than {RECOMPUTED_MAX} entities, too many to compute again in one call"),
                    "declare a type before it has that many entities; nothing was changed",
                ));
            }
            if next.is_none() {
                break;
            }
            after = next;
        }
    }
    Ok(found)
}

/// The observations that lead to an entity.
async fn written_to(reader: &Reader<'_>, entity: &EntityRow) -> Result<Vec<Observation>, Error> {
    let ids: Vec<&str> = std::iter::once(&entity.id).chain(&entity.members).map(String::as_str).collect();
    reader.observations_of(&ids).await
}

async fn register_relation(
    reader: &Reader<'_>,
    plan: &mut Plan,
    relation: &RelationType,
) -> Result<RegisterSchemaResponse, Error> {
    let known = reader.relation_type(&relation.name).await?;
    register::relate_by(plan, relation, known.as_ref())?;
    Ok(RegisterSchemaResponse { relationship_type: Some(relation.name.clone()), ..RegisterSchemaResponse::default() })
}
