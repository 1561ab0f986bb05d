//! Counts how often memories are recalled, behind the reads that recall them.
//!
//! A read hands in what it showed and goes on; a task of this process adds it up and records it. When it cannot keep up or the
//! process ends, some recalls are not counted: they are statistics, and no read waits for them.

use std::collections::BTreeMap;

use contract::Context;
use desk::{Recorder, View};
use ledger::{Expectation, RecordKey, SharedLedger};
use scope::Timestamp;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::domain::fact::{Fact, Happening};
use crate::domain::narrative::Access;
use crate::domain::row::{Row, kind};
use crate::write::Marks;

/// Reads that may wait to be counted.
const WAITING_MAX: usize = 1024;
/// Reads that are counted together.
const TOGETHER_MAX: usize = 256;

/// Memories that one read showed: each with its character.
struct Seen {
    ctx: Context,
    memories: Vec<(String, String)>,
}

/// How often each memory was recalled, and when last; with its character.
type Counts = BTreeMap<String, (String, u64, Timestamp)>;

/// Where reads hand in what they showed.
#[derive(Clone)]
pub struct Counter(Option<Sender<Seen>>);

impl Counter {
    /// Counts into a ledger from now on. Without a runtime nothing is counted.
    pub fn new(ledger: SharedLedger) -> Self {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return Self(None) };
        let (sender, receiver) = channel(WAITING_MAX);
        runtime.spawn(count(ledger, receiver));
        Self(Some(sender))
    }

    /// Counts that these were recalled; pairs of memory and character.
    pub fn recalled(&self, ctx: &Context, memories: Vec<(String, String)>) {
        let Some(sender) = self.0.as_ref().filter(|_| !memories.is_empty()) else { return };
        let ctx = Context { effect: None, audit: Default::default(), ..ctx.clone() };
        if sender.try_send(Seen { ctx, memories }).is_err() {
            tracing::debug!("a recall is not counted");
        }
    }
}

async fn count(ledger: SharedLedger, mut seen: Receiver<Seen>) {
    let recorder: Recorder<Marks> = Recorder::new(ledger, "chancery/monitor");
    let mut waiting = Vec::new();
    while seen.recv_many(&mut waiting, TOGETHER_MAX).await > 0 {
        let mut tenants: BTreeMap<String, (Context, Counts)> = BTreeMap::new();
        for Seen { ctx, memories } in waiting.drain(..) {
            let (name, now) = (ctx.scope.tenant.to_string(), ctx.now);
            let (_, counts) = tenants.entry(name).or_insert_with(|| (ctx, BTreeMap::new()));
            for (memory, entity) in memories {
                let count = counts.entry(memory).or_insert((entity, 0, now));
                (count.1, count.2) = (count.1 + 1, count.2.max(now));
            }
        }
        for (ctx, counts) in tenants.into_values() {
            if let Err(error) = record(&recorder, &ctx, counts).await {
                tracing::warn!(%error, "recalls are not counted");
            }
        }
    }
}

async fn record(recorder: &Recorder<Marks>, ctx: &Context, counts: Counts) -> Result<(), desk::Failure> {
    let view = View::live(recorder.ledger(), ctx);
    let (mut rows, mut expectations) = (Vec::with_capacity(counts.len()), Vec::with_capacity(counts.len()));
    for (memory_id, (entity_id, more, last_accessed)) in counts {
        let key = RecordKey::new(kind::ACCESS, &memory_id);
        let before = view.get::<Access>(key.clone()).await?;
        expectations.push(before.as_ref().map_or(Expectation::Absent { key }, |before| before.unchanged()));
        let access_count = before.map_or(0, |before| before.access_count) + more;
        rows.push(Row::Access(Access { memory_id, entity_id, last_accessed, access_count }));
    }
    // Another process that counts the same memory at the same moment may win; then ours is lost.
    recorder.record_unless_done(ctx, vec![Fact::new(Happening::MemoriesRecalled, rows)], expectations).await
}
