//! Asking before something is destroyed.

use contract::{Ask, CallError, Client, ErrorKind, Tool};
use serde_json::{Map, Value, json};

use crate::Seal;
use crate::config::Confirm;

/// The argument that carries a confirmation in two steps.
pub const CONFIRMATION_ARGUMENT: &str = "confirmation";
/// The name of the question.
const QUESTION: &str = "confirm";

/// Returns when the call may go on: nothing to confirm, or a person agreed.
///
/// Where the client can be asked, it is. Where it cannot, `always` demands a second call with a sealed token, and `ask`
/// trusts the client to have shown the tool's destructive hint.
pub async fn obtain(
    mode: Confirm,
    tool: &Tool,
    arguments: &mut Map<String, Value>,
    client: &dyn Client,
    seal: &Seal,
    purpose: &str,
) -> Result<(), CallError> {
    let given = if mode == Confirm::Always { arguments.shift_remove(CONFIRMATION_ARGUMENT) } else { None };
    if mode == Confirm::Never || !tool.hints.destructive || tool.confirm.is_empty() {
        return Ok(());
    }
    let question = filled_in(&tool.confirm, arguments);
    let ask = form(&question);
    if client.can_answer(&ask) {
        let replies = client.ask(vec![(QUESTION.to_owned(), ask)]).await?;
        let agreed = replies.first().and_then(|reply| reply.accepted()).is_some_and(|form| form["confirm"] == true);
        return if agreed { Ok(()) } else { Err(declined(&question)) };
    }
    match (mode, given.as_ref().and_then(Value::as_str)) {
        (Confirm::Always, Some(token)) if seal.open::<bool>(token, purpose) == Ok(true) => Ok(()),
        (Confirm::Always, _) => Err(required(&question, &seal.close(&true, purpose))),
        _ => Ok(()),
    }
}

fn form(question: &str) -> Ask {
    let schema = json!({
        "type": "object",
        "properties": { "confirm": { "type": "boolean", "title": "Yes, do it", "default": false } },
        "required": ["confirm"]
    });
    Ask::Elicit { message: question.to_owned(), schema }
}

fn declined(question: &str) -> CallError {
    CallError::new(ErrorKind::FailedPrecondition, "CONFIRMATION_DECLINED", format!("not confirmed: {question}"))
        .hint("nothing was changed; ask the person what they want instead")
}

fn required(question: &str, token: &str) -> CallError {
    CallError::new(ErrorKind::FailedPrecondition, "CONFIRMATION_REQUIRED", question)
        .field(CONFIRMATION_ARGUMENT)
        .detail(CONFIRMATION_ARGUMENT, token)
        .hint("show the question to a person; if they agree, make the same call with confirmation set to details.confirmation")
}

/// Replaces `{name}` by the argument of that name.
fn filled_in(template: &str, arguments: &Map<String, Value>) -> String {
    arguments.iter().fold(template.to_owned(), |text, (name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.replace(&format!("{{{name}}}"), &value)
    })
}

#[cfg(test)]
mod tests {
    use contract::{Hints, NoClient, RiskTier, Side};

    use super::*;

    fn tool() -> Tool {
        Tool {
            name: "t.delete".to_owned(),
            title: String::new(),
            description: String::new(),
            rpc: String::new(),
            side: Side::Command,
            hints: Hints { destructive: true, ..Hints::default() },
            input_schema: Map::new(),
            output_schema: None,
            toolset: String::new(),
            scopes: Vec::new(),
            risk: RiskTier::High,
            examples: Vec::new(),
            confirm: "Delete {id}?".to_owned(),
        }
    }

    async fn attempt(mode: Confirm, arguments: Value, purpose: &str) -> Result<(), CallError> {
        let mut arguments = arguments.as_object().unwrap().clone();
        obtain(mode, &tool(), &mut arguments, &NoClient, &Seal::new([1; 32]), purpose).await
    }

    //
    #[tokio::test]
    async fn a_client_that_cannot_be_asked_confirms_in_two_steps() {
        let refusal = attempt(Confirm::Always, json!({ "id": "e1" }), "p").await.unwrap_err();
        assert_eq!((refusal.code.as_ref(), refusal.message.as_str()), ("CONFIRMATION_REQUIRED", "Delete e1?"));
        let token = &refusal.details["confirmation"];
        let with_token = json!({ "id": "e1", "confirmation": token });
        assert!(attempt(Confirm::Always, with_token.clone(), "p").await.is_ok());
        let elsewhere = attempt(Confirm::Always, with_token, "another call").await.unwrap_err();
        assert_eq!(elsewhere.code, "CONFIRMATION_REQUIRED");
    }

    #[tokio::test]
    async fn by_default_only_clients_that_can_be_asked_are_asked() {
        assert!(attempt(Confirm::Ask, json!({ "id": "e1" }), "p").await.is_ok());
        assert!(attempt(Confirm::Never, json!({ "id": "e1" }), "p").await.is_ok());
    }
}
