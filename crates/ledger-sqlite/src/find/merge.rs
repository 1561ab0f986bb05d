//! Merging: several walks in the same order, stepped as one.
//!
//! Every step takes the row that comes first in all of them, whether it is visible at the point or not. So no walk
//! runs ahead of the page, however many of its rows another point would show.

use std::cmp::Reverse;

use ledger::{FindOrder, Seq};
use rusqlite::{CachedStatement, Connection, Row, Rows, ToSql};

use super::cursor::Cursor;

/// A version that a walk came by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub slot: i64,
    place: Cursor,
    from_seq: i64,
    /// Nothing while it is live.
    to_seq: Option<i64>,
}

impl Step {
    /// Reads slot, from_seq, to_seq and id, and after them the name, the time, or key and time that the walk is ordered by.
    fn read(row: &Row<'_>, order: FindOrder) -> rusqlite::Result<Self> {
        let id = row.get(3)?;
        let place = match order {
            FindOrder::Id => Cursor::Id(id),
            FindOrder::Name => Cursor::Name(row.get(4)?, id),
            FindOrder::Time => Cursor::Time(row.get(4)?, id),
            FindOrder::Field => Cursor::Field(row.get(4)?, row.get(5)?, id),
            FindOrder::FieldDescending => Cursor::FieldDescending(Reverse((row.get(4)?, row.get(5)?, id))),
        };
        Ok(Self { slot: row.get(0)?, place, from_seq: row.get(1)?, to_seq: row.get(2)? })
    }

    pub(super) fn id(&self) -> &str {
        self.place.record_id()
    }

    pub(super) fn into_place(self) -> Cursor {
        self.place
    }

    pub(super) fn is_visible(&self, at: Seq) -> bool {
        let at = at.cast_signed();
        self.from_seq <= at && self.to_seq.is_none_or(|to_seq| to_seq > at)
    }
}

/// Calls `visit` with every step of all statements, in order, until it says that it has enough.
pub(super) fn steps(
    connection: &Connection,
    statements: &[(&'static str, &[&dyn ToSql])],
    order: FindOrder,
    mut visit: impl FnMut(Step) -> rusqlite::Result<bool>,
) -> rusqlite::Result<()> {
    let mut prepared =
        statements.iter().map(|(sql, _)| connection.prepare_cached(sql)).collect::<Result<Vec<_>, _>>()?;
    let mut walks = prepared
        .iter_mut()
        .zip(statements)
        .map(|(statement, (_, params))| Ahead::start(statement, params, order))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    loop {
        walks.retain(|walk| walk.next.is_some());
        let Some(first) = walks.iter_mut().min_by(|left, right| left.place().cmp(&right.place())) else {
            return Ok(());
        };
        let Some(step) = first.next.take() else { return Ok(()) };
        if visit(step)? {
            return Ok(());
        }
        first.advance(order)?;
    }
}

/// A walk and the step it takes next.
struct Ahead<'a> {
    rows: Rows<'a>,
    next: Option<Step>,
}

impl<'a> Ahead<'a> {
    fn start(
        statement: &'a mut CachedStatement<'_>,
        params: &[&dyn ToSql],
        order: FindOrder,
    ) -> rusqlite::Result<Self> {
        let mut walk = Self { rows: statement.query(params)?, next: None };
        walk.advance(order)?;
        Ok(walk)
    }

    fn place(&self) -> Option<&Cursor> {
        self.next.as_ref().map(|step| &step.place)
    }

    fn advance(&mut self, order: FindOrder) -> rusqlite::Result<()> {
        self.next = self.rows.next()?.map(|row| Step::read(row, order)).transpose()?;
        Ok(())
    }
}
