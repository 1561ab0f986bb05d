//! What the SQLite engine promises: the conformance suite, and what only this engine can break.

mod conformance;
mod harness;
