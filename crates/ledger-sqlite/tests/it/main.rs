//! What the SQLite engine promises: the conformance suite, and what only this engine can break.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail like tests, and children tell by printing"
)]

mod audit;
mod backup;
mod child;
mod conformance;
mod failures;
mod group_commit;
mod harness;
mod keys;
mod log;
mod open;
mod processes;
mod sync_errors;
mod tampering;
