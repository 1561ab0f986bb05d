//! `chancery ingest`: files and folders into neotoma, one call for each file.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blobs::media;
use clap::Parser;
use contract::Object;
use desk::module::{BoxError, Outcome, Session};
use serde_json::{Map, Value, json};

use crate::interpret::{Document, Interpreter as _, Rules, Understood};
use crate::module::Settings;

/// Width of the bar.
const BAR: usize = 30;

/// Store files and folders in neotoma.
#[derive(Debug, Parser)]
#[command(name = "ingest")]
pub struct Ingest {
    /// Files and folders; folders are searched for files of supported types.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Store without interpreting.
    #[arg(long)]
    no_interpret: bool,
    /// Show what the embedded rules find in each file, and store nothing.
    #[arg(long, conflicts_with = "no_interpret")]
    dry_run: bool,
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

impl Ingest {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let mut found = Vec::new();
        for path in &self.files {
            gather(path, true, &mut found)?;
        }
        let bytes_max = Settings::of(&session.parts().settings)?.file_bytes_max;
        if self.dry_run {
            return show(&found, bytes_max, session).await;
        }
        let mut tally = Tally::default();
        for (done, path) in found.iter().enumerate() {
            session.progress(&bar(done, found.len(), path));
            let outcome = match arguments(path, bytes_max, !self.no_interpret) {
                Ok(arguments) => session.call("ingest", arguments).await?,
                Err(reason) => {
                    Outcome::Refused(json!({ "error": { "code": "unreadable", "message": reason.to_string() } }))
                }
            };
            tally.count(path, &outcome, session);
        }
        session.progress("");
        session.print(&format!(
            "{} files: {} stored, {} known already, {} refused; {} entities created, {} observations",
            found.len(),
            tally.stored,
            tally.known,
            tally.refused,
            tally.entities,
            tally.observations
        ))?;
        Ok(if tally.refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Tally {
    fn count(&mut self, path: &Path, outcome: &Outcome, session: &dyn Session) {
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
                let error = &envelope["error"];
                let word = |name: &str| error[name].as_str().unwrap_or_default();
                session.note(&format!("{}: {}: {}", path.display(), word("code"), word("message")));
            }
        }
    }
}

/// Prints what the rules find in each file: how many entities of each type, how many relationships, and what is left open.
async fn show(found: &[PathBuf], bytes_max: u64, session: &dyn Session) -> Result<ExitCode, BoxError> {
    let rules = Rules::default();
    let mut unread = 0;
    for path in found {
        let understood = match read(path, bytes_max) {
            Ok((bytes, mime_type)) => {
                let filename = path.file_name().and_then(|name| name.to_str());
                let document = Document { bytes: &bytes.into(), mime_type, filename };
                rules.interpret(document, &Object::default()).await.map_err(|failure| failure.reason)
            }
            Err(reason) => Err(reason.to_string()),
        };
        match understood {
            Ok(understood) => session.print(&format!("{}: {}", path.display(), counted(&understood)))?,
            Err(reason) => {
                unread += 1;
                session.note(&format!("{}: {reason}", path.display()));
            }
        }
    }
    session.print(&format!("{} files, {unread} of them cannot be read; nothing is stored", found.len()))?;
    Ok(if unread == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `1 invoice, 2 company; 2 relationships`, and the remarks.
fn counted(understood: &Understood) -> String {
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for entity in &understood.entities {
        *types.entry(entity.entity_type.as_str()).or_default() += 1;
    }
    let types: Vec<String> = types.iter().map(|(entity_type, count)| format!("{count} {entity_type}")).collect();
    let mut shown = if types.is_empty() { "nothing".to_owned() } else { types.join(", ") };
    shown.push_str(&format!("; {} relationships", understood.links.len()));
    for remark in &understood.remarks {
        shown.push_str("\n  ");
        shown.push_str(remark);
    }
    shown
}

/// The files at a path, in order. Hidden files and links are not followed, and in folders other types are left out.
fn gather(path: &Path, named: bool, found: &mut Vec<PathBuf>) -> Result<(), BoxError> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let kind = std::fs::symlink_metadata(path).map_err(unreadable)?.file_type();
    if kind.is_dir() {
        let mut inside: Vec<PathBuf> = std::fs::read_dir(path)
            .map_err(unreadable)?
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
    const EXTENSIONS: [&str; 20] = [
        "pdf", "jpg", "jpeg", "png", "xlsx", "txt", "csv", "json", "md", "markdown", "eml", "docx", "odt", "ods",
        "html", "htm", "ics", "vcf", "zip", "tsv",
    ];
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// The bytes of a file and the type that they have.
fn read(path: &Path, bytes_max: u64) -> Result<(Vec<u8>, &'static str), BoxError> {
    let mut bytes = Vec::new();
    // A little more than allowed, so that the refusal comes from where the limit is kept.
    std::fs::File::open(path)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let head = &bytes[..bytes.len().min(media::HEAD_BYTES)];
    let mime_type = media::sniff(head, None, Some(name))?;
    Ok((bytes, mime_type))
}

/// The arguments of the call that stores a file.
fn arguments(path: &Path, bytes_max: u64, interpret: bool) -> Result<Map<String, Value>, BoxError> {
    let (bytes, mime_type) = read(path, bytes_max)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
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

/// How far it is, and with which file.
fn bar(done: usize, all: usize, path: &Path) -> String {
    let filled = BAR * done / all.max(1);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("[{}{}] {done}/{all} {name}", "#".repeat(filled), ".".repeat(BAR - filled))
}

#[cfg(test)]
mod tests {
    use crate::interpret::{Extracted, Link};

    use super::*;

    #[test]
    fn a_dry_run_counts_what_is_found() {
        let entity = |entity_type: &str| Extracted { entity_type: entity_type.to_owned(), fields: Object::default() };
        let link = Link { relationship_type: "ISSUED_BY", source: 0, target: 1, evidence: String::new() };
        let understood = Understood {
            entities: vec![entity("invoice"), entity("company"), entity("company")],
            links: vec![link],
            remarks: vec!["A day is open.".to_owned()],
        };
        assert_eq!(counted(&understood), "2 company, 1 invoice; 1 relationships\n  A day is open.");
        assert_eq!(counted(&Understood::default()), "nothing; 0 relationships");
    }

    #[test]
    fn folders_give_files_of_every_format_that_is_read() {
        for name in ["a.docx", "a.ODT", "a.ods", "a.html", "a.ics", "a.vcf", "a.zip", "a.eml"] {
            assert!(is_supported(Path::new(name)), "{name}");
        }
        assert!(!is_supported(Path::new("a.exe")));
    }
}
