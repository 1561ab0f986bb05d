//! `cargo xtask codegen`: writes what the protos generate, or with `--check` compares it with what is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use codegen::{Contract, File, Generated, Stamp, catalog};

#[derive(clap::Args)]
pub struct Options {
    /// Write nothing; fail and name each file that differs.
    #[arg(long)]
    check: bool,
    /// Print the bytes of each tool in an answer to tools/list.
    #[arg(long)]
    sizes: bool,
    /// The method option that makes a tool.
    #[arg(long, default_value = codegen::options::EXPOSE)]
    expose_annotation: String,
    /// The form of the catalog.
    #[arg(long, default_value = "json", value_parser = ["json"])]
    output_format: String,
    /// Where the catalog of the main contract goes.
    #[arg(long, default_value = "gen/mcp/mcp-tool-catalog.json")]
    output_file: PathBuf,
}

impl Default for Options {
    /// As without flags.
    fn default() -> Self {
        Self {
            check: false,
            sizes: false,
            expose_annotation: codegen::options::EXPOSE.to_owned(),
            output_format: "json".to_owned(),
            output_file: "gen/mcp/mcp-tool-catalog.json".into(),
        }
    }
}

/// Everything that is generated: the contract crate, and contracts of others that refer to it.
fn contracts(options: &Options) -> Vec<Contract> {
    let expose_annotation = options.expose_annotation.clone();
    let guestbook = Contract {
        proto_root: "crates/guestbook/proto".into(),
        include_roots: vec!["proto".into()],
        out_dir: "crates/guestbook/src/gen".into(),
        catalog_path: None,
        docs_dir: None,
        runtime_path: "::contract".to_owned(),
        expose_annotation,
    };
    let ours = Contract {
        proto_root: "proto".into(),
        include_roots: Vec::new(),
        out_dir: "crates/contract/src/gen".into(),
        catalog_path: Some(options.output_file.clone()),
        docs_dir: Some("docs/tools".into()),
        runtime_path: "crate".to_owned(),
        expose_annotation: options.expose_annotation.clone(),
    };
    vec![ours, guestbook]
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let (mut wrong, mut differing) = (0, 0);
    for contract in contracts(options) {
        let root = contract.proto_root.clone();
        match codegen::generate(&contract, &stamp(&root)?) {
            Ok(generated) => {
                generated.warnings.iter().for_each(|warning| eprintln!("{warning}"));
                if options.check {
                    differing += compare(&contract, &generated)?;
                } else {
                    write(&contract, &generated)?;
                }
                if options.sizes {
                    print_sizes(&generated);
                }
            }
            Err(problems) => {
                problems.iter().for_each(|problem| eprintln!("{problem}"));
                wrong += 1;
            }
        }
    }
    if wrong > 0 {
        bail!("the protos must be corrected first");
    }
    if differing > 0 {
        bail!("{differing} generated files differ from the protos; run cargo xtask codegen and commit the result");
    }
    Ok(())
}

fn write(contract: &Contract, generated: &Generated) -> anyhow::Result<()> {
    for path in leftovers(contract, generated)? {
        fs::remove_file(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
    }
    for File { path, text } in &generated.files {
        if fs::read_to_string(path).is_ok_and(|present| present == *text) {
            continue;
        }
        let folder = path.parent().expect("a generated file is in a folder");
        fs::create_dir_all(folder)?;
        fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Names each file that is not what it should be. The stamp does not count: it follows git.
fn compare(contract: &Contract, generated: &Generated) -> anyhow::Result<usize> {
    let mut differing = leftovers(contract, generated)?;
    for File { path, text } in &generated.files {
        let present = fs::read_to_string(path).unwrap_or_default();
        if catalog::without_stamp(&present) != catalog::without_stamp(text) {
            differing.push(path.clone());
        }
    }
    differing.iter().for_each(|path| eprintln!("differs: {}", path.display()));
    Ok(differing.len())
}

/// Files in the folders of generated code and pages that nothing generates any more.
fn leftovers(contract: &Contract, generated: &Generated) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = std::iter::once(&contract.out_dir).chain(&contract.docs_dir).cloned().collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if !generated.files.iter().any(|file| file.path == path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The last commit that touched the protos.
fn stamp(proto_root: &Path) -> anyhow::Result<Stamp> {
    let output = Command::new("git").args(["log", "-1", "--format=%cI %H", "--"]).arg(proto_root).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let (version, git_sha) = text.split_once(' ').unwrap_or(("1970-01-01T00:00:00Z", "0000000"));
    Ok(Stamp { version: version.to_owned(), git_sha: git_sha.to_owned() })
}

fn print_sizes(generated: &Generated) {
    for (tool, bytes) in &generated.sizes {
        println!("{bytes:>7}  {tool}");
    }
    println!("{:>7}  total", generated.sizes.iter().map(|(_, bytes)| bytes).sum::<usize>());
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    //
    #[test]
    fn the_annotation_the_form_and_the_place_of_the_catalog_can_be_given() {
        let flags = ["--expose-annotation", "a.b", "--output-format", "json", "--output-file", "out/tools.json"];
        let given = Line::try_parse_from(["codegen"].iter().chain(&flags)).unwrap().options;
        assert_eq!(given.output_format, "json");
        for contract in contracts(&given) {
            assert_eq!(contract.expose_annotation, "a.b");
            assert!(contract.catalog_path.is_none_or(|path| path == Path::new("out/tools.json")));
        }
        assert!(Line::try_parse_from(["codegen", "--output-format", "xml"]).is_err());
    }
}
