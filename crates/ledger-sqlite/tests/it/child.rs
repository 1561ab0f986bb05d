//! This test binary again, as another process that can be killed, limited or run as somebody else.
//!
//! A child is an ignored test that does its work only when it is told a directory.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const DIRECTORY: &str = "LEDGER_CHILD_DIRECTORY";

/// A command that runs the ignored test `name` on a directory.
pub fn command(name: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    prepare(&mut command, name, directory);
    command
}

/// The same, but started by another program.
pub fn command_by(program: &str, arguments: &[&str], name: &str, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(std::env::current_exe().unwrap());
    prepare(&mut command, name, directory);
    command
}

fn prepare(command: &mut Command, name: &str, directory: &Path) {
    command.args([name, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(DIRECTORY, directory).stdout(Stdio::piped()).stderr(Stdio::inherit());
}

/// The directory this process was told, when it is a child.
pub fn directory() -> Option<PathBuf> {
    std::env::var_os(DIRECTORY).map(PathBuf::from)
}

/// Tells the parent something, one line at a time.
pub fn tell(word: &str, value: impl std::fmt::Display) {
    println!("\n{word} {value}");
}

/// What a child tells, as `(word, value)`; a line that was cut by a kill is left out.
pub fn told(child: &mut Child) -> impl Iterator<Item = (String, String)> + use<> {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    std::iter::from_fn(move || {
        let mut line = String::new();
        let read = output.read_line(&mut line).unwrap_or(0);
        (read > 0 && line.ends_with('\n')).then_some(line)
    })
    .filter_map(|line| line.trim_end().split_once(' ').map(|(word, value)| (word.to_owned(), value.to_owned())))
}
