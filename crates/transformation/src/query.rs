//! The query side: what the model holds, and what a caller may write.
//!
//! [`ArchitectureQuery`] answers about the model at a point in history. [`WriteGuide`] answers about writes before they
//! are made, [`DefinitionQuery`] and [`ScrumQuery`] about what stands beside the model, [`FactQuery`] about what happened.
//! None of them can commit.

mod architecture;
mod definition;
mod fact_feed;
mod guide;
mod pairs;
mod scrum;

pub use architecture::ArchitectureQuery;
pub use definition::DefinitionQuery;
pub use fact_feed::FactQuery;
pub use guide::{ArgumentCheck, WriteGuide};
pub use scrum::ScrumQuery;
