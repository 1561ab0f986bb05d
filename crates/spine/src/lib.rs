//! Spine: the doors, and what every call passes before and after a capability sees it.
//!
//! A message comes in through a door ([`http`], [`stdio`], or the command line), is parsed once and
//! strictly ([`json`], [`message`]), and must be [admitted](admission). The [`Endpoint`] then checks
//! the arguments against the tool's schema, asks for confirmation where a call destroys, recognises
//! repeated effects, calls the capability within a deadline, and writes the audit record. The protocol
//! itself is rmcp's; [`mcp`] wraps it and closes what it leaves open.
//!
//! No business rule and no storage lives here.
//!
//! Invariants:
//! * no call reaches a capability without an [`Admitted`](admission::Admitted);
//! * every call, refused ones too, leaves one audit record;
//! * a panic in a handler is an answer, never a hang.

pub mod admission;
pub mod arguments;
pub mod audit;
pub mod config;
pub mod http;
pub mod json;
pub mod mcp;
pub mod message;
pub mod metrics;
pub mod names;
pub mod stdio;
pub mod trace;

mod confirmation;
mod endpoint;
mod in_flight;
mod long;
mod replay;
mod seal;
mod shares;
mod turn;

pub use config::Config;
pub use confirmation::{Asked, Declined, Declines};
pub use endpoint::{Called, Caller, Endpoint, Parts};
pub use seal::Seal;
