//! What may change about an element.

use ledger::Expectation;
use scope::Timestamp;

use super::{Element, note_missing_description, note_namesakes, refuse_namesake, refuse_stale};
use crate::Error;
use crate::domain::capability_profile::ProfileChange;
use crate::domain::decision::version_id;
use crate::domain::properties::{self, Properties};
use crate::domain::{Decision, Fact, Name, Notes, Stored};
use crate::metamodel::ElementType;

/// What a caller wants to change.
#[derive(Debug, Clone)]
pub struct UpdateElement {
    /// Id, key or name.
    pub element: String,
    pub now: Timestamp,
    pub name: Option<Name>,
    /// `Some(None)` clears it.
    pub description: Option<Option<String>>,
    pub properties: Option<Properties>,
    pub profile: Option<ProfileChange>,
    pub expected_version: Option<u64>,
}

/// An element before and after a change.
#[derive(Debug, Clone)]
pub struct Updated {
    pub element: Element,
    pub previous_version: u64,
    /// The same as the previous one when nothing changes.
    pub version: u64,
}

/// Decides what becomes of `element`. `namesakes` are elements of its model with the new name.
pub fn update(
    element: &Stored<Element>,
    namesakes: &[Stored<Element>],
    command: &UpdateElement,
) -> Result<Decision<Updated>, Error> {
    refuse_stale(element, command.expected_version)?;
    if command.name.is_none()
        && command.description.is_none()
        && command.properties.as_ref().is_none_or(Properties::is_empty)
        && command.profile.is_none()
    {
        return Err(Error::invalid(
            "name",
            "is missing, and so are description and properties".to_owned(),
            "give at least one of name, description, properties and profile",
        ));
    }
    let mut changed = element.state.clone();
    let mut notes = Notes::default();
    if let Some(name) = &command.name {
        refuse_namesake(name, element.r#type, Some(&element.id), namesakes)?;
        changed.name = name.clone();
        note_namesakes(&mut notes, &changed, namesakes);
    }
    if let Some(description) = &command.description {
        changed.description = description.clone();
    }
    if let Some(changes) = &command.properties {
        changed.properties = properties::merged(&element.properties, changes.clone())?;
    }
    if let Some(profile) = &command.profile {
        if element.r#type != ElementType::CAPABILITY {
            let reason = format!("belongs to capabilities only, not to {}", element.r#type);
            return Err(Error::invalid("profile", reason, "leave it out, or keep such facts in properties"));
        }
        changed.profile = Some(profile.clone().onto(element.profile.as_ref())?);
    }
    note_missing_description(&mut notes, &changed);
    let (mut facts, mut version) = (Vec::new(), element.version);
    if changed == element.state {
        notes.unchanged();
    } else {
        version += 1;
        changed.updated_at = command.now;
        facts.push(Fact::ElementUpdated(changed.clone()));
    }
    notes.suggest(format!("Cite {} when you rely on this state", version_id(&changed.id, version)));
    Ok(Decision {
        facts,
        expectations: vec![Expectation::Version { key: element.key(), version: element.version }],
        outcome: Updated { element: changed, previous_version: element.version, version },
        notes,
    })
}
