//! The rules of the architecture model. None of it does I/O.
//!
//! A write hands over what it loaded and what the caller wants; a function here answers with a [`Decision`]: the facts
//! to record, what must still hold when they are recorded, and what the caller should know. Or with a refusal.
//! Start with [`element`] and [`relationship`]; [`definition`] and [`scrum`] stand beside the model, [`fact`] is what is
//! remembered.
//!
//! Invariants:
//! * an element keeps the type and the model it was created with;
//! * a fact holds the whole new state, so records fold from facts alone.

pub mod baseline;
pub mod capability_profile;
pub mod change_set;
pub mod compare;
pub mod decision;
pub mod definition;
pub mod diff;
pub mod element;
pub mod fact;
pub mod id;
pub mod key;
pub mod model;
pub mod name;
pub mod policy;
pub mod properties;
pub mod proposal;
pub mod relationship;
pub mod scrum;
pub mod template;
pub mod undo;
pub mod view;

pub use decision::{Decision, Mention, Notes, Resolved, Stored, Warning};
pub use fact::Fact;
pub use name::Name;
