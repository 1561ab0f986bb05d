//! What reading one document may take: steps in proportion to its length, and time.
//!
//! A step is a byte that a reader looks at. Readers account for their steps wherever input can lengthen a loop, so a
//! reader that is not linear fails instead of holding a thread, and a call that has ended stops its reader.

use std::cell::Cell;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::Failure;

/// Steps for each byte of a document. Sentences are searched for some fifty phrases, which is the most that is done.
const STEPS_PER_BYTE: u64 = 256;
/// Steps that a document may take however short it is.
const STEPS_MIN: u64 = 1 << 20;
/// The clock is looked at after so many steps.
const STEPS_UNWATCHED: u64 = 1 << 16;

/// The effort of reading one document.
#[derive(Debug)]
pub struct Effort {
    steps: Cell<u64>,
    steps_max: Cell<u64>,
    steps_watched: Cell<u64>,
    deadline: Instant,
    cancelled: CancellationToken,
}

impl Effort {
    /// For a document of so many bytes.
    pub fn new(bytes: usize, deadline: Instant, cancelled: CancellationToken) -> Self {
        let effort = Self {
            steps: Cell::new(0),
            steps_max: Cell::new(STEPS_MIN),
            steps_watched: Cell::new(0),
            deadline,
            cancelled,
        };
        effort.unpacked(bytes);
        effort
    }

    /// Allows for so many bytes more, which were packed in the document.
    pub fn unpacked(&self, bytes: usize) {
        self.steps_max.set(self.steps_max.get().saturating_add(STEPS_PER_BYTE.saturating_mul(bytes as u64)));
    }

    /// Accounts for a look at so many bytes.
    pub fn spend(&self, bytes: usize) -> Result<(), Failure> {
        let steps = self.steps.get().saturating_add(bytes as u64 + 1);
        self.steps.set(steps);
        if steps > self.steps_max.get() {
            return Err(failure("reading the document takes too much work"));
        }
        if steps - self.steps_watched.get() < STEPS_UNWATCHED {
            return Ok(());
        }
        self.steps_watched.set(steps);
        self.check()
    }

    /// Fails when the time is over or nobody waits any more.
    pub fn check(&self) -> Result<(), Failure> {
        if self.cancelled.is_cancelled() || Instant::now() > self.deadline {
            return Err(failure("reading the document took too long"));
        }
        Ok(())
    }

    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    #[cfg(test)]
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }
}

fn failure(reason: &str) -> Failure {
    Failure { reason: reason.to_owned() }
}

/// Enough for the tests of single readers.
#[cfg(test)]
pub fn ample() -> Effort {
    Effort::new(1 << 20, Instant::now() + std::time::Duration::from_secs(600), CancellationToken::new())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn steps_are_in_proportion_to_the_length() {
        let effort = ample();
        let allowed = STEPS_MIN + STEPS_PER_BYTE * (1 << 20);
        assert!(effort.spend(usize::try_from(allowed).unwrap() - 1).is_ok());
        assert_eq!(effort.spend(0).unwrap_err().reason, "reading the document takes too much work");
        effort.unpacked(1);
        assert!(effort.spend(0).is_ok());
    }

    #[test]
    fn a_reader_stops_when_its_time_is_over_or_its_call_has_ended() {
        let late = Effort::new(1 << 20, Instant::now() - Duration::from_secs(1), CancellationToken::new());
        assert!(late.spend(1).is_ok(), "the clock is looked at now and then");
        assert_eq!(late.spend(1 << 17).unwrap_err().reason, "reading the document took too long");
        let ended = CancellationToken::new();
        let effort = Effort::new(1 << 20, Instant::now() + Duration::from_secs(600), ended.clone());
        assert!(effort.spend(1 << 17).is_ok());
        ended.cancel();
        assert!(effort.spend(1 << 17).is_err());
    }
}
