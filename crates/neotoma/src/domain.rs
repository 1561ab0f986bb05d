//! The rules of neotoma. Nothing here does I/O, reads a clock or rolls dice.
//!
//! A payload passes [`shape`], [`schema`] says what its type declares, [`identity`] says which entity it is about and
//! [`ids`] names it. [`reducer`] turns the observations of an entity into its snapshot; [`timeline`], [`filter`] and
//! [`identity::identifiers`] read snapshots.
//!
//! Each write has a file of its own: [`ingest`], [`correct`], [`relate`], [`merge`], [`unmerge`], [`remove`], [`register`]. It
//! takes what was loaded and changes a [`plan`], which becomes a [`fact`].

pub mod correct;
pub mod edges;
pub mod entity;
pub mod fact;
pub mod filter;
#[cfg(test)]
mod fixture;
pub mod identity;
pub mod ids;
pub mod ingest;
pub mod merge;
pub mod moment;
pub mod observation;
pub mod plan;
pub mod reach;
pub mod reducer;
pub mod register;
pub mod relate;
pub mod relation;
pub mod relationship;
pub mod remove;
pub mod row;
pub mod run;
pub mod said;
pub mod schema;
pub mod shape;
pub mod source;
pub mod speaker;
pub mod timeline;
pub mod unmerge;
mod values;

pub use entity::Entity;
pub use observation::{Kind, Marker, Observation};
pub use reducer::State;
pub use schema::Schema;
pub use speaker::Speaker;
pub use values::Values;

/// The fields of a payload, an observation or a snapshot.
pub type Map = serde_json::Map<String, serde_json::Value>;
