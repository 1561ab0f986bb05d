//! The spine through its doors: raw HTTP on a free port, and stdio through a pipe.
//!
//! [`harness`] starts a site and words requests of both eras; each other module proves one group of requirements, whose
//! numbers stand above the tests.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod admission;
mod calls;
mod confirmation;
mod follow;
mod harness;
mod limits;
mod messages;
mod names;
mod operators;
mod random;
mod rates;
mod refusals;
mod sessions;
mod short_way;
mod stdio;
mod versions;
