//! Health: whether the store can be written to, as far as the last write shows.
//!
//! A write that the disk refused leaves its reason here, and the next one that succeeds takes it away. While there is a reason, whoever
//! asks causes a trial write, so that a server which nobody sends writes to any more notices that there is space again.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::writer::Job;
use crate::{SqliteLedger, directory};

/// Space without which the store is not called healthy again.
const SPACE_BYTES: usize = 1024 * 1024;
/// How long a trial write may take.
const TRIAL_MAX: Duration = Duration::from_secs(2);

/// Why the last write failed, if it did.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Option<String>>);

impl Health {
    pub(crate) fn succeeded(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn failed(&self, reason: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }

    fn reason(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether some space is left beside the database. Its log reuses space that it has, so a small write says little.
pub(crate) fn check_space(database: &Path) -> io::Result<()> {
    let path = database.with_extension(format!("trial-{}.tmp", std::process::id()));
    let written = directory::keep_private(&path).and_then(|()| std::fs::write(&path, vec![0; SPACE_BYTES]));
    let removed = std::fs::remove_file(&path);
    written.and(removed)
}

impl SqliteLedger {
    /// Whether writes succeed; otherwise why not, in words for the log. Costs nothing while they do.
    pub async fn health(&self) -> Result<(), String> {
        let jobs = self.jobs.as_ref().filter(|jobs| !jobs.is_closed()).ok_or("the writer has stopped")?;
        let Some(reason) = self.health.reason() else { return Ok(()) };
        let (answer, answered) = oneshot::channel();
        // A queue that is full has writes to try with already.
        if jobs.try_send(Job::Trial(answer)).is_err() {
            return Err(reason);
        }
        match tokio::time::timeout(TRIAL_MAX, answered).await {
            Ok(Ok(outcome)) => outcome.map_err(|error| error.to_string()),
            Ok(Err(_)) | Err(_) => Err(reason),
        }
    }
}
