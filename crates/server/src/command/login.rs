//! `chancery login`: a token of the team's issuer for a person at a terminal.

use std::process::ExitCode;

use clap::Args;
use gate::login::{Login, Question};
use outbound::Client;

use super::output;
use crate::Config;

/// The client id of the shipped realm.
const CLIENT: &str = "ameide-mcp-cli";

/// What to log in to.
#[derive(Debug, Args)]
pub struct Options {
    /// The address of an endpoint, such as https://mcp.example.org/CAPABILITY/mcp; that of `public_url` when it is not given.
    endpoint: Option<String>,
    /// The client id that the issuer knows; it must be permitted the device flow.
    #[arg(long, default_value = CLIENT, value_name = "ID")]
    client: String,
    /// Scopes to ask for, in place of those that the server names.
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Print nothing but the token.
    #[arg(long)]
    quiet: bool,
}

pub async fn run(config: &Config, options: Options) -> anyhow::Result<ExitCode> {
    let Options { endpoint, client, scopes, quiet } = options;
    let first = || format!("{}/{}/mcp", config.public_base(), crate::MODULES[0].name());
    let login = Login { endpoint: endpoint.unwrap_or_else(first), client, scopes };
    let authorities = (!config.auth.authorities.is_empty()).then(|| config.auth.authorities.clone().into());
    let token = login.token(&Client::new(authorities), ask).await?;
    if !quiet {
        output::note("export it as CHANCERY_TOKEN, or send it as `Authorization: Bearer …`; it is shown only now");
    }
    output::line(&token)?;
    Ok(ExitCode::SUCCESS)
}

/// On stderr, so that the token can be taken from stdout.
fn ask(question: &Question) {
    let Question { address, code, complete } = question;
    match complete {
        Some(complete) => output::note(&format!("open {complete} and confirm the code {code}")),
        None => output::note(&format!("open {address} and enter the code {code}")),
    }
}
