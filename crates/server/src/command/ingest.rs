//! `chancery ingest`: files and folders into neotoma, one call for each file.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "answers on stdout, progress on stderr")]

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blobs::media;
use serde_json::{Map, Value, json};

use super::call::{Calls, Outcome};
use crate::Config;

/// Width of the bar.
const BAR: usize = 30;

#[derive(Debug, clap::Args)]
pub struct Options {
    /// Files and folders; folders are searched for files of supported types.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Store without interpreting.
    #[arg(long)]
    no_interpret: bool,
}

/// What became of the files.
#[derive(Default)]
struct Tally {
    stored: usize,
    known: usize,
    refused: usize,
    entities: u64,
    observations: u64,
}

pub async fn run(config: Config, options: &Options) -> anyhow::Result<ExitCode> {
    let mut found = Vec::new();
    for path in &options.files {
        gather(path, true, &mut found)?;
    }
    let calls = Calls::open(&config).await?;
    let mut tally = Tally::default();
    let progress = std::io::stderr().is_terminal();
    for (done, path) in found.iter().enumerate() {
        if progress {
            show(done, found.len(), path);
        }
        let outcome = match arguments(path, config.neotoma.file_bytes_max, !options.no_interpret) {
            Ok(arguments) => calls.call("ingest", arguments).await?,
            Err(reason) => {
                Outcome::Refused(json!({ "error": { "code": "NOT_READ", "message": format!("{reason:#}") } }))
            }
        };
        tally.count(path, &outcome, progress);
    }
    if progress {
        eprint!("\r\x1b[2K");
    }
    calls.finish().await;
    println!(
        "{} files: {} stored, {} known already, {} refused; {} entities created, {} observations",
        found.len(),
        tally.stored,
        tally.known,
        tally.refused,
        tally.entities,
        tally.observations
    );
    Ok(if tally.refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Tally {
    fn count(&mut self, path: &Path, outcome: &Outcome, progress: bool) {
        match outcome {
            Outcome::Answered(answer) => {
                let known = answer["deduplicated"] == true;
                self.known += usize::from(known);
                self.stored += usize::from(!known);
                let run = &answer["interpretation"];
                if !known {
                    self.entities += run["entities_created"].as_u64().unwrap_or_default();
                    self.observations += run["observations_created"].as_u64().unwrap_or_default();
                }
            }
            Outcome::Refused(envelope) => {
                self.refused += 1;
                let clear = if progress { "\r\x1b[2K" } else { "" };
                let error = &envelope["error"];
                let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
                eprintln!("{clear}{}: {}: {}", path.display(), word("code"), word("message"));
            }
        }
    }
}

/// The files at a path, in order. Hidden files and links are not followed, and in folders other types are left out.
fn gather(path: &Path, named: bool, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let kind = std::fs::symlink_metadata(path).with_context(|| format!("cannot read {}", path.display()))?.file_type();
    if kind.is_dir() {
        let mut inside: Vec<PathBuf> = std::fs::read_dir(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .map(|entry| entry.path())
            .collect();
        inside.sort();
        inside.iter().try_for_each(|inner| gather(inner, false, found))?;
    } else if named || (kind.is_file() && is_supported(path)) {
        found.push(path.to_owned());
    }
    Ok(())
}

fn is_supported(path: &Path) -> bool {
    const EXTENSIONS: [&str; 11] = ["pdf", "jpg", "jpeg", "png", "xlsx", "txt", "csv", "json", "md", "markdown", "eml"];
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// The arguments of the call that stores a file.
fn arguments(path: &Path, bytes_max: u64, interpret: bool) -> anyhow::Result<Map<String, Value>> {
    let mut bytes = Vec::new();
    // A little more than allowed, so that the refusal comes from where the limit is kept.
    std::fs::File::open(path)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let head = &bytes[..bytes.len().min(media::HEAD_BYTES)];
    let mime_type = media::sniff(head, None, Some(name))?;
    let arguments = json!({
        "file_content": STANDARD.encode(&bytes),
        "mime_type": mime_type,
        "original_filename": name,
        "interpret": interpret,
    });
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        _ => unreachable!("a literal object"),
    }
}

fn show(done: usize, all: usize, path: &Path) {
    let filled = BAR * done / all.max(1);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    eprint!("\r\x1b[2K[{}{}] {done}/{all} {name}", "#".repeat(filled), ".".repeat(BAR - filled));
    let _ = std::io::stderr().flush();
}
