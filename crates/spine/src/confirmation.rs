//! Asking before something is destroyed.

use contract::{Ask, CallError, Client, ErrorKind, Tool};
use serde_json::{Map, Value, json};

use crate::Seal;
use crate::config::Confirm;

/// The argument that carries a confirmation in two steps.
pub const ARGUMENT: &str = "confirmation";
/// The name of the question, which no handler may use for its own.
pub const QUESTION: &str = "confirmation";

/// What must be asked before a call, and of whom.
pub struct Question<'a> {
    pub tool: &'a Tool,
    pub client: &'a dyn Client,
    pub seal: &'a Seal,
    /// Caller, tool and arguments: what a confirmation is good for.
    pub purpose: &'a str,
}

impl Question<'_> {
    /// Returns when the call may go on: nothing to confirm, or a person agreed. A confirmation that could be sent twice
    /// is returned by its name, so that its effect happens once.
    ///
    /// Where the client can be asked, it is. Where it cannot, `always` demands a second call with a sealed token, and
    /// `ask` trusts the client to have shown the tool's destructive hint. A new token is named `fresh`.
    pub async fn put(
        &self,
        mode: Confirm,
        token: Option<&Value>,
        arguments: &Map<String, Value>,
        fresh: &str,
    ) -> Result<Option<String>, CallError> {
        let continued = || self.client.continues().map(str::to_owned);
        if mode == Confirm::Never || !self.tool.hints.destructive || self.tool.confirm.is_empty() {
            return Ok(continued());
        }
        let question = filled_in(&self.tool.confirm, arguments);
        let ask = form(&question);
        if self.client.can_answer(&ask) {
            let replies = self.client.ask(vec![(QUESTION.to_owned(), ask)]).await?;
            let agreed = replies.first().and_then(|reply| reply.accepted()).is_some_and(|form| form["confirm"] == true);
            return if agreed { Ok(continued()) } else { Err(declined(&question)) };
        }
        if mode == Confirm::Ask {
            return Ok(continued());
        }
        match token.and_then(Value::as_str).map(|token| self.seal.open::<String>(token, self.purpose)) {
            Some(Ok(name)) => Ok(Some(name)),
            _ => Err(required(&question, &self.seal.close(&fresh, self.purpose))),
        }
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
        .field(ARGUMENT)
        .detail(ARGUMENT, token)
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
            items_max: Default::default(),
            output_schema: None,
            toolset: String::new(),
            scopes: Vec::new(),
            risk: RiskTier::High,
            examples: Vec::new(),
            confirm: "Delete {id}?".to_owned(),
            calls_per_minute: 0,
        }
    }

    async fn attempt(mode: Confirm, token: Option<&Value>, purpose: &str) -> Result<Option<String>, CallError> {
        let (tool, seal) = (tool(), Seal::new([1; 32]));
        let question = Question { tool: &tool, client: &NoClient, seal: &seal, purpose };
        question.put(mode, token, json!({ "id": "e1" }).as_object().unwrap(), "first").await
    }

    //
    #[tokio::test]
    async fn a_client_that_cannot_be_asked_confirms_in_two_steps() {
        let refusal = attempt(Confirm::Always, None, "p").await.unwrap_err();
        assert_eq!((refusal.code.as_ref(), refusal.message.as_str()), ("CONFIRMATION_REQUIRED", "Delete e1?"));
        let token = Some(&refusal.details["confirmation"]);
        assert_eq!(attempt(Confirm::Always, token, "p").await.unwrap().as_deref(), Some("first"));
        let elsewhere = attempt(Confirm::Always, token, "another call").await.unwrap_err();
        assert_eq!(elsewhere.code, "CONFIRMATION_REQUIRED");
    }

    #[tokio::test]
    async fn by_default_only_clients_that_can_be_asked_are_asked() {
        assert!(attempt(Confirm::Ask, None, "p").await.is_ok());
        assert!(attempt(Confirm::Never, None, "p").await.is_ok());
    }
}
