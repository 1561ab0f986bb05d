//! What transformation brings to the server that mounts it.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use contract::agent::Agents;
use contract::{Capability, Context};
use desk::module::{BoxError, Parts, Refused, Section, Session, Setting};
use futures::future::BoxFuture;
use ledger::{Fact, Fold};

use crate::agents::Definitions;
use crate::query::event_type;
use crate::{Config, Transformation, terminal};

/// Transformation, to be mounted.
pub struct Module;

const SETTINGS: &[Setting] = &[
    Setting::new("profile", "The metamodel of transformation: `ameide` or `archimate-3.2-strict`.")
        .one_of(&["ameide", "archimate-3.2-strict"]),
    Setting::new(
        "governance.default",
        "`review`: writes are proposals unless role and scope permit a commit. `direct`: all who may write commit.",
    )
    .one_of(&["review", "direct"]),
    Setting::new(
        "governance.direct_tier",
        "The highest risk that architects commit without review: `LOW`, `MEDIUM`, `HIGH` or `CRITICAL`.",
    )
    .one_of(&["LOW", "MEDIUM", "HIGH", "CRITICAL"]),
    Setting::new("governance.readers_propose", "Whether those who may only read may propose."),
    Setting::new("governance.self_approval", "Whether people may approve what they proposed themselves."),
    Setting::new("governance.approvals_low", "Approvals that a proposal of low risk needs.").between(1, 100),
    Setting::new("governance.approvals_med", "Approvals that a proposal of medium risk needs.").between(1, 100),
    Setting::new("governance.approvals_high", "Approvals that a proposal of high risk needs.").between(1, 100),
];

impl desk::Module for Module {
    fn name(&self) -> &'static str {
        "transformation"
    }

    fn client_key(&self) -> &'static str {
        "arch"
    }

    fn settings(&self) -> Section {
        Section::of(SETTINGS, &Config::default())
    }

    /// A fresh data directory gets a repository and an empty active model.
    fn build(&self, parts: Parts) -> BoxFuture<'_, Result<Arc<dyn Capability>, BoxError>> {
        Box::pin(async move {
            let tokens = parts.page_tokens();
            let config = parts.settings.read()?;
            let capability = Transformation::new(parts.ledger, &parts.search, config, parts.check, tokens).welcoming();
            capability.provision(&parts.own).await.map_err(Refused)?;
            Ok(Arc::new(capability) as Arc<dyn Capability>)
        })
    }

    fn agents(&self, parts: &Parts) -> Option<Arc<dyn Agents>> {
        Some(Arc::new(Definitions::new(parts.ledger.clone(), parts.own.clone())))
    }

    fn fold(&self) -> Option<Arc<dyn Fold>> {
        Some(Transformation::fold())
    }

    fn partition(&self, ctx: &Context) -> Option<String> {
        Some(ctx.scope.repository.to_string())
    }

    fn doctor<'a>(&'a self, parts: &'a Parts) -> BoxFuture<'a, Vec<Result<String, String>>> {
        let words = |config: Config| {
            let governance = &config.governance;
            let who = if governance.self_approval { "; people may approve their own proposals" } else { "" };
            format!("metamodel {}{who}", config.profile.label())
        };
        let settings = parts.settings.read().map(words).map_err(|failure| failure.to_string());
        Box::pin(std::future::ready(vec![settings]))
    }

    fn commands(&self) -> Vec<Command> {
        terminal::commands()
    }

    fn run<'a>(
        &'a self,
        command: &'a str,
        matches: &'a ArgMatches,
        session: &'a dyn Session,
    ) -> BoxFuture<'a, Result<ExitCode, BoxError>> {
        Box::pin(terminal::run(command, matches, session))
    }

    fn event_type(&self, fact: &Fact) -> String {
        event_type(fact)
    }
}
