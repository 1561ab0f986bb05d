//! Desk: what every capability does the same way.
//!
//! A capability decides and words; the desk carries out. A write asks the [`policy`] and goes through [`Recorder`]: recall,
//! load and decide, commit, decide again, replay. A read resolves its point in history ([`points`]), reads [`Stored`] rows in a [`View`],
//! keeps its answer within [`bounds`] and hands out [`PageTokens`]. [`Follower`] announces what changed, [`feed`] gives the
//! facts to consumers. [`Module`] is what a server mounts. [`Failure`] says how all of it may fail, for a capability to publish in its own codes.
//!
//! It is mechanism only: nothing here asks which capability it works for. What needs such an `if` belongs there.
//!
//! Invariants:
//! * a write happens at most once for each `client_request_id`, and is answered from the ledger when it is repeated;
//! * a point that has not happened yet is refused wherever a caller names one;
//! * whatever is refused is refused with the field, the reason and the fix.

pub mod bounds;
mod failure;
pub mod feed;
mod follower;
mod locks;
mod meta;
pub mod module;
pub mod names;
pub mod page;
pub mod points;
pub mod policy;
mod recorder;
mod stored;
#[cfg(test)]
mod testing;
mod view;

pub use failure::Failure;
pub use follower::{Follower, Shows};
pub use locks::{Locks, LocksHeld};
pub use module::Module;
pub use page::{PageTokens, PagedQuery, Place};
pub use recorder::{Answer, Decision, Marks, Recordable, Recorder, encode};
pub use stored::Stored;
pub use view::View;
