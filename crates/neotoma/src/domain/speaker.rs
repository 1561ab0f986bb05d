//! Who speaks, and what their words count for. It follows from who calls, not from what they say about themselves.

use scope::{Principal, PrincipalKind};

use super::Kind;
use super::observation::CORRECTION_PRIORITY;
use crate::Error;

/// The priority of what is stored when nobody says another.
pub const PRIORITY: f64 = 100.0;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    Person,
    Agent,
    Service,
}

impl Speaker {
    pub fn of(principal: &Principal) -> Self {
        match principal.kind {
            PrincipalKind::User => Self::Person,
            PrincipalKind::Agent => Self::Agent,
            PrincipalKind::Service => Self::Service,
        }
    }

    /// What sort of origin it is.
    pub fn kind(self) -> Kind {
        match self {
            Self::Person => Kind::Human,
            Self::Agent => Kind::LlmSummary,
            Self::Service => Kind::WorkflowState,
        }
    }

    /// The priority of a correction: that of a machine stays below every correction that a person makes.
    pub fn correction_priority(self) -> f64 {
        match self {
            Self::Person => CORRECTION_PRIORITY,
            Self::Agent | Self::Service => CORRECTION_PRIORITY - 1.0,
        }
    }

    /// The kind of what is stored, when `claimed` is what the sender says. Only a person speaks as a human.
    pub fn permitted_kind(self, claimed: Option<Kind>) -> Result<Option<Kind>, Error> {
        match (self, claimed) {
            (Self::Person, claimed) => Ok(claimed),
            (Self::Agent | Self::Service, Some(Kind::Human)) => Err(Error::NotPermitted {
                field: "provenance.kind",
                act: "speak as a human".to_owned(),
                reason: "agents and services are none".to_owned(),
                fix: "leave provenance.kind out, or give the kind that you are, for example llm_summary".to_owned(),
            }),
            (Self::Agent | Self::Service, claimed) => Ok(Some(claimed.unwrap_or(self.kind()))),
        }
    }

    /// Refuses a priority above what the words of a machine count for.
    pub fn permitted_priority(self, given: f64) -> Result<f64, Error> {
        if self == Self::Person || given <= PRIORITY {
            return Ok(given);
        }
        Err(Error::NotPermitted {
            field: "source_priority",
            act: format!("store with a priority above {PRIORITY}"),
            reason: "agents and services do not outrank people".to_owned(),
            fix: format!("leave source_priority out, or give at most {PRIORITY}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_speaks_as_a_human() {
        check(Speaker::Person, Some(Kind::Human), "Some(Human)");
        check(Speaker::Person, None, "None");
        check(Speaker::Agent, None, "Some(LlmSummary)");
        check(Speaker::Agent, Some(Kind::Import), "Some(Import)");
        check(Speaker::Service, None, "Some(WorkflowState)");
        check(Speaker::Agent, Some(Kind::Human), "You may not speak as a human: agents and services are none");
    }

    #[track_caller]
    fn check(speaker: Speaker, claimed: Option<Kind>, expected: &str) {
        let shown =
            speaker.permitted_kind(claimed).map_or_else(|refusal| refusal.to_string(), |kind| format!("{kind:?}"));
        assert_eq!(shown, expected);
    }

    #[test]
    fn no_machine_outranks_a_person() {
        assert!(Speaker::Agent.permitted_priority(100.0).is_ok() && Speaker::Agent.permitted_priority(101.0).is_err());
        assert!(Speaker::Person.permitted_priority(999.0).is_ok());
        assert!(Speaker::Agent.correction_priority() < Speaker::Person.correction_priority());
    }
}
