//! Puts generated code into the form that `cargo fmt` leaves alone.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The repository's own settings (`rustfmt.toml`), repeated so that the result does not depend on the current folder.
const SETTINGS: &str = "max_width=120,use_small_heuristics=Max";

/// Code as rustfmt leaves it; unchanged when it does not parse, so that the compiler shows the mistake.
pub fn formatted(code: &str) -> String {
    // Attributes that were just wrapped can move once more, so the form is the second one.
    let once = run(code).unwrap_or_else(|| code.to_owned());
    run(&once).unwrap_or(once)
}

fn run(code: &str) -> Option<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--quiet", "--config", SETTINGS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let code = code.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(code.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
}
