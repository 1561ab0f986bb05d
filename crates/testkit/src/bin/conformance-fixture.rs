//! Serves the conformance fixture at `/mcp` until it is killed.
//!
//! `conformance-fixture --listen 127.0.0.1:0` says on stderr where it listens.

use std::net::SocketAddr;
use std::process::ExitCode;

use testkit::conformance::Conformance;
use testkit::site::Plan;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let listen = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(SocketAddr::from(([127, 0, 0, 1], 0))),
        ["--listen", address] => address.parse().map_err(|error| format!("{address} is no address: {error}")),
        _ => Err("usage: conformance-fixture [--listen 127.0.0.1:PORT]".to_owned()),
    };
    let outcome = match listen {
        Ok(listen) => Plan::of(Conformance::default()).start(listen).await.map_err(|error| error.to_string()),
        Err(problem) => Err(problem),
    };
    match outcome {
        Ok(running) => {
            say(&format!("listening on http://{}", running.address));
            running.finished().await;
            ExitCode::SUCCESS
        }
        Err(problem) => {
            say(&problem);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "whoever started us reads the address from stderr")]
fn say(line: &str) {
    eprintln!("{line}");
}
