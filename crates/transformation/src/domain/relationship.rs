//! Relationships: what may join which elements. [`End`] is what one starts from or leads to, [`junction`] what holds where
//! several of them meet.

mod end;
pub mod junction;

use ledger::{Expectation, RecordKey, Seq};
use serde::{Deserialize, Serialize};

use super::element::Element;
use super::fact::kind;
use super::name::{Name, quoted};
use super::{Decision, Fact, Mention, Notes, Stored};
use crate::Error;
use crate::metamodel::{Concept, Grade, Profile, RelationshipType, derivation};

pub use end::End;
pub use junction::Junctions;

/// A relationship's state. Its type and its ends never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relationship {
    pub id: String,
    pub repository_id: String,
    pub model_id: String,
    pub r#type: RelationshipType,
    pub source_id: String,
    pub target_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(flatten)]
    pub attributes: Attributes,
}

/// What only some types of relationship have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// How an Access reaches its target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_type: Option<String>,
    /// How strongly an Influence works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<String>,
    /// Whether an Association has a direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directed: Option<bool>,
}

impl Relationship {
    /// A relationship with nothing but its ends.
    pub fn plain(id: &str, r#type: RelationshipType, source: &Element, target: &Element) -> Self {
        Self {
            id: id.to_owned(),
            repository_id: source.repository_id.clone(),
            model_id: source.model_id.clone(),
            r#type,
            source_id: source.id.clone(),
            target_id: target.id.clone(),
            name: None,
            description: None,
            attributes: Attributes::default(),
        }
    }

    pub fn key(&self) -> RecordKey {
        RecordKey::new(kind::RELATIONSHIP, &self.id)
    }

    /// It as an end of another one.
    pub fn mention(&self) -> Mention {
        let name = self.name.as_ref().map_or_else(|| format!("{} {}", self.r#type, self.id), ToString::to_string);
        Mention { id: self.id.clone(), name, r#type: Concept::RELATIONSHIP }
    }
}

/// A relationship together with its ends.
#[derive(Debug, Clone)]
pub struct Link {
    pub relationship: Relationship,
    pub source: Mention,
    pub target: Mention,
    pub source_version: u64,
    pub target_version: u64,
}

/// What a caller wants to create.
#[derive(Debug, Clone)]
pub struct CreateRelationship {
    pub id: String,
    pub r#type: RelationshipType,
    /// Id, key or name.
    pub source: String,
    /// Id, key or name.
    pub target: String,
    pub name: Option<Name>,
    pub description: Option<String>,
    pub attributes: Attributes,
}

/// What [`create`] is shown.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub source: End,
    pub target: End,
    /// Relationships of the same type with the same ends.
    pub duplicates: Vec<String>,
    /// The other wholes that the target is a part of by Composition.
    pub wholes: Vec<String>,
    /// True when a chain already leads from the target back to the source, along the types that may not close a circle.
    pub leads_back: bool,
    /// What meets where the source or the target is a junction.
    pub junctions: Junctions,
}

/// Decides whether a relationship may be created.
pub fn create(profile: Profile, around: &Surroundings, command: &CreateRelationship) -> Result<Decision<Link>, Error> {
    let (source, target) = (&around.source, &around.target);
    target.refuse_other_model("target_id", source.model_id())?;
    let (from, to) = (source.concept(), target.concept());
    if !profile.permits(command.r#type, from, to) {
        return Err(Error::NotPermitted {
            field: "type",
            relationship: command.r#type,
            source_type: from,
            target_type: to,
            permitted: profile.permitted(from, to),
            reversed: profile.permitted(to, from),
        });
    }
    end::refuse_touching(source, target)?;
    refuse_attributes(command)?;
    junction::refuse(profile, source, target, &around.junctions, command.r#type)?;
    let acyclic = command.r#type.acyclic_with();
    if !acyclic.is_empty() && (source.id() == target.id() || around.leads_back) {
        return Err(Error::Cycle { relationship: command.r#type, from: source.mention(), to: target.mention() });
    }
    let mut expectations = vec![Expectation::Exists { key: source.key() }, Expectation::Exists { key: target.key() }];
    if !acyclic.is_empty() {
        expectations.push(Expectation::NoPath {
            kind: kind::RELATIONSHIP.to_owned(),
            types: acyclic.iter().map(|of| of.label().to_owned()).collect(),
            from: target.id().to_owned(),
            to: source.id().to_owned(),
        });
    }
    expectations.extend(around.junctions.expectations());
    let relationship = Relationship {
        id: command.id.clone(),
        repository_id: source.repository_id().to_owned(),
        model_id: source.model_id().to_owned(),
        r#type: command.r#type,
        source_id: source.id().to_owned(),
        target_id: target.id().to_owned(),
        name: command.name.clone(),
        description: command.description.clone(),
        attributes: command.attributes.clone(),
    };
    let outcome = Link {
        source: source.mention(),
        target: target.mention(),
        source_version: source.version(),
        target_version: target.version(),
        relationship: relationship.clone(),
    };
    let notes = notes(profile, around, command);
    Ok(Decision { outcome, facts: vec![Fact::ElementRelationshipCreated(relationship)], expectations, notes })
}

/// What a caller wants to change.
#[derive(Debug, Clone)]
pub struct UpdateRelationship {
    pub id: String,
    /// `Some(None)` clears it.
    pub name: Option<Option<Name>>,
    /// `Some(None)` clears it.
    pub description: Option<Option<String>>,
    pub expected_version: Option<u64>,
}

/// What a caller wants to delete.
#[derive(Debug, Clone)]
pub struct DeleteRelationship {
    pub id: String,
    pub expected_version: Option<u64>,
}

/// A relationship at a version.
#[derive(Debug, Clone)]
pub struct Settled {
    pub relationship: Relationship,
    pub version: u64,
    /// Ids of the relationships that ended at it and went with it.
    pub also_deleted: Vec<String>,
}

/// Decides what becomes of a relationship.
pub fn update(before: &Stored<Relationship>, command: &UpdateRelationship) -> Result<Decision<Settled>, Error> {
    refuse_stale(before, command.expected_version)?;
    if command.name.is_none() && command.description.is_none() {
        return Err(Error::invalid(
            "update_relationship.name",
            "is missing, and so is description".to_owned(),
            "give at least one of name and description",
        ));
    }
    let mut relationship = before.state.clone();
    relationship.name = command.name.clone().unwrap_or(relationship.name);
    relationship.description = command.description.clone().unwrap_or(relationship.description);
    let (mut facts, mut version, mut notes) = (Vec::new(), before.version, Notes::default());
    if relationship == before.state {
        notes.unchanged();
    } else {
        version += 1;
        facts.push(Fact::ElementRelationshipUpdated(relationship.clone()));
    }
    Ok(Decision {
        facts,
        expectations: vec![Expectation::Version { key: before.key(), version: before.version }],
        outcome: Settled { relationship, version, also_deleted: Vec::new() },
        notes,
    })
}

/// Decides whether a relationship may go. `touching` are all that ended at it at `since`, or at one of those.
pub fn delete(
    before: &Stored<Relationship>,
    touching: &[Relationship],
    since: Seq,
    command: &DeleteRelationship,
) -> Result<Decision<Settled>, Error> {
    refuse_stale(before, command.expected_version)?;
    let mut notes = Notes::default();
    let also_deleted: Vec<String> = touching.iter().map(|relationship| relationship.id.clone()).collect();
    if !also_deleted.is_empty() {
        let message = format!("{} relationships that end at it are deleted with it", also_deleted.len());
        notes.warn("RELATIONSHIPS_DELETED", message, "Nothing to do; a relationship needs both of its ends");
    }
    notes.suggest("The relationship stays readable at an earlier read_context");
    let mut facts: Vec<Fact> = touching.iter().cloned().map(Fact::ElementRelationshipDeleted).collect();
    facts.push(Fact::ElementRelationshipDeleted(before.state.clone()));
    let mut expectations = vec![Expectation::Version { key: before.key(), version: before.version }];
    expectations.extend(links_unchanged(std::iter::once(&before.state).chain(touching), since));
    let outcome = Settled { relationship: before.state.clone(), version: before.version, also_deleted };
    Ok(Decision { facts, expectations, outcome, notes })
}

/// That nothing new ends at these relationships.
pub fn links_unchanged<'a>(
    relationships: impl Iterator<Item = &'a Relationship>,
    since: Seq,
) -> impl Iterator<Item = Expectation> {
    relationships.map(move |relationship| Expectation::LinksUnchanged { id: relationship.id.clone(), since })
}

fn refuse_stale(before: &Stored<Relationship>, expected: Option<u64>) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != before.version => {
            Err(Error::StaleRelationship { id: before.id.clone(), expected, actual: before.version })
        }
        _ => Ok(()),
    }
}

/// Refuses an element of another model.
pub fn refuse_other_model(field: &'static str, element: &Element, model_id: &str) -> Result<(), Error> {
    if element.model_id == model_id {
        return Ok(());
    }
    Err(Error::OtherModel {
        field,
        element: element.mention(),
        model_id: element.model_id.clone(),
        expected: model_id.to_owned(),
    })
}

/// Refuses what only another type of relationship has.
fn refuse_attributes(command: &CreateRelationship) -> Result<(), Error> {
    use RelationshipType::{Access, Association, Influence};
    let Attributes { access_type, strength, directed } = &command.attributes;
    let given = [
        ("access_type", access_type.is_some(), Access),
        ("strength", strength.is_some(), Influence),
        ("directed", directed.is_some(), Association),
    ];
    match given.into_iter().find(|&(_, given, only)| given && command.r#type != only) {
        None => Ok(()),
        Some((field, _, only)) => Err(Error::invalid(
            field,
            format!("belongs to {only} only, not to {}", command.r#type),
            format!("leave {field} out, or make it {only}"),
        )),
    }
}

fn notes(profile: Profile, around: &Surroundings, command: &CreateRelationship) -> Notes {
    let mut notes = Notes::default();
    let (source, target) = (&around.source, &around.target);
    let (from, to) = (quoted(&source.name()), quoted(&target.name()));
    if let Some(existing) = around.duplicates.first() {
        let message = format!("{} from {} to {} exists already ({existing})", command.r#type, from, target.name());
        notes.warn("DUPLICATE_RELATIONSHIP", message, "Keep one of the two unless they mean different things");
    }
    if command.r#type == RelationshipType::Composition
        && let Some(whole) = around.wholes.iter().find(|whole| whole.as_str() != source.id())
    {
        let message = format!("{} is already a part of {whole} by Composition", to);
        notes.warn("SECOND_WHOLE", message, "Use Aggregation for a part that several wholes share");
    }
    if derivation::grade(command.r#type, source.concept(), target.concept()) == Some(Grade::Potential) {
        let message =
            format!("{} from {} to {} holds only indirectly", command.r#type, source.concept(), target.concept());
        notes.warn("POTENTIAL_DERIVATION", message, "Check whether a more direct relationship says what you mean");
    }
    if profile.extends(command.r#type, source.concept(), target.concept()) {
        let message = format!(
            "{} from {} to {} is an extension of ArchiMate 3.2",
            command.r#type,
            source.concept(),
            target.concept()
        );
        notes.warn("METAMODEL_EXTENSION", message, "An exchange file will hold it as an Association named realizes");
    }
    notes.suggest(format!("It now reads: {} {} {}", from, command.r#type.verb(), to));
    notes.suggest(format!(
        "transformation.listRelationships with element_id {} shows what else touches it",
        source.id()
    ));
    notes
}

#[cfg(test)]
mod tests;
