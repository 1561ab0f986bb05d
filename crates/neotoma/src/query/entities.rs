//! retrieve_entities: listings of entities.
//!
//! Without filters and sort a listing walks an index by creation, then id, and costs the same however much is stored. Filters and sort
//! look at up to [`SCAN_MAX`] entities of a call ([`scan`]). A page ends at its limit or when the answer has grown to
//! [`ANSWER_CHARS_MAX`]; its cursor ([`cursor`]) goes on at the same read point, so pages neither repeat nor skip
//! whatever is written in between.

mod cursor;
mod listing;
mod scan;
mod totals;

use contract::generated::neotoma::{Entity, RetrieveEntitiesRequest, RetrieveEntitiesResponse};

use super::walk::Walk;
use crate::Error;
use crate::projection::listed::Listed;
use crate::projection::{Reader, message};

pub use cursor::Cursor;
use cursor::Place;
use listing::Listing;
pub use totals::Totals;

/// Entities that filters and sort look at in one call.
const SCAN_MAX: usize = 10_000;
/// An answer that has grown to this many characters of JSON, about, goes on by its cursor.
const ANSWER_CHARS_MAX: usize = 80_000;

/// Answers retrieve_entities; `cursor` is the one of the request.
pub async fn retrieve(
    reader: &Reader<'_>,
    totals: &Totals,
    request: RetrieveEntitiesRequest,
    cursor: Option<Cursor>,
) -> Result<RetrieveEntitiesResponse, Error> {
    let fingerprint = cursor::fingerprint(reader.user, &request);
    let start = match cursor {
        Some(cursor) if cursor.fingerprint != fingerprint => return Err(Cursor::foreign()),
        Some(cursor) => cursor,
        // A cursor stands behind what an offset passed over, so an offset counts only where a listing starts.
        None => Cursor::start(fingerprint, reader.at, request.offset.unwrap_or_default()),
    };
    let listing = Listing::new(reader, request).await?;
    let found = if listing.sort.is_some() {
        scan::sorted(reader, &listing, &start).await?
    } else if listing.filters.is_empty() {
        plain(reader, totals, &listing, &start).await?
    } else {
        scan::filtered(reader, &listing, &start).await?
    };
    Ok(RetrieveEntitiesResponse {
        entities: found.entities,
        total: found.total,
        excluded_merged: !listing.merged,
        next_cursor: found.next.map(|next| next.to_string()),
        read_point: reader.at,
    })
}

/// A page and where it goes on.
struct Found {
    entities: Vec<Entity>,
    total: u64,
    next: Option<Cursor>,
}

/// A page of everything, the oldest first.
async fn plain(reader: &Reader<'_>, totals: &Totals, listing: &Listing, start: &Cursor) -> Result<Found, Error> {
    let finds = listing.finds(reader.user, start.after.as_ref());
    let mut walk = Walk::<Listed>::new(finds, start.skip);
    let mut answer = Growing::new(listing);
    while !answer.is_full()
        && let Some(entity) = walk.next(reader).await?
    {
        answer.push(entity);
    }
    let more = answer.was_cut || !walk.is_done();
    let is_whole = !more && start.after.is_none() && start.skip == 0;
    let total = if is_whole {
        answer.entities.len() as u64
    } else {
        totals.count(reader, listing.entity_type.as_deref(), listing.merged).await?
    };
    let last = answer.last.take();
    let next = last.filter(|_| more).map(|last| Cursor { after: Some(last), skip: 0, ..start.clone() });
    Ok(Found { entities: answer.entities, total, next })
}

/// An answer that grows up to its limits.
struct Growing<'a> {
    listing: &'a Listing,
    entities: Vec<Entity>,
    /// Where the last of them stands.
    last: Option<Place>,
    chars: usize,
    /// An entity came that did not fit any more.
    was_cut: bool,
}

impl<'a> Growing<'a> {
    fn new(listing: &'a Listing) -> Self {
        Self { listing, entities: Vec::with_capacity(listing.limit), last: None, chars: 0, was_cut: false }
    }

    fn is_full(&self) -> bool {
        self.was_cut || self.entities.len() == self.listing.limit
    }

    /// Takes an entity in if it fits. The first one always does.
    fn push(&mut self, entity: Listed) {
        let place = Place { created_at: entity.created_at, id: entity.id.clone() };
        let entity = message::listed(entity, self.listing.snapshots, &self.listing.fields);
        let chars = message::entity_chars(&entity);
        if self.is_full() || (self.chars + chars > ANSWER_CHARS_MAX && !self.entities.is_empty()) {
            self.was_cut = true;
            return;
        }
        self.chars += chars;
        self.last = Some(place);
        self.entities.push(entity);
    }
}
