//! Projection: what the ledger keeps of neotoma, and how it is read back.
//!
//! [`row`] is what each record holds, [`fold`] makes records of facts, [`reader`] reads them for one user at one point,
//! [`listed`] reads entities as listings show them, [`message`] words them for callers.

pub mod content;
pub mod fields;
pub mod fold;
pub mod listed;
pub mod message;
pub mod reader;
pub mod row;
mod types;

pub use desk::Stored;
pub use reader::Reader;
