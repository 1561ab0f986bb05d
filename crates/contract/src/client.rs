//! The other side of a connection, as far as a capability may speak to it.

use futures::future::BoxFuture;
use serde_json::Value;

use crate::CallError;

/// What a capability may ask of whoever called it.
///
/// Under 2026-07-28 a question ends the call with [`crate::ErrorKind::NeedsInput`]; the client answers it and calls
/// again, and the same question then returns at once. So a handler asks before it has effects.
pub trait Client: Send + Sync {
    /// Reports progress, when the client asked for it; otherwise does nothing.
    fn progress<'a>(&'a self, done: f64, total: Option<f64>, message: Option<&'a str>) -> BoxFuture<'a, ()>;

    /// Sends a log line to the client, when it wants them.
    fn log<'a>(&'a self, level: &'a str, data: Value) -> BoxFuture<'a, ()>;

    /// True when the client said that it can answer this sort of question.
    fn can_answer(&self, ask: &Ask) -> bool;

    /// Asks everything at once, each question under a name that stays the same when the call is made again.
    fn ask<'a>(&'a self, questions: Vec<(String, Ask)>) -> BoxFuture<'a, Result<Vec<Reply>, CallError>>;

    /// What [`Client::remember`] kept when the call was interrupted before.
    fn remembered(&self) -> Option<Value>;

    /// Keeps a small value, sealed, until the client calls again.
    fn remember(&self, state: Value);

    /// The unique name of the interrupted call that this one continues.
    fn continues(&self) -> Option<&str> {
        None
    }
}

/// A question to the client.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// A form for the person behind the client: a message and a flat JSON Schema.
    Elicit { message: String, schema: Value },
    /// A completion by the client's model: the parameters of `sampling/createMessage`.
    Sample { params: Value },
    /// The client's roots.
    Roots,
}

/// The answer to a question, in the shape of the protocol's result.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply(pub Value);

impl Reply {
    /// The filled-in form, when the person accepted it.
    pub fn accepted(&self) -> Option<&Value> {
        (self.0.get("action")?.as_str()? == "accept").then(|| self.0.get("content")).flatten()
    }
}

/// Nobody to talk to: calls from the command line and from tests.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoClient;

impl Client for NoClient {
    fn progress<'a>(&'a self, _: f64, _: Option<f64>, _: Option<&'a str>) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn log<'a>(&'a self, _: &'a str, _: Value) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn can_answer(&self, _: &Ask) -> bool {
        false
    }

    fn ask<'a>(&'a self, _: Vec<(String, Ask)>) -> BoxFuture<'a, Result<Vec<Reply>, CallError>> {
        Box::pin(std::future::ready(Err(CallError::precondition("the caller cannot be asked"))))
    }

    fn remembered(&self) -> Option<Value> {
        None
    }

    fn remember(&self, _: Value) {}
}
