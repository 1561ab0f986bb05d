//! The way back to whoever called, in both eras of the protocol.

#![expect(deprecated, reason = "log messages and old subscriptions are served to the clients that still use them")]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use contract::{Ask, CallError, Client, ErrorKind, Reply, excerpt};
use futures::future::BoxFuture;
use rmcp::model::{
    ClientCapabilities, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    ServerRequest,
};
use rmcp::{Peer, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{reply, wire};
use crate::confirmation;

/// How long telling a client something may take.
const TOLD_WITHIN: Duration = Duration::from_secs(1);
/// Longest message of a progress notification.
const MESSAGE_CHARS_MAX: usize = 200;

/// What a client gets back, sealed, when its call was interrupted by a question.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Interrupted {
    /// Unique for each interrupted call.
    pub call: String,
    /// Answers that fitted their questions, of this round and earlier ones.
    pub answers: BTreeMap<String, Value>,
    /// What the handler wanted to keep.
    pub remembered: Option<Value>,
}

/// One caller, for the length of one call.
pub struct PeerClient {
    /// Absent where there is nobody to tell anything before the answer.
    pub peer: Option<Peer<RoleServer>>,
    /// True from 2026-07-28 on: questions end the call instead of being sent.
    pub stateless: bool,
    pub capabilities: ClientCapabilities,
    pub progress_token: Option<ProgressToken>,
    /// The least severe level the client wants to see.
    pub log_level: Option<LoggingLevel>,
    /// True when this call continues an interrupted one.
    pub continued: bool,
    /// Answers that came with this call, by the name of the question.
    pub brought: BTreeMap<String, Value>,
    pub interrupted: Mutex<Interrupted>,
    pub call: String,
    /// The progress that was told last.
    pub told: Mutex<Option<f64>>,
}

impl Client for PeerClient {
    fn progress<'a>(&'a self, done: f64, total: Option<f64>, message: Option<&'a str>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let (Some(token), Some(peer)) = (self.progress_token.clone(), &self.peer) else { return };
            if !self.advances(done) {
                return;
            }
            let mut param = ProgressNotificationParam::new(token, done);
            param.total = total;
            param.message = message.map(|text| excerpt(text, MESSAGE_CHARS_MAX));
            // A client that is gone has no use for progress, and one that does not read must not hold up the work.
            let _ = tokio::time::timeout(TOLD_WITHIN, peer.notify_progress(param)).await;
        })
    }

    fn log<'a>(&'a self, level: &'a str, data: Value) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Ok(level) = serde_json::from_value::<LoggingLevel>(Value::from(level)) else { return };
            let wanted = self.log_level.is_some_and(|least| severity(level) >= severity(least));
            if let (true, Some(peer)) = (wanted, &self.peer) {
                let _ = peer.notify_logging_message(LoggingMessageNotificationParam::new(level, data)).await;
            }
        })
    }

    fn can_answer(&self, ask: &Ask) -> bool {
        match ask {
            Ask::Elicit { .. } => self.capabilities.elicitation.is_some(),
            Ask::Sample { .. } => self.capabilities.sampling.is_some(),
            Ask::Roots => self.capabilities.roots.is_some(),
        }
    }

    fn ask<'a>(&'a self, questions: Vec<(String, Ask)>) -> BoxFuture<'a, Result<Vec<Reply>, CallError>> {
        Box::pin(async move {
            if let Some((_, ask)) = questions.iter().find(|(_, ask)| !self.can_answer(ask)) {
                let text = "the client did not declare that it can answer what this call must ask";
                return Err(CallError::new(
                    ErrorKind::ClientCannot(Box::new(ask.clone())),
                    "CLIENT_CAPABILITY_MISSING",
                    text,
                ));
            }
            if self.stateless { self.answered(questions) } else { self.ask_now(questions).await }
        })
    }

    fn remembered(&self) -> Option<Value> {
        self.lock().remembered.clone()
    }

    fn remember(&self, state: Value) {
        self.lock().remembered = Some(state);
    }

    fn continues(&self) -> Option<&str> {
        self.continued.then_some(self.call.as_str())
    }
}

impl PeerClient {
    /// A client of the stateless era that wants nothing but the answer. `call` is unique for each call.
    pub fn plain(capabilities: ClientCapabilities, call: String) -> Self {
        Self {
            peer: None,
            stateless: true,
            capabilities,
            progress_token: None,
            log_level: None,
            continued: false,
            brought: BTreeMap::new(),
            interrupted: Mutex::new(Interrupted { call: call.clone(), ..Interrupted::default() }),
            call,
            told: Mutex::default(),
        }
    }

    /// True when this is further than what was told before: the protocol lets progress only grow.
    fn advances(&self, done: f64) -> bool {
        let mut told = self.told.lock().expect("nothing panics while holding this");
        let further = told.is_none_or(|told| done > told);
        if further {
            *told = Some(done);
        }
        further
    }

    /// True when there is any question that this client can answer.
    pub fn can_be_asked(&self) -> bool {
        let ClientCapabilities { elicitation, sampling, roots, .. } = &self.capabilities;
        elicitation.is_some() || sampling.is_some() || roots.is_some()
    }

    /// The answers the client came back with, or the questions it still has to answer.
    fn answered(&self, questions: Vec<(String, Ask)>) -> Result<Vec<Reply>, CallError> {
        let mut interrupted = self.lock();
        for (name, ask) in &questions {
            // What nobody asked for is no confirmation.
            let counts = self.continued || name != confirmation::QUESTION;
            let brought = self.brought.get(name).filter(|answer| counts && reply::fits(ask, answer));
            if let Some(answer) = brought {
                interrupted.answers.entry(name.clone()).or_insert_with(|| answer.clone());
            }
        }
        let (answered, open): (Vec<_>, Vec<_>) =
            questions.into_iter().partition(|(name, _)| interrupted.answers.contains_key(name));
        if open.is_empty() {
            return Ok(answered.iter().map(|(name, _)| Reply(interrupted.answers[name].clone())).collect());
        }
        Err(CallError::new(ErrorKind::NeedsInput(open), "INPUT_REQUIRED", "the client must answer first"))
    }

    /// Asks within the session and waits.
    async fn ask_now(&self, questions: Vec<(String, Ask)>) -> Result<Vec<Reply>, CallError> {
        let Some(peer) = &self.peer else { return Err(CallError::precondition("the client cannot be asked")) };
        let mut replies = Vec::with_capacity(questions.len());
        for (_, ask) in questions {
            let request: ServerRequest =
                serde_json::from_value(wire::question(&ask)).expect("our questions have the protocol's shape");
            let result = peer.send_request(request).await.map_err(|error| {
                CallError::precondition("the client did not answer")
                    .hint("try again")
                    .detail("cause", error.to_string())
            })?;
            let answer = serde_json::to_value(result).unwrap_or_default();
            if !reply::fits(&ask, &answer) {
                return Err(CallError::precondition("the client's answer does not fit the question").hint("try again"));
            }
            replies.push(Reply(answer));
        }
        Ok(replies)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Interrupted> {
        self.interrupted.lock().expect("nothing panics while holding this")
    }
}

fn severity(level: LoggingLevel) -> usize {
    const ASCENDING: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    let name = serde_json::to_value(level).unwrap_or_default();
    ASCENDING.iter().position(|known| name == *known).unwrap_or_default()
}
