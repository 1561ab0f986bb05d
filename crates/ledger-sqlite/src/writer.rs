//! The writer: one thread that makes many changes durable with one sync (group commit).
//!
//! It takes what is waiting, writes it in one transaction, and answers after the commit. A change that
//! the engine chokes on must not take its neighbours down, so such a batch is rolled back and written
//! again one by one. After a failed commit nobody knows what the disk holds: the batch is answered with
//! [`CommitError::Unknown`] and the connection is opened anew before the next write.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ledger::tree::{Batch, Grown};
use ledger::{Change, Commit, CommitError, Refusal};
use rusqlite::{Connection, ErrorCode};
use scope::Clock;
use tokio::sync::{mpsc, oneshot, watch};

use crate::connection::Opening;
use crate::health::{self, Health};
use crate::idempotency::KeyCounts;
use crate::{OpenError, change, connection, idempotency, schema, tree};

/// Expired keys are looked for at most this often, when nothing else waits.
const PURGE_EVERY: Duration = Duration::from_secs(60);
const PURGE_BATCH: usize = 200;

/// What the writer is asked to do.
pub(crate) enum Job {
    Commit(Box<Change>, oneshot::Sender<Result<Commit, CommitError>>),
    /// Make trees grow.
    Grow(Box<Batch>, oneshot::Sender<Result<Grown, CommitError>>),
    /// Remove at most this many expired idempotency keys.
    Purge(usize, oneshot::Sender<Result<usize, CommitError>>),
    /// Write what is no change: what search keeps.
    Work(Work),
    /// Write what changes nothing, to see whether writing works.
    Trial(oneshot::Sender<Result<(), CommitError>>),
}

/// Something that the writer does between two batches, and answers by itself.
pub(crate) type Work = Box<dyn FnOnce(&mut Writer) + Send>;

/// How much the writer did since it was started.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub transactions: AtomicU64,
    pub changes: AtomicU64,
}

pub(crate) struct Writer {
    pub path: PathBuf,
    pub opening: Opening,
    pub batch_max: usize,
    pub batch_rows_max: usize,
    pub clock: Arc<dyn Clock>,
    pub counters: Arc<Counters>,
    pub health: Arc<Health>,
    pub ticks: watch::Sender<u64>,
    /// Nothing after a failure; opened again by the next write.
    pub connection: Option<Connection>,
    pub purged: Option<Instant>,
    pub keys: Arc<KeyCounts>,
}

type Waiting = (Box<Change>, oneshot::Sender<Outcome>);
type Outcome = Result<Commit, CommitError>;
type Growing = (Box<Batch>, oneshot::Sender<Result<Grown, CommitError>>);

/// What is done between two batches.
#[derive(Default)]
struct Aside {
    grows: Vec<Growing>,
    purges: Vec<(usize, oneshot::Sender<Result<usize, CommitError>>)>,
    trials: Vec<oneshot::Sender<Result<(), CommitError>>>,
    works: Vec<Work>,
}

impl Writer {
    /// Works until every sender is gone.
    pub(crate) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut aside = Aside::default();
        while let Some(job) = jobs.blocking_recv() {
            if let Some(first) = aside.put(job) {
                self.commit_batch(first, || next_commit(&mut jobs, &mut aside));
            }
            aside.grows.drain(..).for_each(|(batch, answer)| _ = answer.send(self.grow(&batch)));
            aside.purges.drain(..).for_each(|(most, answer)| _ = answer.send(self.purge(most)));
            aside.trials.drain(..).for_each(|answer| _ = answer.send(self.trial()));
            aside.works.drain(..).for_each(|work| work(&mut self));
            if jobs.is_empty() && self.purged.is_none_or(|last| last.elapsed() > PURGE_EVERY) {
                self.purge_when_idle();
            }
        }
    }

    /// One transaction for `first` and all that arrive while it is written: whoever was just answered has
    /// that long to come back with the next change. Before the commit, threads that wait for this processor go first, and
    /// perhaps bring more: on a busy machine a sync then serves more changes, and on an idle one nobody waits.
    fn commit_batch(&mut self, first: Waiting, mut more: impl FnMut() -> Option<Waiting>) {
        let (now, batch_max, rows_max) = (self.clock.now(), self.batch_max, self.batch_rows_max);
        let mut batch = vec![first];
        let mut rows = 0;
        let keys = Arc::clone(&self.keys);
        let written = self.transact(|connection| {
            let mut outcomes = Vec::new();
            while let Some((change, _)) = batch.get(outcomes.len()) {
                outcomes.push(change::apply(connection, change, now, &keys)?);
                rows += change.facts.iter().map(|(_, effects)| 1 + effects.len()).sum::<usize>();
                if outcomes.len() == batch.len() && batch.len() < batch_max && rows < rows_max {
                    batch.extend(more().or_else(|| {
                        std::thread::yield_now();
                        more()
                    }));
                }
            }
            Ok(outcomes)
        });
        let outcomes = match written {
            Ok(outcomes) => self.done(outcomes),
            Err(Failure::Statement(_)) if batch.len() > 1 => {
                batch.iter().map(|(change, _)| self.commit_one(change)).collect()
            }
            Err(failure) => vec![Err(failure.into()); batch.len()],
        };
        // Whoever stopped waiting still has its change; the key answers when it asks again.
        for ((change, answer), outcome) in batch.into_iter().zip(outcomes) {
            let _ = answer.send(outcome);
            drop(change);
        }
    }

    fn commit_one(&mut self, change: &Change) -> Outcome {
        let now = self.clock.now();
        let keys = Arc::clone(&self.keys);
        let outcome = self.transact(|connection| change::apply(connection, change, now, &keys))?;
        self.done(vec![outcome]).pop().expect("one outcome for one change")
    }

    /// Counts and announces what a commit made durable. The outcomes hold only because it succeeded.
    fn done(&mut self, outcomes: Vec<Result<Commit, Refusal>>) -> Vec<Outcome> {
        let done = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Commit::Done { .. }))).count() as u64;
        self.counters.transactions.fetch_add(1, Ordering::Relaxed);
        self.counters.changes.fetch_add(done, Ordering::Relaxed);
        if done > 0 {
            self.ticks.send_modify(|ticks| *ticks += 1);
        }
        outcomes.into_iter().map(|outcome| outcome.map_err(CommitError::Refused)).collect()
    }

    /// A transaction, and a note of whether the disk took it.
    fn transact<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        let outcome = self.transact_unnoted(work);
        match &outcome {
            Ok(_) => self.health.succeeded(),
            Err(failure) if failure.is_of_the_disk() => self.health.failed(failure.to_string()),
            Err(_) => {}
        }
        outcome
    }

    fn transact_unnoted<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connection::open_writer(&self.path, self.opening).map_err(Failure::Open)?,
        };
        // From here on the connection is put back only where it can be trusted.
        if let Err(error) = execute(&connection, "BEGIN IMMEDIATE") {
            if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) {
                self.connection = Some(connection);
            }
            return Err(Failure::Begin(error));
        }
        if let Err(error) = schema::check_unchanged(&connection, &self.path) {
            _ = execute(&connection, "ROLLBACK");
            return Err(Failure::Open(error));
        }
        match work(&connection) {
            Ok(value) => {
                execute(&connection, "COMMIT").map_err(Failure::Commit)?;
                self.connection = Some(connection);
                Ok(value)
            }
            Err(error) => {
                let rolled_back = connection.is_autocommit() || execute(&connection, "ROLLBACK").is_ok();
                if !rolled_back {
                    return Err(Failure::Commit(error));
                }
                if storage_failed(&error) {
                    return Err(Failure::Storage(error));
                }
                self.connection = Some(connection);
                Err(Failure::Statement(error))
            }
        }
    }

    /// Nobody waits for a tree, so a disk that does not take it is no reason to refuse changes.
    fn grow(&mut self, batch: &Batch) -> Result<Grown, CommitError> {
        Ok(self.transact_unnoted(|connection| tree::grow(connection, batch))?)
    }

    fn purge(&mut self, most: usize) -> Result<usize, CommitError> {
        let now = self.clock.now();
        Ok(self.transact(|connection| idempotency::purge(connection, now, most))?)
    }

    /// A transaction of its own.
    pub(crate) fn work<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, CommitError> {
        Ok(self.transact(work)?)
    }

    fn trial(&mut self) -> Result<(), CommitError> {
        health::check_space(&self.path).map_err(|error| CommitError::Unavailable(error.to_string()))?;
        Ok(self.transact(schema::write_again)?)
    }

    fn purge_when_idle(&mut self) {
        match self.purge(PURGE_BATCH) {
            // More may be left: go on after the next batch.
            Ok(PURGE_BATCH) => self.purged = None,
            Ok(_) => self.purged = Some(Instant::now()),
            Err(error) => {
                self.purged = Some(Instant::now());
                tracing::warn!(%error, "expired idempotency keys were not removed; the next try is in a minute");
            }
        }
    }
}

impl Aside {
    /// Puts everything aside but a change.
    fn put(&mut self, job: Job) -> Option<Waiting> {
        match job {
            Job::Commit(change, answer) => return Some((change, answer)),
            Job::Grow(batch, answer) => self.grows.push((batch, answer)),
            Job::Purge(most, answer) => self.purges.push((most, answer)),
            Job::Trial(answer) => self.trials.push(answer),
            Job::Work(work) => self.works.push(work),
        }
        None
    }
}

/// The next change that waits; all else is put aside until the batch is done.
fn next_commit(jobs: &mut mpsc::Receiver<Job>, aside: &mut Aside) -> Option<Waiting> {
    loop {
        let change = aside.put(jobs.try_recv().ok()?);
        if change.is_some() {
            return change;
        }
    }
}

fn execute(connection: &Connection, sql: &'static str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// Errors after which the connection is not trusted any more.
fn storage_failed(error: &rusqlite::Error) -> bool {
    !matches!(
        error.sqlite_error_code(),
        None | Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch | ErrorCode::Unknown)
    )
}

/// Where a transaction failed, which decides what can be said about its changes.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Open(OpenError),
    #[error(transparent)]
    Begin(rusqlite::Error),
    /// Rolled back; the connection is fine.
    #[error(transparent)]
    Statement(rusqlite::Error),
    /// Rolled back; the connection is not trusted.
    #[error(transparent)]
    Storage(rusqlite::Error),
    /// The commit, or the rollback, did not succeed.
    #[error(transparent)]
    Commit(rusqlite::Error),
}

impl Failure {
    /// Not of the change itself, nor of another process that writes at the same time.
    fn is_of_the_disk(&self) -> bool {
        match self {
            Self::Open(OpenError::Busy { .. }) | Self::Statement(_) => false,
            Self::Begin(error) => error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy),
            Self::Open(_) | Self::Storage(_) | Self::Commit(_) => true,
        }
    }
}

impl From<Failure> for CommitError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Open(error) => Self::Unavailable(error.to_string()),
            Failure::Begin(error) | Failure::Statement(error) | Failure::Storage(error) => {
                Self::Unavailable(error.to_string())
            }
            Failure::Commit(error) => {
                tracing::error!(%error, "a commit failed, so its outcome is unknown; the writer opens the database again");
                Self::Unknown(error.to_string())
            }
        }
    }
}
