//! Monitor as it is wired: over HTTP, with tokens of agents.

mod examples;
mod matrix;
mod surface;
pub mod wire;
