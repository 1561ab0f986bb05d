//! retrieve_entities: listings of entities.
//!
//! Without filters and sort a listing walks an index by creation, then id. Filters that ask for a value or a range walk an index of
//! the field ([`candidates`]), and so does sort ([`sorted`]); these cost the same however much is stored. Where that index tells exactly
//! who meets the filter, only what is shown is read; otherwise every match is looked at, so that it is counted. What no index serves
//! (`contains`, `ne`, absence) looks at entity after entity ([`scan`]), at up to [`SCAN_MAX`] in a call. Where that ends before the
//! listing does, the answer says that it is incomplete and goes on by its cursor. A page ends at its limit or when the answer has
//! grown to [`ANSWER_CHARS_MAX`]; its cursor ([`cursor`]) goes on at the same read point, so pages neither repeat nor skip
//! whatever is written in between.

mod candidates;
mod cursor;
mod listing;
mod scan;
mod sorted;

use contract::generated::neotoma::{Entity, RetrieveEntitiesRequest, RetrieveEntitiesResponse};
use desk::PagedQuery;
use ledger::Find;

use super::interleaved::Interleaved;
use crate::Error;
use crate::projection::listed::Listed;
use crate::projection::{Reader, message};

use cursor::Position;
pub use cursor::{Cursor, FIELD, query};
use listing::Listing;

/// Entities that one call looks at.
const SCAN_MAX: usize = 10_000;
/// An answer that has grown to this many characters of JSON, about, goes on by its cursor.
const ANSWER_CHARS_MAX: usize = 80_000;

/// What an answer says that did not look at everything.
const GO_ON: &str = "not every entity was looked at: total counts what was found so far. Go on with next_cursor, or add entity_type \
                     or a filter with eq, lt, lte, gt or gte, which an index serves";

/// Answers retrieve_entities with the page that begins at `start`.
pub async fn retrieve(
    reader: &Reader<'_>,
    request: RetrieveEntitiesRequest,
    query: &PagedQuery,
    start: Cursor,
) -> Result<RetrieveEntitiesResponse, Error> {
    let listing = Listing::new(reader, request).await?;
    let found = match (&listing.sort, listing.filters.is_empty()) {
        (Some(sort), true) if sorted::has_index(reader, &listing).await? => {
            sorted::by_index(reader, &listing, sort, &start).await?
        }
        (Some(sort), _) => scan::sorted(reader, &listing, sort, &start).await?,
        (None, true) => {
            let finds = listing.finds(reader.user, start.position()?);
            page_of(reader, &listing, &start, finds, listing.total(reader).await?).await?
        }
        (None, false) => match candidates::exact(reader, &listing, &start).await? {
            Some((finds, total)) => page_of(reader, &listing, &start, finds, total).await?,
            None => scan::filtered(reader, &listing, &start).await?,
        },
    };
    Ok(RetrieveEntitiesResponse {
        entities: found.entities,
        total: found.total,
        excluded_merged: !listing.merged,
        next_cursor: found.next.map(|next| query.token(reader.at, &next)),
        read_point: reader.at,
        incomplete: found.is_incomplete.then_some(true),
        hint: found.is_incomplete.then(|| GO_ON.to_owned()),
        warnings: Vec::new(),
    })
}

/// A page and where it goes on.
struct Found {
    entities: Vec<Entity>,
    total: u64,
    next: Option<Cursor>,
    /// The call looked at as many entities as it may, and more follow.
    is_incomplete: bool,
}

/// A page of all that is found so, the oldest first.
async fn page_of(
    reader: &Reader<'_>,
    listing: &Listing,
    start: &Cursor,
    finds: Vec<Find>,
    total: u64,
) -> Result<Found, Error> {
    let mut walk = Interleaved::<Listed>::new(finds, start.skip);
    let mut answer = Growing::new(listing);
    while !answer.is_full()
        && let Some(entity) = walk.next(reader).await?
    {
        answer.push(entity);
    }
    let more = answer.was_cut || !walk.is_done();
    let last = answer.last.take();
    let next = last.filter(|_| more).map(|last| start.after(last));
    Ok(Found { entities: answer.entities, total, next, is_incomplete: false })
}

/// An answer that grows up to its limits.
struct Growing<'a> {
    listing: &'a Listing,
    entities: Vec<Entity>,
    /// Where the last of them stands.
    last: Option<Position>,
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
        let position = Position::of(&entity);
        let entity = message::entity(entity, self.listing.snapshots, &self.listing.fields);
        let chars = message::entity_chars(&entity);
        if self.is_full() || (self.chars + chars > ANSWER_CHARS_MAX && !self.entities.is_empty()) {
            self.was_cut = true;
            return;
        }
        self.chars += chars;
        self.last = Some(position);
        self.entities.push(entity);
    }
}
