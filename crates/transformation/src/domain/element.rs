//! Elements: what may be created; [`update`] and [`delete`] say what may become of them.

mod delete;
mod update;

use ledger::{Expectation, RecordKey};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::capability_profile::CapabilityProfile;
use super::fact::kind;
use super::model::Model;
use super::name::{Name, quoted};
use super::properties::Properties;
use super::relationship::{self, Link, Relationship};
use super::{Decision, Fact, Mention, Notes, Stored};
use crate::Error;
use crate::metamodel::{ElementType, Profile, RelationshipType};

pub use delete::{DeleteElement, Deleted, delete};
pub use update::{UpdateElement, Updated, update};

/// An element's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Element {
    pub id: String,
    pub repository_id: String,
    pub model_id: String,
    pub r#type: ElementType,
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Properties::is_empty")]
    pub properties: Properties,
    /// Capabilities only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<CapabilityProfile>,
    /// Junctions only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub junction: Option<JunctionKind>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Element {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::ELEMENT, id)
    }

    pub fn mention(&self) -> Mention {
        Mention { id: self.id.clone(), name: self.name.to_string(), r#type: self.r#type.into() }
    }
}

/// How a junction joins its relationships.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JunctionKind {
    #[default]
    And,
    Or,
}

/// What a caller wants to create. Ids and time come with the call.
#[derive(Debug, Clone)]
pub struct CreateElement {
    pub id: String,
    /// Whether the caller chose the id.
    pub chosen_id: bool,
    /// For the relationship from the parent, if there is one.
    pub relationship_id: String,
    pub now: Timestamp,
    pub r#type: ElementType,
    pub name: Name,
    pub key: Option<String>,
    pub description: Option<String>,
    pub properties: Properties,
    pub profile: Option<CapabilityProfile>,
    /// Junctions only; `and` when it is left out.
    pub junction: Option<JunctionKind>,
    /// Id, key or name; none for the active model.
    pub model: Option<String>,
    /// Id, key or name.
    pub parent: Option<String>,
}

/// What [`create`] is shown.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub repository_id: String,
    pub model_id: String,
    /// Elements of the model with the same normalised name, whatever their type.
    pub namesakes: Vec<Stored<Element>>,
    pub key_holder: Option<Mention>,
    pub parent: Option<Stored<Element>>,
}

/// An element that may come to be, and the relationship that makes it a part.
#[derive(Debug, Clone)]
pub struct Created {
    pub element: Element,
    pub link: Option<Link>,
}

/// Decides whether an element may be created.
pub fn create(profile: Profile, around: &Surroundings, command: &CreateElement) -> Result<Decision<Created>, Error> {
    refuse_namesake(&command.name, command.r#type, None, &around.namesakes)?;
    if let (Some(key), Some(holder)) = (&command.key, &around.key_holder) {
        return Err(Error::DuplicateKey { key: key.clone(), existing: holder.clone() });
    }
    let element = Element {
        id: command.id.clone(),
        repository_id: around.repository_id.clone(),
        model_id: around.model_id.clone(),
        r#type: command.r#type,
        name: command.name.clone(),
        key: command.key.clone(),
        description: command.description.clone(),
        properties: command.properties.clone(),
        profile: command.profile.clone(),
        junction: junction(command)?,
        created_at: command.now,
        updated_at: command.now,
    };
    let mut notes = Notes::default();
    note_namesakes(&mut notes, &element, &around.namesakes);
    note_missing_description(&mut notes, &element);
    let mut expectations = vec![Expectation::Exists { key: Model::key_of(&around.model_id) }];
    let mut facts = vec![Fact::ElementCreated(element.clone())];
    let link =
        around.parent.as_ref().map(|parent| become_part(profile, parent, &element, command, &mut notes)).transpose()?;
    if let Some(link) = &link {
        expectations.push(Expectation::Exists { key: Element::key_of(&link.relationship.source_id) });
        facts.push(Fact::ElementRelationshipCreated(link.relationship.clone()));
    }
    notes.suggest(format!(
        "Relate {} to other elements with transformation.createRelationship",
        quoted(element.name.as_str())
    ));
    Ok(Decision { outcome: Created { element, link }, facts, expectations, notes })
}

fn junction(command: &CreateElement) -> Result<Option<JunctionKind>, Error> {
    match (command.r#type == ElementType::JUNCTION, command.junction) {
        (true, kind) => Ok(Some(kind.unwrap_or_default())),
        (false, None) => Ok(None),
        (false, Some(_)) => {
            let reason = format!("belongs to Junction only, not to {}", command.r#type);
            Err(Error::invalid("junction_kind", reason, "leave junction_kind out, or make it a Junction"))
        }
    }
}

/// The relationship that makes `child` a part of `parent`: Composition, or Aggregation where only that is permitted.
fn become_part(
    profile: Profile,
    parent: &Stored<Element>,
    child: &Element,
    command: &CreateElement,
    notes: &mut Notes,
) -> Result<Link, Error> {
    relationship::refuse_other_model("parent_id", parent, &child.model_id)?;
    let by = [RelationshipType::Composition, RelationshipType::Aggregation]
        .into_iter()
        .find(|&by| profile.permits(by, parent.r#type, child.r#type))
        .ok_or_else(|| Error::NotPermitted {
            field: "parent_id",
            relationship: RelationshipType::Composition,
            source_type: parent.r#type.into(),
            target_type: child.r#type.into(),
            permitted: profile.permitted(parent.r#type, child.r#type),
            reversed: profile.permitted(child.r#type, parent.r#type),
        })?;
    if by == RelationshipType::Aggregation {
        notes.warn(
            "PARENT_BY_AGGREGATION",
            format!("{} may not be composed of {}, so the parent aggregates it", parent.r#type, child.r#type),
            "Nothing to do; Aggregation is the closest permitted relationship",
        );
    }
    let relationship = Relationship::plain(&command.relationship_id, by, parent, child);
    Ok(Link {
        relationship,
        source: parent.mention(),
        target: child.mention(),
        source_version: parent.version,
        target_version: 1,
    })
}

/// Refuses a change that was decided on another version.
fn refuse_stale(element: &Stored<Element>, expected: Option<u64>) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != element.version => {
            Err(Error::StaleVersion { element: element.mention(), expected, actual: element.version })
        }
        _ => Ok(()),
    }
}

/// Refuses a name that another element of the same type has.
pub(super) fn refuse_namesake(
    name: &Name,
    r#type: ElementType,
    own_id: Option<&str>,
    namesakes: &[Stored<Element>],
) -> Result<(), Error> {
    let unique = r#type != ElementType::JUNCTION;
    match namesakes.iter().find(|other| unique && other.r#type == r#type && Some(other.id.as_str()) != own_id) {
        None => Ok(()),
        Some(holder) => Err(Error::DuplicateName {
            field: "name".to_owned(),
            name: name.clone(),
            model_id: holder.model_id.clone(),
            existing: holder.mention(),
            alternatives: Vec::new(),
        }),
    }
}

fn note_namesakes(notes: &mut Notes, element: &Element, namesakes: &[Stored<Element>]) {
    for other in namesakes.iter().filter(|other| other.r#type != element.r#type) {
        notes.warn(
            "SAME_NAME_OTHER_TYPE",
            format!("{} {} ({}) has the same name", other.r#type, quoted(other.name.as_str()), other.id),
            "Refer to elements of this name by id, or give one of them another name",
        );
    }
}

fn note_missing_description(notes: &mut Notes, element: &Element) {
    if element.description.is_none() && element.junction.is_none() {
        notes.warn("MISSING_DESCRIPTION", "Element has no description", "Add a description for better discoverability");
    }
}

#[cfg(test)]
mod tests;
