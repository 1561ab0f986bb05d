//! Scope: who asks, inside which walls, and when.
//!
//! These are the types that every other crate shares: the tenant that owns a row, the principal that
//! makes a call, a moment in time, and where new ids come from. Nothing here does I/O except
//! [`SystemClock`] and [`RandomIds`], the two doors through which time and chance enter. [`pace`] is for work that
//! may be long.
//!
//! Invariants:
//! * a [`TenantId`] is never empty and holds printable ASCII only, so it can lead every key;
//! * a [`Timestamp`] is a whole number of microseconds since 1970 in UTC.

mod ids;
pub mod pace;
pub mod pattern;
mod principal;
mod time;

pub use ids::{IdSource, InvalidId, RandomIds, RepositoryId, SequentialIds, TenantId};
pub use principal::{Principal, PrincipalKind, Scope, Words};
pub use time::{Clock, FixedClock, InvalidTimestamp, SystemClock, Timestamp};
