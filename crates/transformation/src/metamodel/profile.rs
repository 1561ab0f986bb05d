//! Which table is in force: the standard's, or the standard's with our extension.

use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{Concept, ElementType, RelationshipType, Table, rules};

/// A metamodel profile. `ameide` is the default: the standard plus exactly one pair that the platform's templates need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Profile {
    #[default]
    Ameide,
    Strict,
}

/// A triple that a profile adds to the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extension {
    pub relationship: RelationshipType,
    pub source: ElementType,
    pub target: ElementType,
}

impl Profile {
    pub fn label(self) -> &'static str {
        match self {
            Self::Ameide => "ameide",
            Self::Strict => "archimate-3.2-strict",
        }
    }

    /// True when this type of relationship may lead from `source` to `target`.
    pub fn permits(
        self,
        relationship: RelationshipType,
        source: impl Into<Concept>,
        target: impl Into<Concept>,
    ) -> bool {
        self.table().permits(relationship, source.into(), target.into())
    }

    /// The types that may lead from `source` to `target`, in the order of [`RelationshipType::ALL`].
    pub fn permitted(self, source: impl Into<Concept>, target: impl Into<Concept>) -> Vec<RelationshipType> {
        let (source, target) = (source.into(), target.into());
        RelationshipType::ALL.into_iter().filter(|&of| self.permits(of, source, target)).collect()
    }

    /// True when the triple is permitted by this profile only and not by the standard.
    pub fn extends(
        self,
        relationship: RelationshipType,
        source: impl Into<Concept>,
        target: impl Into<Concept>,
    ) -> bool {
        let wanted = (relationship, source.into(), target.into());
        self.extension().is_some_and(|added| wanted == (added.relationship, added.source.into(), added.target.into()))
    }

    /// What this profile adds to the standard.
    pub fn extension(self) -> Option<Extension> {
        (self == Self::Ameide).then_some(Extension {
            relationship: RelationshipType::Realization,
            source: ElementType::CAPABILITY,
            target: ElementType::VALUE_STREAM,
        })
    }

    /// The permitted triples, built on first use.
    pub fn table(self) -> &'static Table {
        static STRICT: OnceLock<Table> = OnceLock::new();
        static AMEIDE: OnceLock<Table> = OnceLock::new();
        let strict = STRICT.get_or_init(|| {
            Table::from_rules(rules::SETS, rules::RULES).expect("the rules of this crate are well formed")
        });
        match self.extension() {
            None => strict,
            Some(extension) => AMEIDE.get_or_init(|| strict.with(extension)),
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Ameide, Self::Strict]
            .into_iter()
            .find(|profile| profile.label() == text)
            .ok_or_else(|| format!("a profile is ameide or archimate-3.2-strict, not {text}"))
    }
}

impl From<Profile> for &'static str {
    fn from(profile: Profile) -> Self {
        profile.label()
    }
}

impl TryFrom<String> for Profile {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_chosen_by_its_label() {
        for profile in [Profile::Ameide, Profile::Strict] {
            assert_eq!(profile.label().parse(), Ok(profile));
        }
        assert!("loose".parse::<Profile>().is_err());
    }

    // R-802 (table).
    #[test]
    fn the_default_profile_adds_exactly_one_pair() {
        assert_eq!(Profile::Strict.table().permitted_count(), 11_569);
        assert_eq!(Profile::Ameide.table().permitted_count(), 11_570);
        check(Profile::Ameide, "Capability", "ValueStream", "Realization Serving Association Triggering Flow");
        check(Profile::Strict, "Capability", "ValueStream", "Serving Association Triggering Flow");
    }

    //
    #[test]
    fn the_pairs_of_the_specification_hold() {
        check(
            Profile::Ameide,
            "ApplicationComponent",
            "ApplicationService",
            "Assignment Realization Serving Association Triggering Flow",
        );
        check(Profile::Ameide, "BusinessProcess", "BusinessService", "Realization Serving Association Triggering Flow");
        check(Profile::Ameide, "ApplicationService", "BusinessProcess", "Serving Association Triggering Flow");
        check(Profile::Ameide, "Capability", "ApplicationComponent", "Association");
        check(Profile::Ameide, "ApplicationComponent", "Capability", "Realization Association");
    }

    #[track_caller]
    fn check(profile: Profile, source: &str, target: &str, expected: &str) {
        let of = |label| ElementType::from_label(label).unwrap();
        let permitted: Vec<&str> =
            profile.permitted(of(source), of(target)).into_iter().map(RelationshipType::label).collect();
        assert_eq!(permitted.join(" "), expected);
    }
}
