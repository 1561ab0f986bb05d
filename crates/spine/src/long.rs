//! Long work, kept away from the threads that answer others.

use serde_json::{Map, Value};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// What a message may weigh before it is read, and a call in it made, where it holds up nobody.
pub const LONG_BYTES: usize = 128 * 1024;
/// What a value weighs besides its text.
const VALUE_BYTES: usize = 8;

/// True when arguments are long. Looks at no more of them than it takes to know.
pub fn is_long(arguments: &Map<String, Value>) -> bool {
    let mut left = LONG_BYTES;
    !arguments.iter().all(|(name, value)| takes(&mut left, name.len()) && fits(&mut left, value))
}

fn fits(left: &mut usize, value: &Value) -> bool {
    match value {
        Value::String(text) => takes(left, text.len()),
        Value::Array(items) => takes(left, 0) && items.iter().all(|item| fits(left, item)),
        Value::Object(entries) => {
            takes(left, 0) && entries.iter().all(|(name, value)| takes(left, name.len()) && fits(left, value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => takes(left, 0),
    }
}

fn takes(left: &mut usize, bytes: usize) -> bool {
    *left = left.saturating_sub(bytes.saturating_add(VALUE_BYTES));
    *left > 0
}

/// Does work on this many bytes, off the executor if they are many.
pub fn work_on<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    if bytes > LONG_BYTES { in_place(work) } else { work() }
}

/// Does work that may keep this thread busy; the other tasks of the thread go on elsewhere meanwhile.
fn in_place<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        // There is but one thread, and it is this one.
        _ => work(),
    }
}

/// The same for work that also waits.
pub async fn to_the_end<T>(work: impl Future<Output = T>) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => block_in_place(|| Handle::current().block_on(work)),
        _ => work.await,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(arguments: Value, expected: bool) {
        let Value::Object(arguments) = arguments else { unreachable!("every case is an object") };
        assert_eq!(is_long(&arguments), expected);
    }

    #[test]
    fn long_texts_names_and_many_values_are_long() {
        check(json!({}), false);
        check(json!({ "a": "x".repeat(LONG_BYTES / 2) }), false);
        check(json!({ "a": "x".repeat(LONG_BYTES) }), true);
        check(json!({ "x".repeat(LONG_BYTES): 1 }), true);
        check(json!({ "a": { "b": ["x".repeat(LONG_BYTES)] } }), true);
        check(json!({ "a": vec![0; LONG_BYTES / VALUE_BYTES / 2] }), false);
        check(json!({ "a": vec![0; LONG_BYTES / VALUE_BYTES] }), true);
    }

    // The other task runs while the work does, so they can meet.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_go_on_while_a_thread_is_busy() {
        let (sender, receiver) = std::sync::mpsc::channel();
        tokio::spawn(async move { sender.send(7) });
        assert_eq!(in_place(|| receiver.recv()), Ok(7));
        let (sender, receiver) = std::sync::mpsc::channel();
        tokio::spawn(async move { sender.send(8) });
        assert_eq!(to_the_end(async { receiver.recv() }).await, Ok(8));
    }
}
