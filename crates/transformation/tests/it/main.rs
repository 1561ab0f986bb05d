//! The tools, called as the doors call them, on the embedded engine.

mod changes;
mod discovery;
mod elements;
mod history;
mod idempotency;
mod metadata;
mod races;
mod refusals;
mod relationships;
mod validation;
mod world;
