//! Monitor: the canon of story worlds, and how it came to be.
//!
//! Agents of a game master's table tell scenes, propose changes with their evidence, and one of them, CanonKeeper, decides what
//! becomes canon. [`authority`] says which type of agent may call what. [`domain`] holds the rules; [`write`] loads what a call
//! touches, lets them decide and commits; [`query`] reads at a point in history; [`projection`] is what the ledger keeps in
//! between. Start with [`domain`]; [`Module`] is what a server mounts.
//!
//! Invariants:
//! * nobody calls what the type of agent that the credential allows may not call;
//! * nothing canonical is deleted: what no longer holds is retconned and kept;
//! * what is canon has evidence that resolves, and came through one policy;
//! * causes never form a cycle.

pub mod authority;
pub mod domain;
pub mod error;
pub mod projection;
pub mod query;
pub mod write;

mod access;
mod batch;
mod capability;
mod module;
pub mod portable;
mod recall;
mod refusal;
mod terminal;

pub use capability::{Config, Monitor, Parts};
pub use error::Error;
pub use module::Module;
pub use recall::Recall;
