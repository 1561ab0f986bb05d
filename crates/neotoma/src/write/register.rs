//! Registering types: what a user declares about entities and relationships of their own.

use contract::Context;
use contract::generated::neotoma::{RegisterSchemaRequest, RegisterSchemaResponse};
use ledger::{Find, FindOrder, RecordKey};
use serde_json::Value;

use super::{Act, Plan, Progress, Write};
use crate::domain::relation::{RelationType, is_relation_name};
use crate::domain::schema::{self, BadType, SchemaScope};
use crate::domain::{Schema, State, shape};
use crate::projection::fold::Happened;
use crate::projection::row::{self, EntityRow, Row, deleted_scope, kind, merged_scope};
use crate::projection::{Reader, Stored};
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
            let mut plan = Plan::new(&reader, ctx.now);
            let answer = match &wanted {
                Wanted::Entity(schema) => register_schema(&mut plan, schema.clone(), &progress).await?,
                Wanted::Relation(relation) => register_relation(&mut plan, relation).await?,
            };
            Ok(plan.decision::<RegisterSchemaResponse>(Happened::SchemaRegistered, subject.clone(), answer))
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
    plan: &mut Plan<'_>,
    definition: Box<Schema>,
    progress: &Progress<'_>,
) -> Result<RegisterSchemaResponse, Error> {
    let reader = plan.reader;
    let of = definition.entity_type.clone();
    check_names(reader, &definition).await?;
    plan.load_schemas(std::iter::once(of.as_str())).await?;
    let former = plan.schema(&of).clone();
    let schema = former.successor(Schema { scope: SchemaScope::User, active: true, ..*definition });
    let mut answer = RegisterSchemaResponse {
        entity_type: Some(of.clone()),
        schema_version: Some(schema.schema_version.clone()),
        ..RegisterSchemaResponse::default()
    };
    if schema.schema_version == former.schema_version {
        return Ok(answer);
    }
    let entities = of_type(reader, &of).await?;
    let count = entities.len();
    answer.entities_recomputed = count as u64;
    for (index, entity) in entities.into_iter().enumerate() {
        // All but the last step are about the snapshots.
        let done = index as u64 * (STEPS - 1) / count as u64;
        progress.reach(done, "snapshots are computed again").await;
        let id = entity.row.id.clone();
        let state = match former.reducers == schema.reducers {
            true => entity.row.state.clone(),
            false => reduced(reader, &schema, &entity.row).await?,
        };
        plan.hold(entity);
        plan.entity_mut(&id).state = state;
    }
    plan.declare(schema);
    plan.settle().await?;
    Ok(answer)
}

/// Refuses names that mean something else already, or nothing.
async fn check_names(reader: &Reader<'_>, definition: &Schema) -> Result<(), Error> {
    let of = definition.entity_type.as_str();
    let meant = reader.types_meant(std::iter::once(of)).await?;
    if let Some(other) = meant.get(of).filter(|meant| *meant != of) {
        let fix = format!("register {other}, or choose a name of its own");
        return Err(Error::invalid("entity_type", "is another name of a type", fix));
    }
    let own = reader.schemas(definition.aliases.iter().map(String::as_str)).await?;
    for (index, alias) in definition.aliases.iter().enumerate() {
        let taken = own.contains_key(alias)
            || schema::builtin(alias).is_some()
            || reader.aliased_type(alias).await?.is_some_and(|other| other != of);
        if taken {
            let path = format!("definition.aliases[{index}]");
            return Err(Error::invalid(path, "is the name or alias of another type", "leave it out"));
        }
    }
    for (index, reference) in definition.reference_fields.iter().enumerate() {
        if reader.relation_type(&reference.relationship_type).await?.is_none() {
            let path = format!("definition.reference_fields[{index}].relationship_type");
            return Err(Error::invalid(path, "is not a relationship type", "register it first with relationship_type"));
        }
    }
    Ok(())
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

/// The state of an entity by the observations that lead to it.
async fn reduced(reader: &Reader<'_>, schema: &Schema, entity: &EntityRow) -> Result<State, Error> {
    let ids: Vec<&str> = std::iter::once(&entity.id).chain(&entity.members).map(String::as_str).collect();
    Ok(State::of(schema, &reader.observations_of(&ids).await?))
}

async fn register_relation(plan: &mut Plan<'_>, relation: &RelationType) -> Result<RegisterSchemaResponse, Error> {
    match plan.reader.relation_type(&relation.name).await? {
        Some(known) if known.acyclic != relation.acyclic => {
            let fix = "a relationship type keeps its rule; register another name";
            return Err(Error::invalid("acyclic", "is another rule than the registered one", fix));
        }
        Some(_) => {}
        None => plan.put(Row::RelationType(relation.clone()), None),
    }
    Ok(RegisterSchemaResponse { relationship_type: Some(relation.name.clone()), ..RegisterSchemaResponse::default() })
}
