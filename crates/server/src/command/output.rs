//! What a command writes: answers to stdout, words for a person to stderr.

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use anyhow::Context as _;

/// Writes a line to stdout.
pub fn line(text: &str) -> anyhow::Result<()> {
    write(&format!("{text}\n"))
}

/// Writes a text to stdout. A reader who has seen enough, like `head`, is no fault and ends the command.
pub fn write(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        outcome => outcome.context("cannot write to stdout"),
    }
}

/// Writes a line to stderr. Where that cannot be written there is nobody to tell.
pub fn note(text: &str) {
    let clear = if std::io::stderr().is_terminal() { CLEAR } else { "" };
    let _ = writeln!(std::io::stderr(), "{clear}{text}");
}

/// Shows a line that the next one replaces, if somebody watches.
pub fn progress(text: &str) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let _ = write!(stderr, "{CLEAR}{text}").and_then(|()| stderr.flush());
    }
}

/// Goes to the start of the line and erases it.
const CLEAR: &str = "\r\x1b[2K";
