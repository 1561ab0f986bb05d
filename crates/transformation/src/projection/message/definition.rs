//! Definitions as messages of the contract.

use contract::Object;
use contract::generated::transformation as proto;

use crate::domain::decision::version_id;
use crate::domain::definition::{Definition, Kind, Status};

/// A definition at a version.
pub fn definition(state: &Definition, version: u64) -> proto::Definition {
    let kind = match state.kind {
        Kind::Process => proto::DefinitionKind::DefinitionProcess,
        Kind::Agent => proto::DefinitionKind::DefinitionAgent,
        Kind::Extension => proto::DefinitionKind::DefinitionExtension,
    };
    let status = match state.status {
        Status::Draft => proto::DefinitionStatus::DefinitionDraft,
        Status::Promoted => proto::DefinitionStatus::DefinitionPromoted,
        Status::Retired => proto::DefinitionStatus::DefinitionRetired,
    };
    proto::Definition {
        id: state.id.clone(),
        kind: kind.into(),
        name: state.name.to_string(),
        version,
        payload: Some(Object(state.payload.clone())),
        status: status.into(),
        promoted_version: state.promoted_version,
        source_version_id: state.source_version_id.clone(),
        repository_id: state.repository_id.clone(),
        element_id: state.id.clone(),
        version_id: version_id(&state.id, version),
        created_at: state.created_at.to_string(),
        updated_at: state.updated_at.to_string(),
    }
}

/// The kind behind a number of the proto enum; none for "unspecified".
pub fn kind(number: i32) -> Option<Kind> {
    match proto::DefinitionKind::try_from(number).ok()? {
        proto::DefinitionKind::DefinitionProcess => Some(Kind::Process),
        proto::DefinitionKind::DefinitionAgent => Some(Kind::Agent),
        proto::DefinitionKind::DefinitionExtension => Some(Kind::Extension),
        proto::DefinitionKind::Unspecified => None,
    }
}

/// The status behind a number of the proto enum; none for "unspecified".
pub fn status(number: i32) -> Option<Status> {
    match proto::DefinitionStatus::try_from(number).ok()? {
        proto::DefinitionStatus::DefinitionDraft => Some(Status::Draft),
        proto::DefinitionStatus::DefinitionPromoted => Some(Status::Promoted),
        proto::DefinitionStatus::DefinitionRetired => Some(Status::Retired),
        proto::DefinitionStatus::Unspecified => None,
    }
}
