//! The audit record of a write, on its way into the commit of the write.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Where a record comes from: the door knows who calls, and what.
pub trait AuditSource: Send + Sync {
    /// The record of the call as it stands now, as JSON text, for a call that ends well.
    fn body(&self) -> String;
}

/// The audit record of one call. Whoever commits takes it along and says so; then no other record of the call is written.
/// Without a door there is none.
#[derive(Clone, Default)]
pub struct AuditDraft(Arc<Draft>);

#[derive(Default)]
struct Draft {
    source: OnceLock<Box<dyn AuditSource>>,
    is_committed: AtomicBool,
}

impl AuditDraft {
    /// Says where the record comes from. The first one counts.
    pub fn prepare(&self, source: impl AuditSource + 'static) {
        self.0.source.get_or_init(|| Box::new(source));
    }

    /// The record to take along in a commit, if the call has one.
    pub fn body(&self) -> Option<String> {
        self.0.source.get().map(|source| source.body())
    }

    /// A commit happened, and the record with it.
    pub fn set_committed(&self) {
        self.0.is_committed.store(true, Ordering::Release);
    }

    pub fn is_committed(&self) -> bool {
        self.0.is_committed.load(Ordering::Acquire)
    }
}
