//! What the fixture offers.

use contract::{Hints, Manifest, Prompt, PromptArgument, ResourceTemplate, RiskTier, Side, Tool};
use serde_json::{Map, Value, json};

/// Tools without arguments, with what they show. The first one listed is called by the suite with no arguments.
const PLAIN: [(&str, &str); 20] = [
    ("test_simple_text", "Answers with one line"),
    ("test_image_content", "Answers with a picture"),
    ("test_audio_content", "Answers with a sound"),
    ("test_embedded_resource", "Answers with a resource"),
    ("test_multiple_content_types", "Answers with text, a picture and a resource"),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_progress", "Reports progress three times"),
    ("test_tool_with_logging", "Sends three log lines"),
    ("test_logging_tool", "Sends one log line"),
    ("test_elicitation_sep1034_defaults", "Asks with a form that has defaults"),
    ("test_elicitation_sep1330_enums", "Asks with a form of choices"),
    ("test_streaming_elicitation", "Asks while an answer streams"),
    ("test_missing_capability", "Needs a client that can sample"),
    ("test_input_required_result_elicitation", "Asks with a form"),
    ("test_input_required_result_sampling", "Asks for a completion"),
    ("test_input_required_result_list_roots", "Asks for the client's roots"),
    ("test_input_required_result_request_state", "Asks, and keeps a state meanwhile"),
    ("test_input_required_result_multiple_inputs", "Asks three questions at once"),
    ("test_input_required_result_multi_round", "Asks one question after another"),
    ("test_input_required_result_tampered_state", "Refuses a state it did not make"),
];

pub fn manifest() -> Manifest {
    let mut tools: Vec<Tool> = PLAIN.iter().map(|(name, shows)| tool(name, shows, Side::Query, nothing())).collect();
    tools.extend([
        tool("test_input_required_result_capabilities", "Asks only what the client can answer", Side::Query, nothing()),
        tool("test_sampling", "Asks for a completion of a prompt", Side::Query, one_text("prompt")),
        tool("test_elicitation", "Asks a person for name and address", Side::Query, one_text("message")),
        tool("test_header_argument", "Takes an argument that a header repeats", Side::Query, header_argument()),
        tool("json_schema_2020_12_tool", "Takes arguments that need all of JSON Schema", Side::Query, full_schema()),
        tool("test_trigger_tool_change", "Announces a change of the tools", Side::Command, nothing()),
        tool("test_trigger_prompt_change", "Announces a change of the prompts", Side::Command, nothing()),
    ]);
    Manifest {
        name: "conformance".to_owned(),
        title: "Conformance fixture".to_owned(),
        version: String::new(),
        instructions: "For the conformance suite only.".to_owned(),
        tools,
        resources: vec![ResourceTemplate {
            pattern: "test://template/{id}/data".to_owned(),
            title: "Template".to_owned(),
            description: "Data for an id of your choice".to_owned(),
            rpc: String::new(),
        }],
        prompts: prompts(),
        logging: true,
        ..Manifest::default()
    }
}

fn tool(name: &str, description: &str, side: Side, schema: Value) -> Tool {
    let Value::Object(input_schema) = schema else { unreachable!("every schema below is an object") };
    Tool {
        name: name.to_owned(),
        title: String::new(),
        description: description.to_owned(),
        rpc: String::new(),
        side,
        hints: Hints { read_only: side == Side::Query, idempotent: true, ..Hints::default() },
        input_schema,
        items_max: Default::default(),
        briefs: Default::default(),
        output_schema: None,
        toolset: String::new(),
        scopes: Vec::new(),
        risk: RiskTier::Low,
        examples: Vec::new(),
        confirm: String::new(),
        calls_per_minute: 0,
    }
}

fn nothing() -> Value {
    json!({ "type": "object", "properties": Map::new(), "additionalProperties": false })
}

fn one_text(name: &str) -> Value {
    json!({
        "type": "object",
        "properties": { name: { "type": "string" } },
        "required": [name],
        "additionalProperties": false,
    })
}

fn header_argument() -> Value {
    json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
        "required": ["region"],
        "additionalProperties": false,
    })
}

/// Uses the keywords that a server must pass on untouched.
fn full_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": { "$anchor": "addressDef", "type": "object", "properties": { "street": text, "city": text } },
        },
        "properties": {
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text,
            "email": text,
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, description: &str, arguments: &[&str]| Prompt {
        name: name.to_owned(),
        title: String::new(),
        description: description.to_owned(),
        arguments: arguments.iter().map(|name| argument(name)).collect(),
    };
    vec![
        prompt("test_simple_prompt", "One line", &[]),
        prompt("test_prompt_with_arguments", "A line with two arguments in it", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", "A resource and what to do with it", &["resourceUri"]),
        prompt("test_prompt_with_image", "A picture and what to do with it", &[]),
        prompt("test_input_required_result_prompt", "Asks before it answers", &[]),
    ]
}

fn argument(name: &str) -> PromptArgument {
    PromptArgument { name: name.to_owned(), description: format!("The value of {name}"), required: true }
}
