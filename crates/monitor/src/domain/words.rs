//! The fixed words of a story world, spelled as they are published.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares a closed set of words.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$default:meta])? $variant:ident = $text:literal),+ $(,)? })+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
            pub enum $name {
                $($(#[$default])? #[serde(rename = $text)] $variant),+
            }

            impl $name {
                pub const ALL: &'static [Self] = &[$(Self::$variant),+];

                pub fn as_str(self) -> &'static str {
                    match self {
                        $(Self::$variant => $text),+
                    }
                }

                /// The word, if it is spelled exactly so.
                pub fn of(text: &str) -> Option<Self> {
                    Self::ALL.iter().copied().find(|word| word.as_str() == text)
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(self.as_str())
                }
            }
        )+
    };
}

words! {
    /// Who stands behind a claim.
    Authority { Source = "source", Gm = "gm", Player = "player", #[default] System = "system" }

    /// How firm something stands in the canon. Nothing leaves it: what no longer holds is retconned.
    CanonLevel { #[default] Proposed = "proposed", Canon = "canon", Retconned = "retconned" }

    /// How firm a source stands.
    SourceLevel { #[default] Proposed = "proposed", Canon = "canon", Authoritative = "authoritative" }

    SourceType { #[default] Manual = "manual", Rulebook = "rulebook", Lore = "lore", Session = "session" }

    /// An archetype, or an instance that has a state.
    EntityClass { #[default] Axiomatica = "EntityAxiomatica", Concreta = "EntityConcreta" }

    EntityType {
        #[default] Character = "character",
        Faction = "faction",
        Location = "location",
        Object = "object",
        Concept = "concept",
        Organization = "organization",
    }

    /// What sort of statement a fact makes.
    FactType { State = "state", Relationship = "relationship", #[default] Attribute = "attribute", Occurrence = "occurrence" }

    StoryType { #[default] Campaign = "campaign", Arc = "arc", Episode = "episode", OneShot = "one_shot" }

    StoryStatus { Planned = "planned", #[default] Active = "active", Completed = "completed", Abandoned = "abandoned" }

    SceneStatus { #[default] Active = "active", Finalizing = "finalizing", Completed = "completed" }

    /// Who says a turn.
    Speaker { #[default] User = "user", Gm = "gm", Entity = "entity" }

    ProposalType {
        #[default] Fact = "fact",
        Entity = "entity",
        Relationship = "relationship",
        StateChange = "state_change",
        Event = "event",
    }

    ProposalStatus { #[default] Pending = "pending", Accepted = "accepted", Rejected = "rejected" }

    /// What a piece of evidence is.
    EvidenceKind { #[default] Turn = "turn", Snippet = "snippet", Source = "source", Rule = "rule", Scene = "scene" }

    ActionType {
        Combat = "combat",
        Skill = "skill",
        Social = "social",
        Exploration = "exploration",
        Magic = "magic",
        #[default] Other = "other",
    }

    ResolutionType {
        Dice = "dice",
        Card = "card",
        #[default] Narrative = "narrative",
        Deterministic = "deterministic",
        Contested = "contested",
    }

    SuccessLevel {
        CriticalSuccess = "critical_success",
        #[default] Success = "success",
        PartialSuccess = "partial_success",
        Failure = "failure",
        CriticalFailure = "critical_failure",
    }

    /// How a document is cut.
    DocumentKind { #[default] Text = "text", Rulebook = "rulebook" }
}
