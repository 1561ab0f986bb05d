//! A JSON-RPC message, looked at once before anything decides on it.
//!
//! [`plain`] takes the commonest of them apart: a tool call without anything rare.

mod plain;

use rmcp::model::{InitializeRequestParams, RequestId};
use serde_json::{Value, json};

pub use plain::{PlainCall, REVISION};

use crate::json::{self, Inexact, Node};
use crate::trace;

/// Where the arguments of a tool stand in a message.
const ARGUMENTS: &str = "params.arguments.";
/// Longest id that a request may have.
const ID_CHARS_MAX: usize = 256;

/// What a message is and asks, as far as admission and the doors need to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub kind: MessageKind,
    /// Empty for responses.
    pub method: String,
    pub id: Option<Value>,
    /// An object.
    params: Node,
    /// True when a request holds something that JSON-RPC does not know.
    extended: bool,
    /// True when the arguments arrived as JSON text and were unwrapped.
    pub unwrapped: bool,
    /// How many values it holds.
    pub values: usize,
    /// A number that would be rounded, when there is one: then the message is for refusing only.
    pub inexact: Option<Inexact>,
    /// True when something was put right, so that the bytes on the wire must be written anew.
    pub rewritten: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    Request,
    Notification,
    /// An answer to something we asked.
    Response,
}

/// Why bytes are not a message, as a JSON-RPC error.
#[derive(Debug, Clone, PartialEq)]
pub struct Malformed {
    pub code: i64,
    pub message: String,
    pub id: Option<Value>,
    /// True when it would be a message if it held less.
    pub is_too_large: bool,
}

impl Malformed {
    fn unread(error: &json::Error) -> Self {
        let code = if *error == json::Error::TooManyValues { -32600 } else { -32700 };
        Self { code, message: error.to_string(), id: None, is_too_large: *error == json::Error::TooManyValues }
    }

    fn invalid(message: &str, id: Option<Value>) -> Self {
        Self { code: -32600, message: message.to_owned(), id, is_too_large: false }
    }

    fn params(message: &str, id: Option<Value>) -> Self {
        Self { code: -32602, ..Self::invalid(message, id) }
    }

    /// The JSON-RPC error response.
    pub fn response(&self) -> Value {
        error_response(self.id.clone(), self.code, &self.message, None)
    }
}

/// A JSON-RPC error response; the id is left out when it is not known.
pub fn error_response(id: Option<Value>, code: i64, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let Some(data) = data {
        error["data"] = data;
    }
    let mut response = json!({ "jsonrpc": "2.0" });
    if let Some(id) = id {
        response["id"] = id;
    }
    response["error"] = error;
    response
}

impl Message {
    /// Reads one message.
    pub fn parse(bytes: &[u8], depth_max: usize) -> Result<Self, Malformed> {
        let read = json::look(bytes, depth_max).map_err(|error| Malformed::unread(&error))?;
        let (inexact, values, lacks_halves) = (read.inexact(bytes), read.values, read.lacks_halves);
        let mut whole = match read.node {
            Node::Object(entries) => entries,
            Node::List(_) => {
                return Err(Malformed::invalid("batches are not supported; send one message at a time", None));
            }
            _ => return Err(Malformed::invalid("a message is a JSON object", None)),
        };
        let mut take = |name: &str| {
            let position = whole.iter().position(|(known, _)| known == name)?;
            Some(whole.swap_remove(position).1)
        };
        let id = match take("id").map(Value::from) {
            None => None,
            Some(id) if id.as_str().is_some_and(|id| id.chars().nth(ID_CHARS_MAX).is_some()) => {
                return Err(Malformed::invalid("id is longer than 256 characters", None));
            }
            Some(id) if id.is_string() || id.is_i64() => Some(id),
            Some(_) => return Err(Malformed::invalid("id is a string or a whole number of 64 bits", None)),
        };
        if take("jsonrpc").as_ref().and_then(Node::as_str) != Some("2.0") {
            return Err(Malformed::invalid("jsonrpc must be \"2.0\"", id));
        }
        let method = match take("method") {
            Some(Node::Text(method)) => method,
            None if id.is_some() && (take("result").is_some() || take("error").is_some()) => {
                return Ok(Self {
                    kind: MessageKind::Response,
                    method: String::new(),
                    id,
                    params: Node::Object(Vec::new()),
                    extended: false,
                    unwrapped: false,
                    values,
                    inexact,
                    rewritten: false,
                });
            }
            _ => return Err(Malformed::invalid("method is missing or is not a string", id)),
        };
        let given = take("params");
        let rewritten = lacks_halves || given == Some(Node::Null);
        let params = match given {
            // Some clients write null for nothing.
            None | Some(Node::Null) => Node::Object(Vec::new()),
            Some(params @ Node::Object(_)) => params,
            Some(_) => return Err(Malformed::params("params must be an object", id)),
        };
        if params.get("_meta").is_some_and(|meta| !meta.is_object()) {
            return Err(Malformed::params("params._meta must be an object", id));
        }
        let extended = !whole.is_empty();
        let kind = if id.is_some() { MessageKind::Request } else { MessageKind::Notification };
        let mut message = Self { kind, method, id, params, extended, unwrapped: false, values, inexact, rewritten };
        message.unwrap_arguments(depth_max);
        Ok(message)
    }

    /// Some clients send `arguments` as JSON text instead of an object.
    fn unwrap_arguments(&mut self, depth_max: usize) {
        if self.method != "tools/call" {
            return;
        }
        let Node::Object(params) = &mut self.params else { return };
        let Some((_, arguments)) = params.iter_mut().find(|(name, _)| name == "arguments") else { return };
        let Some(text) = arguments.as_str() else { return };
        let Ok(mut read) = json::look(text.as_bytes(), depth_max) else { return };
        if !read.node.is_object() {
            return;
        }
        let inexact = read.inexact(text.as_bytes());
        let inexact = inexact.map(|found| Inexact { path: format!("{ARGUMENTS}{}", found.path), ..found });
        self.inexact = inexact.or(self.inexact.take());
        self.values += read.values;
        *arguments = std::mem::replace(&mut read.node, Node::Null);
        self.unwrapped = true;
        self.rewritten = true;
    }

    /// The id in the protocol's words.
    pub fn request_id(&self) -> Option<RequestId> {
        match self.id.as_ref()? {
            Value::String(id) => Some(RequestId::String(id.as_str().into())),
            id => id.as_i64().map(RequestId::Number),
        }
    }

    /// A request or notification as bytes, after [`Message::rewritten`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut whole = json!({ "jsonrpc": "2.0" });
        if let Some(id) = &self.id {
            whole["id"] = id.clone();
        }
        whole["method"] = Value::from(self.method.clone());
        whole["params"] = Value::from(self.params.clone());
        whole.to_string().into_bytes()
    }

    /// The refusal of a number that would be rounded: its field, as whoever wrote the message knows it, and why.
    pub fn inexact_number(&self) -> Option<(&str, String)> {
        let Inexact { path, shown } = self.inexact.as_ref()?;
        let field = path.strip_prefix(ARGUMENTS).unwrap_or(path);
        Some((field, format!("{field}: the number {shown} would be rounded")))
    }

    /// The tool that `tools/call` names.
    pub fn tool(&self) -> Option<&str> {
        (self.method == "tools/call").then(|| self.params.get("name")?.as_str()).flatten()
    }

    /// Name and version that the client gives itself in `_meta`, cut to a bound.
    pub fn client(&self) -> Option<String> {
        let info = self.params.get("_meta")?.get("io.modelcontextprotocol/clientInfo")?;
        Some(trace::client(info.get("name")?.as_str()?, info.get("version").and_then(Node::as_str).unwrap_or("?")))
    }

    /// A text in `_meta`.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.params.get("_meta")?.get(name)?.as_str()
    }

    /// The revision a stateless request names in `_meta`.
    pub fn protocol_version(&self) -> Option<&str> {
        self.meta("io.modelcontextprotocol/protocolVersion")
    }

    /// True when `_meta` holds all that a request of the stateless era must bring.
    pub fn is_stateless(&self) -> bool {
        let capabilities =
            self.params.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/clientCapabilities"));
        self.protocol_version().is_some() && capabilities.is_some_and(Node::is_object)
    }

    /// True when `initialize` brings what it must.
    pub fn is_sound_initialize(&self) -> bool {
        serde_json::from_value::<InitializeRequestParams>(Value::from(self.params.clone())).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, code: i64, part: &str) {
        let malformed = Message::parse(text.as_bytes(), 16).unwrap_err();
        assert_eq!(malformed.code, code, "{malformed:?}");
        assert!(malformed.message.contains(part), "{malformed:?}");
    }

    // R-026
    #[test]
    fn only_json_rpc_2_0_is_a_message() {
        refused(r#"{"method":"ping","id":1}"#, -32600, "jsonrpc");
        refused(r#"{"jsonrpc":"1.0","method":"ping","id":1}"#, -32600, "jsonrpc");
        refused(r#"{"jsonrpc":"2.0","id":1}"#, -32600, "method");
        for id in ["null", "1.5", "1e30", "18446744073709551615", "[]", "true"] {
            refused(&format!(r#"{{"jsonrpc":"2.0","method":"ping","id":{id}}}"#), -32600, "id");
        }
        refused(r#"[{"jsonrpc":"2.0","method":"ping","id":1}]"#, -32600, "batches");
        refused(r#"{"jsonrpc":"2.0","method":"ping","id":1,"params":[1]}"#, -32602, "params");
        refused(r#"{"jsonrpc":"2.0","method":"ping","id":1,"params":{"_meta":5}}"#, -32602, "_meta");
        refused("{", -32700, "not valid JSON");
    }

    #[test]
    fn a_message_of_too_many_values_is_too_large() {
        let zeros = "0,".repeat(json::VALUES_MAX);
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":[{zeros}0]}}}}"#);
        assert!(Message::parse(text.as_bytes(), 16).unwrap_err().is_too_large);
        refused(&text, -32600, "more than 250000 values");
        refused(
            &format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(257)),
            -32600,
            "256 characters",
        );
    }

    #[test]
    fn a_number_that_would_be_rounded_is_known_by_its_field() {
        for arguments in [r#"{"a":{"b":[1e-400]}}"#, r#""{\"a\":{\"b\":[1e-400]}}""#] {
            let params = format!(r#"{{"name":"t","arguments":{arguments}}}"#);
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            let message = Message::parse(text.as_bytes(), 16).unwrap();
            let refusal = message.inexact_number().unwrap();
            assert_eq!(refusal, ("a.b.0", "a.b.0: the number 1e-400 would be rounded".to_owned()));
        }
    }

    #[test]
    fn params_of_null_are_absent() {
        let message = Message::parse(br#"{"jsonrpc":"2.0","id":-1,"method":"ping","params":null}"#, 16).unwrap();
        assert!(message.rewritten && message.params == Node::Object(Vec::new()));
    }

    #[test]
    fn arguments_as_text_are_unwrapped() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":"{\"a\":1}"}}"#;
        let message = Message::parse(text.as_bytes(), 16).unwrap();
        assert!(message.unwrapped);
        assert_eq!(Value::from(message.params.get("arguments").unwrap().clone()), json!({ "a": 1 }));
        assert_eq!(Message::parse(&message.to_bytes(), 16).unwrap().params, message.params);
    }
}
