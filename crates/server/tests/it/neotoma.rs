//! Neotoma as it is wired: the real binary, over HTTP and stdio, as a client speaks to it.

pub mod client;
mod commands;
mod compatibility;
mod crash;
mod documents;
mod envelope;
mod every_tool;
mod files;
mod limits;
mod load;
mod mistakes;
mod privacy;
mod progress;
mod surface;
mod verified;
