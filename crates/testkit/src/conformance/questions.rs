//! Tools that ask the client before they answer: forms, completions and roots.
//!
//! The same code serves both eras. In a session the question goes out and the call waits; from 2026-07-28 on the call
//! ends with the question, and the client makes it again with the answer.

use contract::{Answer, Ask, CallError, Context, Reply};
use serde_json::{Map, Value, json};

use super::text;

/// The answer of every tool that asks.
pub async fn answer(ctx: &Context, tool: &str, arguments: &Map<String, Value>) -> Result<Answer, CallError> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match tool {
        "test_sampling" | "test_missing_capability" => {
            let prompt = if given("prompt").is_empty() { "Say something." } else { given("prompt") };
            let reply = one(ctx, "completion", completion(prompt, 100)).await?;
            Ok(text(&format!("LLM response: {}", said(&reply))))
        }
        "test_elicitation" => {
            let fields = json!({
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            });
            let reply = one(ctx, "user", form(given("message"), fields, &["username", "email"])).await?;
            Ok(text(&format!("User response: {}", outcome(&reply))))
        }
        "test_elicitation_sep1034_defaults" => filled_in(ctx, "Check what we filled in", defaults()).await,
        "test_elicitation_sep1330_enums" => filled_in(ctx, "Choose", choices()).await,
        "test_streaming_elicitation" => {
            filled_in(ctx, "Anything to add?", json!({ "remark": { "type": "string" } })).await
        }
        "test_input_required_result_elicitation" => {
            let reply = one(ctx, "user_name", name_form("What is your name?")).await?;
            Ok(text(&format!("Hello, {}!", field(&reply, "name")?)))
        }
        "test_input_required_result_sampling" => {
            let reply = one(ctx, "capital_question", completion("What is the capital of France?", 100)).await?;
            Ok(text(&said(&reply)))
        }
        "test_input_required_result_list_roots" => {
            let reply = one(ctx, "client_roots", Ask::Roots).await?;
            Ok(text(&format!("roots: {}", reply.0["roots"])))
        }
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            confirmed_with_state(ctx).await
        }
        "test_input_required_result_multiple_inputs" => several(ctx).await,
        "test_input_required_result_multi_round" => two_rounds(ctx).await,
        "test_input_required_result_capabilities" => what_the_client_can(ctx).await,
        other => Err(CallError::invalid(format!("{other} has no answer"))),
    }
}

/// A form of one text field called `name`.
pub fn name_form(message: &str) -> Ask {
    form(message, json!({ "name": { "type": "string" } }), &["name"])
}

/// A form with these fields.
pub fn form(message: &str, fields: Value, required: &[&str]) -> Ask {
    let schema = json!({ "type": "object", "properties": fields, "required": required });
    Ask::Elicit { message: message.to_owned(), schema }
}

/// Asks one question.
pub async fn one(ctx: &Context, name: &str, ask: Ask) -> Result<Reply, CallError> {
    let replies = ctx.client.ask(vec![(name.to_owned(), ask)]).await?;
    replies.into_iter().next().ok_or_else(|| CallError::precondition("there was no reply"))
}

/// A field of a form that a person accepted.
pub fn field(reply: &Reply, name: &str) -> Result<String, CallError> {
    let value = reply.accepted().and_then(|form| form[name].as_str());
    value.map(str::to_owned).ok_or_else(|| CallError::precondition(format!("{name} was not given")))
}

/// What is kept for the second round must come back unchanged.
async fn confirmed_with_state(ctx: &Context) -> Result<Answer, CallError> {
    let returned = ctx.client.remembered();
    ctx.client.remember(json!({ "round": 1 }));
    one(ctx, "confirm", form("Please confirm", json!({ "ok": { "type": "boolean" } }), &["ok"])).await?;
    match returned {
        Some(state) if state == json!({ "round": 1 }) => Ok(text("state-ok")),
        _ => Ok(text("answered without the state")),
    }
}

async fn several(ctx: &Context) -> Result<Answer, CallError> {
    let questions = [
        ("user_name", name_form("What is your name?")),
        ("greeting", completion("Generate a greeting", 50)),
        ("client_roots", Ask::Roots),
    ];
    let questions = questions.into_iter().map(|(name, ask)| (name.to_owned(), ask)).collect();
    let replies = ctx.client.ask(questions).await?;
    Ok(text(&format!("{} {}, roots {}", said(&replies[1]), field(&replies[0], "name")?, replies[2].0["roots"])))
}

async fn two_rounds(ctx: &Context) -> Result<Answer, CallError> {
    let first = one(ctx, "step1", name_form("Step 1: What is your name?")).await?;
    let color = json!({ "color": { "type": "string" } });
    let second = one(ctx, "step2", form("Step 2: What is your favorite color?", color, &["color"])).await?;
    Ok(text(&format!("{} likes {}", field(&first, "name")?, field(&second, "color")?)))
}

async fn what_the_client_can(ctx: &Context) -> Result<Answer, CallError> {
    let all = [
        ("user_name", name_form("What is your name?")),
        ("greeting", completion("Generate a greeting", 50)),
        ("client_roots", Ask::Roots),
    ];
    let possible = all.into_iter().filter(|(_, ask)| ctx.client.can_answer(ask));
    let questions: Vec<_> = possible.map(|(name, ask)| (name.to_owned(), ask)).collect();
    let replies = ctx.client.ask(questions).await?;
    Ok(text(&format!("{} answers", replies.len())))
}

async fn filled_in(ctx: &Context, message: &str, fields: Value) -> Result<Answer, CallError> {
    let reply = one(ctx, "form", form(message, fields, &[])).await?;
    Ok(text(&format!("Elicitation completed: {}", outcome(&reply))))
}

fn completion(prompt: &str, tokens_max: u32) -> Ask {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    Ask::Sample { params: json!({ "messages": [message], "maxTokens": tokens_max }) }
}

/// The text of a completion; the protocol permits one block or several.
fn said(reply: &Reply) -> String {
    let content = &reply.0["content"];
    let block = content.get(0).unwrap_or(content);
    block["text"].as_str().unwrap_or_default().to_owned()
}

fn outcome(reply: &Reply) -> String {
    format!("action={}, content={}", reply.0["action"].as_str().unwrap_or("?"), reply.0["content"])
}

/// One field of each primitive type, each with a default.
fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

/// Every way in which the protocol words a choice.
fn choices() -> Value {
    let titled = |noun: &str| {
        let option = |(value, order): (&str, &str)| json!({ "const": value, "title": format!("{order} {noun}") });
        [("value1", "First"), ("value2", "Second"), ("value3", "Third")].map(option)
    };
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    })
}
