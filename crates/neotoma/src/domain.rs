//! The rules of neotoma. Nothing here does I/O, reads a clock or rolls dice.

pub mod observation;

pub use observation::{Kind, Marker, Observation};
