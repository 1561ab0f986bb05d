//! MCP, carried by rmcp: what its server handler leaves to us.
//!
//! [`handler`] answers the protocol's methods from an [`crate::Endpoint`], with what [`connection`] knows about the caller;
//! [`client`] is the way back to it, and [`reply`] judges what it answers. [`call`] is a tool call, through rmcp or not.
//! [`wire`] turns our answers into the protocol's; [`follow`] feeds subscriptions, and [`prepared`] holds what is asked
//! again and again.

mod call;
mod client;
mod connection;
mod follow;
mod handler;
mod prepared;
mod reply;
mod wire;

pub use call::{Plain, answer_plain, refuse_inexact};
pub use connection::{Arrived, Handler};
pub use prepared::Prepared;
