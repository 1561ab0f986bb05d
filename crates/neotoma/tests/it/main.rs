//! The tools of neotoma, called as the doors call them, on the embedded engine.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod desk;
mod ingest;
