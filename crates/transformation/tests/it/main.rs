//! The tools, called as the doors call them, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod acceptance;
mod baselines;
mod change_sets;
mod changes;
mod compare;
mod contention;
mod definitions;
mod discovery;
mod elements;
mod fact_feed;
mod governance;
mod hints;
mod history;
mod idempotency;
mod intents;
mod metadata;
mod models;
mod progress;
mod proposals;
mod races;
mod references;
mod refusals;
mod relationships;
mod replay;
mod review;
mod routing;
mod scrum;
mod search;
mod semantic;
mod surface;
mod templates;
mod validation;
mod views;
mod whole_changes;
mod world;
