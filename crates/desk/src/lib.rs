//! Desk: what every capability does the same way.
//!
//! A capability decides and words; the desk carries it out: the write loop, stored rows, page tokens, points in history,
//! the policy and the feed of facts. It is mechanism only: nothing here asks which capability it works for.
