//! Testkit: what tests share. Never part of a release.
//!
//! [`conformance`] is a capability with everything that the protocol's official suite looks for; [`probe`] is one that
//! misbehaves on request. [`site`] serves any capability the way the product is served: same endpoint, same checks, same
//! HTTP door. [`raw`] speaks to it in plain bytes, so that a test can also say what no client library would.

pub mod conformance;
pub mod probe;
pub mod raw;
pub mod site;
