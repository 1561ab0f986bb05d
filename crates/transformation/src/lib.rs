//! Transformation: an organisation's architecture model and how it changes.
//!
//! A write loads what it touches, [`domain`] decides, the ledger records ([`write`]). A read asks [`projection`], which
//! folds the recorded facts into records and reads them at a point in history ([`query`]). What may be joined to what is
//! said by [`metamodel`]; which elements a question is about by [`retrieval`]. Start with [`domain`]: every rule is there, and none of it does I/O.
//! [`Transformation`] is what the doors serve, [`Module`] what a server mounts.
//!
//! Invariants:
//! * the versions of one element grow by one, without gaps, and `ID@VERSION` names one of them for ever;
//! * an element keeps the type it was created with;
//! * every stored relationship is permitted by the metamodel profile in force when it was made;
//! * an answer to a write shows the same bytes as a later read at the same point.

mod agents;
mod capability;
mod changes;
mod completion;
mod config;
pub mod domain;
mod error;
pub mod metamodel;
mod module;
pub mod projection;
mod prompt;
pub mod query;
mod refusal;
pub mod retrieval;
mod terminal;
pub mod write;

pub use capability::Transformation;
pub use config::Config;
pub use error::Error;
pub use module::Module;
pub use query::ArgumentCheck;
