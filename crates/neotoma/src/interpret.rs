//! Interpretation: from the bytes of a file to entities with fields.
//!
//! [`Rules`] is embedded: [`rules`] finds the format, [`paper`] decides what a text is, [`vocabulary`] knows the words for
//! each field, and [`record`] reads labelled values as one entity. [`OpenAi`] asks a model instead, where one is configured.
//!
//! Values are never changed beyond what their type needs: an amount becomes a number, a date becomes ISO, the rest stays as
//! written. What is unreadable or could be read in two ways is left out.

mod account;
mod address;
mod agreement;
mod amount;
mod archive;
mod bank;
mod bundle;
mod calendar;
mod card;
mod checklist;
mod clock;
mod content_line;
mod contractors;
mod csv;
mod date;
mod decode;
mod effort;
mod email;
mod finding;
mod html;
mod identifier;
mod invoice;
mod items;
mod json;
mod language;
mod layout;
mod letter;
mod letterhead;
mod lines;
mod meeting;
mod minutes;
mod note;
mod office;
mod openai;
mod pairs;
mod paper;
mod parties;
mod party;
mod payment;
mod pdf;
mod prose;
mod quote;
mod receipt;
mod record;
mod rules;
mod sheet;
mod signature;
mod sums;
mod table;
mod tax;
mod terms;
mod todo;
mod vocabulary;
mod worker;

#[cfg(test)]
mod tests;

pub use openai::{OpenAi, OpenAiConfig};
pub use quote::{BYTES_MAX as QUOTED_BYTES_MAX, Quotes};
pub use rules::Rules;

use bytes::Bytes;
use contract::Object;
use futures::future::BoxFuture;

/// A file to interpret.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Empty when the interpreter [does not read](Interpreter::reads) such files.
    pub bytes: &'a Bytes,
    /// The type that the bytes were found to have, for example `application/pdf`.
    pub mime_type: &'a str,
    pub filename: Option<&'a str>,
}

/// An entity that an interpreter found, with the values as the document has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    pub entity_type: String,
    pub fields: Object,
}

/// How two entities of a document are related. Both are given by their place in [`Understood::entities`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub relationship_type: &'static str,
    pub source: usize,
    pub target: usize,
    /// What in the document says so, in words of ours and of the document.
    pub evidence: String,
}

/// What an interpreter made of a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Understood {
    pub entities: Vec<Extracted>,
    pub links: Vec<Link>,
    /// What was understood in part or not at all, for whoever sent the document. In words without any of its content.
    pub remarks: Vec<String>,
}

impl From<Vec<Extracted>> for Understood {
    fn from(entities: Vec<Extracted>) -> Self {
        Self { entities, ..Self::default() }
    }
}

impl Understood {
    fn remark(mut self, remark: impl Into<String>) -> Self {
        self.remarks.push(remark.into());
        self
    }
}

/// Why a document could not be interpreted, in words without any of its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    pub reason: String,
}

/// Reads entities out of documents. The same document and configuration give the same entities.
pub trait Interpreter: Send + Sync + 'static {
    /// Name and version; part of what identifies a run.
    fn version(&self) -> String;

    /// Whether every run costs something, so that the quota counts it.
    fn is_metered(&self) -> bool {
        true
    }

    /// Whether it looks into files of this type and name; what it does not look into is not brought to memory.
    fn reads(&self, _mime_type: &str, _filename: Option<&str>) -> bool {
        true
    }

    /// What the document says. Finding nothing is an empty list.
    fn interpret<'a>(
        &'a self,
        document: Document<'a>,
        config: &'a Object,
    ) -> BoxFuture<'a, Result<Understood, Failure>>;
}
