//! `chancery doctor`: is this installation well, and if not, what to do.

use std::process::ExitCode;

use ledger::{At, Ledger as _};
use scope::Scope;
use tokio::net::TcpListener;

use super::output;
use crate::config::Gathered;
use crate::platform::keep_private;
use crate::{Config, Platform};

pub async fn examine(gathered: &Gathered) -> anyhow::Result<ExitCode> {
    let config = &gathered.config;
    let mut found = vec![("version", Ok(env!("CARGO_PKG_VERSION").to_owned()))];
    for name in &gathered.strange_variables {
        found.push(("environment", Err(format!("{name} is no setting; `chancery config reference` lists them"))));
    }
    found.extend(keep_private(&config.data).into_iter().map(|line| ("data", line)));
    match Platform::open(config).await {
        Err(error) => found.push(("data", Err(format!("{error:#}")))),
        Ok(platform) => {
            found.push(("data", Ok(config.data.display().to_string())));
            let head = platform.ledger.point(&Scope::local().tenant, At::Head).await;
            let head = head.map(|seq| format!("{seq} facts in tenant local"));
            found.push(("ledger", head.map_err(|error| error.to_string())));
            let writes = platform.ledger.health().await.map(|()| "changes can be written".to_owned());
            found.push(("ledger", writes));
            found.push(("audit", records(&platform).await));
            found.push(("search", indexes(&platform).await));
            for mounted in &platform.mounted {
                let name = mounted.module.name();
                found.push((name, Ok(format!("{} tools", mounted.endpoint.tools().len()))));
                let more = mounted.module.doctor(&mounted.parts).await;
                found.extend(more.into_iter().map(|line| (name, line)));
            }
        }
    }
    found.push(("listen", listens(config).await));
    for (topic, outcome) in &found {
        match outcome {
            Ok(text) => output::line(&format!("ok    {topic}: {text}"))?,
            Err(text) => output::line(&format!("wrong {topic}: {text}"))?,
        }
    }
    let is_well = found.iter().all(|(_, outcome)| outcome.is_ok());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether audit records can be read and written.
async fn records(platform: &Platform) -> Result<String, String> {
    platform.audit.log.check_writable().await?;
    let last = platform.audit.recent(&Scope::local().tenant, 1).await.map_err(|error| error.to_string())?;
    let since = last.first().map_or_else(|| "no call yet".to_owned(), |row| format!("the last call was at {}", row.at));
    Ok(format!("records can be written; {since}"))
}

/// How far behind the indexes are.
async fn indexes(platform: &Platform) -> Result<String, String> {
    let Some(search) = platform.search() else { return Ok("nothing is searched".to_owned()) };
    let behind =
        search.behind().await.map_err(|error| format!("{error}; `chancery reindex` makes the indexes again"))?;
    Ok(match behind.iter().max_by_key(|(_, _, facts)| *facts) {
        None => "the indexes hold every fact".to_owned(),
        Some((tenant, index, facts)) => {
            format!("{facts} facts of {tenant} are not yet in the index of {index}; a running server takes them in")
        }
    })
}

async fn listens(config: &Config) -> Result<String, String> {
    let address = config.listen;
    match TcpListener::bind(address).await {
        Ok(_) => Ok(format!("{address} is free")),
        Err(error) => {
            Err(format!("{address}: {error}; a server may already run there, or choose another with --listen"))
        }
    }
}
