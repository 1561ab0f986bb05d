//! The table of permitted relationships: for each type and each source, the set of targets.
//!
//! All 62 concepts fit the bits of one word, so a question is a shift and the whole table is 5 KB.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{ElementType, Extension, RelationshipType};

/// Element types with Junction as the last of them, then Relationship as an endpoint.
pub const CONCEPTS: usize = ElementType::COUNT + 1;

/// Something a relationship can start from or lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Concept(u8);

impl Concept {
    pub const JUNCTION: Self = Self(60);
    pub const RELATIONSHIP: Self = Self(61);

    pub fn all() -> impl Iterator<Item = Self> {
        (0..62).map(Self)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    pub fn from_label(label: &str) -> Option<Self> {
        match label {
            "Relationship" => Some(Self::RELATIONSHIP),
            _ => ElementType::from_label(label).map(Self::from),
        }
    }

    /// What it is called; the inverse of [`Self::from_label`].
    pub fn label(self) -> &'static str {
        self.element_type().map_or("Relationship", ElementType::label)
    }

    /// None for a relationship.
    pub fn element_type(self) -> Option<ElementType> {
        ElementType::from_index(self.index())
    }

    pub fn bit(self) -> Concepts {
        Concepts(1 << self.0)
    }
}

impl From<ElementType> for Concept {
    fn from(of: ElementType) -> Self {
        Self(u8::try_from(of.index()).expect("all types fit a byte"))
    }
}

impl fmt::Display for Concept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl Serialize for Concept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

/// A set of concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Concepts(pub u64);

impl Concepts {
    pub const NONE: Self = Self(0);
    /// The sixty element types, without Junction.
    pub const ELEMENTS: Self = Self((1 << 60) - 1);

    pub fn contains(self, concept: Concept) -> bool {
        self.0 >> concept.0 & 1 == 1
    }

    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub fn iter(self) -> impl Iterator<Item = Concept> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = u8::try_from(rest.trailing_zeros()).ok().filter(|_| rest != 0)?;
            rest &= rest - 1;
            Some(Concept(lowest))
        })
    }
}

/// Which relationship types may join which concepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// By type, then by source: the permitted targets.
    targets: [[Concepts; CONCEPTS]; RelationshipType::COUNT],
}

impl Table {
    pub(super) fn empty() -> Self {
        Self { targets: [[Concepts::NONE; CONCEPTS]; RelationshipType::COUNT] }
    }

    /// The table that these rules and the four general rules give; the text of the first bad line otherwise.
    pub fn from_rules(sets: &str, rules: &str) -> Result<Self, String> {
        let mut table = Self::stated(&Sets::read(sets)?, rules)?;
        table.add_general_rules();
        Ok(table)
    }

    /// Only what the lines of `rules` state.
    pub(super) fn stated(sets: &Sets, rules: &str) -> Result<Self, String> {
        let mut table = Self::empty();
        for line in rules.lines().filter(|line| !line.trim().is_empty()) {
            table.add_line(sets, line).ok_or_else(|| line.to_owned())?;
        }
        Ok(table)
    }

    pub fn permits(&self, relationship: RelationshipType, source: Concept, target: Concept) -> bool {
        self.targets(relationship, source).contains(target)
    }

    pub fn targets(&self, relationship: RelationshipType, source: Concept) -> Concepts {
        self.targets[relationship.index()][source.index()]
    }

    /// The sources that may have this type of relationship to `target`.
    pub(super) fn sources(&self, relationship: RelationshipType, target: Concept) -> Concepts {
        Concept::all()
            .filter(|&source| self.permits(relationship, source, target))
            .fold(Concepts::NONE, |set, source| set.union(source.bit()))
    }

    /// How many of the 42,284 cells are permitted.
    pub fn permitted_count(&self) -> u32 {
        self.targets.iter().flatten().map(|targets| targets.len()).sum()
    }

    pub(super) fn add(&mut self, relationship: RelationshipType, source: Concept, targets: Concepts) -> bool {
        let cell = &mut self.targets[relationship.index()][source.index()];
        let grown = cell.union(targets);
        let changed = grown != *cell;
        *cell = grown;
        changed
    }

    /// A copy with one more triple.
    pub(super) fn with(&self, extension: Extension) -> Self {
        let mut table = self.clone();
        table.add(extension.relationship, extension.source.into(), Concept::from(extension.target).bit());
        table
    }

    fn add_line(&mut self, sets: &Sets, line: &str) -> Option<()> {
        let (letters, pair) = line.split_once(':')?;
        let (sources, targets) = pair.split_once("->")?;
        let sources = sets.evaluate(sources)?;
        for letter in letters.split_whitespace() {
            let relationship = RelationshipType::from_letter(letter.chars().next()?)?;
            for source in sources.iter() {
                let targets = if targets.trim() == "SELF" { source.bit() } else { sets.evaluate(targets)? };
                self.add(relationship, source, targets);
            }
        }
        Some(())
    }

    /// Grouping stands for anything, junctions pass on, association joins everything, and a few may hold relationships.
    pub(super) fn add_general_rules(&mut self) {
        let grouping = Concept::from_label("Grouping").expect("a type of the metamodel");
        let elements = Concepts::ELEMENTS;
        let others = elements.without(grouping.bit());
        for of in RelationshipType::ALL {
            let reached = others.iter().fold(Concepts::NONE, |set, source| set.union(self.targets(of, source)));
            for source in others.iter().filter(|&source| !self.targets(of, source).is_empty()).collect::<Vec<_>>() {
                self.add(of, source, grouping.bit());
            }
            self.add(of, grouping, reached.union(grouping.bit()));
            use RelationshipType::{Aggregation, Association, Composition, Specialization};
            if matches!(of, Composition | Aggregation | Specialization) {
                self.add(of, grouping, others);
            } else {
                self.add(of, Concept::JUNCTION, self.targets(of, grouping).common(elements));
            }
            for source in elements.union(Concept::JUNCTION.bit()).iter() {
                self.add(of, source, Concept::JUNCTION.bit());
            }
            if of == Association {
                for source in elements.iter() {
                    self.add(of, source, elements.union(Concept::JUNCTION.bit()).union(Concept::RELATIONSHIP.bit()));
                }
                self.add(of, Concept::JUNCTION, elements.union(Concept::JUNCTION.bit()));
                self.add(of, Concept::RELATIONSHIP, elements);
            }
            if matches!(of, Composition | Aggregation) {
                for label in ["Grouping", "Location", "Plateau"] {
                    let holder = Concept::from_label(label).expect("a type of the metamodel");
                    self.add(of, holder, Concept::RELATIONSHIP.bit());
                }
            }
        }
    }
}

/// Named sets of concepts.
pub(super) struct Sets(Vec<(String, Concepts)>);

impl Sets {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut sets = Self(Vec::new());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let set = line
                .split_once('=')
                .and_then(|(name, members)| Some((name.trim().to_owned(), sets.evaluate(members)?)));
            sets.0.push(set.ok_or_else(|| line.to_owned())?);
        }
        Ok(sets)
    }

    /// The set an expression such as `T_ACT -Device Product` denotes, from left to right.
    pub(super) fn evaluate(&self, expression: &str) -> Option<Concepts> {
        expression.split_whitespace().try_fold(Concepts::NONE, |set, word| match word.strip_prefix('-') {
            Some(word) => Some(set.without(self.named(word)?)),
            None => Some(set.union(self.named(word)?)),
        })
    }

    fn named(&self, word: &str) -> Option<Concepts> {
        let set = self.0.iter().find(|(name, _)| name == word).map(|(_, set)| *set);
        set.or_else(|| Concept::from_label(word).map(Concept::bit))
    }
}

#[cfg(test)]
mod tests;
