//! Pace: long work lets other threads go first now and then.
//!
//! A system may give a processor to a thread that waits only at its next tick, some milliseconds later. Work that can be
//! long says how far it has come, and pays about a microsecond in a thousand for it.

use std::cell::Cell;

/// How long a thread works before others go first, in nanoseconds.
const STRETCH: u32 = 300_000;

thread_local! {
    static SINCE: Cell<u32> = const { Cell::new(0) };
}

/// Says that a step has been done, of about so many nanoseconds. Others go first when enough of them add up.
pub fn worked(nanoseconds: u32) {
    let since = SINCE.get().saturating_add(nanoseconds);
    if since < STRETCH {
        SINCE.set(since);
    } else {
        SINCE.set(0);
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_go_first_after_a_stretch() {
        worked(STRETCH - 1);
        assert_eq!(SINCE.get(), STRETCH - 1);
        worked(1);
        assert_eq!(SINCE.get(), 0);
        worked(u32::MAX);
        assert_eq!(SINCE.get(), 0);
    }
}
