//! How long texts and lists may be.

pub const NAME_CHARS_MAX: usize = 200;
pub const DESCRIPTION_CHARS_MAX: usize = 2000;
pub const STATEMENT_CHARS_MAX: usize = 2000;
pub const TURN_CHARS_MAX: usize = 10_000;
pub const SUMMARY_CHARS_MAX: usize = 2000;
pub const NOTES_CHARS_MAX: usize = 10_000;
pub const MEMORY_CHARS_MAX: usize = 2000;
pub const QUERY_CHARS_MAX: usize = 1000;
pub const RATIONALE_CHARS_MAX: usize = 2000;
pub const SNIPPET_CHARS_MAX: usize = 10_000;
/// Entities, events or pieces of evidence that one thing names.
pub const REFERENCES_MAX: usize = 100;
/// Entities that take part in a scene.
pub const PARTICIPANTS_MAX: usize = 100;
/// Proposals of one scene.
pub const PROPOSALS_MAX: usize = 1000;
/// Characters of JSON in the open content of a proposal.
pub const CONTENT_CHARS_MAX: usize = 20_000;
