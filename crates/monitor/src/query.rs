//! Queries: read at a point in history, a page at a time.
//!
//! One file for each family of tools. [`listing`] walks indexes in order, so a page costs the same however much is stored.

mod context;
mod entity;
mod fact;
pub mod listing;
mod narrative;
mod recall;
mod story;
mod universe;

use contract::Context;
use contract::generated::monitor::ReadContext;
use ledger::SharedLedger;

use crate::Error;
use crate::access::Counter;
use crate::capability::{Config, Parts};
use crate::projection::Reader;
use crate::recall::Recall;

pub use fact::linked_to;
pub(crate) use narrative::{last_turns, proposals_of, scene_of};

/// The read side of the canon.
#[derive(Clone)]
pub struct Query {
    ledger: SharedLedger,
    config: Config,
    recall: Recall,
    counter: Counter,
}

impl Query {
    pub fn new(parts: Parts) -> Self {
        let counter = Counter::new(parts.ledger.clone());
        Self { ledger: parts.ledger, config: parts.config, recall: parts.recall, counter }
    }

    async fn reader<'a>(&'a self, ctx: &'a Context, point: Option<&ReadContext>) -> Result<Reader<'a>, Error> {
        Reader::at(self.ledger.as_ref(), ctx, point).await
    }
}
