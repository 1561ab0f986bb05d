//! Several calls in one: those that read run side by side, those that write one after the other, and the answers come in the
//! order of the calls. Each is authorized and checked for itself, and one that fails stops no other.

use contract::generated::monitor::{BatchCallRequest, BatchCallResponse, BatchItem, BatchResult};
use contract::{Answer, CallError, Capability as _, Context, Effect};
use futures::future::join_all;
use serde_json::{Map, Value};

use crate::Monitor;
use crate::domain::claim;
use crate::{Error, refusal};

pub const TOOL: &str = "composite_batch_call";

/// Calls of one batch. The schema says so too.
const CALLS_MAX: usize = 50;

/// Makes the calls of a batch.
pub async fn call(monitor: &Monitor, ctx: &Context, arguments: Map<String, Value>) -> Result<Answer, CallError> {
    let request: BatchCallRequest = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Error::invalid("calls", error.to_string(), "give a list of objects with name and arguments")
    })?;
    let calls = request.calls.len();
    if !(1..=CALLS_MAX).contains(&calls) {
        return Err(Error::invalid("calls", format!("has {calls} items"), format!("give 1 to {CALLS_MAX}")).into());
    }
    let mut results = Vec::with_capacity(calls);
    let items: Vec<(usize, BatchItem)> = request.calls.into_iter().enumerate().collect();
    let key = request.client_request_id.as_deref();
    for group in items.chunk_by(|one, other| monitor.is_read(&one.1.name) && monitor.is_read(&other.1.name)) {
        results.extend(join_all(group.iter().map(|(place, item)| one(monitor, ctx, key, *place, item))).await);
    }
    let failed = results.iter().filter(|result| result.error.is_some()).count();
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let response = BatchCallResponse { succeeded: count(calls - failed), failed: count(failed), results };
    Ok(contract::dispatch::answer(&response))
}

/// Makes one call, which has an id of its own in the audit.
async fn one(monitor: &Monitor, ctx: &Context, key: Option<&str>, place: usize, item: &BatchItem) -> BatchResult {
    let made = async {
        if item.name == TOOL {
            return Err(
                Error::invalid(format!("calls[{place}].name"), "is a batch itself", "give its calls here").into()
            );
        }
        if !monitor.has(&item.name) {
            return Err(
                Error::invalid(format!("calls[{place}].name"), "is no tool", "give a name from tools/list").into()
            );
        }
        let arguments = item.arguments.clone().unwrap_or_default().0;
        monitor.admit(ctx, &item.name)?;
        let arguments = match monitor.checked(&item.name, &arguments) {
            Ok(arguments) => arguments,
            Err(misfit) => return Err(refusal::refuse(&misfit)),
        };
        let mut ctx = Context { effect: effect(key, place, &item.name, &arguments), ..ctx.clone() };
        ctx.request.request_id = ctx.ids.next();
        monitor.dispatch(&ctx, &item.name, arguments).await
    };
    let result = BatchResult { name: item.name.clone(), ..BatchResult::default() };
    match made.await {
        Ok(answer) => BatchResult { result: Some(members(answer).into()), ..result },
        Err(error) => {
            let envelope = monitor.envelope(&ctx.request, &error);
            let error = envelope.get("error").and_then(Value::as_object).cloned().unwrap_or_default();
            BatchResult { error: Some(error.into()), ..result }
        }
    }
}

fn members(answer: Answer) -> Map<String, Value> {
    match answer.structured.map(|whole| whole.value()).unwrap_or_default() {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// The identity of one effect: by its own client_request_id, or by that of the batch and its place in it.
fn effect(batch: Option<&str>, place: usize, tool: &str, arguments: &Map<String, Value>) -> Option<Effect> {
    let own = arguments.get("client_request_id").and_then(Value::as_str).map(str::to_owned);
    let key = own.or_else(|| batch.map(|batch| format!("{batch}#{place}")))?;
    let mut rest = arguments.clone();
    rest.remove("client_request_id");
    let request_hash = claim::digest([tool, &Value::Object(rest).to_string()]);
    Some(Effect { operation: tool.to_owned(), key, request_hash })
}
