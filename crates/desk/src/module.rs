//! What a capability brings to the server that mounts it, beside the tools themselves.
//!
//! A server knows a capability as a [`Module`] and by nothing else: its settings ([`Setting`]), how it is built, what
//! `verify` and `doctor` look at, its commands of the terminal, which work in a [`Session`], and what its facts are called
//! in the [feed](crate::feed). Everything but the name and [`Module::build`] has a default, so a small capability brings nothing.
//!
//! Work in the background begins in [`Module::build`], or with the first subscriber of
//! [`Capability::changes`](contract::Capability::changes), and ends with the capability.

mod session;
mod setting;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Command};
use contract::agent::Agents;
use contract::{Capability, Context, Misfit};
use futures::future::BoxFuture;
use ledger::{Fact, Fold, SharedLedger};
use scope::Principal;
use search::Search;
use serde_json::{Map, Value};

use crate::{PageTokens, feed};

pub use session::{Outcome, Refused, Session, Work, perform, print};
pub use setting::{Rule, Section, Setting, Settings, insert, lookup, nearest};

/// Why a server cannot go on: one line for a person, with the fix.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Checks the arguments of a tool against its schema, as the doors do before a call.
pub type ArgumentCheck = Arc<dyn Fn(&str, &Map<String, Value>) -> Result<Map<String, Value>, Misfit> + Send + Sync>;

/// A capability as a server mounts it.
pub trait Module: Send + Sync {
    /// The name of the capability. Its endpoint is `/NAME/mcp`, and the kinds of its facts start with it.
    fn name(&self) -> &'static str;

    /// The key under which clients know it. Clients put it before every tool name, and some bound the length of both.
    fn client_key(&self) -> &'static str {
        self.name()
    }

    /// What a client has to know of the person it works for, said when its snippet is printed; one line.
    fn client_note(&self, _person: &Principal) -> Option<String> {
        None
    }

    /// What an operator may set, under names that no other capability has.
    fn settings(&self) -> Section {
        Section::default()
    }

    /// Checks settings that must fit each other. Each for itself has already passed its [`Rule`].
    fn check(&self, _settings: &Settings) -> Result<(), BoxError> {
        Ok(())
    }

    /// Builds the capability on the parts of a server.
    fn build(&self, parts: Parts) -> BoxFuture<'_, Result<Arc<dyn Capability>, BoxError>>;

    /// Where the agents of tenants are defined, if that is here. Their definitions hold at every endpoint.
    fn agents(&self, _parts: &Parts) -> Option<Arc<dyn Agents>> {
        None
    }

    /// How its facts become records; `None` for a capability that records nothing.
    fn fold(&self) -> Option<Arc<dyn Fold>> {
        None
    }

    /// Which partition of search a caller sees; `None` for a capability in which nothing is found.
    fn partition(&self, _ctx: &Context) -> Option<String> {
        None
    }

    /// Looks whether what is stored is what the rules make of it. That records are the fold of the facts is checked before.
    fn verify<'a>(&'a self, _parts: &'a Parts) -> BoxFuture<'a, Result<Verified, BoxError>> {
        Box::pin(std::future::ready(Ok(Verified::default())))
    }

    /// Looks at what an operator can put right; each line is well, or says what to do.
    fn doctor<'a>(&'a self, _parts: &'a Parts) -> BoxFuture<'a, Vec<Result<String, String>>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// The commands that it adds to the terminal.
    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }

    /// Runs one of [`Module::commands`], by its name.
    fn run<'a>(
        &'a self,
        command: &'a str,
        _matches: &'a ArgMatches,
        _session: &'a dyn Session,
    ) -> BoxFuture<'a, Result<ExitCode, BoxError>> {
        Box::pin(std::future::ready(Err(format!("there is no command {command}").into())))
    }

    /// The type under which a fact is published as an event.
    fn event_type(&self, fact: &Fact) -> String {
        feed::plain_type(fact)
    }
}

/// What a server has for a capability.
#[derive(Clone)]
pub struct Parts {
    pub ledger: SharedLedger,
    pub settings: Settings,
    /// Where a capability attaches its documents, to have them found.
    pub search: Search,
    /// The data directory, which is there and private.
    pub data: PathBuf,
    /// Where files are kept, in the data directory.
    pub blobs: PathBuf,
    /// The key of this data directory, for signatures.
    pub secret: [u8; 32],
    /// What addresses that are handed out start with.
    pub public_url: String,
    /// Whether the client is a process of this machine that started us, so that its paths are ours.
    pub local_client: bool,
    /// How long a call may take.
    pub call_timeout: Duration,
    pub check: ArgumentCheck,
    /// The context of work that the server does on its own.
    pub own: Context,
}

impl Parts {
    /// What continues the listings of a capability.
    pub fn page_tokens(&self) -> PageTokens {
        PageTokens::new(&self.secret)
    }
}

/// What a capability found when it looked through all that it stores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// What was looked at, in words.
    pub summary: Vec<String>,
    /// One line for each difference, without values; empty is good.
    pub differences: Vec<String>,
}
