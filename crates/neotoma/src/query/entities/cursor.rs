//! Where a page of retrieve_entities ended. A cursor belongs to the arguments it was given for and keeps their read point.

use std::fmt;

use contract::generated::neotoma::RetrieveEntitiesRequest;
use ledger::Seq;
use scope::Timestamp;

use crate::Error;
use crate::domain::ids;

/// A place in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Of user and arguments.
    pub fingerprint: String,
    /// The read point of the first page.
    pub at: Seq,
    /// How many entities matched the filters up to here.
    pub counted: u64,
    /// How many matches to pass over from here.
    pub skip: usize,
    /// What the next page comes after.
    pub after: Option<Place>,
}

/// Where an entity stands in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub created_at: Timestamp,
    pub id: String,
}

impl Cursor {
    pub fn start(fingerprint: String, at: Seq, offset: u32) -> Self {
        Self { fingerprint, at, counted: 0, skip: offset as usize, after: None }
    }

    /// Reads what [`Self::to_string`] wrote.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut parts = text.split('.');
        let cursor = (|| {
            let fingerprint = parts.next()?.to_owned();
            let at = parts.next()?.parse().ok()?;
            let counted = parts.next()?.parse().ok()?;
            let skip = parts.next()?.parse().ok()?;
            let after = match parts.next()? {
                "" => None,
                place => Some(Place::parse(place)?),
            };
            parts.next().is_none().then_some(Self { fingerprint, at, counted, skip, after })
        })();
        cursor.ok_or_else(Self::foreign)
    }

    /// The refusal of a cursor that does not belong here.
    pub fn foreign() -> Error {
        Error::invalid(
            "cursor",
            "is not from a listing with the same arguments",
            "give next_cursor of the page before with the same arguments, or leave cursor out",
        )
    }
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        let (micros, id) = text.rsplit_once('-')?;
        let created_at = Timestamp(micros.parse().ok()?);
        ids::is_entity_id(id).then(|| Self { created_at, id: id.to_owned() })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.created_at.0, self.id)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fingerprint, at, counted, skip, after } = self;
        write!(formatter, "{fingerprint}.{at}.{counted}.{skip}.")?;
        after.as_ref().map_or(Ok(()), |place| place.fmt(formatter))
    }
}

/// What a cursor is bound to: the user and all arguments but the size of the page and where it starts.
pub fn fingerprint(user: &str, request: &RetrieveEntitiesRequest) -> String {
    let bound = RetrieveEntitiesRequest {
        user_id: Some(user.to_owned()),
        limit: None,
        offset: None,
        cursor: None,
        ..request.clone()
    };
    let text = serde_json::to_string(&bound).expect("a message has only string keys");
    ids::content_hash(text)[..16].to_owned()
}
