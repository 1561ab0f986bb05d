//! Several listings in one order, walked as one: entities with what was merged, observations of an entity and its members.

use std::collections::VecDeque;

use ledger::Find;

use crate::Error;
use crate::domain::Observation;
use crate::projection::Reader;
use crate::projection::listed::Listed;
use crate::projection::reader::Belongs;
use crate::projection::row::backwards;

/// Rows that a walk reads at once, at most.
pub const ROWS_AT_ONCE: usize = 200;

/// What is walked in an order of its own.
pub trait Placed {
    /// Where it stands; the id comes last.
    fn place(&self) -> (i64, &str);
}

impl Placed for Listed {
    fn place(&self) -> (i64, &str) {
        (self.created_at.0, &self.id)
    }
}

impl Placed for Observation {
    fn place(&self) -> (i64, &str) {
        (backwards(self.observed_at).0, &self.id)
    }
}

/// A walk along one or more listings, each in the order of [`Placed`].
pub struct Interleaved<T> {
    sides: Vec<Side<T>>,
    skip: usize,
}

struct Side<T> {
    /// What is read next; nothing after the last page.
    find: Option<Find>,
    ahead: VecDeque<T>,
}

impl<T: Belongs + Placed> Interleaved<T> {
    /// Passes over `skip` rows first. In a single listing the ledger does that without reading them.
    pub fn new(finds: Vec<Find>, skip: usize) -> Self {
        let single = finds.len() == 1;
        let side = |find: Find| Side {
            find: Some(Find { skip: if single { skip } else { 0 }, ..find }),
            ahead: VecDeque::new(),
        };
        Self { sides: finds.into_iter().map(side).collect(), skip: if single { 0 } else { skip } }
    }

    pub async fn next(&mut self, reader: &Reader<'_>) -> Result<Option<T>, Error> {
        loop {
            for side in &mut self.sides {
                side.fill(reader).await?;
            }
            let heads = self.sides.iter().enumerate().filter_map(|(index, side)| Some((side.ahead.front()?, index)));
            let first = heads.min_by(|(one, _), (other, _)| one.place().cmp(&other.place()));
            let Some(index) = first.map(|(_, index)| index) else { return Ok(None) };
            let row = self.sides[index].ahead.pop_front();
            if self.skip == 0 {
                return Ok(row);
            }
            self.skip -= 1;
        }
    }

    /// Whether the last row has been passed. Known after the first [`Self::next`].
    pub fn is_done(&self) -> bool {
        self.sides.iter().all(|side| side.ahead.is_empty() && side.find.is_none())
    }
}

impl<T: Belongs> Side<T> {
    async fn fill(&mut self, reader: &Reader<'_>) -> Result<(), Error> {
        while self.ahead.is_empty() {
            let Some(find) = self.find.take() else { return Ok(()) };
            let (rows, next) = reader.find::<T>(find.clone()).await?;
            self.ahead.extend(rows.into_iter().map(|stored| stored.row));
            self.find = next.map(|next| Find { after: Some(next), skip: 0, ..find });
        }
        Ok(())
    }
}
