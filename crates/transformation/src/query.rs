//! The query side: what the model holds, and what a caller may write.
//!
//! [`ArchitectureQuery`] answers about the model at a point in history, [`SemanticQuery`] questions in plain words.
//! [`WriteGuide`] answers about writes before they are made, [`ProposalQuery`] and [`BaselineQuery`] about what waits and
//! what is agreed, [`DefinitionQuery`] and [`ScrumQuery`] about what stands beside the model, [`FactQuery`] about what
//! happened. None of them can commit.

mod architecture;
mod baseline;
mod definition;
mod fact_feed;
mod guide;
mod pairs;
mod proposals;
mod review;
mod scrum;
mod search;
mod semantic;
mod views;

pub use architecture::ArchitectureQuery;
pub use baseline::BaselineQuery;
pub use definition::DefinitionQuery;
pub use fact_feed::FactQuery;
pub(crate) use fact_feed::event_type;
pub use guide::{ArgumentCheck, WriteGuide};
pub use proposals::ProposalQuery;
pub use scrum::ScrumQuery;
pub use semantic::SemanticQuery;
