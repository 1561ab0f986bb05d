//! The tools of neotoma, called as the doors call them, on the embedded engine; and what its interpreters read.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod agents;
mod bounds;
mod changed;
mod corpus;
mod corrections;
mod desk;
mod determinism;
mod documents;
mod faults;
mod feed;
mod files;
mod graph;
mod identifier;
mod ingest;
mod interleavings;
mod interpret_hostile;
mod interpret_openai;
mod isolation;
#[cfg(unix)]
mod links;
mod listing;
mod merges;
mod missing;
mod naming;
mod observations;
mod points;
mod progress;
mod provenance;
mod quota;
mod races;
mod refusals;
mod registry;
mod reinterpret;
mod relationships;
mod removal;
mod schemas;
mod search;
mod snapshot;
mod stated;
mod timeline;
mod users;
