//! What neotoma brings to the server that mounts it.

mod settings;

use std::process::ExitCode;
use std::sync::Arc;

use blobs::FileBlobs;
use blobs::jail::Roots;
use blobs::sign::Links;
use clap::{ArgMatches, Command};
use contract::{Capability, Context};
use desk::module::{self, BoxError, Section, Session};
use futures::future::BoxFuture;
use ledger::Fold;
use scope::Principal;

use crate::capability::Parts;
use crate::{Neotoma, terminal, user, verify};
pub use settings::Settings;

/// Neotoma, to be mounted.
pub struct Module;

impl desk::Module for Module {
    fn name(&self) -> &'static str {
        "neotoma"
    }

    fn client_note(&self, person: &Principal) -> Option<String> {
        let user_id = user::user_id_of(&person.person());
        Some(format!("tools of neotoma that take a user_id: leave it out, or give {user_id}, which is yours"))
    }

    fn settings(&self) -> Section {
        settings::section()
    }

    fn check(&self, settings: &module::Settings) -> Result<(), BoxError> {
        Settings::of(settings)?.check()
    }

    fn build(&self, parts: module::Parts) -> BoxFuture<'_, Result<Arc<dyn Capability>, BoxError>> {
        Box::pin(async move {
            let settings = Settings::of(&parts.settings)?;
            settings.keep_private(&parts.data)?;
            let capability = Neotoma::new(Parts {
                config: settings.config(parts.local_client),
                interpreter: settings.interpreter(parts.call_timeout)?,
                blobs: Arc::new(FileBlobs::open(&parts.blobs)?),
                links: Links::new(&parts.secret, &parts.public_url),
                tokens: parts.page_tokens(),
                roots: Arc::new(Roots::open(&settings.upload_roots)?),
                ledger: parts.ledger,
                search: parts.search,
            });
            Ok(Arc::new(capability) as Arc<dyn Capability>)
        })
    }

    fn partition(&self, ctx: &Context) -> Option<String> {
        user::of_caller(ctx, None).ok()
    }

    fn fold(&self) -> Option<Arc<dyn Fold>> {
        Some(Neotoma::fold())
    }

    /// Makes every snapshot again from its observations, and reads every file.
    fn verify<'a>(&'a self, parts: &'a module::Parts) -> BoxFuture<'a, Result<module::Verified, BoxError>> {
        Box::pin(async move {
            let blobs = FileBlobs::open(&parts.blobs)?;
            let (mut entities, mut observations, mut files, mut differences) = (0, 0, 0, Vec::new());
            for tenant in parts.ledger.tenants().await? {
                let found = verify(parts.ledger.as_ref(), &blobs, &tenant).await?;
                entities += found.entities;
                observations += found.observations;
                files += found.files;
                differences.extend(found.differences);
            }
            let summary =
                format!("{entities} snapshots made again from {observations} observations; files read: {files}");
            Ok(module::Verified { summary: vec![summary], differences })
        })
    }

    fn doctor<'a>(&'a self, parts: &'a module::Parts) -> BoxFuture<'a, Vec<Result<String, String>>> {
        let found = Settings::of(&parts.settings).map(|settings| settings.in_words());
        Box::pin(std::future::ready(found.unwrap_or_else(|failure| vec![Err(failure.to_string())])))
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
