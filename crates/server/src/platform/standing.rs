//! Whether the server can do what it is asked: what `/ready` says.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use ledger_sqlite::SqliteLedger;
use ledger_sqlite::audit::AuditLog;
use spine::http::Readiness;

/// What SQLite and the system call a disk without space.
const FULL: &[&str] = &["full", "No space left", "File too large", "quota"];

/// The stores below the server.
pub struct Standing {
    ledger: Arc<SqliteLedger>,
    log: Arc<AuditLog>,
    /// What was logged last, so that every change is logged once.
    last: Mutex<Option<String>>,
}

impl Standing {
    pub fn new(ledger: Arc<SqliteLedger>, log: Arc<AuditLog>) -> Self {
        Self { ledger, log, last: Mutex::default() }
    }

    fn note(&self, reason: Option<String>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &reason {
            _ if *last == reason => return,
            Some(reason) => tracing::error!(reason, "not ready: the stores cannot be written"),
            None => tracing::info!("ready again: the stores can be written"),
        }
        *last = reason;
    }
}

impl Readiness for Standing {
    fn problem(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async {
            let (reason, what) = match self.ledger.health().await {
                Err(reason) => (Some(reason), "changes are refused"),
                Ok(()) => (self.log.problem(), "audit records wait to be written"),
            };
            self.note(reason.clone());
            reason.map(|reason| in_words(&reason, what))
        })
    }
}

/// What an operator needs to know, without the path and the words of the store, which are in the log.
fn in_words(reason: &str, what: &str) -> String {
    if FULL.iter().any(|word| reason.contains(word)) {
        format!("the disk is full: {what} until there is space")
    } else {
        format!("the data directory cannot be written: {what}; the log says why")
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn the_words_help_and_name_no_path() {
        let full = in_words("/srv/data/chancery.db: database or disk is full", "changes are refused");
        assert_eq!(full, "the disk is full: changes are refused until there is space");
        let other = in_words("/srv/data/chancery.db: disk I/O error", "changes are refused");
        assert_eq!(other, "the data directory cannot be written: changes are refused; the log says why");
    }
}
