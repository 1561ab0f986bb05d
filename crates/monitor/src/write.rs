//! Writes: load what a call touches, let the rules decide, commit.
//!
//! One file for each family of tools. What becomes canon without a proposal goes through [`direct`], which asks the same policy
//! as canonization does.

pub mod canon;
mod canonization;
mod direct;
mod document;
mod entity;
mod fact;
mod marks;
mod narrative;
mod proposal;
mod recollection;
mod recovery;
mod scene;
mod story;
mod universe;

use std::sync::Arc;

use blobs::Blobs;
use contract::Context;
use desk::Locks;

use crate::capability::{Config, Parts};
use crate::domain::fact::Fact;
use crate::projection::Reader;

pub use marks::{Marks, receipt};

/// What a call does, and what it answers when that has been done.
pub type Decision<A> = desk::Decision<Fact, A>;

/// Makes decisions durable.
pub type Recorder = desk::Recorder<Marks>;

/// The write side of the canon.
#[derive(Clone)]
pub struct Write {
    recorder: Recorder,
    config: Config,
    /// Held while the canon about an entity changes, so that writers wait in line instead of deciding again and again.
    locks: Arc<Locks>,
    blobs: Arc<dyn Blobs>,
}

impl Write {
    pub fn new(parts: Parts) -> Self {
        Self {
            recorder: Recorder::new(parts.ledger, "chancery/monitor"),
            config: parts.config,
            locks: Arc::default(),
            blobs: parts.blobs,
        }
    }

    fn reader<'a>(&'a self, ctx: &'a Context) -> Reader<'a> {
        Reader::live(self.recorder.ledger(), ctx)
    }
}
