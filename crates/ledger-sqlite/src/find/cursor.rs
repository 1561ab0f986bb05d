//! Cursors: where a page ended. The text of one holds the sort key of the last record, so a page goes on
//! at the same place whatever was written in between.

use ledger::{Find, FindOrder, ReadError, Record};
use rusqlite::Connection;
use scope::Timestamp;

/// A place in an order; the next page starts after it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cursor {
    Id(String),
    Name(String, String),
    Time(i64, String),
}

impl Cursor {
    /// The place before every record.
    pub(super) fn start(find: &Find) -> Self {
        match find.order {
            FindOrder::Id => Self::Id(String::new()),
            FindOrder::Name => Self::Name(String::new(), String::new()),
            FindOrder::Time => Self::Time(i64::MIN, String::new()),
        }
    }

    pub(super) fn parse(find: &Find) -> Result<Self, ReadError> {
        let Some(text) = &find.after else { return Ok(Self::start(find)) };
        let parsed = match find.order {
            FindOrder::Id => Some(Self::Id(text.clone())),
            FindOrder::Name => parse_name(text),
            FindOrder::Time => Find::parse_time(text).map(|(time, id)| Self::Time(time.0, id.to_owned())),
        };
        parsed.ok_or_else(|| ReadError::Cursor(text.clone()))
    }

    /// The id that an index in the order of ids goes on after.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Id(id) => id,
            Self::Name(..) | Self::Time(..) => "",
        }
    }
}

/// The text of the place right after `record`.
pub(super) fn after(order: FindOrder, record: &Record) -> String {
    let id = &record.key.id;
    match order {
        FindOrder::Id => id.clone(),
        FindOrder::Name => {
            let name = record.name.as_deref().unwrap_or_default();
            format!("{}:{name}{id}", name.len())
        }
        FindOrder::Time => Find::after_time(record.time.unwrap_or(Timestamp(i64::MIN)), id),
    }
}

/// Sorts gathered matches, passes over `skip` after the cursor and keeps the `want` that follow.
pub(super) fn sort(
    connection: &Connection,
    order: FindOrder,
    slots: Vec<i64>,
    cursor: &Cursor,
    skip: usize,
    want: usize,
) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached("SELECT id, name, time FROM record_versions WHERE slot = ?1")?;
    let mut placed = Vec::with_capacity(slots.len());
    for slot in slots {
        let (id, name, time): (String, Option<String>, Option<i64>) =
            statement.query_row([slot], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let place = match order {
            FindOrder::Id => Some(Cursor::Id(id)),
            FindOrder::Name => name.map(|name| Cursor::Name(name, id)),
            FindOrder::Time => time.map(|time| Cursor::Time(time, id)),
        };
        placed.extend(place.filter(|place| place > cursor).map(|place| (place, slot)));
    }
    placed.sort_by(|(left, _), (right, _)| left.cmp(right));
    Ok(placed.into_iter().skip(skip).take(want).map(|(_, slot)| slot).collect())
}

fn parse_name(text: &str) -> Option<Cursor> {
    let (length, rest) = text.split_once(':')?;
    let (name, id) = rest.split_at_checked(length.parse().ok()?)?;
    Some(Cursor::Name(name.to_owned(), id.to_owned()))
}
