//! The rules of neotoma. Nothing here does I/O, reads a clock or rolls dice.
//!
//! A payload passes [`shape`], [`schema`] says what its type declares, [`identity`] says which entity it is about and
//! [`ids`] names it. [`reducer`] turns the observations of an entity into its snapshot; [`timeline`], [`filter`] and
//! [`identity::identifiers`] read snapshots.

pub mod filter;
pub mod identity;
pub mod ids;
pub mod moment;
pub mod observation;
pub mod reducer;
pub mod relation;
pub mod schema;
pub mod shape;
pub mod timeline;
mod values;

pub use observation::{Kind, Marker, Observation};
pub use reducer::State;
pub use schema::Schema;
pub use values::Values;

/// The fields of a payload, an observation or a snapshot.
pub type Map = serde_json::Map<String, serde_json::Value>;
