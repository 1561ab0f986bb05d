//! The tools, called as the doors call them, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod changes;
mod definitions;
mod discovery;
mod elements;
mod fact_feed;
mod history;
mod idempotency;
mod metadata;
mod races;
mod refusals;
mod relationships;
mod routing;
mod scrum;
mod validation;
mod world;
