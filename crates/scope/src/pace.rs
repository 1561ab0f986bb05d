//! Pace: long work yields the processor now and then.
//!
//! A scheduler may leave a woken thread behind one that works until its next tick, some milliseconds later, though another
//! processor is idle. Long loops account for the CPU time that they spend, and yield once a budget is spent. This costs about
//! a nanosecond a step and a system call for each budget; estimates may be wrong by a factor of two.

use std::cell::Cell;
use std::task::Poll;

/// CPU time between two yields of a thread, in nanoseconds.
const BUDGET: u32 = 300_000;

thread_local! {
    static SPENT: Cell<u32> = const { Cell::new(0) };
}

/// Accounts for estimated CPU time and yields the thread once the budget is spent.
pub fn spend(nanoseconds: u32) {
    if is_spent(nanoseconds) {
        std::thread::yield_now();
    }
}

/// Like [`spend`], for code that may run on an executor: its other tasks get their turn too.
pub async fn spend_async(nanoseconds: u32) {
    if !is_spent(nanoseconds) {
        return;
    }
    std::thread::yield_now();
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn is_spent(nanoseconds: u32) -> bool {
    let spent = SPENT.get().saturating_add(nanoseconds);
    SPENT.set(if spent < BUDGET { spent } else { 0 });
    spent >= BUDGET
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn a_spent_budget_begins_again() {
        spend(BUDGET - 1);
        assert_eq!(SPENT.get(), BUDGET - 1);
        spend(1);
        assert_eq!(SPENT.get(), 0);
        spend(u32::MAX);
        assert_eq!(SPENT.get(), 0);
    }

    #[test]
    fn a_task_waits_once_for_each_budget() {
        let polls = |nanoseconds: u32| {
            SPENT.set(0);
            let (mut work, mut polls) = (pin!(spend_async(nanoseconds)), 1);
            while work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
                polls += 1;
            }
            polls
        };
        assert_eq!((polls(BUDGET - 1), polls(BUDGET)), (1, 2));
    }
}
