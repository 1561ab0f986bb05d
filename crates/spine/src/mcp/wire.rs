//! Our answers in the protocol's words.

use std::sync::Arc;

use contract::{
    Answer, Ask, Blob, CallError, Content, ErrorKind, Manifest, PromptAnswer, ResourceEntry, Speaker, Structured,
};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ClientCapabilities, ContentBlock, GetPromptResult, Implementation, InputRequest, InputRequests,
    MetaObject, Prompt, PromptArgument, PromptMessage, RequestId, Resource, ResourceContents, ResultType, Role, Tool,
    ToolAnnotations,
};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::endpoint::Called;
use crate::{audit, confirmation};

/// Where the server names itself in a result.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The name and version under which we answer: those that the capability publishes, or our own.
fn named_version(manifest: &Manifest) -> (&str, &str) {
    match manifest.server_name.as_str() {
        "" => ("chancery", env!("CARGO_PKG_VERSION")),
        name => (name, &manifest.version),
    }
}

/// How we answer who we are.
pub fn implementation(manifest: &Manifest) -> Implementation {
    let (name, version) = named_version(manifest);
    let mut implementation = Implementation::new(name, version);
    implementation.description = Some(manifest.server_description.clone()).filter(|text| !text.is_empty());
    implementation
}

/// Metadata that every result of the stateless era carries.
pub fn result_meta(manifest: &Manifest) -> MetaObject {
    let mut meta = MetaObject::new();
    let (name, version) = named_version(manifest);
    meta.insert(SERVER_INFO.to_owned(), json!({ "name": name, "version": version }));
    meta
}

/// A tool as it is listed, under its canonical name.
pub fn tool(tool: &contract::Tool) -> Tool {
    let hints = tool.hints;
    let annotations = ToolAnnotations::from_raw(
        None,
        Some(hints.read_only),
        Some(hints.destructive),
        // It says nothing more about a tool that only reads.
        Some(hints.idempotent).filter(|_| !hints.read_only),
        Some(hints.open_world),
    );
    let mut listed =
        Tool::new(tool.name.clone(), tool.description.clone(), tool.input_schema.clone()).with_annotations(annotations);
    listed.title = Some(tool.title.clone()).filter(|title| !title.is_empty());
    listed.output_schema = tool.output_schema.clone().map(std::sync::Arc::new);
    listed
}

/// The same tool for a caller who may have to confirm it by a second call.
pub fn with_confirmation(tool: &mut Tool) {
    let mut schema = (*tool.input_schema).clone();
    confirmation::add_argument(&mut schema);
    tool.input_schema = std::sync::Arc::new(schema);
}

/// The same tool under the name that a client can use. Either form can be called, so the other one is not repeated.
pub fn named(tool: &Tool, name: String) -> Tool {
    let mut listed = tool.clone();
    listed.name = name.into();
    listed
}

/// An answer, complete.
pub fn answer(answer: Answer) -> CallToolResult {
    let Answer { structured, content, failed } = answer;
    let blocks = blocks(content, structured.as_ref());
    let mut result = if failed { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    result.structured_content = structured.as_ref().map(Structured::value);
    result
}

/// What a model reads: the content, or else the whole as text.
fn blocks(content: Vec<Content>, structured: Option<&Structured>) -> Vec<ContentBlock> {
    match structured {
        Some(whole) if content.is_empty() => vec![ContentBlock::text(whole.text())],
        _ => content.into_iter().map(block).collect(),
    }
}

/// The answer to a plain call. rmcp would hold what is structured as a tree of values and write that.
#[derive(Serialize)]
pub struct PlainAnswer {
    jsonrpc: &'static str,
    id: RequestId,
    result: PlainResult,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlainResult {
    result_type: ResultType,
    content: Vec<ContentBlock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Structured>,
    is_error: bool,
    #[serde(rename = "_meta", serialize_with = "shared")]
    meta: Arc<MetaObject>,
}

fn shared<S: Serializer>(meta: &Arc<MetaObject>, serializer: S) -> Result<S::Ok, S::Error> {
    meta.as_ref().serialize(serializer)
}

/// An answer, complete, in the words of the stateless era.
pub fn plain_answer(answer: Answer, id: RequestId, meta: Arc<MetaObject>) -> PlainAnswer {
    let Answer { structured, content, failed } = answer;
    let content = blocks(content, structured.as_ref());
    let result_type = ResultType::COMPLETE;
    let result = PlainResult { result_type, content, structured_content: structured, is_error: failed, meta };
    PlainAnswer { jsonrpc: "2.0", id, result }
}

/// A refusal: one text block in the capability's own shape, and no structured content.
pub fn refusal(envelope: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(envelope.to_string())])
}

/// What is not an answer to the model but a fault of the protocol.
pub fn protocol_fault(called: &Called, name: &str) -> Option<ErrorData> {
    match called {
        Called::UnknownTool { near } => Some(unknown_tool(&audit::bounded_name(name), near.clone())),
        Called::Refused(error, _) => capability_missing(error),
        Called::Answered(_) => None,
    }
}

/// The error for a tool that does not exist, with those that may have been meant.
fn unknown_tool(name: &str, nearest: Vec<String>) -> ErrorData {
    let fix = match nearest.as_slice() {
        [] => "tools/list names those there are".to_owned(),
        names => format!("did you mean {}?", names.join(", ")),
    };
    let data = json!({ "code": "UNKNOWN_TOOL", "did_you_mean": nearest, "hint": fix });
    ErrorData::invalid_params(format!("there is no tool {name:?}; {fix}"), Some(data))
}

/// The error for a client that cannot answer what the call must ask.
pub fn capability_missing(error: &CallError) -> Option<ErrorData> {
    let ErrorKind::ClientCannot(ask) = &error.kind else { return None };
    let name = match **ask {
        Ask::Elicit { .. } => "elicitation",
        Ask::Sample { .. } => "sampling",
        Ask::Roots => "roots",
    };
    let needed: ClientCapabilities = serde_json::from_value(json!({ name: {} })).unwrap_or_default();
    Some(ErrorData::missing_required_client_capability(needed))
}

/// A refusal where the protocol has no result for one: reads, prompts, completion.
pub fn error_data(error: &CallError, uri: Option<&str>) -> ErrorData {
    if let Some(missing) = capability_missing(error) {
        return missing;
    }
    match (&error.kind, uri) {
        // The text does not tell a foreign resource from one that does not exist.
        (ErrorKind::NotFound, Some(uri)) => {
            ErrorData::invalid_params("resource not found", Some(json!({ "uri": audit::bounded_name(uri) })))
        }
        (ErrorKind::Internal, _) => {
            ErrorData::internal_error(error.message.clone(), Some(Value::Object(error.details.clone())))
        }
        (ErrorKind::Unavailable | ErrorKind::DeadlineExceeded, _) => {
            ErrorData::internal_error(error.message.clone(), Some(json!({ "code": error.code, "retryable": true })))
        }
        _ => ErrorData::invalid_params(
            error.message.clone(),
            Some(json!({ "code": error.code, "suggestions": error.suggestions })),
        ),
    }
}

pub fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(text),
        Content::Image(blob) => {
            let (mime, data) = bytes(blob);
            ContentBlock::image(data, mime)
        }
        Content::Audio(blob) => {
            let (mime, data) = bytes(blob);
            ContentBlock::audio(data, mime)
        }
        Content::Resource { uri, blob } => ContentBlock::resource(contents(uri, blob)),
    }
}

fn bytes(blob: Blob) -> (String, String) {
    match blob {
        Blob::Base64 { mime, data } | Blob::Text { mime, text: data } => (mime, data),
    }
}

/// The body of a resource.
pub fn contents(uri: impl Into<String>, blob: Blob) -> ResourceContents {
    match blob {
        Blob::Text { mime, text } => ResourceContents::text(text, uri).with_mime_type(mime),
        Blob::Base64 { mime, data } => ResourceContents::blob(data, uri).with_mime_type(mime),
    }
}

pub fn resource(entry: ResourceEntry) -> Resource {
    let mut resource = Resource::new(entry.uri, entry.name).with_mime_type(entry.mime);
    resource.title = entry.title;
    resource.description = entry.description;
    resource
}

pub fn prompt(prompt: &contract::Prompt) -> Prompt {
    let argument = |argument: &contract::PromptArgument| {
        let mut listed = PromptArgument::new(&argument.name);
        listed.description = Some(argument.description.clone());
        listed.required = Some(argument.required);
        listed
    };
    let arguments = (!prompt.arguments.is_empty()).then(|| prompt.arguments.iter().map(argument).collect());
    let mut listed = Prompt::new(&prompt.name, Some(&prompt.description), arguments);
    listed.title = Some(prompt.title.clone()).filter(|title| !title.is_empty());
    listed
}

pub fn prompt_answer(answer: PromptAnswer) -> GetPromptResult {
    let message = |message: contract::PromptMessage| {
        let role = match message.speaker {
            Speaker::User => Role::User,
            Speaker::Assistant => Role::Assistant,
        };
        PromptMessage::new(role, block(message.content))
    };
    let mut result = GetPromptResult::new(answer.messages.into_iter().map(message).collect());
    result.description = answer.description;
    result
}

/// A question as the protocol's request.
pub fn question(ask: &Ask) -> Value {
    match ask {
        Ask::Elicit { message, schema } => {
            json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
        }
        Ask::Sample { params } => json!({ "method": "sampling/createMessage", "params": params }),
        Ask::Roots => json!({ "method": "roots/list" }),
    }
}

/// Questions for a client that answers them by calling again.
pub fn questions(asks: &[(String, Ask)]) -> InputRequests {
    let request = |(name, ask): &(String, Ask)| {
        let request: InputRequest =
            serde_json::from_value(question(ask)).expect("our questions have the protocol's shape");
        (name.clone(), request)
    };
    asks.iter().map(request).collect()
}

/// Arguments of a prompt or a call, absent as empty.
pub fn arguments(given: Option<Map<String, Value>>) -> Map<String, Value> {
    given.unwrap_or_default()
}
