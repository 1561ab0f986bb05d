//! Where a page of retrieve_entities ended. A cursor belongs to the arguments it was given for and keeps their read point.

use std::fmt;

use contract::generated::neotoma::RetrieveEntitiesRequest;
use ledger::Seq;
use scope::Timestamp;

use crate::Error;
use crate::domain::ids;
use crate::projection::listed::Listed;

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
    pub after: Option<After>,
}

/// What a page comes after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// In the order of creation.
    Place(Place),
    /// In the order of a field: which stretch of its index, and the ledger's own cursor there.
    Stretch(usize, Option<String>),
    /// In a listing that is sorted for each page: nothing but [`Cursor::skip`].
    Sorted,
}

/// Where an entity stands in a listing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
                after => Some(After::parse(after)?),
            };
            parts.next().is_none().then_some(Self { fingerprint, at, counted, skip, after })
        })();
        cursor.ok_or_else(Self::foreign)
    }

    /// The cursor behind a place, with nothing left to pass over.
    pub fn after(&self, after: After) -> Self {
        Self { after: Some(after), skip: 0, ..self.clone() }
    }

    /// Where a listing in the order of creation goes on.
    pub fn place(&self) -> Result<Option<&Place>, Error> {
        match &self.after {
            None => Ok(None),
            Some(After::Place(place)) => Ok(Some(place)),
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
        Error::invalid(
            "cursor",
            "is not from a listing with the same arguments",
            "give next_cursor of the page before with the same arguments, or leave cursor out",
        )
    }
}

impl After {
    fn parse(text: &str) -> Option<Self> {
        let Some(rest) = text.strip_prefix('s') else { return Some(Self::Place(Place::parse(text)?)) };
        if rest.is_empty() {
            return Some(Self::Sorted);
        }
        let (number, after) = rest.split_once('-')?;
        let after = if after.is_empty() { None } else { Some(String::from_utf8(hex::decode(after).ok()?).ok()?) };
        Some(Self::Stretch(number.parse().ok()?, after))
    }
}

impl fmt::Display for After {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(place) => place.fmt(formatter),
            Self::Sorted => formatter.write_str("s"),
            Self::Stretch(number, after) => {
                write!(formatter, "s{number}-{}", hex::encode(after.as_deref().unwrap_or_default()))
            }
        }
    }
}

impl Place {
    pub fn of(entity: &Listed) -> Self {
        Self { created_at: entity.created_at, id: entity.id.clone() }
    }

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
        after.as_ref().map_or(Ok(()), |after| after.fmt(formatter))
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
