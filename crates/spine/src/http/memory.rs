//! What requests under way may hold in memory, over all connections together.
//!
//! Most bodies are small and are counted as they arrive, and again by what was made of them. A large one, a file inside
//! JSON, takes one of a few turns instead; the others wait with their bytes still on the wire.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// What all small bodies and the values in them may take.
const BYTES_MAX: usize = 256 * 1024 * 1024;
/// What a value takes, about, when it is a small one.
const VALUE_BYTES: usize = 128;
/// How many large bodies there are at a time.
const LARGE_MAX: usize = 2;
/// How many long messages are parsed at a time.
const PARSED_MAX: usize = 4;

/// The memory of one server. Cheap to clone; all clones count together.
#[derive(Debug, Clone)]
pub struct Memory {
    bytes: Arc<Semaphore>,
    large: Arc<Semaphore>,
    parsing: Arc<Semaphore>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::of(BYTES_MAX)
    }
}

/// What one request holds; given back when it is dropped.
#[derive(Debug, Default)]
pub struct Held {
    bytes: Option<OwnedSemaphorePermit>,
    turn: Option<OwnedSemaphorePermit>,
}

/// There is no room at present.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

impl Memory {
    pub fn of(bytes_max: usize) -> Self {
        let [bytes, large, parsing] =
            [bytes_max, LARGE_MAX, PARSED_MAX].map(|permits| Arc::new(Semaphore::new(permits)));
        Self { bytes, large, parsing }
    }

    /// Takes more for a request, at once or not at all: who waited for room while holding some could wait for ever.
    pub fn take(&self, held: &mut Held, bytes: usize) -> Result<(), Full> {
        if held.turn.is_some() {
            return Ok(());
        }
        let count = u32::try_from(bytes).map_err(|_| Full)?;
        let more = self.bytes.clone().try_acquire_many_owned(count).map_err(|_| Full)?;
        match &mut held.bytes {
            Some(permit) => permit.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// Takes what parsed values need.
    pub fn take_values(&self, held: &mut Held, values: usize) -> Result<(), Full> {
        self.take(held, values.saturating_mul(VALUE_BYTES))
    }

    /// Waits for the turn of a large body. What it held as a small one is given back.
    pub async fn take_turn(&self, held: &mut Held, wait_max: Duration) -> Result<(), Full> {
        let waiting = self.large.clone().acquire_owned();
        held.turn = Some(timeout(wait_max, waiting).await.ok().and_then(Result::ok).ok_or(Full)?);
        held.bytes = None;
        Ok(())
    }

    /// Waits until a long message may be parsed.
    pub async fn parsing(&self) -> Option<OwnedSemaphorePermit> {
        self.parsing.clone().acquire_owned().await.ok()
    }
}

impl Held {
    pub fn has_turn(&self) -> bool {
        self.turn.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_share_what_there_is() {
        let memory = Memory::of(100);
        let (mut first, mut second) = (Held::default(), Held::default());
        assert_eq!(memory.take(&mut first, 60), Ok(()));
        assert_eq!(memory.take(&mut second, 60), Err(Full));
        assert_eq!(memory.take(&mut second, 40), Ok(()));
        assert_eq!(memory.take_values(&mut second, 1), Err(Full));
        // A large one does not live on what the small ones share.
        memory.take_turn(&mut first, Duration::ZERO).await.unwrap();
        assert_eq!(memory.take(&mut first, 1_000_000), Ok(()));
        assert_eq!(memory.take(&mut second, 60), Ok(()));
        drop(second);
        assert_eq!(memory.bytes.available_permits(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn large_ones_take_turns() {
        let memory = Memory::default();
        let mut held = [Held::default(), Held::default(), Held::default()];
        let [first, second, third] = &mut held;
        for large in [&mut *first, second] {
            assert_eq!(memory.take_turn(large, Duration::from_secs(1)).await, Ok(()));
        }
        assert_eq!(memory.take_turn(third, Duration::from_secs(1)).await, Err(Full));
        *first = Held::default();
        assert_eq!(memory.take_turn(third, Duration::from_secs(1)).await, Ok(()));
    }
}
