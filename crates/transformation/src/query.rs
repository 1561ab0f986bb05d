//! The query side: what the model holds, and what a caller may write.
//!
//! [`ArchitectureQuery`] answers about the model at a point in history, [`SemanticQuery`] questions in plain words.
//! [`WriteGuide`] answers about writes before they are made. None of them can commit.

mod architecture;
mod baseline;
mod guide;
mod pairs;
mod proposals;
mod search;
mod semantic;
mod views;

pub use architecture::ArchitectureQuery;
pub use baseline::BaselineQuery;
pub use guide::{ArgumentCheck, WriteGuide};
pub use proposals::ProposalQuery;
pub use semantic::SemanticQuery;
