//! `chancery find` and `chancery reindex`: search over all capabilities, and making its indexes again.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Args;
use desk::module::perform;
use ledger::At;
use search::{Document, Hit, Question, Snippet};

use super::output;
use super::session::Terminal;
use crate::Config;

#[derive(Debug, Args)]
pub struct Find {
    /// What to look for, in plain words.
    #[arg(required = true)]
    words: Vec<String>,
    /// At most this many from each capability.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    limit: u16,
}

const SNIPPET_CHARS_MAX: usize = 200;

/// Prints the lines that answer, by capability, the best first.
pub async fn find(config: &Config, options: &Find) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::open(config).await?;
    let text = options.words.join(" ");
    let colours = std::io::stdout().is_terminal();
    let mut any = false;
    for mounted in &terminal.platform.mounted {
        let (name, parts) = (mounted.module.name(), &mounted.parts);
        let session = terminal.session(name)?;
        let question = Question { text: text.clone(), limit: options.limit.into(), ..Question::default() };
        let work = |ctx: contract::Context| {
            let question = question.clone();
            async move {
                let Some(partition) = mounted.module.partition(&ctx) else { return Ok(Vec::new()) };
                let Some(finder) = parts.search.finder(name) else { return Ok(Vec::new()) };
                let (tenant, failed) = (&ctx.scope.tenant, |cause: String| {
                    tracing::warn!(cause, "search failed");
                    contract::CallError::internal(&ctx.request.request_id)
                });
                let at = parts.ledger.point(tenant, At::Head).await.map_err(|error| failed(error.to_string()))?;
                let found = finder.find(tenant, &partition, at, &question).await;
                let found = found.map_err(|error| failed(error.to_string()))?;
                found.notes.iter().for_each(|note| output::note(note));
                let documents = finder.documents(tenant, at, &found.hits).await;
                let documents = documents.map_err(|error| failed(error.to_string()))?;
                Ok(found.hits.into_iter().zip(documents).collect::<Vec<_>>())
            }
        };
        for (hit, document) in
            perform(&session, "Search.Find", "", work).await.map_err(|error| anyhow::anyhow!(error))?
        {
            if let Some(document) = document {
                any = true;
                output::line(&shown(name, &hit, &document, &text, colours))?;
            }
        }
    }
    if !any {
        output::note("nothing is found");
    }
    if let Some(search) = terminal.platform.search() {
        search.settle().await?;
    }
    Ok(if any { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn shown(capability: &str, hit: &Hit, document: &Document, text: &str, colours: bool) -> String {
    let passage = document.passages.get(hit.passage as usize);
    let snippet = search::snippet(passage.map_or("", |passage| &passage.text), text, SNIPPET_CHARS_MAX);
    let place = passage.and_then(|passage| passage.place.as_deref()).map(|place| format!(", {place}"));
    let name = document.names.first().map_or(document.id.as_str(), String::as_str);
    let head = format!("{:.2} {capability} {} {name}{}", hit.score, document.r#type, place.unwrap_or_default());
    format!("{head}\n     {}", marked(&snippet, colours))
}

/// The snippet with the words of the question in bold, or between stars where there are no colours.
fn marked(snippet: &Snippet, colours: bool) -> String {
    let (begin, end) = if colours { ("\u{1b}[1m", "\u{1b}[0m") } else { ("*", "*") };
    let (mut text, mut done) = (String::new(), 0);
    for mark in &snippet.marks {
        text.extend([plain(&snippet.text[done..mark.start]).as_str(), begin]);
        text.extend([plain(&snippet.text[mark.clone()]).as_str(), end]);
        done = mark.end;
    }
    text + &plain(&snippet.text[done..])
}

#[derive(Debug, Args)]
pub struct Reindex {
    /// Only the index of this capability.
    #[arg(long, value_name = "NAME")]
    capability: Option<String>,
}

/// Drops what search keeps and makes it again from the facts, while servers go on.
pub async fn reindex(config: &Config, options: &Reindex) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::open(config).await?;
    if let Some(name) = &options.capability {
        terminal.platform.mounted(name)?;
    }
    let Some(search) = terminal.platform.search() else { return Ok(ExitCode::SUCCESS) };
    let is_terminal = std::io::stderr().is_terminal();
    let mut total = 0;
    search
        .reindex(options.capability.as_deref(), |progress| {
            let (done, of) = (progress.done, progress.total);
            let what = format!("{} of {}: {done} of {of} facts", progress.index, progress.tenant);
            if is_terminal {
                let filled = usize::try_from(done * 30 / of.max(1)).unwrap_or(30);
                output::progress(&format!("{}{} {what}", "█".repeat(filled), "░".repeat(30 - filled)));
            }
            if done == of {
                total += 1;
                output::note(&what);
            }
        })
        .await?;
    output::line(&format!("{total} indexes were made again"))?;
    Ok(ExitCode::SUCCESS)
}

/// Text without what a terminal would take for a command.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
