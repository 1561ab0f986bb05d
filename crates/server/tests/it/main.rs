//! The product as it is wired: every tool, through admission, check, capability and ledger.

mod catalog;
mod directory;
mod random;
