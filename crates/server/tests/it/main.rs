//! The product as it is wired: every tool, through admission, check, capability and ledger.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod acceptance;
mod audit;
mod baselines;
mod catalog;
mod codes;
mod definitions;
mod directory;
mod facts;
mod files;
mod first_version;
mod fuzz;
mod guidance;
mod long_arguments;
mod mistakes;
mod monitor;
mod neotoma;
mod process;
mod random;
mod replay;
mod separation;
mod terminal;
mod unread;
mod world;
