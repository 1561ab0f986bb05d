//! `chancery doctor`: is this installation well, and if not, what to do.

#![expect(clippy::print_stdout, reason = "the answer belongs on stdout")]

use std::process::ExitCode;

use ledger::{At, Ledger as _};
use scope::Scope;
use tokio::net::TcpListener;

use crate::{Config, Platform};

pub async fn examine(config: &Config) -> anyhow::Result<ExitCode> {
    let mut well = true;
    let mut report = |name: &str, outcome: Result<String, String>| match outcome {
        Ok(text) => println!("ok    {name}: {text}"),
        Err(text) => {
            well = false;
            println!("wrong {name}: {text}");
        }
    };
    report("version", Ok(env!("CARGO_PKG_VERSION").to_owned()));
    match Platform::open(config).await {
        Err(error) => report("data", Err(format!("{error:#}"))),
        Ok(platform) => {
            report("data", Ok(config.data.display().to_string()));
            let head = platform.ledger.point(&Scope::local().tenant, At::Head).await;
            report("ledger", head.map(|seq| format!("{seq} facts in tenant local")).map_err(|error| error.to_string()));
            for endpoint in &platform.endpoints {
                report(&endpoint.capability.manifest().name, Ok(format!("{} tools", endpoint.tools().len())));
            }
        }
    }
    let listening = TcpListener::bind(config.listen).await;
    let free = listening.map(|_| format!("{} is free", config.listen));
    report(
        "listen",
        free.map_err(|error| {
            format!("{}: {error}; a server may already run there, or choose another with --listen", config.listen)
        }),
    );
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
