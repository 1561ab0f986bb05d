//! Transformation.
pub mod domain;
mod error;
pub mod metamodel;
pub use error::Error;
