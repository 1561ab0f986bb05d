//! A tool call that asks for its answer and nothing else.

use rmcp::model::{ClientCapabilities, RequestId};
use serde_json::{Map, Value};

use super::{Message, MessageKind};
use crate::json::Node;
use crate::trace;

/// A `tools/call` of the stateless era, without progress, log lines or answers to questions.
#[derive(Debug, PartialEq)]
pub struct PlainCall {
    pub id: RequestId,
    pub name: String,
    pub arguments: Map<String, Value>,
    /// Name and version the client gave itself.
    pub client: String,
    pub capabilities: ClientCapabilities,
}

/// The only revision whose calls are taken here.
pub const REVISION: &str = "2026-07-28";
/// Names in `_meta` that mean something to the protocol begin with this.
const RESERVED: &str = "io.modelcontextprotocol/";

impl Message {
    /// The call in this message, moved out of it, unless anything about it is rare.
    pub fn take_plain_call(&mut self) -> Option<PlainCall> {
        if self.kind != MessageKind::Request || self.extended || self.method != "tools/call" {
            return None;
        }
        let (id, (client, capabilities)) = (self.request_id()?, plain_client(self.params.get("_meta")?)?);
        let Node::Object(params) = &mut self.params else { return None };
        let is_plain = |(name, value): &(String, Node)| match name.as_str() {
            "_meta" => true,
            "name" => value.as_str().is_some(),
            "arguments" => value.is_object(),
            _ => false,
        };
        if !params.iter().all(is_plain) || !params.iter().any(|(name, _)| name == "name") {
            return None;
        }
        self.id = None;
        let (mut called, mut arguments) = (String::new(), Map::new());
        for (name, value) in std::mem::take(params) {
            match (name.as_str(), value) {
                ("name", Node::Text(name)) => called = name,
                ("arguments", Node::Object(given)) => {
                    arguments = given.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
                }
                _ => {}
            }
        }
        Some(PlainCall { id, name: called, arguments, client, capabilities })
    }
}

/// Who calls and what it can do, when `_meta` says both and wants nothing else of the protocol.
fn plain_client(meta: &Node) -> Option<(String, ClientCapabilities)> {
    let Node::Object(entries) = meta else { return None };
    let (mut revision, mut client, mut capabilities) = (None, None, None);
    for (name, value) in entries {
        match name.strip_prefix(RESERVED) {
            Some("protocolVersion") => revision = value.as_str(),
            Some("clientInfo") => client = Some(client_name(value)?),
            Some("clientCapabilities") => capabilities = Some(client_capabilities(value)?),
            Some(_) => return None,
            None if name == "progressToken" => return None,
            None => {}
        }
    }
    if revision == Some(REVISION) { client.zip(capabilities) } else { None }
}

/// The name and version of a client that says nothing about itself but texts.
fn client_name(info: &Node) -> Option<String> {
    let Node::Object(entries) = info else { return None };
    let is_text = |(name, value): &(String, Node)| {
        let known = matches!(name.as_str(), "name" | "title" | "version" | "description" | "websiteUrl");
        known && value.as_str().is_some()
    };
    entries.iter().all(is_text).then_some(())?;
    Some(trace::client(info.get("name")?.as_str()?, info.get("version")?.as_str()?))
}

/// What the client says it can do; `None` when it cannot be read.
fn client_capabilities(capabilities: &Node) -> Option<ClientCapabilities> {
    match capabilities {
        Node::Object(entries) if entries.is_empty() => Some(ClientCapabilities::default()),
        Node::Object(_) => serde_json::from_value(Value::from(capabilities.clone())).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meta() -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    }

    fn call() -> Value {
        let params = json!({ "name": "t.read", "arguments": { "b": [1.5, null], "a": "x" }, "_meta": meta() });
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
    }

    /// Takes the call out of a message that a test has changed at one place.
    fn taken(place: &str, value: Value) -> Option<PlainCall> {
        let mut whole = call();
        let (parent, name) = place.rsplit_once('/').unwrap();
        whole.pointer_mut(parent).unwrap()[name.replace("~1", "/")] = value;
        let mut message = Message::parse(whole.to_string().as_bytes(), 16).unwrap();
        let before = message.clone();
        let taken = message.take_plain_call();
        assert!(taken.is_some() || message == before, "a call that is not taken stays whole");
        taken
    }

    #[test]
    fn a_plain_call_is_moved_out() {
        let call = taken("/id", json!("seven")).unwrap();
        assert_eq!(
            (call.id, call.name.as_str(), call.client.as_str()),
            (RequestId::String("seven".into()), "t.read", "test/1")
        );
        assert_eq!(Value::Object(call.arguments).to_string(), r#"{"b":[1.5,null],"a":"x"}"#);
        assert_eq!(call.capabilities, ClientCapabilities::default());
    }

    #[test]
    fn what_the_protocol_need_not_look_at_does_not_matter() {
        assert!(taken("/params/arguments", json!({})).is_some());
        assert!(taken("/params/arguments", json!("{\"a\":1}")).is_some(), "arguments as text are unwrapped before");
        assert!(taken("/params/_meta/traceparent", json!("00-1")).is_some());
        assert!(taken("/params/_meta/correlation_id", json!("task")).is_some());
        let capabilities = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";
        let asked = taken(capabilities, json!({ "elicitation": {} })).unwrap();
        assert!(asked.capabilities.elicitation.is_some());
        let info = "/params/_meta/io.modelcontextprotocol~1clientInfo";
        assert!(taken(info, json!({ "name": "test", "version": "1", "title": "Test" })).is_some());
    }

    #[track_caller]
    fn left(place: &str, value: Value) {
        assert_eq!(taken(place, value), None, "{place}");
    }

    #[test]
    fn what_is_rare_is_left_to_rmcp() {
        left("/method", json!("tools/list"));
        left("/result", json!({}));
        left("/other", json!(1));
        left("/params/name", json!(1));
        left("/params/name", json!(null));
        left("/params/arguments", json!([]));
        left("/params/arguments", json!(null));
        left("/params/arguments", json!("text"));
        left("/params/requestState", json!("s"));
        left("/params/inputResponses", json!({}));
        left("/params/task", json!({}));
        left("/params/_meta", json!({}));
        left("/params/_meta/progressToken", json!(1));
        left("/params/_meta/io.modelcontextprotocol~1logLevel", json!("info"));
        left("/params/_meta/io.modelcontextprotocol~1other", json!(1));
        for version in [json!("2025-11-25"), json!("2026-07-29"), json!(1)] {
            left("/params/_meta/io.modelcontextprotocol~1protocolVersion", version);
        }
        for capabilities in [json!(null), json!([]), json!({ "elicitation": 1 })] {
            left("/params/_meta/io.modelcontextprotocol~1clientCapabilities", capabilities);
        }
        for info in [json!(null), json!({ "name": "x" }), json!({ "name": "x", "version": "1", "icons": [] })] {
            left("/params/_meta/io.modelcontextprotocol~1clientInfo", info);
        }
    }
}
