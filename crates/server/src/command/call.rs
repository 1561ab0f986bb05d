//! `chancery call`: one call on the path of MCP, from admission to audit.

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use desk::module::Outcome;
use serde_json::{Map, Value};

use super::output;
use super::session::Terminal;
use crate::Config;

pub async fn call(config: &Config, tool: &str, arguments: &str) -> anyhow::Result<ExitCode> {
    let arguments = read_arguments(arguments)?;
    let (said, code) = match Terminal::open(config).await?.call(tool, arguments).await? {
        Outcome::Answered(answer) => (answer, ExitCode::SUCCESS),
        Outcome::Refused(envelope) => (envelope, ExitCode::FAILURE),
    };
    output::line(&serde_json::to_string_pretty(&said)?)?;
    Ok(code)
}

fn read_arguments(given: &str) -> anyhow::Result<Map<String, Value>> {
    let mut text = given.to_owned();
    if given == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text).context("cannot read the arguments from stdin")?;
    }
    match spine::json::parse(text.as_bytes(), 64) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => bail!("the arguments must be a JSON object, such as {{\"name\": \"Orders\"}}"),
        Err(error) => bail!("the arguments are not valid JSON: {error}"),
    }
}
