//! The query side: what the model holds, and what a caller may write.
//!
//! [`ArchitectureQuery`] answers about the model at a point in history. [`WriteGuide`] answers about writes before they
//! are made. Neither can commit.

mod architecture;
mod baseline;
mod guide;
mod pairs;

pub use architecture::ArchitectureQuery;
pub use baseline::BaselineQuery;
pub use guide::{ArgumentCheck, WriteGuide};
