//! Pauses: a large batch leaves room for others.

/// Work on this many entities takes about half a millisecond.
const STRETCH: usize = 32;

/// Lets others run now and then; `done` counts what the loop around it has done.
pub async fn pause(done: usize) {
    if done % STRETCH != STRETCH - 1 {
        return;
    }
    // A call without a task has a thread of its own: the executor does not wait for it, and perhaps other threads do.
    match tokio::task::try_id() {
        Some(_) => tokio::task::yield_now().await,
        None => std::thread::yield_now(),
    }
}
