//! Neotoma: source material becomes observations, observations become entity snapshots, and every field can be traced
//! back to the bytes it came from.
//!
//! [`domain`] holds the rules: what identifies an entity, how observations reduce to a snapshot, what its timeline says.
//! [`interpret`] reads entities out of files. [`write`] loads what a call touches, lets the rules decide and commits;
//! [`query`] reads; [`projection`] is what the ledger keeps in between; [`verify`](mod@verify) makes every snapshot again.
//! Start with [`domain`]; [`Module`] is what a server mounts.
//!
//! Invariants:
//! * observations are never changed and never removed;
//! * a snapshot depends on the set of its observations and the active schema, not on the order in which they came;
//! * corrections outrank everything that is not a correction;
//! * nobody reads or writes what belongs to another user.

pub mod domain;
pub mod error;
pub mod interpret;
pub mod projection;
pub mod query;
pub mod verify;
pub mod write;

mod capability;
mod module;
mod near;
mod refusal;
mod retrieval;
mod terminal;
mod user;

pub use capability::{Config, Neotoma, Parts};
pub use error::Error;
pub use module::Module;
pub use user::user_id_of;
pub use verify::{Verified, verify};
