//! What a caller may write, asked before writing.

use std::sync::Arc;

use contract::generated::transformation::{
    GetElementTypesRequest, GetElementTypesResponse, GetRelationshipTypesRequest, GetRelationshipTypesResponse,
    GetWriteSchemaRequest, GetWriteSchemaResponse, ReadContext, Selector, ValidateWriteRequest, ValidateWriteResponse,
    WriteError, WriteExample, WriteGuideQueryService, WriteOperation,
};
use contract::{CallError, Context, ErrorKind, Manifest, Misfit, Object};
use desk::PageTokens;
use ledger::SharedLedger;
use serde_json::{Map, Value, json};

use super::architecture::{element_type, relationship_type};
use super::pairs::{self, PairFilter};
use crate::metamodel::{self, ElementType, Layer, Profile};
use crate::projection::read_context::Wanted;
use crate::projection::{Listing, message};
use crate::write::{Command, Planner};
use crate::{Error, refusal};

/// Checks arguments against the input schema of a tool and fills in defaults. The doors own the schema validator, so it
/// is handed in.
pub type ArgumentCheck = Arc<dyn Fn(&str, &Map<String, Value>) -> Result<Map<String, Value>, Misfit> + Send + Sync>;

const PAGE_DEFAULT: usize = 200;
/// The order in which the specification lists optional fields; others follow as the schema has them.
const FIELD_ORDER: [&str; 5] = ["name", "description", "properties", "parent_id", "model_id"];

/// Everything that can be asked about writes.
#[derive(Clone)]
pub struct WriteGuide {
    planner: Planner,
    ledger: SharedLedger,
    profile: Profile,
    manifest: Arc<Manifest>,
    check: ArgumentCheck,
    tokens: PageTokens,
}

impl WriteGuide {
    pub fn new(
        ledger: SharedLedger,
        profile: Profile,
        manifest: Arc<Manifest>,
        check: ArgumentCheck,
        tokens: PageTokens,
    ) -> Self {
        Self { planner: Planner::new(ledger.clone(), profile), ledger, profile, manifest, check, tokens }
    }

    /// Refuses a point that cannot be read, though what is asked for is the same at every point.
    async fn check_point(&self, ctx: &Context, given: Option<&ReadContext>) -> Result<(), Error> {
        if given.is_some() {
            Wanted::new(given)?.snapshot(self.ledger.as_ref(), ctx).await?;
        }
        Ok(())
    }

    fn relationship_types(
        &self,
        ctx: &Context,
        request: &GetRelationshipTypesRequest,
    ) -> Result<GetRelationshipTypesResponse, Error> {
        let element = |field, text: &Option<String>| text.as_deref().map(|text| element_type(field, text)).transpose();
        let filter = PairFilter {
            r#type: request
                .relationship_type
                .as_deref()
                .map(|text| relationship_type("relationship_type", text))
                .transpose()?,
            source: element("source_type", &request.source_type)?,
            target: element("target_type", &request.target_type)?,
        };
        let arguments = (filter.r#type, filter.source, filter.target, request.page_size);
        let listing =
            Listing::new(&self.tokens, ctx, "getRelationshipTypes", &arguments, None, request.page_token.as_deref())?;
        let permitted = pairs::permitted(self.profile, filter);
        // Every type shows its share of the page, so that the first page already names all types.
        let offset: usize = listing.after.as_deref().and_then(|after| after.parse().ok()).unwrap_or(0);
        let size = usize::try_from(request.page_size).ok().filter(|size| *size > 0).unwrap_or(PAGE_DEFAULT);
        let share = (size / permitted.len().max(1)).max(1);
        let more = permitted.iter().any(|pairs| pairs.len() > offset + share);
        let reversed = filter.source.zip(filter.target).map(|(source, target)| self.profile.permitted(target, source));
        Ok(GetRelationshipTypesResponse {
            relationships: permitted.iter().filter_map(|pairs| pairs.info(self.profile, offset, share)).collect(),
            profile: self.profile.label().to_owned(),
            metamodel_version: metamodel::VERSION.to_owned(),
            valid_if_reversed: reversed.unwrap_or_default().into_iter().map(i32::from).collect(),
            next_page_token: listing.timeless_token(more.then(|| (offset + share).to_string())),
        })
    }

    /// What the write would answer: its notes, or its refusals with the first one first.
    async fn rehearse(
        &self,
        ctx: &Context,
        request: ValidateWriteRequest,
    ) -> Result<crate::domain::Notes, Vec<CallError>> {
        let operation = request.operation();
        let tool = format!("transformation.{}", operation.label());
        let payload = request.payload.unwrap_or_default().0;
        let arguments = (self.check)(&tool, &payload).map_err(|misfit| refusal::each(&tool, &misfit))?;
        let command = Command::read(ctx, operation, arguments).map_err(|error| vec![error.into()])?;
        self.planner.rehearse(ctx, &command).await.map_err(|error| vec![error.into()])
    }

    fn write_schema(&self, operation: WriteOperation) -> Result<GetWriteSchemaResponse, Error> {
        let name = format!("transformation.{}", operation.label());
        let tool = self.manifest.tools.iter().find(|tool| tool.name == name).ok_or_else(|| {
            Error::invalid(
                "operation",
                "is not a write that is mounted here".to_owned(),
                "give an operation whose tool is listed",
            )
        })?;
        let required = strings(tool.input_schema.get("required"));
        let mut optional: Vec<String> = tool
            .input_schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect();
        optional.retain(|field| !required.contains(field));
        optional.sort_by_key(|field| FIELD_ORDER.iter().position(|known| known == field).unwrap_or(FIELD_ORDER.len()));
        let example = |example: &contract::Example| WriteExample {
            description: example.description.clone(),
            input: example.input.as_object().cloned().map(Object),
        };
        Ok(GetWriteSchemaResponse {
            schema: Some(Object(tool.whole_schema())),
            examples: tool.examples.iter().map(example).collect(),
            required_fields: required,
            optional_fields: optional,
        })
    }
}

impl WriteGuideQueryService for WriteGuide {
    async fn get_element_types(
        &self,
        ctx: &Context,
        request: GetElementTypesRequest,
    ) -> Result<GetElementTypesResponse, CallError> {
        self.check_point(ctx, request.read_context.as_ref()).await?;
        let wanted = message::layer(request.layer);
        let layers = Layer::ALL.into_iter().filter(|layer| wanted.is_none_or(|wanted| wanted == *layer));
        Ok(GetElementTypesResponse {
            layers: Some(Object(layers.map(|layer| (layer.label().to_owned(), types_of(layer))).collect())),
            profile: self.profile.label().to_owned(),
            metamodel_version: metamodel::VERSION.to_owned(),
        })
    }

    async fn get_relationship_types(
        &self,
        ctx: &Context,
        request: GetRelationshipTypesRequest,
    ) -> Result<GetRelationshipTypesResponse, CallError> {
        self.check_point(ctx, request.read_context.as_ref()).await?;
        Ok(self.relationship_types(ctx, &request)?)
    }

    async fn get_write_schema(
        &self,
        ctx: &Context,
        request: GetWriteSchemaRequest,
    ) -> Result<GetWriteSchemaResponse, CallError> {
        self.check_point(ctx, request.read_context.as_ref()).await?;
        Ok(self.write_schema(request.operation())?)
    }

    async fn validate_write(
        &self,
        ctx: &Context,
        request: ValidateWriteRequest,
    ) -> Result<ValidateWriteResponse, CallError> {
        if let Some(given) = &request.read_context
            && (given.baseline_id.is_some() || given.as_of.is_some() || given.selector() == Selector::Published)
        {
            let reason = "names a state that no write is decided on";
            return Err(Error::argument("read_context", reason, "leave it out, or give selector head").into());
        }
        match self.rehearse(ctx, request).await {
            Ok(notes) => Ok(ValidateWriteResponse {
                valid: true,
                errors: Vec::new(),
                warnings: notes.warnings.iter().map(message::warning).collect(),
                suggestions: notes.suggestions,
            }),
            Err(mut refusals) if refusals.first().is_some_and(is_unrelated) => Err(refusals.remove(0)),
            Err(refusals) => Ok(ValidateWriteResponse {
                valid: false,
                suggestions: refusals.iter().filter_map(hint_of).collect(),
                errors: refusals.into_iter().map(write_error).collect(),
                warnings: Vec::new(),
            }),
        }
    }
}

/// True for a failure that is not about the write, such as a store that cannot be read.
fn is_unrelated(refusal: &CallError) -> bool {
    matches!(refusal.kind, ErrorKind::Unavailable | ErrorKind::DeadlineExceeded | ErrorKind::Internal)
}

fn types_of(layer: Layer) -> Value {
    ElementType::all()
        .filter(|of| of.layer() == layer)
        .map(|of| json!({"type": of.label(), "description": of.description(), "aspect": of.aspect()}))
        .collect()
}

fn strings(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn hint_of(refusal: &CallError) -> Option<String> {
    refusal.suggestions.get("hint").and_then(Value::as_str).map(str::to_owned)
}

fn write_error(refusal: CallError) -> WriteError {
    WriteError {
        code: refusal.code.into_owned(),
        message: refusal.message,
        field: refusal.field,
        suggestions: (!refusal.suggestions.is_empty()).then_some(Object(refusal.suggestions)),
    }
}
