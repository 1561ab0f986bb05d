//! The read side: facts folded into records, and records read at a point in history.
//!
//! [`fold`] says which record a fact makes. [`Snapshot`] reads the records of one tenant at one sequence number; every
//! query and every decision goes through it. [`read_context`] turns what a caller says about time into that number, and
//! [`Listing`] keeps it fixed from page to page. [`members`] narrows a snapshot to what a baseline holds. [`message`] words
//! what was read as messages of the contract.

mod baselines;
mod definition;
pub mod diff;
pub mod fold;
mod junctions;
mod listing;
pub mod members;
pub mod message;
mod overlays;
mod proposals;
pub mod read_context;
mod reference;
pub mod scrum;
mod snapshot;
mod touched;
mod views;

pub use listing::Listing;
pub use snapshot::Snapshot;
