//! `chancery serve --stdio`: one capability for the client that started us.

use std::process::ExitCode;

use tokio_util::sync::CancellationToken;

use super::http::stop_signal;
use crate::{Config, Platform};

pub async fn serve(mut config: Config, capability: &str) -> anyhow::Result<ExitCode> {
    config.local_client = true;
    let platform = Platform::open(&config).await?;
    let endpoint = platform.endpoint(capability)?.clone();
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        stop_signal().await;
        stopping.cancel();
    });
    let outcome =
        spine::stdio::serve(endpoint, &platform.admission, tokio::io::stdin(), tokio::io::stdout(), stop).await;
    platform.audit.flush().await;
    outcome.map_err(anyhow::Error::msg)?;
    Ok(ExitCode::SUCCESS)
}
