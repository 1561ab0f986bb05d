//! The eleven relationship types.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::spelling;

/// An ArchiMate relationship type, in the order of the proto enum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RelationshipType {
    Composition,
    Aggregation,
    Assignment,
    Realization,
    Serving,
    Access,
    Influence,
    Association,
    Triggering,
    Flow,
    Specialization,
}

use RelationshipType::{
    Access, Aggregation, Assignment, Association, Composition, Flow, Influence, Realization, Serving, Specialization,
    Triggering,
};

impl RelationshipType {
    pub const COUNT: usize = Self::ALL.len();

    pub const ALL: [Self; 11] = [
        Composition,
        Aggregation,
        Assignment,
        Realization,
        Serving,
        Access,
        Influence,
        Association,
        Triggering,
        Flow,
        Specialization,
    ];

    /// The type that is spelled exactly so.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|candidate| candidate.label() == label)
    }

    /// The type that is meant by a looser spelling; see [`super::ElementType::from_spelling`].
    pub fn from_spelling(text: &str) -> Option<Self> {
        let folded = spelling::folded(text);
        Self::ALL.into_iter().find(|candidate| spelling::folded(candidate.label()) == folded)
    }

    /// The type behind a letter of the rules.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|candidate| candidate.letter() == letter)
    }

    pub fn index(self) -> usize {
        self as usize
    }

    pub fn label(self) -> &'static str {
        self.row().0
    }

    /// The letter that stands for the type in the rules.
    pub fn letter(self) -> char {
        self.row().1
    }

    /// What one reads along the arrow: `OrderService realizes Order handling`.
    pub fn verb(self) -> &'static str {
        self.row().2
    }

    /// What one reads against the arrow.
    pub fn verb_passive(self) -> &'static str {
        self.row().3
    }

    pub fn description(self) -> &'static str {
        match self {
            Composition => "The source is a whole that the target is an inseparable part of",
            Aggregation => "The source collects the target, which may also belong elsewhere",
            Assignment => "The source carries out, holds or is responsible for the target",
            Realization => "The source makes the more abstract target real",
            Serving => "The source provides what the target uses",
            Access => "The source reads or writes the passive target",
            Influence => "The source helps or hinders the motivation target",
            Association => "The two have to do with each other in a way that is not said",
            Triggering => "The source comes before the target or causes it",
            Flow => "Something passes from the source to the target",
            Specialization => "The source is a special kind of the target",
        }
    }

    /// Which way the arrow points, in words.
    pub fn direction(self) -> &'static str {
        match self {
            Composition | Aggregation => "source → target (whole → part)",
            Specialization => "source → target (special → general)",
            Association => "source → target (undirected unless directed is true)",
            _ => "source → target",
        }
    }

    /// The types along which a chain may not come back to where it started, this one included; empty for none.
    pub fn acyclic_with(self) -> &'static [Self] {
        match self {
            Composition | Aggregation => &[Composition, Aggregation],
            Specialization => &[Specialization],
            _ => &[],
        }
    }

    /// Label, letter, verb, passive verb.
    fn row(self) -> (&'static str, char, &'static str, &'static str) {
        match self {
            Composition => ("Composition", 'c', "is composed of", "is part of"),
            Aggregation => ("Aggregation", 'g', "aggregates", "is aggregated by"),
            Assignment => ("Assignment", 'i', "is assigned to", "is performed by"),
            Realization => ("Realization", 'r', "realizes", "is realized by"),
            Serving => ("Serving", 'v', "serves", "is served by"),
            Access => ("Access", 'a', "accesses", "is accessed by"),
            Influence => ("Influence", 'n', "influences", "is influenced by"),
            Association => ("Association", 'o', "is associated with", "is associated with"),
            Triggering => ("Triggering", 't', "triggers", "is triggered by"),
            Flow => ("Flow", 'f', "flows to", "receives flow from"),
            Specialization => ("Specialization", 's', "specializes", "is specialized by"),
        }
    }
}

impl fmt::Display for RelationshipType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_letters_read_back() {
        for of in RelationshipType::ALL {
            assert_eq!(RelationshipType::from_label(of.label()), Some(of));
            assert_eq!(RelationshipType::from_letter(of.letter()), Some(of));
            assert_eq!(RelationshipType::from_spelling(&of.label().to_uppercase()), Some(of));
        }
    }
}
