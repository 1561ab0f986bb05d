//! Requests as commands: the checks that need nothing but the request.

pub mod changes;
mod intent;

use contract::generated::transformation::{
    AccessType, AddComponentToCapabilityRequest, CapabilityProfile as ProfileMessage, CapabilityProfileChange,
    CreateCapabilityRequest, CreateCapabilityStructureRequest, CreateElementRequest, CreateRelationshipRequest,
    Criticality as CriticalityMessage, DeleteElementRequest, Lifecycle as LifecycleMessage, UndoChangeRequest,
    UpdateElementRequest, WriteOperation,
};
use contract::{Context, dispatch};
use desk::Failure;
use serde_json::{Map, Value};

use crate::Error;
use crate::domain::capability_profile::{Criticality, Lifecycle, ProfileChange};
use crate::domain::change_set::ChangeSet;
use crate::domain::element::{CreateElement, DeleteElement, UpdateElement};
use crate::domain::proposal::Proposal;
use crate::domain::relationship::{Attributes, CreateRelationship, DeleteRelationship, UpdateRelationship};
use crate::domain::scrum::intent::Submission;
use crate::domain::template::{AddComponent, CreateStructure};
use crate::domain::undo::Undo;
use crate::domain::view::{DeleteView, SaveView};
use crate::domain::{Name, id, key, properties};
use crate::metamodel::ElementType;
use crate::projection::message;

/// Any write.
#[derive(Debug, Clone)]
pub enum Command {
    CreateElement(CreateElement),
    CreateCapability(CreateElement),
    UpdateElement(UpdateElement),
    DeleteElement(DeleteElement),
    CreateRelationship(CreateRelationship),
    UpdateRelationship(UpdateRelationship),
    DeleteRelationship(DeleteRelationship),
    CreateStructure(CreateStructure),
    AddComponent(AddComponent),
    SaveView(SaveView),
    DeleteView(DeleteView),
    Changes(ChangeSet),
    Undo(Undo),
    Scrum(Submission),
}

impl Command {
    /// Reads the arguments of a write, which have passed its schema.
    pub fn read(ctx: &Context, operation: WriteOperation, arguments: Map<String, Value>) -> Result<Self, Error> {
        use WriteOperation as Operation;
        match operation {
            Operation::CreateElement => CreateElement::read(ctx, request(arguments)?).map(Self::CreateElement),
            Operation::CreateRelationship => {
                CreateRelationship::read(ctx, request(arguments)?).map(Self::CreateRelationship)
            }
            Operation::UpdateElement => UpdateElement::read(ctx, request(arguments)?).map(Self::UpdateElement),
            Operation::DeleteElement => DeleteElement::read(request(arguments)?).map(Self::DeleteElement),
            Operation::CreateCapability => {
                CreateElement::capability(ctx, request(arguments)?).map(Self::CreateCapability)
            }
            Operation::CreateCapabilityStructure => {
                CreateStructure::read(ctx, request(arguments)?).map(Self::CreateStructure)
            }
            Operation::AddComponentToCapability => AddComponent::read(ctx, request(arguments)?).map(Self::AddComponent),
            Operation::SubmitArchitectureIntent => Self::intent(ctx, request(arguments)?),
            Operation::ApplyChanges => Self::changes(ctx, request(arguments)?),
            Operation::SubmitScrumIntent => Submission::read(ctx, request(arguments)?).map(Self::Scrum),
            Operation::Unspecified => Err(Error::invalid(
                "operation",
                "is missing".to_owned(),
                "give createElement, createRelationship, updateElement or deleteElement",
            )),
        }
    }
}

/// The write that takes a change back; it is no tool, so no operation of the contract names it.
pub const UNDO: &str = "undoChange";

impl Command {
    /// Reads the write that a proposal holds.
    pub fn filed(ctx: &Context, proposal: &Proposal) -> Result<Self, Error> {
        let arguments = proposal.arguments.0.clone();
        match Self::operation_of(proposal)? {
            UNDO => Ok(Self::Undo(Undo::read(ctx, request(arguments)?))),
            name => Self::read(ctx, WriteOperation::from_label(name).unwrap_or_default(), arguments),
        }
    }

    /// The name of the write that a proposal holds.
    pub fn operation_of(proposal: &Proposal) -> Result<&'static str, Error> {
        if proposal.operation == UNDO {
            return Ok(UNDO);
        }
        WriteOperation::from_label(&proposal.operation).map(|operation| operation.label()).ok_or_else(|| {
            let cause = format!("a proposal holds the unknown operation {}", proposal.operation);
            Failure::Internal { error_id: proposal.id.clone(), cause }.into()
        })
    }
}

impl Undo {
    pub fn read(ctx: &Context, request: UndoChangeRequest) -> Self {
        Self { change: request.change_id, now: ctx.now }
    }
}

fn request<T: serde::de::DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Error> {
    dispatch::request(arguments).map_err(Error::Published)
}

impl CreateElement {
    pub fn read(ctx: &Context, request: CreateElementRequest) -> Result<Self, Error> {
        let r#type = message::element_type(request.r#type)
            .ok_or_else(|| Error::NoSuchElementType { field: "type".to_owned(), value: String::new() })?;
        Ok(Self {
            id: ctx.ids.next(),
            chosen_id: false,
            relationship_id: ctx.ids.next(),
            now: ctx.now,
            r#type,
            name: Name::new("name", &request.name)?,
            key: key::checked(request.key)?,
            description: properties::description("description", request.description)?,
            properties: properties::given(request.properties.unwrap_or_default().0)?,
            profile: None,
            junction: request.junction_kind.and_then(message::junction_kind),
            model: request.model_id,
            parent: request.parent_id,
        })
    }

    /// A capability with its profile.
    pub fn capability(ctx: &Context, request: CreateCapabilityRequest) -> Result<Self, Error> {
        let chosen = request.id.as_deref().map(chosen_id).transpose()?;
        let profile = request.profile.map(given_profile).unwrap_or_default();
        Ok(Self {
            chosen_id: chosen.is_some(),
            id: chosen.unwrap_or_else(|| ctx.ids.next()),
            relationship_id: ctx.ids.next(),
            now: ctx.now,
            r#type: ElementType::CAPABILITY,
            name: Name::new("name", &request.name)?,
            key: key::checked(request.key)?,
            description: properties::description("description", request.description)?,
            properties: properties::Properties::new(),
            profile: Some(profile.whole()?),
            junction: None,
            model: request.model_id,
            parent: None,
        })
    }
}

impl CreateRelationship {
    pub fn read(ctx: &Context, request: CreateRelationshipRequest) -> Result<Self, Error> {
        let r#type = message::relationship_type(request.r#type)
            .ok_or_else(|| Error::NoSuchRelationshipType { field: "type".to_owned(), value: String::new() })?;
        let access_type = request.access_type.and_then(|number| AccessType::try_from(number).ok());
        let name = request.name.as_deref().filter(|name| !name.trim().is_empty());
        Ok(Self {
            id: ctx.ids.next(),
            r#type,
            source: request.source_id,
            target: request.target_id,
            name: name.map(|name| Name::new("name", name)).transpose()?,
            description: properties::description("description", request.description)?,
            attributes: Attributes {
                access_type: access_type.map(|access| access.label().to_owned()),
                strength: strength(request.strength)?,
                directed: request.directed,
            },
        })
    }
}

fn strength(text: Option<String>) -> Result<Option<String>, Error> {
    let given = text.filter(|text| !text.trim().is_empty());
    let strength = given.map(|text| Name::new("strength", &text)).transpose()?;
    Ok(strength.map(|strength| strength.to_string()))
}

impl UpdateElement {
    pub fn read(ctx: &Context, request: UpdateElementRequest) -> Result<Self, Error> {
        let description = match request.description {
            None => None,
            given => Some(properties::description("description", given)?),
        };
        Ok(Self {
            element: request.id,
            now: ctx.now,
            name: request.name.map(|name| Name::new("name", &name)).transpose()?,
            description,
            properties: request.properties.map(|properties| properties.0),
            profile: request.profile.map(changed_profile),
            expected_version: request.expected_version,
        })
    }
}

impl DeleteElement {
    pub fn read(request: DeleteElementRequest) -> Result<Self, Error> {
        Ok(Self {
            element: request.id,
            cascade: request.cascade.unwrap_or(true),
            even_if_published: request.even_if_published.unwrap_or(false),
            expected_version: request.expected_version,
        })
    }
}

impl CreateStructure {
    pub fn read(ctx: &Context, request: CreateCapabilityStructureRequest) -> Result<Self, Error> {
        let needed = Self::ids_needed(request.value_streams.len() + request.sub_capabilities.len());
        Ok(Self {
            name: Name::new("name", &request.name)?,
            description: properties::description("description", request.description)?,
            value_streams: names("value_streams", &request.value_streams)?,
            sub_capabilities: names("sub_capabilities", &request.sub_capabilities)?,
            model: request.model_id,
            ids: (0..needed).map(|_| ctx.ids.next()).collect(),
            now: ctx.now,
        })
    }
}

impl AddComponent {
    pub fn read(ctx: &Context, request: AddComponentToCapabilityRequest) -> Result<Self, Error> {
        Ok(Self {
            capability: request.capability_id,
            name: Name::new("component_name", &request.component_name)?,
            description: properties::description("component_description", request.component_description)?,
            services: names("services", &request.services)?,
            ids: (0..Self::ids_needed(request.services.len())).map(|_| ctx.ids.next()).collect(),
            now: ctx.now,
        })
    }
}

fn names(field: &str, texts: &[String]) -> Result<Vec<Name>, Error> {
    texts.iter().enumerate().map(|(index, text)| Name::new(&format!("{field}[{index}]"), text)).collect()
}

/// An id that the caller chose: a UUID in its usual form, or a plain handle such as `cap-abc-123`.
fn chosen_id(text: &str) -> Result<String, Error> {
    key::checked_in("id", id::usual_form(text).into_owned())
}

fn given_profile(profile: ProfileMessage) -> ProfileChange {
    ProfileChange {
        criticality: criticality(profile.criticality()),
        lifecycle: lifecycle(profile.lifecycle()),
        owner: (!profile.owner.is_empty()).then_some(profile.owner),
    }
}

fn changed_profile(profile: CapabilityProfileChange) -> ProfileChange {
    ProfileChange {
        criticality: criticality(profile.criticality()),
        lifecycle: lifecycle(profile.lifecycle()),
        owner: profile.owner,
    }
}

fn criticality(given: CriticalityMessage) -> Option<Criticality> {
    match given {
        CriticalityMessage::Unspecified => None,
        CriticalityMessage::Low => Some(Criticality::Low),
        CriticalityMessage::Medium => Some(Criticality::Medium),
        CriticalityMessage::High => Some(Criticality::High),
    }
}

fn lifecycle(given: LifecycleMessage) -> Option<Lifecycle> {
    match given {
        LifecycleMessage::Unspecified => None,
        LifecycleMessage::Planned => Some(Lifecycle::Planned),
        LifecycleMessage::Active => Some(Lifecycle::Active),
        LifecycleMessage::Deprecated => Some(Lifecycle::Deprecated),
        LifecycleMessage::Retired => Some(Lifecycle::Retired),
    }
}
