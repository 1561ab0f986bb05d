//! list_timeline_events: the moments of current snapshots, newest first, then by id.
//!
//! `after_date` and `before_date` are both inclusive. A date without a time is that whole day in UTC: from its start for
//! `after_date`, to its end for `before_date`.

use contract::generated::neotoma::{ListTimelineEventsRequest, ListTimelineEventsResponse};
use ledger::{Find, FindOrder};
use scope::Timestamp;

use super::window::{COUNT_MAX, Window};
use crate::Error;
use crate::projection::reader::moment;
use crate::projection::row::{EventRow, backwards, kind};
use crate::projection::{Reader, message};

/// Up to this many events of one source or entity are gathered by their index and sorted here. More are so common that
/// the walk through time comes by them often enough.
const GATHERED_MAX: u64 = 500;
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Answers list_timeline_events.
pub async fn list(
    reader: &Reader<'_>,
    request: &ListTimelineEventsRequest,
) -> Result<ListTimelineEventsResponse, Error> {
    let page = Window::new(request.limit, request.offset);
    let range = range(request.after_date.as_deref(), request.before_date.as_deref())?;
    let source = match &request.source_id {
        Some(id) => Some(reader.named_source("source_id", id).await?.id),
        None => None,
    };
    let find = Find {
        scope: Some(reader.user.to_owned()),
        r#type: request.event_type.clone(),
        tag: source,
        time: range,
        ..Find::all(kind::EVENT)
    };
    let (events, total) = newest(reader, find, page.skip(), page.size()).await?;
    Ok(ListTimelineEventsResponse { events: events.iter().map(message::event).collect(), total, read_point: reader.at })
}

/// A page of the events that match, and how many match.
pub async fn newest(reader: &Reader<'_>, find: Find, skip: usize, limit: usize) -> Result<(Vec<EventRow>, u64), Error> {
    let by_time = Find { order: FindOrder::Time, ..find.clone() };
    // Tags are listed in the order of ids; all else, and events of a type, in the order of time.
    let tagged = find.tag.is_some();
    let total = match (&find.scope, tagged, find.time) {
        // The ledger keeps these counts.
        (Some(scope), false, None) => reader.count_of(kind::EVENT, scope, find.r#type.as_deref()).await?,
        (_, true, _) => reader.count(find.clone(), COUNT_MAX).await?,
        _ => reader.count(by_time.clone(), COUNT_MAX).await?,
    };
    if tagged && total <= GATHERED_MAX {
        let (rows, _) = reader.find::<EventRow>(Find { limit: GATHERED_MAX as usize, ..find }).await?;
        let mut events: Vec<EventRow> = rows.into_iter().map(|stored| stored.row).collect();
        events.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.id.cmp(&other.id)));
        return Ok((events.into_iter().skip(skip).take(limit).collect(), total));
    }
    let (rows, _) = reader.find::<EventRow>(Find { skip, limit, ..by_time }).await?;
    Ok((rows.into_iter().map(|stored| stored.row).collect(), total))
}

/// The range as the ledger keeps it: backwards, from (inclusive) and until (exclusive).
fn range(after: Option<&str>, before: Option<&str>) -> Result<Option<(Timestamp, Timestamp)>, Error> {
    let after = after.map(|text| moment("after_date", text)).transpose()?;
    let before = before.map(|text| Ok::<_, Error>(last_of(text, moment("before_date", text)?))).transpose()?;
    match (after, before) {
        (None, None) => Ok(None),
        (Some(after), Some(before)) if after > before => {
            Err(Error::Reversed { earlier: "after_date", later: "before_date" })
        }
        (after, before) => {
            let from = before.map_or(Timestamp(i64::MIN), backwards);
            let until = after.map_or(Timestamp(i64::MAX), |after| backwards(after).plus_micros(1));
            Ok(Some((from, until)))
        }
    }
}

/// The last moment that a text means which starts at `start`.
fn last_of(text: &str, start: Timestamp) -> Timestamp {
    if is_day(text) { start.plus_micros(DAY_MICROS - 1) } else { start }
}

/// A date without a time of day.
fn is_day(text: &str) -> bool {
    let text = text.trim();
    !text.contains(':') && !text.get(10..).is_some_and(|rest| text.contains('-') && rest.starts_with(['T', 't', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_without_a_time_is_a_whole_day() {
        for (text, day) in [
            ("2024-01-15", true),
            (" 2024-01-15 ", true),
            ("15 January 2024", true),
            ("January 15, 2024", true),
            ("2024-01-15T00:00:00Z", false),
            ("2024-01-15T10", false),
            ("Mon, 15 Jan 2024 10:00:00 +0000", false),
        ] {
            assert_eq!(is_day(text), day, "{text}");
        }
    }
}
