//! correct.

use contract::generated::neotoma::{CorrectRequest, CorrectResponse};
use contract::{Context, Json};
use serde_json::Value;

use super::{Act, Decision, Write, ingest, load, relate};
use crate::domain::correct::{Corrected, Correction, Loaded, correct};
use crate::domain::fact::Happening;
use crate::domain::plan::Plan;
use crate::domain::{Speaker, shape};
use crate::projection::Reader;
use crate::{Error, user};

impl Write {
    pub(super) async fn correct_field(
        &self,
        ctx: &Context,
        request: &CorrectRequest,
    ) -> Result<CorrectResponse, Error> {
        let user = user::of_caller(ctx, request.user_id.as_deref())?;
        let value = checked(request)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.entity_id]).await;
        self.recorder.once(ctx, Act::Insert, || decide(&reader, ctx, request, &value)).await
    }
}

/// The value of a correction whose shape is in order.
fn checked(request: &CorrectRequest) -> Result<Value, Error> {
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
    Ok(value)
}

async fn decide(
    reader: &Reader<'_>,
    ctx: &Context,
    request: &CorrectRequest,
    value: &Value,
) -> Result<Decision<CorrectResponse>, Error> {
    let mut plan = Plan::new(reader.user, ctx.now);
    let entity = reader.resolved("entity_id", &request.entity_id).await?;
    check_type(reader, &request.entity_type, &entity.row.entity_type).await?;
    let (entity_id, of) = (entity.row.id.clone(), entity.row.entity_type.clone());
    load::schemas(reader, &mut plan, std::iter::once(of.as_str())).await?;
    plan.hold(entity);
    let correction =
        Correction { entity_id, field: request.field.clone(), value: value.clone(), by: Speaker::of(&ctx.principal) };
    correction.check(plan.schema(&of))?;
    let loaded = surroundings(reader, &mut plan, &correction, &of).await?;
    let corrected = correct(&mut plan, &correction, loaded)?;
    let happening = Happening::Corrected { entity_id: correction.entity_id.clone() };
    if corrected.repeated {
        plan = Plan::new(reader.user, ctx.now);
    }
    load::settle(reader, &mut plan).await?;
    let answer = answer(correction, corrected, &plan);
    Ok(plan.decision(&happening, answer))
}

async fn check_type(reader: &Reader<'_>, given: &str, actual: &str) -> Result<(), Error> {
    if reader.meant_type("entity_type", given).await? == actual {
        return Ok(());
    }
    let fix = format!("the entity is of type {actual}");
    Err(Error::invalid("entity_type", "is not the type of the entity", fix))
}

/// Loads the source of the same words, and the entities that the field names.
async fn surroundings(
    reader: &Reader<'_>,
    plan: &mut Plan,
    correction: &Correction,
    of: &str,
) -> Result<Loaded, Error> {
    let source = reader.source(&correction.said().source_id(reader.user)).await?;
    let targets: Vec<String> =
        plan.schema(of).reference_fields.iter().map(|reference| reference.target_type.clone()).collect();
    load::schemas(reader, plan, targets.iter().map(String::as_str)).await?;
    let mut references = correction.references(plan);
    let named: Vec<String> = references.iter().map(|referred| referred.entity_id.clone()).collect();
    let found = reader.entities(&named).await?;
    let leads_to = load::survivors(reader, plan, found).await?;
    for (referred, survivor) in references.iter_mut().zip(leads_to) {
        referred.entity_id = survivor.unwrap_or_else(|| std::mem::take(&mut referred.entity_id));
    }
    let wanted = ingest::edges_wanted(&correction.entity_id, &references);
    let known = relate::known(reader, plan, &wanted).await?;
    Ok(Loaded { source, references, known })
}

fn answer(correction: Correction, corrected: Corrected, plan: &Plan) -> CorrectResponse {
    let done = match (corrected.repeated, correction.by, correction.value.is_null()) {
        (true, _, _) => "This correction is in force already.",
        (false, Speaker::Person, true) => "The field is cleared until it is corrected again.",
        (false, Speaker::Person, false) => "The field is corrected; no source overrides it.",
        (false, _, _) => "The field is corrected for now; the correction of a person outranks it.",
    };
    let remarks = plan.remarks.iter().map(|(_, remark)| format!(" Its name did not change: {remark}."));
    CorrectResponse {
        observation_id: corrected.observation_id,
        entity_id: correction.entity_id,
        field: correction.field,
        value: Some(Json(correction.value)),
        message: std::iter::once(done.to_owned()).chain(remarks).collect(),
        ..CorrectResponse::default()
    }
}
