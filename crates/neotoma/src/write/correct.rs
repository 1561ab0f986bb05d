//! Corrections: one field of one entity, above what every source says.

use contract::generated::neotoma::{CorrectRequest, CorrectResponse};
use contract::{Context, Json};
use ledger::RecordKey;
use serde_json::Value;

use super::ingest::{Absorbed, Origin, refer, references};
use super::internal::Said;
use super::{Act, Decision, Plan, Write};
use crate::domain::observation::CORRECTION_PRIORITY;
use crate::domain::{Kind, Map, Observation, Schema, State, ids, shape};
use crate::projection::Reader;
use crate::projection::fold::Happened;
use crate::projection::row::{EntityRow, SourceRow, kind};
use crate::{Error, user};

/// Priority of an entity that a corrected field names and nobody has described.
const NAMED_PRIORITY: f64 = 100.0;

impl Write {
    pub(super) async fn correct_field(
        &self,
        ctx: &Context,
        request: &CorrectRequest,
    ) -> Result<CorrectResponse, Error> {
        let user = user::of_caller(ctx, request.user_id.as_deref())?;
        let correction = Correction::of(request)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.entity_id]).await;
        self.recorder.once(ctx, Act::Insert, || correction.decide(&reader, ctx)).await
    }
}

/// A correction whose shape is in order.
struct Correction<'a> {
    entity: &'a str,
    entity_type: &'a str,
    field: &'a str,
    value: Value,
}

impl<'a> Correction<'a> {
    fn of(request: &'a CorrectRequest) -> Result<Self, Error> {
        let field = request.field.as_str();
        shape::check_name(field).map_err(|reason| Error::invalid("field", reason, "give the name of one field"))?;
        if field == "entity_type" {
            return Err(Error::invalid("field", "cannot be corrected", "an entity keeps its type; store it anew"));
        }
        let value = request.value.clone().map_or(Value::Null, |Json(value)| value);
        shape::check_shape(&value).map_err(|shape| {
            let path = format!("value{}", shape.path);
            Error::invalid(path, shape.reason, "send plain text, numbers, lists and objects")
        })?;
        Ok(Self { entity: &request.entity_id, entity_type: &request.entity_type, field, value })
    }

    async fn decide(&self, reader: &Reader<'_>, ctx: &Context) -> Result<Decision<CorrectResponse>, Error> {
        let mut plan = Plan::new(reader, ctx.now);
        let entity = reader.resolved("entity_id", self.entity).await?;
        let (id, of) = (entity.row.id.clone(), entity.row.entity_type.clone());
        self.check_type(reader, &of).await?;
        plan.load_schemas(std::iter::once(of.as_str())).await?;
        self.check_value(plan.schema(&of))?;
        plan.hold(entity);
        let subject = RecordKey::new(kind::ENTITY, &id);

        let said = self.said(&id);
        let fields = said.fields.clone();
        plan.grow_schema(&of, &[&fields]);
        let mut source = said.source(&plan).await?;
        let observation = said.observation(&plan, &source.row);
        let known = plan.entity(&id).and_then(|entity| repeated(entity, plan.schema(&of), self.field, &observation));
        if let Some(earlier) = known {
            let answer = self.answer(&id, earlier, "This correction is in force already.".to_owned());
            return Ok(Plan::new(reader, ctx.now).decision(Happened::Corrected, subject, answer));
        }
        let observation_id = observation.id.clone();
        self.refer(&mut plan, &id, &of, &mut source.row, &fields).await?;
        source.observe(&mut plan, observation);
        plan.settle().await?;
        let answer = self.answer(&id, observation_id, self.message(&plan));
        Ok(plan.decision(Happened::Corrected, subject, answer))
    }

    async fn check_type(&self, reader: &Reader<'_>, actual: &str) -> Result<(), Error> {
        if reader.meant_type("entity_type", self.entity_type).await? == actual {
            return Ok(());
        }
        let fix = format!("the entity is of type {actual}");
        Err(Error::invalid("entity_type", "is not the type of the entity", fix))
    }

    fn check_value(&self, schema: &Schema) -> Result<(), Error> {
        schema.accepts(self.field, &self.value).map_err(|reason| {
            let declared = schema.field_type(self.field).map_or("string", |declared| declared.name());
            Error::invalid(
                "value",
                reason,
                format!("give a {declared} that the schema allows, or null to clear the field"),
            )
        })
    }

    fn said(&self, entity_id: &str) -> Said {
        let mut fields = Map::new();
        fields.insert(self.field.to_owned(), self.value.clone());
        Said {
            act: "correction",
            entity_id: entity_id.to_owned(),
            fields,
            source_priority: CORRECTION_PRIORITY,
            marker: None,
        }
    }

    /// Connects the entity with the one that the field names, when it is a reference.
    async fn refer(
        &self,
        plan: &mut Plan<'_>,
        id: &str,
        of: &str,
        source: &mut SourceRow,
        fields: &Map,
    ) -> Result<(), Error> {
        let targets: Vec<String> =
            plan.schema(of).reference_fields.iter().map(|reference| reference.target_type.clone()).collect();
        plan.load_schemas(targets.iter().map(String::as_str)).await?;
        let references = references(plan, of, fields);
        let named: Vec<String> = references.iter().map(|referred| referred.entity_id.clone()).collect();
        let leads_to = plan.load(&named).await?;
        let survivor = |id: &str| leads_to[named.iter().position(|named| named == id)?].clone();
        let origin = Origin {
            run_id: None,
            observed_at: None,
            source_priority: NAMED_PRIORITY,
            specificity_score: 1.0,
            kind: Some(Kind::Human),
            is_new: false,
        };
        refer(plan, source, &origin, id, references, &survivor, &mut Absorbed::default()).await
    }

    fn message(&self, plan: &Plan<'_>) -> String {
        let done = match self.value.is_null() {
            true => "The field is cleared until it is corrected again.",
            false => "The field is corrected; no source overrides it.",
        };
        let remarks = plan.remarks.iter().map(|(_, remark)| format!(" Its name did not change: {remark}."));
        std::iter::once(done.to_owned()).chain(remarks).collect()
    }

    fn answer(&self, entity_id: &str, observation_id: String, message: String) -> CorrectResponse {
        CorrectResponse {
            observation_id,
            entity_id: entity_id.to_owned(),
            field: self.field.to_owned(),
            value: Some(Json(self.value.clone())),
            message,
            ..CorrectResponse::default()
        }
    }
}

/// The correction in force, when `observation` says the same of the field.
fn repeated(entity: &EntityRow, schema: &Schema, field: &str, observation: &Observation) -> Option<String> {
    let winner = entity.state.winner(field).filter(|winner| winner.source_priority >= CORRECTION_PRIORITY)?;
    let alone = State::of(schema, [observation]);
    let same = alone.value(field).map(ids::canonical) == entity.state.value(field).map(ids::canonical);
    same.then(|| winner.id.clone())
}
