//! Who reads what a command prints may have seen enough, like `head`. That is no fault, and ends the command without a word.

use std::panic::PanicHookInfo;

/// How `println!` says that it could not print.
const UNREAD: &str = "failed printing to stdout: Broken pipe";

/// Ends the process when its reader has gone, instead of complaining about it.
pub fn may_leave() {
    let complain = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| if has_left(panic) { std::process::exit(0) } else { complain(panic) }));
}

fn has_left(panic: &PanicHookInfo<'_>) -> bool {
    panic.payload_as_str().is_some_and(|text| text.starts_with(UNREAD))
}
