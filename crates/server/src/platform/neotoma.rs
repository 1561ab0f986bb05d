//! Neotoma: source material, observations and snapshots.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::neotoma::interpret::{Interpreter, OpenAi, OpenAiConfig, Rules};
use ::neotoma::{Neotoma, Parts};
use anyhow::{Context as _, bail};
use blobs::FileBlobs;
use blobs::jail::Roots;
use blobs::sign::Links;
use ledger_sqlite::SqliteLedger;
use serde::{Deserialize, Serialize};

use super::{Mount, checkers};
use crate::Config;

/// What an operator may set for neotoma.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub file_bytes_max: u64,
    pub interpretations_max: u64,
    pub upload_roots: Vec<PathBuf>,
    pub interpreter_url: String,
    pub interpreter_model: String,
    pub interpreter_key: String,
    pub interpreter_ca: String,
}

impl Default for Settings {
    fn default() -> Self {
        let config = ::neotoma::Config::default();
        Self {
            file_bytes_max: config.file_bytes_max,
            interpretations_max: config.interpretations_max,
            upload_roots: Vec::new(),
            interpreter_url: String::new(),
            interpreter_model: String::new(),
            interpreter_key: String::new(),
            interpreter_ca: String::new(),
        }
    }
}

/// Mounts it on a ledger and the blobs beside it.
pub fn mount(config: &Config, ledger: &Arc<SqliteLedger>, secret: &[u8; 32]) -> anyhow::Result<Mount> {
    let settings = &config.neotoma;
    keep_data_private(config)?;
    let capability = Neotoma::new(Parts {
        ledger: ledger.clone(),
        config: ::neotoma::Config {
            file_bytes_max: settings.file_bytes_max,
            interpretations_max: settings.interpretations_max,
            local_files: config.local_client,
        },
        interpreter: interpreter(settings)?,
        blobs: Arc::new(FileBlobs::open(config.blobs())?),
        links: Links::new(secret, &config.public_base()),
        roots: Arc::new(Roots::open(&settings.upload_roots)?),
    });
    let checkers = checkers(contract::Capability::manifest(&capability))?;
    Ok(Mount { capability: Arc::new(capability), checkers, fold: Some(("neotoma", Neotoma::fold())) })
}

/// The embedded rules, or the model that the operator named.
fn interpreter(settings: &Settings) -> anyhow::Result<Arc<dyn Interpreter>> {
    if settings.interpreter_url.is_empty() {
        return Ok(Arc::new(Rules::default()));
    }
    if settings.interpreter_model.is_empty() {
        bail!("neotoma.interpreter_url is set; name the model with neotoma.interpreter_model");
    }
    let mut asked = OpenAiConfig::new(&settings.interpreter_url, &settings.interpreter_model);
    asked.api_key = Some(settings.interpreter_key.clone()).filter(|key| !key.is_empty());
    asked.authorities = Some(settings.interpreter_ca.as_str()).filter(|file| !file.is_empty()).map(PathBuf::from);
    Ok(Arc::new(OpenAi::new(asked).context("neotoma.interpreter_url")?))
}

/// An upload folder around the data directory would hand out its keys.
fn keep_data_private(config: &Config) -> anyhow::Result<()> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let data = real(&config.data);
    match config.neotoma.upload_roots.iter().find(|root| data.starts_with(real(root))) {
        Some(root) => bail!("neotoma.upload_roots: {} holds the data directory; choose another folder", root.display()),
        None => Ok(()),
    }
}
