//! Writes that make several elements and relationships at once. Each is one decision, so it happens whole or not at all.

use std::collections::BTreeMap;

use ledger::Expectation;
use scope::Timestamp;

use super::element::{Element, refuse_namesake};
use super::model::Model;
use super::properties::Properties;
use super::relationship::{Link, Relationship};
use super::{Decision, Fact, Name, Notes, Stored};
use crate::Error;
use crate::metamodel::{ElementType, Profile, RelationshipType};

/// A capability with its parts and the value streams it realizes.
#[derive(Debug, Clone)]
pub struct CreateStructure {
    pub name: Name,
    pub description: Option<String>,
    pub value_streams: Vec<Name>,
    pub sub_capabilities: Vec<Name>,
    /// Id, key or name; none for the active model.
    pub model: Option<String>,
    /// For all that it makes, in the order of making.
    pub ids: Vec<String>,
    pub now: Timestamp,
}

impl CreateStructure {
    /// How many ids it needs: for itself, and for each part with its relationship.
    pub fn ids_needed(parts: usize) -> usize {
        1 + 2 * parts
    }
}

/// A component that realizes a capability, with the services it provides.
#[derive(Debug, Clone)]
pub struct AddComponent {
    /// Id, key or name.
    pub capability: String,
    pub name: Name,
    pub description: Option<String>,
    pub services: Vec<Name>,
    /// For all that it makes, in the order of making.
    pub ids: Vec<String>,
    pub now: Timestamp,
}

impl AddComponent {
    /// How many ids it needs: for the component, and for each service, with their relationships.
    pub fn ids_needed(services: usize) -> usize {
        2 + 2 * services
    }
}

/// What a template is shown.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub repository_id: String,
    pub model_id: String,
    /// Elements of the model by normalised name, for each name that the template would take.
    pub namesakes: BTreeMap<String, Vec<Stored<Element>>>,
}

/// What a template made: the element it is about, then all elements and relationships in the order of making.
#[derive(Debug, Clone)]
pub struct Made {
    pub elements: Vec<Element>,
    pub links: Vec<Link>,
}

/// Decides whether a capability structure may be created.
pub fn create_structure(
    profile: Profile,
    around: &Surroundings,
    command: &CreateStructure,
) -> Result<Decision<Made>, Error> {
    let mut making = Making::new(profile, around, &command.ids, command.now);
    let whole = making.element("name", ElementType::CAPABILITY, &command.name, command.description.clone())?;
    for (index, name) in command.value_streams.iter().enumerate() {
        let stream = making.element(&format!("value_streams[{index}]"), ElementType::VALUE_STREAM, name, None)?;
        making.realize_stream(whole, stream)?;
    }
    for (index, name) in command.sub_capabilities.iter().enumerate() {
        let part = making.element(&format!("sub_capabilities[{index}]"), ElementType::CAPABILITY, name, None)?;
        making.relate(RelationshipType::Composition, whole, part)?;
    }
    making.notes.suggest("Add components with transformation.addComponentToCapability");
    Ok(making.decision(None))
}

/// Decides whether a component may be added to a capability.
pub fn add_component(
    profile: Profile,
    around: &Surroundings,
    capability: &Stored<Element>,
    command: &AddComponent,
) -> Result<Decision<Made>, Error> {
    if capability.r#type != ElementType::CAPABILITY {
        let reason = format!("names {} '{}', which is not a Capability", capability.r#type, capability.name);
        return Err(Error::invalid(
            "capability_id",
            reason,
            "name a Capability; transformation.searchCapabilities lists them",
        ));
    }
    let mut making = Making::new(profile, around, &command.ids, command.now);
    let component = making.element(
        "component_name",
        ElementType::APPLICATION_COMPONENT,
        &command.name,
        command.description.clone(),
    )?;
    making.realize(component, capability)?;
    for (index, name) in command.services.iter().enumerate() {
        let service = making.element(&format!("services[{index}]"), ElementType::APPLICATION_SERVICE, name, None)?;
        making.relate(RelationshipType::Realization, component, service)?;
    }
    making.notes.suggest("Describe what the services serve with transformation.createRelationship");
    Ok(making.decision(Some(capability)))
}

/// A template at work.
struct Making<'a> {
    profile: Profile,
    around: &'a Surroundings,
    ids: std::slice::Iter<'a, String>,
    now: Timestamp,
    elements: Vec<Element>,
    links: Vec<Link>,
    notes: Notes,
}

impl<'a> Making<'a> {
    fn new(profile: Profile, around: &'a Surroundings, ids: &'a [String], now: Timestamp) -> Self {
        Self { profile, around, ids: ids.iter(), now, elements: Vec::new(), links: Vec::new(), notes: Notes::default() }
    }

    fn next_id(&mut self) -> String {
        self.ids.next().expect("a template is given as many ids as it needs").clone()
    }

    /// Makes an element and gives its place among the new ones.
    fn element(
        &mut self,
        field: &str,
        r#type: ElementType,
        name: &Name,
        description: Option<String>,
    ) -> Result<usize, Error> {
        let taken = |other: &Element| other.r#type == r#type && other.name.normalised() == name.normalised();
        if self.elements.iter().any(taken) {
            let reason = format!("repeats the {type} '{name}' of this call");
            return Err(Error::invalid(field, reason, "give each name once"));
        }
        let namesakes = self.around.namesakes.get(&name.normalised()).map_or(&[][..], Vec::as_slice);
        refuse_namesake(name, r#type, None, namesakes).map_err(|refusal| at_field(refusal, field))?;
        let id = self.next_id();
        self.elements.push(Element {
            id,
            repository_id: self.around.repository_id.clone(),
            model_id: self.around.model_id.clone(),
            r#type,
            name: name.clone(),
            key: None,
            description,
            properties: Properties::new(),
            profile: None,
            junction: None,
            created_at: self.now,
            updated_at: self.now,
        });
        Ok(self.elements.len() - 1)
    }

    /// Capability to ValueStream: the profile says which relationship it is.
    fn realize_stream(&mut self, capability: usize, stream: usize) -> Result<(), Error> {
        use RelationshipType::{Realization, Serving};
        if self.profile.permits(Realization, ElementType::CAPABILITY, ElementType::VALUE_STREAM) {
            return self.relate(Realization, capability, stream);
        }
        if self.notes.warnings.is_empty() {
            self.notes.warn(
                "TEMPLATE_RELATIONSHIP_ADJUSTED",
                "ArchiMate 3.2 does not permit Realization from Capability to ValueStream, so Serving was used",
                "Nothing to do; choose the profile ameide to keep Realization",
            );
        }
        self.relate(Serving, capability, stream)
    }

    fn relate(&mut self, by: RelationshipType, source: usize, target: usize) -> Result<(), Error> {
        let (source, target) = (self.elements[source].clone(), self.elements[target].clone());
        self.join(by, &source, 1, &target, 1)
    }

    /// From a new component to a capability that is there already.
    fn realize(&mut self, component: usize, capability: &Stored<Element>) -> Result<(), Error> {
        let component = self.elements[component].clone();
        self.join(RelationshipType::Realization, &component, 1, capability, capability.version)
    }

    fn join(
        &mut self,
        by: RelationshipType,
        source: &Element,
        source_version: u64,
        target: &Element,
        target_version: u64,
    ) -> Result<(), Error> {
        if !self.profile.permits(by, source.r#type, target.r#type) {
            return Err(Error::NotPermitted {
                field: "type",
                relationship: by,
                source_type: source.r#type.into(),
                target_type: target.r#type.into(),
                permitted: self.profile.permitted(source.r#type, target.r#type),
                reversed: self.profile.permitted(target.r#type, source.r#type),
            });
        }
        let id = self.next_id();
        self.links.push(Link {
            relationship: Relationship::plain(&id, by, source, target),
            source: source.mention(),
            target: target.mention(),
            source_version,
            target_version,
        });
        Ok(())
    }

    fn decision(self, existing: Option<&Stored<Element>>) -> Decision<Made> {
        let mut expectations = vec![Expectation::Exists { key: Model::key_of(&self.around.model_id) }];
        expectations.extend(existing.map(|element| Expectation::Exists { key: element.key() }));
        let elements = self.elements.iter().cloned().map(Fact::ElementCreated);
        let links = self.links.iter().map(|link| Fact::ElementRelationshipCreated(link.relationship.clone()));
        Decision {
            facts: elements.chain(links).collect(),
            outcome: Made { elements: self.elements, links: self.links },
            expectations,
            notes: self.notes,
        }
    }
}

/// The same refusal, about the field that holds the name here.
fn at_field(refusal: Error, field: &str) -> Error {
    match refusal {
        Error::DuplicateName { name, model_id, existing, alternatives, .. } => {
            Error::DuplicateName { field: field.to_owned(), name, model_id, existing, alternatives }
        }
        other => other,
    }
}
