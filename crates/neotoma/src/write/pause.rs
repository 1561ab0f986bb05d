//! Pauses: a large batch leaves room for others.

/// Work on this many entities takes about a millisecond.
const STRETCH: usize = 64;

/// Lets others run now and then; `done` counts what the loop around it has done.
pub async fn pause(done: usize) {
    if done % STRETCH == STRETCH - 1 {
        tokio::task::yield_now().await;
    }
}
