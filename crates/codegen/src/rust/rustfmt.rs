//! Puts generated code into the form that `cargo fmt` leaves alone.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// The repository's own settings (`rustfmt.toml`), repeated so that the result does not depend on the current folder.
const SETTINGS: &str = "max_width=120,use_small_heuristics=Max";

/// Code as rustfmt leaves it; unchanged when it does not parse, so that the compiler shows the mistake. Fails when there
/// is no rustfmt.
pub fn formatted(code: &str) -> io::Result<String> {
    // Attributes that were just wrapped can move once more, so the form is the second one.
    let once = run(code)?.unwrap_or_else(|| code.to_owned());
    Ok(run(&once)?.unwrap_or(once))
}

fn run(code: &str) -> io::Result<Option<String>> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--quiet", "--config", SETTINGS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().expect("the input was asked for");
    let code = code.to_owned();
    // A thread of its own, so that neither side waits for the other with a full pipe.
    let writer = std::thread::spawn(move || stdin.write_all(code.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().expect("writing does not panic")?;
    Ok(output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten())
}
