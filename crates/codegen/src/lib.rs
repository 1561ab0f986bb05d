//! Codegen: from proto files with MCP annotations to committed Rust, catalog and pages.
//!
//! [`generate`] compiles the protos of a [`Contract`] without an installed compiler, [`check`]s them and returns every
//! file that should exist; `cargo xtask codegen` writes them, or compares them with what is there.
//! Start with [`capability`], the model that everything else is made from.
//!
//! Invariants:
//! * the same protos give the same bytes, whatever the machine; only the catalog's [`Stamp`] comes from outside;
//! * a contract with an error generates nothing, and all of its errors are reported together, each with its line.

pub mod capability;
pub mod catalog;
pub mod check;
#[cfg(test)]
mod fixture;
pub mod options;
mod page;
mod problem;
mod rust;
pub mod schema;
mod source;
pub mod tool;

use std::path::PathBuf;

pub use capability::Capability;
pub use problem::{Place, Problem, Severity};
pub use rust::formatted;
pub use source::{Located, Source};
use tool::Tool;

/// A folder of protos and where its output goes.
#[derive(Debug, Clone)]
pub struct Contract {
    /// Every proto file below it is part of the contract.
    pub proto_root: PathBuf,
    /// Where else imports are looked up.
    pub include_roots: Vec<PathBuf>,
    /// Where the Rust code goes. The folder is generated as a whole: other files in it are removed.
    pub out_dir: PathBuf,
    /// Where the catalog goes; its schema is written beside it.
    pub catalog_path: Option<PathBuf>,
    /// Where the pages of the tools go, likewise generated as a whole.
    pub docs_dir: Option<PathBuf>,
    /// The path of the contract crate in generated code: `crate` or `::contract`.
    pub runtime_path: String,
    /// The option that makes a method a tool; [`options::EXPOSE`] unless there is a reason.
    pub expose_annotation: String,
}

/// When the protos last changed; goes into the catalog only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// ISO 8601 time.
    pub version: String,
    pub git_sha: String,
}

/// A file that should exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: PathBuf,
    pub text: String,
}

/// What a contract becomes.
#[derive(Debug)]
pub struct Generated {
    pub files: Vec<File>,
    pub warnings: Vec<Problem>,
    /// Bytes of each tool in an answer to tools/list.
    pub sizes: Vec<(String, usize)>,
}

/// Makes every file of a contract, or says everything that is wrong with it.
pub fn generate(contract: &Contract, stamp: &Stamp) -> Result<Generated, Vec<Problem>> {
    let source = Source::read(&contract.proto_root, &contract.include_roots).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let capabilities = Capability::all(&source, &contract.expose_annotation, &mut problems);
    problems.extend(check::check(&source, &capabilities));
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(problems);
    }
    let mut files = rust::code(&source, &capabilities, &contract.runtime_path, &contract.out_dir)?;
    if let Some(path) = &contract.catalog_path {
        files.push(File { path: path.clone(), text: catalog::catalog(&source, &capabilities, stamp) });
        files.push(File { path: path.with_file_name(catalog::SCHEMA_FILE), text: catalog::SCHEMA.to_owned() });
        files.push(File { path: contract.out_dir.join(catalog::STAMP_FILE), text: catalog::stamp(stamp) });
    }
    if let Some(folder) = &contract.docs_dir {
        let page = |capability: &Capability| File {
            path: folder.join(format!("{}.md", capability.name)),
            text: page::page(&source, capability),
        };
        files.extend(capabilities.iter().map(page));
    }
    let tools = capabilities.iter().flat_map(|capability| Tool::all(&source, capability));
    let sizes = tools.map(|tool| (tool.name().to_owned(), tool.bytes())).collect();
    Ok(Generated { files, warnings: problems, sizes })
}
