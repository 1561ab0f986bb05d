//! The tools of neotoma, called as the doors call them, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod desk;
mod graph;
mod identifier;
mod ingest;
mod isolation;
mod listing;
mod observations;
mod provenance;
mod schemas;
mod timeline;
