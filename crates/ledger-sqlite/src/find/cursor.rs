//! Cursors: where a page ended. The text of one holds the sort key of the last record, so a page goes on
//! at the same place whatever was written in between.

use std::cmp::Reverse;

use ledger::{Find, FindOrder, ReadError, Record};
use rusqlite::{Connection, Row};
use scope::Timestamp;

use super::Hit;
use crate::fields::{NO_TIME, parse_fields};

/// A place in an order; the next page starts after it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cursor {
    Id(String),
    Name(String, String),
    Time(i64, String),
    Field(String, i64, String),
    FieldDescending(Reverse<(String, i64, String)>),
}

impl Cursor {
    /// The place before every record.
    pub(super) fn start(find: &Find) -> Self {
        match find.order {
            FindOrder::Id => Self::Id(String::new()),
            FindOrder::Name => Self::Name(String::new(), String::new()),
            FindOrder::Time => Self::Time(i64::MIN, String::new()),
            FindOrder::Field => Self::Field(String::new(), NO_TIME, String::new()),
            // After every key there is.
            FindOrder::FieldDescending => Self::FieldDescending(Reverse(("~".to_owned(), NO_TIME, String::new()))),
        }
    }

    pub(super) fn parse(find: &Find) -> Result<Self, ReadError> {
        let Some(text) = &find.after else { return Ok(Self::start(find)) };
        let parsed = match find.order {
            FindOrder::Id => Some(Self::Id(text.clone())),
            FindOrder::Name => parse_name(text),
            FindOrder::Time => Find::parse_time(text).map(|(time, id)| Self::Time(time.0, id.to_owned())),
            FindOrder::Field => parse_field(text).map(|(key, time, id)| Self::Field(key, time, id)),
            FindOrder::FieldDescending => parse_field(text).map(|place| Self::FieldDescending(Reverse(place))),
        };
        parsed.ok_or_else(|| ReadError::Cursor(text.clone()))
    }

    /// The id that an index in the order of ids goes on after.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Id(id) => id,
            _ => "",
        }
    }

    /// The id of the record that stands there.
    pub(super) fn record_id(&self) -> &str {
        match self {
            Self::Id(id) | Self::Name(_, id) | Self::Time(_, id) | Self::Field(_, _, id) => id,
            Self::FieldDescending(Reverse((_, _, id))) => id,
        }
    }

    /// The text that [`Self::parse`] reads.
    pub(super) fn text(&self) -> String {
        let field = |key: &str, time: &i64, id: &str| format!("{}:{key}{time}:{id}", key.len());
        match self {
            Self::Id(id) => id.clone(),
            Self::Name(name, id) => format!("{}:{name}{id}", name.len()),
            Self::Time(time, id) => Find::after_time(Timestamp(*time), id),
            Self::Field(key, time, id) => field(key, time, id),
            Self::FieldDescending(Reverse((key, time, id))) => field(key, time, id),
        }
    }
}

/// The place of `record` in an order that is not by field.
pub(super) fn place(order: FindOrder, record: &Record) -> Cursor {
    let id = record.key.id.clone();
    match order {
        FindOrder::Name => Cursor::Name(record.name.clone().unwrap_or_default(), id),
        FindOrder::Time => Cursor::Time(record.time.map_or(i64::MIN, |time| time.0), id),
        FindOrder::Id | FindOrder::Field | FindOrder::FieldDescending => Cursor::Id(id),
    }
}

/// Sorts gathered matches, passes over `skip` after the cursor and keeps the `want` that follow.
pub(super) fn sort(
    connection: &Connection,
    find: &Find,
    slots: Vec<i64>,
    cursor: &Cursor,
    skip: usize,
    want: usize,
) -> rusqlite::Result<Vec<Hit>> {
    let mut statement =
        connection.prepare_cached("SELECT id, name, time, fields FROM record_versions WHERE slot = ?1")?;
    let mut placed = Vec::with_capacity(slots.len());
    for slot in slots {
        let places = statement.query_row([slot], |row| places(row, find))?;
        placed.extend(places.into_iter().filter(|place| place > cursor).map(|place| (place, slot)));
    }
    placed.sort_by(|(left, _), (right, _)| left.cmp(right));
    Ok(placed.into_iter().skip(skip).take(want).map(|(place, slot)| Hit::Sorted(slot, place)).collect())
}

/// Where a record stands: nowhere, once, or once for each of its keys.
fn places(row: &Row<'_>, find: &Find) -> rusqlite::Result<Vec<Cursor>> {
    let (id, name, time): (String, Option<String>, Option<i64>) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let by_key = || -> rusqlite::Result<Vec<(String, i64, String)>> {
        let fields = parse_fields(row.get_ref(3)?.as_str()?)?;
        let keys = find.field.iter().flat_map(|range| range.keys_of(&fields));
        Ok(keys.map(|key| (key.as_str().to_owned(), time.unwrap_or(NO_TIME), id.clone())).collect())
    };
    Ok(match find.order {
        FindOrder::Field => by_key()?.into_iter().map(|(key, time, id)| Cursor::Field(key, time, id)).collect(),
        FindOrder::FieldDescending => {
            by_key()?.into_iter().map(|place| Cursor::FieldDescending(Reverse(place))).collect()
        }
        FindOrder::Id => vec![Cursor::Id(id)],
        FindOrder::Name => name.map(|name| Cursor::Name(name, id)).into_iter().collect(),
        FindOrder::Time => time.map(|time| Cursor::Time(time, id)).into_iter().collect(),
    })
}

fn parse_field(text: &str) -> Option<(String, i64, String)> {
    let (length, rest) = text.split_once(':')?;
    let (key, rest) = rest.split_at_checked(length.parse().ok()?)?;
    let (time, id) = rest.split_once(':')?;
    Some((key.to_owned(), time.parse().ok()?, id.to_owned()))
}

fn parse_name(text: &str) -> Option<Cursor> {
    let (length, rest) = text.split_once(':')?;
    let (name, id) = rest.split_at_checked(length.parse().ok()?)?;
    Some(Cursor::Name(name.to_owned(), id.to_owned()))
}
