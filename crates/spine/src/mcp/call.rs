//! A tool call in the protocol's words, whichever way it came: through rmcp, or straight from the door.

use std::sync::Arc;

use contract::Verdict;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, ServerJsonRpcMessage, ServerResult};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::client::PeerClient;
use super::connection::{Arrived, input_required};
use super::wire;
use crate::endpoint::{Called, Caller, Endpoint};
use crate::message::PlainCall;
use crate::replay;

/// Calls a tool and words what came of it.
pub(super) async fn call(
    endpoint: &Endpoint,
    caller: &Caller,
    client: &PeerClient,
    name: &str,
    arguments: Map<String, Value>,
) -> Result<CallToolResponse, ErrorData> {
    // Arguments may hold a file; they are kept only for a question, which no other client is sent.
    let given = client.can_be_asked().then(|| arguments.clone());
    let called = endpoint.call(caller, name, arguments).await;
    if let Some(fault) = wire::protocol_fault(&called, name) {
        return Err(fault);
    }
    let mut result = match called {
        Called::Answered(answer) => wire::answer(answer),
        Called::Refused(error, envelope) => {
            let asked = given.and_then(|given| input_required(endpoint, caller, client, &error, || what(name, &given)));
            match asked {
                Some(questions) => return Ok(questions.into()),
                None => wire::refusal(&envelope),
            }
        }
        Called::UnknownTool => unreachable!("a protocol fault, returned above"),
    };
    result.meta = client.stateless.then(wire::result_meta);
    Ok(result.into())
}

/// The call that a question belongs to.
pub(super) fn what(name: &str, arguments: &Map<String, Value>) -> String {
    format!("tools/call\n{}", replay::binding(name, arguments))
}

/// Answers a call that asks for nothing but its answer, as rmcp would.
pub async fn answer_plain(
    endpoint: Arc<Endpoint>,
    arrived: Arrived,
    call: PlainCall,
    cancelled: CancellationToken,
) -> ServerJsonRpcMessage {
    let Arrived { admitted, mut request, .. } = arrived;
    let PlainCall { id, name, arguments, client, capabilities } = call;
    request.client = Some(client);
    let client = Arc::new(PeerClient::plain(capabilities, request.request_id.clone()));
    let caller = Caller { admitted, request, client: client.clone(), cancelled, verdict: Verdict::default() };
    match self::call(&endpoint, &caller, &client, &name, arguments).await {
        Ok(response) => ServerJsonRpcMessage::response(ServerResult::from(response), id),
        Err(error) => {
            tracing::warn!(%id, ?error, "response error");
            ServerJsonRpcMessage::error(error, Some(id))
        }
    }
}
