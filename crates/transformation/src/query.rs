//! The query side: what the model holds, and what a caller may write.
//!
//! [`ArchitectureQuery`] answers about the model at a point in history, [`SemanticQuery`] questions in plain words.
//! [`WriteGuide`] answers about writes before they are made. None of them can commit.

mod architecture;
mod guide;
mod pairs;
mod search;
mod semantic;

pub use architecture::ArchitectureQuery;
pub use guide::{ArgumentCheck, WriteGuide};
pub use semantic::SemanticQuery;
