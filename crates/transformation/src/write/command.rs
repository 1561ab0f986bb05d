//! Requests as commands: the checks that need nothing but the request.

use contract::generated::transformation::{
    AccessType, CreateElementRequest, CreateRelationshipRequest, DeleteElementRequest, UpdateElementRequest,
    WriteOperation,
};
use contract::{Context, dispatch};
use serde_json::{Map, Value};

use crate::Error;
use crate::domain::element::{CreateElement, DeleteElement, UpdateElement};
use crate::domain::relationship::{Attributes, CreateRelationship};
use crate::domain::{Name, key, properties};
use crate::projection::message;

/// Any write.
#[derive(Debug, Clone)]
pub enum Command {
    CreateElement(CreateElement),
    CreateRelationship(CreateRelationship),
    UpdateElement(UpdateElement),
    DeleteElement(DeleteElement),
}

impl Command {
    /// Reads the arguments of a write, which have passed its schema.
    pub fn read(ctx: &Context, operation: WriteOperation, arguments: Map<String, Value>) -> Result<Self, Error> {
        match operation {
            WriteOperation::CreateElement => CreateElement::read(ctx, request(arguments)?).map(Self::CreateElement),
            WriteOperation::CreateRelationship => {
                CreateRelationship::read(ctx, request(arguments)?).map(Self::CreateRelationship)
            }
            WriteOperation::UpdateElement => UpdateElement::read(ctx, request(arguments)?).map(Self::UpdateElement),
            WriteOperation::DeleteElement => DeleteElement::read(request(arguments)?).map(Self::DeleteElement),
            WriteOperation::Unspecified => Err(Error::invalid(
                "operation",
                "is missing".to_owned(),
                "give createElement, createRelationship, updateElement or deleteElement",
            )),
        }
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
            relationship_id: ctx.ids.next(),
            now: ctx.now,
            r#type,
            name: Name::new("name", &request.name)?,
            key: key::checked(request.key)?,
            description: properties::description("description", request.description)?,
            properties: properties::given(request.properties.unwrap_or_default().0)?,
            model: request.model_id,
            parent: request.parent_id,
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
    let strength = text.map(|text| Name::new("strength", &text)).transpose()?;
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
