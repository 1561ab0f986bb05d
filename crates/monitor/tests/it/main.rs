//! Monitor through its tools, in process.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod batches;
mod canon;
mod canonization;
mod contexts;
mod entities;
mod facts;
mod listings;
mod playthrough;
mod refusals;
mod scenes;
mod schemas;
mod stories;
mod table;
mod told;
mod universes;
