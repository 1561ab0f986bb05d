//! Tests of the capability from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod corpus;
mod interpret_hostile;
