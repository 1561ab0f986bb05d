//! The ArchiMate 3.2 metamodel: which types exist, and which relationships may join them.
//!
//! [`ElementType`], [`RelationshipType`] and [`Layer`] are the vocabulary. [`Profile`] answers the one question the
//! write side has: may this type of relationship lead from here to there? Its [`Table`] is built once from the set
//! rules in [`rules`]; [`derivation`] makes the same table a second way, from a small base and the derivation rules,
//! and so grades every permitted triple.
//!
//! Invariants:
//! * types keep the order of the proto enums, so a proto number is an index plus one;
//! * both ways to the table agree in all 62 x 62 x 11 cells.

pub mod derivation;
mod element_type;
pub mod everyday;
mod layer;
mod profile;
mod relationship_type;
pub mod rules;
mod spelling;
mod table;
pub mod viewpoint;

pub use derivation::Grade;
pub use element_type::ElementType;
pub use layer::Layer;
pub use profile::{Extension, Profile};
pub use relationship_type::RelationshipType;
pub use spelling::{folded, meant_or_nearest, nearest};
pub use table::{CONCEPTS, Concept, Concepts, Table};

/// The version of the standard this metamodel states.
pub const VERSION: &str = "3.2";
