//! One call at a time for each effect that has a name.
//!
//! A call whose effect is under way waits for the first one, and then finds its answer. Only this process is looked at:
//! what two processes do at once, the ledger settles when they commit.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::{CallError, ErrorKind};
use tokio::sync::Notify;

use crate::replay::{Identity, KEY_ARGUMENT};

/// How long a call waits for the one before it.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// When it is worth asking again after having waited in vain.
const RETRY_AFTER_MS: u64 = 1_000;

/// The effects that are under way, each with those who wait for its end.
#[derive(Default)]
pub struct Turns {
    taken: Mutex<HashMap<Identity, Arc<Notify>>>,
}

/// Holds an effect until it is dropped, however its call ends.
pub struct Turn<'a> {
    turns: &'a Turns,
    effect: Identity,
}

impl Turns {
    /// Takes the turn of an effect as soon as nobody has it, or refuses after a while.
    pub async fn take(&self, effect: Identity) -> Result<Turn<'_>, CallError> {
        tokio::time::timeout(WAIT_MAX, self.come(effect)).await.map_err(|_| in_progress())
    }

    async fn come(&self, effect: Identity) -> Turn<'_> {
        loop {
            // Made while the lock is held, so that an end that comes right after it is noticed.
            let ended = match self.lock().entry(effect) {
                Entry::Vacant(free) => {
                    free.insert(Arc::default());
                    return Turn { turns: self, effect };
                }
                Entry::Occupied(taken) => taken.get().clone().notified_owned(),
            };
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, Arc<Notify>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let waiting = self.turns.lock().remove(&self.effect);
        if let Some(waiting) = waiting {
            waiting.notify_waiters();
        }
    }
}

fn in_progress() -> CallError {
    let message = format!("a call with this {KEY_ARGUMENT} is still under way");
    CallError::new(ErrorKind::Conflict, "IDEMPOTENCY_IN_PROGRESS", message)
        .field(KEY_ARGUMENT)
        .detail("retry_after_ms", RETRY_AFTER_MS)
        .hint(format!("make the same call again after retry_after_ms, with the same {KEY_ARGUMENT}"))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::join_all;
    use tokio::time::{Instant, sleep};

    use super::*;

    const FIRST: Identity = [1; 32];
    const OTHER: Identity = [2; 32];

    //
    #[tokio::test(start_paused = true)]
    async fn who_waited_five_seconds_is_refused_and_may_try_again() {
        let turns = Turns::default();
        let held = turns.take(FIRST).await.unwrap();
        let started = Instant::now();
        let refused = turns.take(FIRST).await.err().unwrap();
        assert_eq!(started.elapsed(), WAIT_MAX);
        assert_eq!((&*refused.code, refused.retryable()), ("IDEMPOTENCY_IN_PROGRESS", true));
        assert!(refused.details["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0));
        drop(held);
        assert!(turns.take(FIRST).now_or_never().is_some());
    }

    // other effects, and calls of the same one later, wait for nobody.
    #[tokio::test(start_paused = true)]
    async fn another_effect_does_not_wait() {
        let turns = Turns::default();
        let _held = turns.take(FIRST).await.unwrap();
        assert!(turns.take(OTHER).now_or_never().is_some());
        assert!(turns.take(OTHER).now_or_never().is_some());
    }

    //
    #[tokio::test(start_paused = true)]
    async fn all_who_wait_come_one_after_the_other() {
        let turns = Turns::default();
        let under_way = Mutex::new(0);
        let calls = (0..8).map(async |_| {
            let _turn = turns.take(FIRST).await.unwrap();
            *under_way.lock().unwrap() += 1;
            sleep(Duration::from_millis(500)).await;
            let mut under_way = under_way.lock().unwrap();
            *under_way -= 1;
            assert_eq!(*under_way, 0);
        });
        join_all(calls).await;
        assert!(turns.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_given_up_or_panics_leaves_its_turn() {
        let turns = Arc::new(Turns::default());
        let panicking = turns.clone();
        let panicked = tokio::spawn(async move {
            let _turn = panicking.take(FIRST).await.unwrap();
            panic!("asked to panic");
        });
        assert!(panicked.await.unwrap_err().is_panic());
        let holder = turns.clone();
        let given_up = tokio::spawn(async move {
            let _turn = holder.take(FIRST).await.unwrap();
            std::future::pending::<()>().await;
        });
        // The second gives up while it waits, and the third gets the turn.
        let (second, third) = (Box::pin(turns.take(FIRST)), turns.take(FIRST));
        tokio::task::yield_now().await;
        assert!(futures::poll!(second).is_pending());
        given_up.abort();
        assert!(third.await.is_ok());
        assert!(turns.lock().is_empty());
    }
}
