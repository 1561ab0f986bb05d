//! docs/clients.md says what it must, and what it says about our schemas is so.

use serde_json::{Map, Value};

use crate::world::World;

const PAGE: &str = include_str!("../../../../docs/clients.md");

/// The part of the page under a heading.
#[track_caller]
fn section(heading: &str) -> &'static str {
    let start = PAGE.find(&format!("## {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let rest = &PAGE[start + 3..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

#[track_caller]
fn says(heading: &str, parts: &[&str]) {
    let text = section(heading);
    for part in parts {
        assert!(text.contains(part), "{heading} does not say {part}");
    }
}

//
#[test]
fn settings_of_the_vendors_are_listed() {
    says(
        "Structured output settings",
        &["| OpenAI |", "| Azure OpenAI |", "| Google Gemini |", "| Mistral |", "| Amazon Nova |"],
    );
    says(
        "Structured output settings",
        &["`strict_tools=True`", "**temperature 0** for calls that write", "repeatable"],
    );
}

//
#[test]
fn confirmation_is_explained() {
    says(
        "Confirmation",
        &["may show a confirmation before a write", "The annotations drive this", "not a security boundary"],
    );
}

//
#[test]
fn vendors_are_told_apart() {
    says(
        "One idea, many names",
        &["MCP", "OpenAI", "Anthropic", "Google", "AWS Nova", "Cohere", "Mistral", "Snowflake"],
    );
    says("One idea, many names", &["tool calling", "`inputSchema`", "`input_schema`", "confirmation of writes"]);
    let vendors = ["**OpenAI.**", "**Azure OpenAI.**", "**Google.**", "**Anthropic.**", "**AWS Nova.**", "**Cohere.**"];
    says("What follows for each vendor", &vendors);
    says(
        "What follows for each vendor",
        &["**Mistral.** Consider switching parallel tool calls off", "**Snowflake.**"],
    );
    says("What follows for each vendor", &["example that does not validate is an API error"]);
    says("What follows for each vendor", &["Only `type`, `properties` and `required` count at the top level"]);
    says("What follows for each vendor", &["at least one required parameter"]);
}

//
#[test]
fn the_way_of_a_write_is_told() {
    let steps =
        ["1. **Semantic inputs.**", "2. **Strict decoding.**", "3. **Validate and normalize.**", "4. **Confirm.**"];
    says("A write in five steps", &steps);
    says("A write in five steps", &["5. **Rich response.**", "`transformation.validateWrite`"]);
    says(
        "From chat to change",
        &["tool call intent", "**structured output** layer", "`tools/call`", "**domain** decides"],
    );
}

//
#[test]
fn transports_keys_and_links_are_given() {
    says("Transports", &["| VS Code Copilot | yes | yes |", "| Claude Code | yes | yes |", "| Codex | yes | yes |"]);
    says("Transports", &["| Cline |", "cline/issues/6767", "use stdio"]);
    says("client_request_id", &["`<operation>-<timestamp>-<hash>`", "`<operation>-<uuid>`", "keep it for every retry"]);
    let hosts = ["platform.openai.com", "learn.microsoft.com", "ai.google.dev", "platform.claude.com"];
    says("Links", &hosts);
    says("Links", &["docs.aws.amazon.com/nova", "docs.cohere.com", "docs.mistral.ai", "docs.snowflake.com"]);
}

// the subset that the page names is the one that the schemas use.
#[tokio::test]
async fn the_schemas_use_only_the_subset_that_the_page_names() {
    let text = section("What our schemas use");
    for avoided in ["`oneOf`", "`anyOf`", "`allOf`", "`$ref`", "`patternProperties`"] {
        assert!(text.contains(avoided), "{avoided}");
    }
    for tool in World::new().await.platform.endpoints.iter().flat_map(|endpoint| endpoint.tools()) {
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        check_keywords(&tool.name, text, &tool.input_schema);
    }
}

fn check_keywords(tool: &str, text: &str, schema: &Map<String, Value>) {
    for keyword in schema.keys() {
        // What describes and does not constrain needs no support.
        let described = ["type", "description", "default", "format", "title", "$schema"].contains(&keyword.as_str());
        let named = text.contains(&format!("`{keyword}`")) || text.contains(&format!("`{keyword}: "));
        assert!(described || named, "{tool} uses {keyword}");
    }
    let inner = schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(_, inner)| inner);
    for inner in inner.chain(schema.get("items")).filter_map(Value::as_object) {
        check_keywords(tool, text, inner);
    }
}

//
#[tokio::test]
async fn every_write_tool_has_a_required_parameter() {
    for tool in World::new().await.platform.endpoints[0].tools().iter().filter(|tool| !tool.hints.read_only) {
        let required = tool.input_schema.get("required").and_then(Value::as_array);
        assert!(required.is_some_and(|names| !names.is_empty()), "{}", tool.name);
    }
}
