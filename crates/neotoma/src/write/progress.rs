//! Progress of a long call, for clients that asked for it.

use std::sync::atomic::{AtomicU64, Ordering};

use contract::Context;

/// How far a call has come. What is decided again is not reported again: progress only grows.
pub struct Progress<'a> {
    ctx: &'a Context,
    total: u64,
    done: AtomicU64,
}

impl<'a> Progress<'a> {
    pub fn new(ctx: &'a Context, total: u64) -> Self {
        Self { ctx, total, done: AtomicU64::new(0) }
    }

    /// So much of the total has been done.
    pub async fn reach(&self, done: u64, message: &str) {
        if self.done.fetch_max(done, Ordering::Relaxed) < done {
            #[expect(clippy::cast_precision_loss, reason = "there are never so many steps")]
            self.ctx.client.progress(done as f64, Some(self.total as f64), Some(message)).await;
        }
    }
}
