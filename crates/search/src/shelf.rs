//! A partition in memory: its index, and which passages of each document are live.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use hashbrown::HashMap;
use ledger::{KeptRow, Seq};
use sha2::{Digest, Sha256};

use crate::derive::Change;
use crate::{Analysed, Damaged, Index, Quantised, Row, Space};

/// A partition that questions are answered from while others change it.
pub struct Shelf {
    content: RwLock<Content>,
    used: AtomicU64,
}

/// What is on a shelf.
pub struct Content {
    pub index: Index,
    partition: String,
    /// By document, the live passages in order.
    live: HashMap<String, Vec<Live>>,
}

#[derive(Debug, Clone, Copy)]
struct Live {
    passage: u32,
    slot: u64,
    hash: [u8; 16],
}

impl Shelf {
    pub fn new(partition: &str, index: Index) -> Self {
        let content = Content { index, partition: partition.to_owned(), live: HashMap::new() };
        Self { content: RwLock::new(content), used: AtomicU64::default() }
    }

    pub fn read(&self) -> RwLockReadGuard<'_, Content> {
        self.content.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, Content> {
        self.content.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes when it was used last, on a clock that counts uses.
    pub fn touch(&self, now: u64) {
        self.used.fetch_max(now, Ordering::Relaxed);
    }

    pub fn last_used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

impl Content {
    /// Adds a row that was kept.
    pub fn restore(&mut self, row: KeptRow) -> Result<(), Damaged> {
        let analysed = Analysed::from_bytes(&row.body)?;
        let vector = if row.vector.is_empty() { None } else { Some(Quantised::from_bytes(&row.vector)?) };
        let slot = slot(&row.document, row.passage, row.from);
        if row.to.is_none() {
            let live = Live { passage: row.passage, slot, hash: row.hash };
            self.live.entry_ref(row.document.as_str()).or_default().push(live);
        }
        let (document, passage, from, to) = (row.document, row.passage, row.from, row.to);
        self.index.insert(Row { slot, document, passage, from, to, analysed, vector });
        Ok(())
    }

    /// Takes a change in. Passages that stay the same stay as they are, as the store does it.
    pub fn change(&mut self, change: &Change) {
        let is_here = change.partition == self.partition;
        let passages = if is_here { change.passages.as_slice() } else { &[] };
        let before = self.live.remove(change.document.as_str()).unwrap_or_default();
        let stays = |live: &Live| passages.get(live.passage as usize).is_some_and(|after| after.hash == live.hash);
        let (mut live, ended): (Vec<Live>, Vec<Live>) = before.into_iter().partition(stays);
        ended.iter().for_each(|ended| self.index.end(ended.slot, change.from));
        let takes_table = self.index.space().is_some_and(Space::is_of_a_table);
        for (passage, after) in (0..).zip(passages) {
            if live.iter().any(|live| live.passage == passage) {
                continue;
            }
            let slot = slot(&change.document, passage, change.from);
            let vector = after.vector.clone().filter(|_| takes_table);
            let (document, analysed) = (change.document.clone(), after.analysed.clone());
            self.index.insert(Row { slot, document, passage, from: change.from, to: None, analysed, vector });
            live.push(Live { passage, slot, hash: after.hash });
        }
        if !live.is_empty() {
            self.live.insert(change.document.clone(), live);
        }
    }

    /// Adds a vector that came later.
    pub fn set_vector(&mut self, document: &str, passage: u32, from: Seq, vector: Quantised) {
        self.index.set_vector(slot(document, passage, from), vector);
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        self.index.bytes() + self.live.capacity() * 160
    }
}

/// Names a version of a passage, the same wherever it comes from.
fn slot(document: &str, passage: u32, from: Seq) -> u64 {
    let digest = Sha256::new()
        .chain_update(from.to_le_bytes())
        .chain_update(passage.to_le_bytes())
        .chain_update(document)
        .finalize();
    u64::from_le_bytes(*digest.first_chunk().expect("a digest is longer"))
}
