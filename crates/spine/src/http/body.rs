//! The body of a request, read within its bounds.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use bytes::BytesMut;
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout, timeout_at};

use super::memory::{Full, Held, Memory};

/// What is larger waits for its turn.
const LARGE_BYTES: usize = 4 * 1024 * 1024;
/// How much room is made for a small body before it has come.
const ROOM_BYTES: usize = 64 * 1024;
/// How long we listen to somebody who sends too much and pauses.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// A body that was read.
#[derive(Debug)]
pub struct Whole {
    pub bytes: Bytes,
    /// Held as long as the body or what was made of it is in memory.
    pub held: Held,
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
}

impl From<Full> for Unread {
    fn from(Full: Full) -> Self {
        Self::Busy
    }
}

/// What a body is read within.
pub struct Bounds<'a> {
    pub bytes_max: usize,
    /// For the whole of a small body, and for each part of that size of a large one.
    pub read_timeout: Duration,
    /// How long a large body waits for its turn.
    pub turn_timeout: Duration,
    pub memory: &'a Memory,
    /// Whether the sender waits for our word before it sends the body.
    pub sender_waits: bool,
}

impl Bounds<'_> {
    /// Reads a body.
    pub async fn read(&self, mut body: Body) -> Result<Whole, Unread> {
        let outcome = self.receive(&mut body).await;
        if matches!(outcome, Err(Unread::TooLarge { .. } | Unread::Busy)) && !self.sender_waits {
            discard(body, self.read_timeout).await;
        }
        outcome
    }

    async fn receive(&self, body: &mut Body) -> Result<Whole, Unread> {
        let declared = body.size_hint().lower();
        let declared_bytes = usize::try_from(declared).unwrap_or(usize::MAX);
        if declared_bytes > self.bytes_max {
            return Err(Unread::TooLarge { bytes: declared });
        }
        let mut held = Held::default();
        if declared_bytes > LARGE_BYTES {
            self.memory.take_turn(&mut held, self.turn_timeout).await?;
        }
        let room = if held.has_turn() { declared_bytes } else { declared_bytes.min(ROOM_BYTES) };
        let mut received = BytesMut::with_capacity(room);
        let mut part = Part::new(self.read_timeout);
        loop {
            let frame = match timeout_at(part.deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(Unread::Broken),
                Ok(None) => return Ok(Whole { bytes: received.freeze(), held }),
                Err(_) => return Err(Unread::Slow),
            };
            let Ok(data) = frame.into_data() else { continue };
            let size = received.len() + data.len();
            if size > self.bytes_max {
                return Err(Unread::TooLarge { bytes: declared.max(size as u64) });
            }
            if size > LARGE_BYTES && !held.has_turn() {
                self.memory.take_turn(&mut held, self.turn_timeout).await?;
                part = Part::new(self.read_timeout);
            }
            self.memory.take(&mut held, data.len())?;
            received.extend_from_slice(&data);
            part.count(data.len(), self.read_timeout);
        }
    }
}

/// Drains and discards a body: whoever is still sending does not look for an answer, and would lose it with the connection.
pub async fn discard(mut body: Body, wait_max: Duration) {
    let draining = async { while let Ok(Some(Ok(_))) = timeout(PAUSE_MAX, body.frame()).await {} };
    let _ = timeout(wait_max, draining).await;
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
    use futures::{StreamExt as _, stream};

    use super::*;

    fn bounds(memory: &Memory) -> Bounds<'_> {
        Bounds {
            bytes_max: 3 * LARGE_BYTES,
            read_timeout: Duration::from_secs(60),
            turn_timeout: Duration::from_millis(50),
            memory,
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

    async fn read(memory: &Memory, body: Body) -> Result<Whole, Unread> {
        bounds(memory).read(body).await
    }

    #[tokio::test]
    async fn few_large_bodies_are_in_memory_at_a_time() {
        let memory = Memory::default();
        let first = read(&memory, Body::from(vec![0; LARGE_BYTES + 1])).await.unwrap();
        let second = read(&memory, pieces(LARGE_BYTES + 1)).await.unwrap();
        assert_eq!((first.bytes.len(), second.bytes.len()), (LARGE_BYTES + 1, LARGE_BYTES + 1));
        assert!(matches!(read(&memory, pieces(LARGE_BYTES + 1)).await, Err(Unread::Busy)));
        assert!(matches!(read(&memory, Body::from(vec![0; LARGE_BYTES + 1])).await, Err(Unread::Busy)));
        // Small ones do not wait.
        assert!(!read(&memory, pieces(LARGE_BYTES)).await.unwrap().held.has_turn());
        drop(first);
        assert!(read(&memory, pieces(LARGE_BYTES + 1)).await.is_ok());
    }

    #[tokio::test]
    async fn small_bodies_share_a_bound_of_bytes() {
        let memory = Memory::of(100_000);
        let first = read(&memory, pieces(60_000)).await.unwrap();
        assert!(matches!(read(&memory, pieces(60_000)).await, Err(Unread::Busy)));
        assert!(read(&memory, pieces(40_000)).await.is_ok());
        drop(first);
        assert!(read(&memory, pieces(60_000)).await.is_ok());
    }

    #[tokio::test]
    async fn the_limit_is_to_the_byte() {
        let memory = Memory::default();
        let max = bounds(&memory).bytes_max;
        assert_eq!(read(&memory, pieces(max)).await.unwrap().bytes.len(), max);
        assert!(matches!(read(&memory, pieces(max + 1)).await, Err(Unread::TooLarge { .. })));
        let refused = read(&memory, Body::from(vec![0; max + 7])).await;
        assert!(matches!(refused, Err(Unread::TooLarge { bytes }) if bytes == (max + 7) as u64));
    }

    //
    #[tokio::test(start_paused = true)]
    async fn a_byte_a_second_does_not_hold_a_place() {
        let memory = Memory::default();
        let drops = stream::repeat(()).then(async |()| {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok::<_, std::io::Error>(Bytes::from_static(b"x"))
        });
        let started = Instant::now();
        let outcome = read(&memory, Body::from_stream(Box::pin(drops))).await;
        assert!(matches!(outcome, Err(Unread::Slow)), "{outcome:?}");
        assert_eq!(started.elapsed(), Duration::from_secs(60));
    }
}
