//! Testkit: what tests share. Never part of a release.
//!
//! [`conformance`] is a capability with everything that the protocol's official suite looks for, and [`site`] serves any
//! capability the way the product is served: same endpoint, same checks, same HTTP door.

pub mod conformance;
pub mod site;
