//! What monitor brings to the server that mounts it.

mod settings;

use std::process::ExitCode;
use std::sync::Arc;

use blobs::FileBlobs;
use clap::{ArgMatches, Command};
use contract::Capability;
use desk::module::{self, BoxError, Section, Session};
use futures::future::BoxFuture;
use ledger::Fold;

use crate::{Monitor, Parts, Recall, terminal};
use settings::Settings;

/// Monitor, to be mounted.
pub struct Module;

impl desk::Module for Module {
    fn name(&self) -> &'static str {
        "monitor"
    }

    fn settings(&self) -> Section {
        settings::section()
    }

    fn check(&self, settings: &module::Settings) -> Result<(), BoxError> {
        Settings::of(settings).map(drop)
    }

    fn build(&self, parts: module::Parts) -> BoxFuture<'_, Result<Arc<dyn Capability>, BoxError>> {
        Box::pin(async move {
            let config = Settings::of(&parts.settings)?.config();
            let recall = Recall::new(&parts.search, parts.ledger.clone());
            let blobs = Arc::new(FileBlobs::open(&parts.blobs)?);
            let (ledger, check, own) = (parts.ledger, parts.check, parts.own);
            let capability = Arc::new(Monitor::new(Parts { config, recall, blobs, ledger, check }));
            let recovering = capability.clone();
            tokio::spawn(async move {
                match recovering.recover(&own).await {
                    Ok(0) => {}
                    Ok(scenes) => tracing::info!(scenes, "scenes that were left finalizing are completed"),
                    Err(error) => tracing::warn!(%error, "scenes that were left finalizing cannot be looked for"),
                }
            });
            Ok(capability as Arc<dyn Capability>)
        })
    }

    fn fold(&self) -> Option<Arc<dyn Fold>> {
        Some(Monitor::fold())
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
}
