//! The tools of neotoma, called as the doors call them, on the embedded engine; and what its interpreters read.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod broken;
mod changed;
mod corpus;
mod desk;
mod faults;
mod files;
mod graph;
mod identifier;
mod ingest;
mod interpret_hostile;
mod interpret_openai;
mod isolation;
mod listing;
mod observations;
mod provenance;
mod refusals;
mod reinterpret;
mod schemas;
mod snapshot;
mod timeline;
mod users;
