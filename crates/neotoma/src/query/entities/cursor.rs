//! Where a page of retrieve_entities ended. A cursor is sealed by the desk, belongs to the arguments it was given for and keeps
//! their read point.

use contract::Context;
use contract::generated::neotoma::RetrieveEntitiesRequest;
use desk::{PageTokens, PagedQuery, page};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::projection::listed::Listed;

/// The argument that a cursor comes in.
pub const FIELD: &str = "cursor";

/// Where in a listing a page begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// How many entities matched the filters up to here.
    pub counted: u64,
    /// How many matches to pass over from here.
    pub skip: usize,
    /// What the page comes after.
    pub after: Option<After>,
}

/// What a page comes after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// In the order of creation.
    Position(Position),
    /// In the order of a field: which stretch of its index, and the ledger's own cursor there.
    Stretch(usize, Option<String>),
    /// In a listing that is sorted for each page: nothing but [`Cursor::skip`].
    Sorted,
}

/// Where an entity stands in the order of creation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    pub created_at: Timestamp,
    pub id: String,
}

/// What a cursor is bound to: the user and all arguments but the size of the page and where it starts.
pub fn query(tokens: &PageTokens, ctx: &Context, user: &str, request: &RetrieveEntitiesRequest) -> PagedQuery {
    let bound = RetrieveEntitiesRequest {
        user_id: Some(user.to_owned()),
        limit: None,
        offset: None,
        cursor: None,
        ..request.clone()
    };
    tokens.query(ctx, "retrieve_entities", &bound)
}

impl Cursor {
    /// Where a listing starts. A cursor stands behind what an offset passed over, so an offset counts only here.
    pub fn start(offset: Option<u32>) -> Self {
        Self { counted: 0, skip: offset.unwrap_or_default() as usize, after: None }
    }

    /// The cursor behind a position, with nothing left to pass over.
    pub fn after(&self, position: Position) -> Self {
        Self { after: Some(After::Position(position)), skip: 0, counted: self.counted }
    }

    /// Where a listing in the order of creation goes on.
    pub fn position(&self) -> Result<Option<&Position>, Error> {
        match &self.after {
            None => Ok(None),
            Some(After::Position(position)) => Ok(Some(position)),
            Some(_) => Err(Self::foreign()),
        }
    }

    /// Where a listing in the order of a field goes on.
    pub fn stretch(&self) -> Result<(usize, Option<String>), Error> {
        match &self.after {
            None => Ok((0, None)),
            Some(After::Stretch(number, after)) => Ok((*number, after.clone())),
            Some(_) => Err(Self::foreign()),
        }
    }

    /// The refusal of a cursor that does not belong here.
    pub fn foreign() -> Error {
        page::other_query(FIELD).into()
    }
}

impl Position {
    pub fn of(entity: &Listed) -> Self {
        Self { created_at: entity.created_at, id: entity.id.clone() }
    }
}
