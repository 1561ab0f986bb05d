//! MCP, carried by rmcp: what its server handler leaves to us.
//!
//! [`Handler`] answers the protocol's methods from an [`crate::Endpoint`]; [`client`] is the way back to the caller;
//! [`wire`] turns our answers into the protocol's; [`follow`] feeds subscriptions.

mod client;
mod follow;
mod handler;
mod reply;
mod wire;

pub use handler::{Arrived, Handler};
