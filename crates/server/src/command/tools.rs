//! `chancery tools` and `chancery catalog`: what there is to call.

#![expect(clippy::print_stdout, reason = "the answer belongs on stdout")]

use std::process::ExitCode;

use anyhow::bail;
use contract::Tool;

use crate::{Config, Platform};

pub async fn print(config: Config, name: Option<&str>) -> anyhow::Result<ExitCode> {
    let platform = Platform::open(&config).await?;
    if let Some(name) = name {
        let Some(tool) = platform.endpoints.iter().find_map(|endpoint| endpoint.tool(name)) else {
            bail!("there is no tool {name}; `chancery tools` lists them")
        };
        print_one(tool)?;
        return Ok(ExitCode::SUCCESS);
    }
    for endpoint in &platform.endpoints {
        let manifest = endpoint.capability.manifest();
        println!("{} ({} tools)", manifest.name, endpoint.tools().len());
        for tool in endpoint.tools() {
            let mark = if tool.hints.read_only {
                "  "
            } else if tool.hints.destructive {
                "! "
            } else {
                "* "
            };
            println!("  {mark}{:<40} {}", tool.name, first_sentence(&tool.description));
        }
        println!("\n  * writes   ! destroys");
    }
    Ok(ExitCode::SUCCESS)
}

fn print_one(tool: &Tool) -> anyhow::Result<()> {
    println!("{}\n{}\n", tool.name, tool.description);
    println!("{}", serde_json::to_string_pretty(&tool.input_schema)?);
    for example in &tool.examples {
        println!("\n# {}\nchancery call {} '{}'", example.description, tool.name, example.input);
    }
    Ok(())
}

fn first_sentence(text: &str) -> &str {
    text.split_inclusive(". ").next().unwrap_or(text).trim_end()
}

pub async fn catalog(config: Config) -> anyhow::Result<ExitCode> {
    let platform = Platform::open(&config).await?;
    println!("{}", platform.catalog());
    Ok(ExitCode::SUCCESS)
}
