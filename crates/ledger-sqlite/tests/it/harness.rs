//! A ledger in a directory of its own, with a clock that the test moves.

use std::sync::Arc;

use ledger::conformance::{CLOCK_START, Harness};
use ledger::tree::Trees;
use ledger::{SearchStore, SharedLedger};
use ledger_sqlite::{Options, SqliteLedger};
use scope::FixedClock;
use tempfile::TempDir;

pub struct Embedded {
    ledger: Option<Arc<SqliteLedger>>,
    pub clock: Arc<FixedClock>,
    pub directory: TempDir,
}

impl Embedded {
    pub fn new() -> Self {
        let clock = Arc::new(FixedClock::at(CLOCK_START));
        let mut harness = Self { ledger: None, clock, directory: tempfile::tempdir().unwrap() };
        harness.ledger = Some(Arc::new(harness.open()));
        harness
    }

    /// Another ledger on the same directory, as another process would open it.
    pub fn open(&self) -> SqliteLedger {
        SqliteLedger::open(self.directory.path(), self.options()).unwrap()
    }

    pub fn options(&self) -> Options {
        Options { clock: self.clock.clone(), folds: ledger::conformance::folds(), ..Options::default() }
    }
}

impl Harness for Embedded {
    fn ledger(&self) -> SharedLedger {
        self.ledger.clone().unwrap()
    }

    fn search_store(&self) -> Arc<dyn SearchStore> {
        self.ledger.clone().unwrap()
    }

    fn trees(&self) -> Arc<dyn Trees> {
        self.ledger.clone().unwrap()
    }

    fn advance_micros(&self, micros: i64) {
        self.clock.advance_micros(micros);
    }

    /// Copies the files away under the open ledger, as a crash would leave them, and opens the copy.
    fn crash(&mut self) {
        // A crash leaves the files as they are at one instant; copying takes longer, so the writer must be still. It tidies up
        // once after its first commit, and has done so when it answers for the second time.
        if let Some(ledger) = &self.ledger {
            let still = async || {
                ledger.purge_expired(1).await.unwrap();
                ledger.purge_expired(1).await.unwrap();
            };
            let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
            std::thread::scope(|scope| scope.spawn(|| runtime().block_on(still())).join().unwrap());
        }
        let left = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(self.directory.path()).unwrap() {
            let entry = entry.unwrap();
            // The shared memory of the log does not survive a power cut.
            if !entry.file_name().to_string_lossy().ends_with("-shm") {
                std::fs::copy(entry.path(), left.path().join(entry.file_name())).unwrap();
            }
        }
        self.ledger = None;
        self.directory = left;
        self.ledger = Some(Arc::new(self.open()));
    }
}

/// A test that fails leaves its files for a look.
impl Drop for Embedded {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.directory.disable_cleanup(true);
            println!("the files are left in {}", self.directory.path().display());
        }
    }
}
