//! Neotoma: source material becomes observations, observations become entity snapshots, and every field can be traced
//! back to the bytes it came from.
//!
//! [`domain`] holds the rules: what identifies an entity, how observations reduce to a snapshot, what its timeline says.
//! [`interpret`] reads observations out of files.
//!
//! Invariants:
//! * observations are never changed and never removed;
//! * a snapshot depends on the set of its observations and the active schema, not on the order in which they came;
//! * corrections outrank everything that is not a correction.

pub mod domain;
pub mod interpret;
