//! Search: found by words and by meaning, within one tenant, at a point in history.
//!
//! A capability hands in [`Document`]s, each a few passages with a name, a type and tags. They are analysed once, kept as rows
//! beside the ledger's, and held in memory per [`Partition`] while it is in use. A [`Question`] is answered from what was visible
//! at its point and from nothing else: counts, lengths and neighbours of later versions, of other partitions and of other
//! tenants do not move a score.
//!
//! Start with [`Search`], which a capability attaches a [`Source`] to and asks a [`Question`]; the [`Index`] of a partition answers.
//!
//! Invariants:
//! * the same question at the same point gives the same hits with the same scores, whatever came later;
//! * a filter never costs hits: what passes it is ranked, however rare it is;
//! * the index is derived: dropped and made again from the facts, it is the same.

pub mod analysed;
mod config;
mod derive;
pub mod document;
pub mod embed;
pub mod engine;
pub mod index;
pub mod question;
pub mod rank;
mod shelf;
pub mod source;
mod text;
pub mod vector;
mod words;

pub use analysed::{Analysed, Damaged, embed_text};
pub use config::{Config, ConfigError};
pub use document::{Document, Partition, Passage, Stream};
pub use embed::{Embedder, Space};
pub use engine::{Drafts, Finder, Found, Lag, Options, Progress, Search, SearchError};
pub use index::{Index, Row};
pub use question::{Filter, Hit, Parts, Question};
pub use rank::{Fusion, Ranking};
pub use source::{Placed, Source, SourceError};
pub use text::{Paragraph, Snippet, paragraphs, snippet};
pub use vector::Quantised;
