//! The body of a request, read within its bounds.
//!
//! Most bodies are small. A large one, a file inside JSON, is read only from a caller we know, and only a few are in memory at
//! a time; the others wait with their bytes still on the wire.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use bytes::BytesMut;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use crate::admission::Rejection;

/// What is larger waits for its turn.
const LARGE_BYTES: usize = 4 * 1024 * 1024;
/// How long we listen to somebody who sends too much and pauses.
const PAUSE_MAX: Duration = Duration::from_millis(100);
/// How many large bodies are in memory at a time, in one process.
const LARGE_MAX: usize = 2;

/// Where large bodies take turns. Cheap to clone; all clones count together.
#[derive(Debug, Clone)]
pub struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LARGE_MAX)))
    }
}

/// A body that was read.
pub struct Whole {
    pub bytes: Bytes,
    /// Held by a large body as long as it or what was made of it is in memory.
    pub turn: Option<OwnedSemaphorePermit>,
}

/// Why a body was not read.
#[derive(Debug)]
pub enum Unread {
    /// With the size it was said to have, or as much as was read.
    TooLarge {
        bytes: u64,
    },
    Broken,
    Slow,
    /// Too many others are being read.
    Busy,
    Rejected(Rejection),
}

/// What a body is read within.
pub struct Bounds<'a> {
    pub bytes_max: usize,
    /// For the whole of a small body, and for each part of that size of a large one.
    pub read_timeout: Duration,
    /// How long a large body waits for its turn.
    pub turn_timeout: Duration,
    pub turns: &'a Turns,
    /// Whether the sender waits for our word before it sends the body.
    pub sender_waits: bool,
}

impl Bounds<'_> {
    /// Reads a body. `known` says whether a large one is welcome from this caller.
    pub async fn read(&self, mut body: Body, known: impl Fn() -> Result<(), Rejection>) -> Result<Whole, Unread> {
        let outcome = self.receive(&mut body, known).await;
        if matches!(outcome, Err(Unread::TooLarge { .. })) && !self.sender_waits {
            // Whoever is still sending does not look for an answer, and would lose it with the connection.
            let _ = timeout(self.read_timeout, pass_over(&mut body)).await;
        }
        outcome
    }

    async fn receive(&self, body: &mut Body, known: impl Fn() -> Result<(), Rejection>) -> Result<Whole, Unread> {
        let declared = body.size_hint().lower();
        let declared_bytes = usize::try_from(declared).unwrap_or(usize::MAX);
        if declared_bytes > self.bytes_max {
            return Err(Unread::TooLarge { bytes: declared });
        }
        let mut turn = None;
        if declared_bytes > LARGE_BYTES {
            turn = Some(self.turn(&known).await?);
        }
        let mut received = BytesMut::with_capacity(declared_bytes);
        let mut part = Part::new(self.read_timeout);
        loop {
            let frame = match timeout_at(part.deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(Unread::Broken),
                Ok(None) => return Ok(Whole { bytes: received.freeze(), turn }),
                Err(_) => return Err(Unread::Slow),
            };
            let Ok(data) = frame.into_data() else { continue };
            let size = received.len() + data.len();
            if size > self.bytes_max {
                return Err(Unread::TooLarge { bytes: declared.max(size as u64) });
            }
            if size > LARGE_BYTES && turn.is_none() {
                turn = Some(self.turn(&known).await?);
                part = Part::new(self.read_timeout);
            }
            received.extend_from_slice(&data);
            part.count(data.len(), self.read_timeout);
        }
    }

    async fn turn(&self, known: impl Fn() -> Result<(), Rejection>) -> Result<OwnedSemaphorePermit, Unread> {
        known().map_err(Unread::Rejected)?;
        let waiting = self.turns.0.clone().acquire_owned();
        timeout(self.turn_timeout, waiting).await.ok().and_then(Result::ok).ok_or(Unread::Busy)
    }
}

/// Reads what comes, to no end.
async fn pass_over(body: &mut Body) {
    while let Ok(Some(Ok(_))) = timeout(PAUSE_MAX, body.frame()).await {}
}

/// A part of a body, as large as a small body may be, that must arrive in time.
struct Part {
    bytes: usize,
    deadline: Instant,
}

impl Part {
    fn new(limit: Duration) -> Self {
        Self { bytes: 0, deadline: Instant::now() + limit }
    }

    fn count(&mut self, bytes: usize, limit: Duration) {
        self.bytes += bytes;
        if self.bytes >= LARGE_BYTES {
            *self = Self::new(limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    fn bounds(turns: &Turns) -> Bounds<'_> {
        let short = Duration::from_millis(50);
        Bounds {
            bytes_max: 3 * LARGE_BYTES,
            read_timeout: Duration::from_secs(60),
            turn_timeout: short,
            turns,
            sender_waits: false,
        }
    }

    /// Without a length, in pieces.
    fn pieces(bytes: usize) -> Body {
        let piece = Bytes::from(vec![b'x'; 64 * 1024]);
        let mut left = bytes;
        let pieces = std::iter::from_fn(move || {
            let next = piece.slice(..piece.len().min(left));
            left -= next.len();
            (!next.is_empty()).then_some(Ok::<_, std::io::Error>(next))
        });
        Body::from_stream(stream::iter(pieces))
    }

    async fn read(turns: &Turns, body: Body) -> Result<Whole, Unread> {
        bounds(turns).read(body, || Ok(())).await
    }

    #[tokio::test]
    async fn few_large_bodies_are_in_memory_at_a_time() {
        let turns = Turns::default();
        let first = read(&turns, Body::from(vec![0; LARGE_BYTES + 1])).await.unwrap();
        let second = read(&turns, pieces(LARGE_BYTES + 1)).await.unwrap();
        assert_eq!((first.bytes.len(), second.bytes.len()), (LARGE_BYTES + 1, LARGE_BYTES + 1));
        assert!(matches!(read(&turns, pieces(LARGE_BYTES + 1)).await, Err(Unread::Busy)));
        assert!(matches!(read(&turns, Body::from(vec![0; LARGE_BYTES + 1])).await, Err(Unread::Busy)));
        // Small ones do not wait.
        assert!(read(&turns, pieces(LARGE_BYTES)).await.unwrap().turn.is_none());
        drop(first);
        assert!(read(&turns, pieces(LARGE_BYTES + 1)).await.is_ok());
    }

    #[tokio::test]
    async fn the_limit_is_to_the_byte() {
        let turns = Turns::default();
        let max = bounds(&turns).bytes_max;
        assert_eq!(read(&turns, pieces(max)).await.unwrap().bytes.len(), max);
        assert!(matches!(read(&turns, pieces(max + 1)).await, Err(Unread::TooLarge { .. })));
        let refused = read(&turns, Body::from(vec![0; max + 7])).await;
        assert!(matches!(refused, Err(Unread::TooLarge { bytes }) if bytes == (max + 7) as u64));
    }

    #[tokio::test]
    async fn a_large_body_is_read_from_those_we_know() {
        let turns = Turns::default();
        let unknown = || Err(Rejection::Unidentified);
        for body in [pieces(LARGE_BYTES + 1), Body::from(vec![0; LARGE_BYTES + 1])] {
            let refused = bounds(&turns).read(body, unknown).await;
            assert!(matches!(refused, Err(Unread::Rejected(Rejection::Unidentified))));
        }
        assert!(bounds(&turns).read(pieces(10), unknown).await.is_ok());
    }
}
