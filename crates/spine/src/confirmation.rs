//! Asking before something is destroyed.
//!
//! Where the client can be asked, it is. Where it cannot, an agent confirms in two steps: its first call is refused with a
//! sealed token, which a second call brings along. A person whose client cannot be asked has seen the tool's destructive
//! hint; with `always` they too confirm in two steps.

use contract::{Ask, CallError, Client, ErrorKind, Tool, excerpt};
use futures::future::BoxFuture;
use quick_cache::sync::Cache;
use scope::{PrincipalKind, TenantId};
use serde_json::{Map, Value, json};

use crate::Seal;
use crate::config::Confirm;

/// The argument that carries a confirmation in two steps.
pub const ARGUMENT: &str = "confirmation";
/// The name of the question, which no handler may use for its own.
pub const QUESTION: &str = "confirmation";

/// How much of an argument a question shows.
const SHOWN_CHARS_MAX: usize = 200;
/// How many declined questions are remembered.
const DECLINED_MAX: usize = 4096;

/// True when a call of this tool is confirmed by a second one, if its client cannot be asked.
pub fn takes_two_steps(tool: &Tool, mode: Confirm, caller: PrincipalKind) -> bool {
    let demanded = match mode {
        Confirm::Always => true,
        Confirm::Ask => caller == PrincipalKind::Agent,
        Confirm::Never => false,
    };
    demanded && is_confirmed(tool)
}

fn is_confirmed(tool: &Tool) -> bool {
    tool.hints.destructive && !tool.confirm.is_empty()
}

/// Adds the argument that carries a confirmation to the schema of a tool.
pub fn add_argument(schema: &mut Map<String, Value>) {
    let description = "The token of a CONFIRMATION_REQUIRED refusal, once a person agreed.";
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(ARGUMENT.to_owned(), json!({ "type": "string", "description": description }));
    }
}

/// Where it is known which questions were answered with a no: the same question cannot be answered again.
pub trait Declines: Send + Sync {
    fn is_declined<'a>(&'a self, question: Asked<'a>) -> BoxFuture<'a, bool>;
    fn decline<'a>(&'a self, question: Asked<'a>) -> BoxFuture<'a, ()>;
}

/// A question that was put: to whom, and in which call.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub tenant: &'a TenantId,
    /// [`scope::Principal::id`] of the caller.
    pub principal: &'a str,
    pub call: &'a str,
}

/// What this process knows. Calls have names of their own, so nobody else can be meant.
pub struct Declined(Cache<String, ()>);

impl Declines for Declined {
    fn is_declined<'a>(&'a self, question: Asked<'a>) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(self.0.get(question.call).is_some()))
    }

    fn decline<'a>(&'a self, question: Asked<'a>) -> BoxFuture<'a, ()> {
        self.0.insert(question.call.to_owned(), ());
        Box::pin(std::future::ready(()))
    }
}

impl Default for Declined {
    fn default() -> Self {
        Self(Cache::new(DECLINED_MAX))
    }
}

/// What must be asked before a call, and of whom.
pub struct Question<'a> {
    pub tool: &'a Tool,
    pub client: &'a dyn Client,
    pub seal: &'a Seal,
    pub declines: &'a dyn Declines,
    pub tenant: &'a TenantId,
    pub principal: &'a str,
    /// Caller, tool and arguments: what a confirmation is good for.
    pub purpose: &'a str,
}

impl Question<'_> {
    /// Returns when the call may go on: nothing to confirm, or a person agreed. A confirmation that could be sent twice
    /// is returned by its name, so that its effect happens once. A new token is named `fresh`.
    pub async fn put(
        &self,
        mode: Confirm,
        caller: PrincipalKind,
        token: Option<&Value>,
        arguments: &Map<String, Value>,
        fresh: &str,
    ) -> Result<Option<String>, CallError> {
        let continued = || self.client.continues().map(str::to_owned);
        if mode == Confirm::Never || !is_confirmed(self.tool) {
            return Ok(continued());
        }
        let question = filled_in(&self.tool.confirm, arguments);
        let ask = form(&question);
        if self.client.can_answer(&ask) {
            return self.ask(ask, &question).await.map(|()| continued());
        }
        if !takes_two_steps(self.tool, mode, caller) {
            return Ok(continued());
        }
        match token.and_then(Value::as_str).map(|token| self.seal.open::<String>(token, self.purpose)) {
            Some(Ok(name)) => Ok(Some(name)),
            _ => Err(required(&question, &self.seal.close(&fresh, self.purpose))),
        }
    }

    /// Asks, once: who said no is not heard again about the same question.
    async fn ask(&self, ask: Ask, question: &str) -> Result<(), CallError> {
        let (tenant, principal) = (self.tenant, self.principal);
        let asked_before = self.client.continues().map(|call| Asked { tenant, principal, call });
        if let Some(asked) = asked_before
            && self.declines.is_declined(asked).await
        {
            return Err(declined(question));
        }
        let replies = self.client.ask(vec![(QUESTION.to_owned(), ask)]).await?;
        if replies.first().and_then(|reply| reply.accepted()).is_some_and(|form| form["confirm"] == true) {
            return Ok(());
        }
        if let Some(asked) = asked_before {
            self.declines.decline(asked).await;
        }
        Err(declined(question))
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

/// Replaces `{name}` by the argument of that name. What an argument holds is shown as it is, and its start only.
fn filled_in(template: &str, arguments: &Map<String, Value>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        match arguments.get(name) {
            Some(Value::String(value)) => text.push_str(&excerpt(value, SHOWN_CHARS_MAX)),
            Some(value) => text.push_str(&excerpt(&value.to_string(), SHOWN_CHARS_MAX)),
            None => text.push_str(name),
        }
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use contract::{Hints, NoClient, RiskTier, Side};
    use scope::Scope;

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
            briefs: Default::default(),
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
        attempt_by(PrincipalKind::User, mode, token, purpose).await
    }

    async fn attempt_by(
        caller: PrincipalKind,
        mode: Confirm,
        token: Option<&Value>,
        purpose: &str,
    ) -> Result<Option<String>, CallError> {
        let (tool, seal, declines) = (tool(), Seal::new([1; 32]), Declined::default());
        let (client, tenant) = (&NoClient, &Scope::local().tenant);
        let question =
            Question { tool: &tool, client, seal: &seal, declines: &declines, tenant, principal: "p", purpose };
        question.put(mode, caller, token, json!({ "id": "e1" }).as_object().unwrap(), "first").await
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
    async fn people_whose_client_cannot_be_asked_are_not_held_up_by_default() {
        assert!(attempt(Confirm::Ask, None, "p").await.is_ok());
        assert!(attempt(Confirm::Never, None, "p").await.is_ok());
        assert!(attempt_by(PrincipalKind::Service, Confirm::Ask, None, "p").await.is_ok());
    }

    //
    #[tokio::test]
    async fn an_agent_whose_client_cannot_be_asked_confirms_in_two_steps_by_default() {
        let agent = PrincipalKind::Agent;
        let refusal = attempt_by(agent, Confirm::Ask, None, "p").await.unwrap_err();
        assert_eq!(refusal.code, "CONFIRMATION_REQUIRED");
        let token = Some(&refusal.details["confirmation"]);
        assert_eq!(attempt_by(agent, Confirm::Ask, token, "p").await.unwrap().as_deref(), Some("first"));
        assert!(attempt_by(agent, Confirm::Never, None, "p").await.is_ok());
    }

    #[test]
    fn a_question_shows_arguments_as_they_are() {
        let arguments = json!({ "id": "{name}", "name": "x".repeat(1_000_000), "count": 7 });
        let shown = filled_in("Delete {id} of {count} in {nothing}?", arguments.as_object().unwrap());
        assert_eq!(shown, "Delete {name} of 7 in nothing?");
        assert!(filled_in("{name}?", arguments.as_object().unwrap()).chars().count() <= SHOWN_CHARS_MAX + 2);
    }
}
