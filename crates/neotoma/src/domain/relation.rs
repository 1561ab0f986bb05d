//! Relationship types, and which of them may not form cycles.

use serde::{Deserialize, Serialize};

/// A kind of edge between entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationType {
    pub name: String,
    /// Edges of this type never lead back to where they start.
    pub acyclic: bool,
}

const BUILTIN: [(&str, bool); 15] = [
    ("PART_OF", true),
    ("DEPENDS_ON", true),
    ("SUPERSEDES", true),
    ("CORRECTS", true),
    ("DUPLICATE_OF", true),
    ("REFERS_TO", false),
    ("SETTLES", false),
    ("works_at", false),
    // What documents say.
    ("ISSUED_BY", false),
    ("BILLED_TO", false),
    ("WORKS_FOR", false),
    ("ATTENDED", false),
    ("ASSIGNED_TO", false),
    ("ATTACHED_TO", false),
    ("REPLIES_TO", false),
];

/// The built-in relationship type of this name.
pub fn builtin_relation(name: &str) -> Option<RelationType> {
    builtin_relations().find(|relation| relation.name == name)
}

/// All built-in relationship types.
pub fn builtin_relations() -> impl Iterator<Item = RelationType> {
    BUILTIN.iter().map(|(name, acyclic)| RelationType { name: (*name).to_owned(), acyclic: *acyclic })
}

/// Whether a relationship type of this name can be registered: `^[A-Za-z][A-Za-z0-9_]{0,63}$`.
pub fn is_relation_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.len() <= 64
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_types_are_acyclic_and_the_others_are_free() {
        let acyclic: Vec<_> = builtin_relations().filter(|relation| relation.acyclic).map(|one| one.name).collect();
        assert_eq!(acyclic, ["PART_OF", "DEPENDS_ON", "SUPERSEDES", "CORRECTS", "DUPLICATE_OF"]);
        for free in ["REFERS_TO", "SETTLES", "works_at", "ISSUED_BY", "REPLIES_TO"] {
            assert_eq!(builtin_relation(free).map(|relation| relation.acyclic), Some(false));
        }
        assert_eq!(builtin_relation("part_of"), None);
    }

    #[test]
    fn names_are_plain_words() {
        for (name, allowed) in
            [("owns", true), ("A1_b", true), ("", false), ("1a", false), ("a-b", false), ("ä", false)]
        {
            assert_eq!(is_relation_name(name), allowed, "{name}");
        }
    }
}
