//! Threads that read documents: a hostile file may take long or end in a panic, and neither may reach a caller.
//!
//! A thread holds its place until it has ended, also when nobody waits for it any more. So calls that time out cannot
//! pile up readers.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use super::Failure;
use super::effort::Effort;

/// Documents that are read at once.
const DOCUMENTS_MAX: usize = 4;
/// The readers of foreign formats recurse, and debug builds need room for that.
const STACK_BYTES: usize = 16 << 20;

/// A bounded number of threads, each for one document.
#[derive(Debug, Clone)]
pub struct Workers {
    places: Arc<Semaphore>,
    time_max: Duration,
}

impl Workers {
    /// Workers that give up on a document after `time_max`, the wait for a place included.
    pub fn new(time_max: Duration) -> Self {
        Self { places: Arc::new(Semaphore::new(DOCUMENTS_MAX)), time_max }
    }

    /// Reads a document on a thread of its own. When the future is dropped, the reader is asked to stop.
    pub async fn read<T: Send + 'static>(
        &self,
        bytes: &Bytes,
        read: impl FnOnce(&[u8], &Effort) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let deadline = Instant::now() + self.time_max;
        let place = tokio::time::timeout_at(deadline.into(), self.places.clone().acquire_owned()).await;
        let Ok(Ok(place)) = place else {
            return Err(failure("too many documents are being read; try again a little later"));
        };
        let cancelled = CancellationToken::new();
        let _stop = cancelled.clone().drop_guard();
        let (send, receive) = oneshot::channel();
        let bytes = bytes.clone();
        let work = move || {
            let effort = Effort::new(bytes.len(), deadline, cancelled);
            let read = std::panic::catch_unwind(AssertUnwindSafe(|| read(&bytes, &effort)));
            // Nobody listens any more after a timeout.
            let _ = send.send(read.unwrap_or_else(|_| Err(failure("the document broke its reader"))));
            drop(place);
        };
        std::thread::Builder::new()
            .name("interpret".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(work)
            .map_err(|_| failure("there is no thread to read the document"))?;
        match tokio::time::timeout_at((deadline + Duration::from_secs(1)).into(), receive).await {
            Ok(Ok(read)) => read,
            Ok(Err(_)) => Err(failure("the document broke its reader")),
            Err(_) => Err(failure("reading the document took too long")),
        }
    }
}

fn failure(reason: &str) -> Failure {
    Failure { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[tokio::test]
    async fn a_reader_keeps_its_place_after_its_call_has_ended() {
        let workers = Workers::new(LONG);
        let (started, is_started) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let stubborn = move |_: &[u8], effort: &Effort| {
            started.send(()).unwrap();
            released.recv().unwrap();
            effort.check()
        };
        let bytes = Bytes::new();
        let mut call = Box::pin(workers.read(&bytes, stubborn));
        assert!(futures::poll!(&mut call).is_pending());
        is_started.recv().unwrap();
        drop(call);
        assert_eq!(workers.places.available_permits(), DOCUMENTS_MAX - 1);
        release.send(()).unwrap();
        let all = workers.places.acquire_many(DOCUMENTS_MAX.try_into().unwrap()).await;
        assert!(all.is_ok(), "the place is free once the thread has ended");
    }

    #[tokio::test]
    async fn a_call_that_has_ended_stops_its_reader() {
        let workers = Workers::new(LONG);
        let (stopped, is_stopped) = mpsc::channel();
        let endless = move |_: &[u8], effort: &Effort| {
            while effort.check().is_ok() {
                std::thread::yield_now();
            }
            stopped.send(()).unwrap();
            effort.check()
        };
        let bytes = Bytes::new();
        let mut call = Box::pin(workers.read(&bytes, endless));
        assert!(futures::poll!(&mut call).is_pending());
        drop(call);
        is_stopped.recv().unwrap();
    }

    #[tokio::test]
    async fn no_more_documents_are_read_at_once_than_there_are_places() {
        let workers = Workers::new(Duration::ZERO);
        let _taken = workers.places.acquire_many(DOCUMENTS_MAX.try_into().unwrap()).await.unwrap();
        let refused = workers.read(&Bytes::new(), |_, _| Ok(())).await.unwrap_err();
        assert_eq!(refused.reason, "too many documents are being read; try again a little later");
    }

    #[tokio::test]
    async fn a_panic_ends_in_a_failure() {
        let workers = Workers::new(LONG);
        let broken = workers.read(&Bytes::new(), |_, _| -> Result<(), Failure> { panic!("on purpose") }).await;
        assert_eq!(broken.unwrap_err().reason, "the document broke its reader");
    }
}
