//! What the ledger keeps: the fold from facts to records ([`fold`]), rows as they are read back ([`Reader`]), and the
//! messages that callers see ([`message`]).

pub mod fold;
pub mod message;
mod reader;
pub mod told;

pub use reader::{Reader, read_context};
