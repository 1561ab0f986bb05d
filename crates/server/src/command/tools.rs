//! `chancery tools` and `chancery catalog`: what there is to call.

use std::process::ExitCode;

use contract::Tool;

use super::output;
use crate::platform::unknown_tool;
use crate::{Config, Platform};

pub async fn print(config: &Config, name: Option<&str>) -> anyhow::Result<ExitCode> {
    let platform = Platform::open(config).await?;
    if let Some(name) = name {
        let tool = platform.endpoints.iter().find_map(|endpoint| endpoint.tool(name));
        print_one(tool.ok_or_else(|| anyhow::Error::msg(unknown_tool(&platform.endpoints, name)))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for endpoint in &platform.endpoints {
        let manifest = endpoint.capability.manifest();
        output::line(&format!("{} ({} tools)", manifest.name, endpoint.tools().len()))?;
        for tool in endpoint.tools() {
            let mark = if tool.hints.read_only {
                "  "
            } else if tool.hints.destructive {
                "! "
            } else {
                "* "
            };
            output::line(&format!("  {mark}{:<40} {}", tool.name, first_sentence(&tool.description)))?;
        }
        output::line("\n  * writes   ! destroys")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_one(tool: &Tool) -> anyhow::Result<()> {
    output::line(&format!("{}\n{}\n", tool.name, tool.description))?;
    output::line(&serde_json::to_string_pretty(&tool.whole_schema())?)?;
    for example in &tool.examples {
        output::line(&format!("\n# {}\nchancery call {} '{}'", example.description, tool.name, example.input))?;
    }
    Ok(())
}

fn first_sentence(text: &str) -> &str {
    text.split_inclusive(". ").next().unwrap_or(text).trim_end()
}

pub async fn catalog(config: &Config) -> anyhow::Result<ExitCode> {
    output::line(&Platform::open(config).await?.catalog())?;
    Ok(ExitCode::SUCCESS)
}
