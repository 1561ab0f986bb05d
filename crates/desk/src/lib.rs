//! Desk: what every capability does the same way.
//!
//! A capability decides and words; the desk carries out. [`Recorder`] is the write loop: recall, load and decide, commit,
//! decide again, replay. [`Failure`] says how that and reading may fail, for a capability to publish in its own codes.
//!
//! It is mechanism only: nothing here asks which capability it works for. What needs such an `if` belongs there.
//!
//! Invariants:
//! * a write happens at most once for each `client_request_id`, and is answered from the ledger when it is repeated;
//! * whatever is refused is refused with the field, the reason and the fix.

mod failure;
mod locks;
mod meta;
mod recorder;

pub use failure::Failure;
pub use locks::{Locks, LocksHeld};
pub use recorder::{Decision, Recordable, Recorder, Replayable};
