//! The rules of a story world. Nothing here does I/O, reads a clock or rolls dice.
//!
//! [`node`] and [`narrative`] are what is kept, [`row`] says how each is found. [`policy`] decides what becomes canon,
//! [`contradiction`] what speaks against it, [`canonize`] decides all proposals of a scene in their order.

pub mod canonize;
pub mod check;
pub mod chunk;
pub mod claim;
pub mod content;
pub mod context;
pub mod contradiction;
pub mod dice;
pub mod fact;
pub mod graph;
pub mod limit;
pub mod memory;
pub mod narrative;
pub mod node;
pub mod pattern;
pub mod policy;
pub mod relation;
pub mod retcon;
pub mod row;
pub mod scene;
pub mod story;
pub mod tags;
pub mod words;

/// The members of an open object.
pub type Map = serde_json::Map<String, serde_json::Value>;
