//! A tool call in the protocol's words, whichever way it came: through rmcp, or straight from the door.

use std::sync::Arc;

use contract::{Answer, AuditDraft, CallError, Verdict};
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, ServerJsonRpcMessage, ServerResult};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::client::PeerClient;
use super::connection::{Arrived, input_required};
use super::{Prepared, wire};
use crate::endpoint::{Called, Caller, Endpoint};
use crate::message::{Message, PlainCall, error_response};
use crate::{replay, seal, trace};

/// How much of an id and of a message reaches the log.
const ID_CHARS_MAX: usize = 64;
const MESSAGE_CHARS_MAX: usize = 300;

/// What came of a call.
enum Outcome {
    Answered(Answer),
    /// A refusal, or questions that come first.
    Worded(CallToolResponse),
}

/// Calls a tool and words what came of it for rmcp.
pub(super) async fn call(
    endpoint: &Endpoint,
    caller: &Caller,
    client: &PeerClient,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<CallToolResponse, ErrorData> {
    Ok(match perform(endpoint, caller, client, name, arguments).await? {
        Outcome::Answered(answer) => with_meta(wire::answer(answer), client, endpoint).into(),
        Outcome::Worded(response) => response,
    })
}

async fn perform(
    endpoint: &Endpoint,
    caller: &Caller,
    client: &PeerClient,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<Outcome, ErrorData> {
    // Arguments may hold a file; they are kept only for a question, which no other client is sent.
    let given = client.can_be_asked().then(|| arguments.clone());
    let called = endpoint.call(caller, name, arguments).await;
    if let Some(fault) = wire::protocol_fault(&called, name) {
        return Err(fault);
    }
    Ok(match called {
        Called::Answered(answer) => Outcome::Answered(answer),
        Called::Refused(error, envelope) => {
            let asked =
                given.and_then(|given| input_required(endpoint, caller, client, &error, || purpose_of(name, &given)));
            let refused = || with_meta(wire::refusal(&envelope), client, endpoint).into();
            Outcome::Worded(asked.map_or_else(refused, Into::into))
        }
        Called::UnknownTool { .. } => unreachable!("a protocol fault, returned above"),
    })
}

fn with_meta(mut result: CallToolResult, client: &PeerClient, endpoint: &Endpoint) -> CallToolResult {
    result.meta = client.stateless.then(|| wire::result_meta(endpoint.capability.manifest()));
    result
}

/// What a question to the client is sealed for: this tool with these arguments.
pub(super) fn purpose_of(name: &str, arguments: &Map<String, Value>) -> String {
    seal::purpose(&["tools/call", &replay::binding(name, arguments)])
}

/// The message that refuses a request for a number that would be rounded.
pub async fn refuse_inexact(endpoint: &Endpoint, arrived: Arrived, message: &Message) -> Value {
    let Some((field, why)) = message.inexact_number() else { return Value::Null };
    let Some((tool, id)) = message.tool().zip(message.request_id()) else {
        return error_response(message.id.clone(), -32602, &format!("{why}; send it as text"), None);
    };
    let Arrived { admitted, mut request, client, .. } = arrived;
    request.client = client;
    let peer = Arc::new(PeerClient::plain(Default::default(), request.request_id.clone()));
    let stateless = message.is_stateless();
    let caller = Caller {
        admitted,
        request,
        client: peer,
        cancelled: CancellationToken::new(),
        verdict: Verdict::default(),
        audit: AuditDraft::default(),
    };
    let error = CallError::invalid(why).field(field).hint(format!("send {field} as text, in quotes"));
    let mut refusal = wire::refusal(&endpoint.refuse(&caller, tool, &error).await);
    refusal.meta = stateless.then(|| wire::result_meta(endpoint.capability.manifest()));
    let answer = ServerJsonRpcMessage::response(ServerResult::from(CallToolResponse::from(refusal)), id);
    serde_json::to_value(answer).unwrap_or_default()
}

/// The message that answers a plain call.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Plain {
    Answer(wire::PlainAnswer),
    Other(Box<ServerJsonRpcMessage>),
}

/// Answers a call that asks for nothing but its answer, as rmcp would.
pub async fn answer_plain(
    endpoint: Arc<Endpoint>,
    arrived: Arrived,
    call: PlainCall,
    cancelled: CancellationToken,
) -> Plain {
    let Arrived { admitted, mut request, .. } = arrived;
    let PlainCall { id, name, arguments, client, capabilities } = call;
    request.client = Some(client);
    let client = Arc::new(PeerClient::plain(capabilities, request.request_id.clone()));
    let caller = Caller {
        admitted,
        request,
        client: client.clone(),
        cancelled,
        verdict: Verdict::default(),
        audit: AuditDraft::default(),
    };
    match perform(&endpoint, &caller, &client, &name, arguments).await {
        Ok(Outcome::Answered(answer)) => {
            Plain::Answer(wire::plain_answer(answer, id, Prepared::of(&endpoint).meta.clone()))
        }
        Ok(Outcome::Worded(response)) => {
            Plain::Other(Box::new(ServerJsonRpcMessage::response(ServerResult::from(response), id)))
        }
        Err(error) => {
            let shown = trace::escaped(&id.to_string(), ID_CHARS_MAX);
            let message = trace::escaped(&error.message, MESSAGE_CHARS_MAX);
            tracing::warn!(id = %shown, code = error.code.0, %message, "response error");
            Plain::Other(Box::new(ServerJsonRpcMessage::error(error, Some(id))))
        }
    }
}
