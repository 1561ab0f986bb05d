//! The prompts that the suite fills in.

use contract::{CallError, Content, Context, PromptAnswer, PromptMessage, Speaker};
use serde_json::{Map, Value, json};

use super::content::{image, plain};
use super::questions::{field, form, one};

/// Words that complete any argument.
const WORDS: [&str; 4] = ["paris", "park", "party", "pylon"];

pub async fn fill_in(ctx: &Context, name: &str, arguments: &Map<String, Value>) -> Result<PromptAnswer, CallError> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let contents = match name {
        "test_simple_prompt" => vec![line("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (given("arg1"), given("arg2"));
            vec![line(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let blob = plain("text/plain", "Embedded resource content for testing.");
            let resource = Content::Resource { uri: given("resourceUri").to_owned(), blob };
            vec![resource, line("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => vec![image(), line("Please analyze the image above.")],
        "test_input_required_result_prompt" => {
            let fields = json!({ "context": { "type": "string" } });
            let ask = form("What context should the prompt use?", fields, &["context"]);
            let context = field(&one(ctx, "user_context", ask).await?, "context")?;
            vec![line(&format!("Work in this context: {context}"))]
        }
        other => return Err(CallError::invalid(format!("there is no prompt {other}"))),
    };
    let message = |content| PromptMessage { speaker: Speaker::User, content };
    Ok(PromptAnswer { description: None, messages: contents.into_iter().map(message).collect() })
}

pub fn completions(typed: &str) -> Vec<String> {
    WORDS.iter().filter(|word| word.starts_with(typed)).map(|word| (*word).to_owned()).collect()
}

fn line(text: &str) -> Content {
    Content::Text(text.to_owned())
}
