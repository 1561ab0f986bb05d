//! The real binary, as a person runs it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// Far longer than anything here takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a command that ended said.
pub struct Ended {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
    command.arg("--data").arg(data).args(arguments).kill_on_drop(true);
    command
}

pub async fn run(data: &Path, arguments: &[&str]) -> Ended {
    let output = tokio::time::timeout(PATIENCE, command(data, arguments).output()).await.expect("it ends").unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { success: output.status.success(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A command whose output is read while it runs.
pub struct Running {
    pub child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    pub fn start(data: &Path, arguments: &[&str]) -> Self {
        let mut child = command(data, arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next lines, each of which is JSON.
    pub async fn next(&mut self, count: usize) -> Vec<Value> {
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("a line in time").unwrap();
            values.push(serde_json::from_str(&line.expect("it goes on")).unwrap());
        }
        values
    }

    /// Stops reading and gives the process back.
    pub fn close(self) -> Child {
        self.child
    }
}

/// True when the process ends well.
pub async fn ends_well(mut child: Child) -> bool {
    tokio::time::timeout(PATIENCE, child.wait()).await.expect("it ends").unwrap().success()
}

/// Ends a command whose output nobody reads: how it ended, and what it said on stderr.
pub async fn run_unread(data: &Path, arguments: &[&str]) -> (bool, String) {
    let mut child = command(data, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("it ends").unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}
