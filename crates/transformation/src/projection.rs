//! The read side: facts folded into records, and records read at a point in history.
//!
//! [`fold`] says which record a fact makes. [`Snapshot`] reads the records of one tenant at one sequence number; every
//! query and every decision goes through it. [`read_context`] turns what a caller says about time into that number, and
//! [`Listing`] keeps it fixed from page to page. [`message`] words what was read as messages of the contract.

mod definition;
pub mod fold;
mod listing;
pub mod message;
pub mod read_context;
mod reference;
pub mod scrum;
mod snapshot;

pub use listing::Listing;
pub use snapshot::Snapshot;
