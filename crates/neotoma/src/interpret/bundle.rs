//! Archives of documents (ZIP): each file in them is read as if it had been sent alone, as far as the bounds allow.

use super::archive::Archive;
use super::effort::Effort;
use super::finding::Findings;
use super::rules::{Format, read_within};
use super::{Failure, Understood};

/// How deep archives and messages may stand in each other.
pub const DEPTH_MAX: usize = 3;
/// Files of an archive that are read.
const FILES_MAX: usize = 200;

/// The entities of all files of an archive.
pub fn entities(bytes: &[u8], depth: usize, effort: &Effort) -> Result<Understood, Failure> {
    if depth >= DEPTH_MAX {
        return Ok(Understood::default().remark("An archive within archives is not read: send it alone."));
    }
    let mut archive = Archive::open(bytes)?;
    let mut found = Findings::default();
    let (mut read, mut unread) = (0, 0);
    for name in archive.names() {
        let format = by_name(&name).filter(|_| read < FILES_MAX);
        let content = match format {
            Some(_) => archive.read(&name, effort)?,
            None => None,
        };
        let understood = match (format, content) {
            (Some(format), Some(content)) => read_within(format, &content, depth + 1, effort),
            _ => Err(Failure { reason: String::new() }),
        };
        match understood {
            Ok(understood) => {
                found.absorb(understood);
                read += 1;
            }
            // The others are read all the same.
            Err(_) => unread += 1,
        }
    }
    if unread > 0 {
        found.remark(format!("{unread} files of the archive are not read: too many, damaged, or of another type."));
    }
    Ok(found.finish())
}

/// The format that the name of a file tells.
pub fn by_name(name: &str) -> Option<Format> {
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    Some(match extension.as_str() {
        "txt" | "md" | "markdown" => Format::Text,
        "csv" | "tsv" => Format::Csv,
        "json" => Format::Json,
        "eml" => Format::Email,
        "pdf" => Format::Pdf,
        "docx" => Format::Docx,
        "odt" => Format::Odt,
        "xlsx" => Format::Xlsx,
        "ods" => Format::Ods,
        "html" | "htm" => Format::Html,
        "ics" => Format::Calendar,
        "vcf" => Format::Card,
        "zip" => Format::Zip,
        _ => return None,
    })
}
