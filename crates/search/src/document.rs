//! What is searched: documents, and the passages they are found by.

use scope::{TenantId, Timestamp};

/// What one question can see. Nothing crosses it, statistics included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition {
    pub tenant: TenantId,
    /// Chosen by the capability and led by its name, for example `NAME/USER`.
    pub name: String,
}

/// A record as search knows it, at one of its versions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The id of the record.
    pub id: String,
    /// What sort of document, for example `element` or `source`.
    pub collection: String,
    /// The finer sort, for example `ApplicationComponent`.
    pub r#type: String,
    /// Words that a filter asks for exactly, for example `layer:application`.
    pub tags: Vec<String>,
    /// What it is called, and other names for it. A question that is a name finds its bearer first.
    pub names: Vec<String>,
    /// In order; a document without passages is not found.
    pub passages: Vec<Passage>,
}

/// A stretch of text that is ranked on its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passage {
    pub text: String,
    /// Where it stands, in words a person understands: a field, or lines of a file.
    pub place: Option<String>,
    /// Who said it.
    pub author: Option<String>,
    /// When it was said or happened in the world.
    pub time: Option<Timestamp>,
    /// Its place in a sequence of passages that explain each other.
    pub stream: Option<Stream>,
}

/// A sequence of passages, of one document or of several: paragraphs of a file, turns of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stream {
    pub id: String,
    /// Neighbours are next to each other in this order; gaps do not matter.
    pub order: i64,
}
