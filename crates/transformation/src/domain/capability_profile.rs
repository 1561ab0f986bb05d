//! Who answers for a capability and how it stands.

use serde::{Deserialize, Serialize};

use crate::Error;

/// A capability's profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapabilityProfile {
    pub owner: String,
    pub criticality: Criticality,
    pub lifecycle: Lifecycle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Criticality {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lifecycle {
    Planned,
    Active,
    Deprecated,
    Retired,
}

/// The parts of a profile that a caller gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileChange {
    pub owner: Option<String>,
    pub criticality: Option<Criticality>,
    pub lifecycle: Option<Lifecycle>,
}

impl ProfileChange {
    /// The whole profile of a new capability; every part is required.
    pub fn whole(self) -> Result<CapabilityProfile, Error> {
        let missing = |field: &str, fix: &str| Error::invalid(format!("profile.{field}"), "is missing".to_owned(), fix);
        Ok(CapabilityProfile {
            owner: owner(self.owner.ok_or_else(|| missing("owner", "say who answers for the capability"))?)?,
            criticality: self.criticality.ok_or_else(|| missing("criticality", "give Low, Medium or High"))?,
            lifecycle: self
                .lifecycle
                .ok_or_else(|| missing("lifecycle", "give Planned, Active, Deprecated or Retired"))?,
        })
    }

    /// `profile` with the given parts changed; a capability without one needs all of them.
    pub fn onto(self, profile: Option<&CapabilityProfile>) -> Result<CapabilityProfile, Error> {
        let Some(profile) = profile else { return self.whole() };
        Ok(CapabilityProfile {
            owner: self.owner.map(owner).transpose()?.unwrap_or_else(|| profile.owner.clone()),
            criticality: self.criticality.unwrap_or(profile.criticality),
            lifecycle: self.lifecycle.unwrap_or(profile.lifecycle),
        })
    }
}

fn owner(text: String) -> Result<String, Error> {
    let trimmed = text.trim();
    match trimmed.is_empty() || trimmed.chars().any(char::is_control) {
        true => Err(Error::invalid("profile.owner", "is not a name".to_owned(), "say who answers for the capability")),
        false => Ok(trimmed.to_owned()),
    }
}
