//! Neotoma: source material, observations and snapshots.

use std::path::PathBuf;
use std::sync::Arc;

use ::neotoma::interpret::{Interpreter, Rules};
use ::neotoma::{Neotoma, Parts};
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
}

impl Default for Settings {
    fn default() -> Self {
        let config = ::neotoma::Config::default();
        Self {
            file_bytes_max: config.file_bytes_max,
            interpretations_max: config.interpretations_max,
            upload_roots: Vec::new(),
        }
    }
}

/// Mounts it on a ledger and the blobs beside it.
pub fn mount(config: &Config, ledger: &Arc<SqliteLedger>, secret: &[u8; 32]) -> anyhow::Result<Mount> {
    let settings = &config.neotoma;
    let interpreter: Arc<dyn Interpreter> = Arc::new(Rules::default());
    let capability = Neotoma::new(Parts {
        ledger: ledger.clone(),
        config: ::neotoma::Config {
            file_bytes_max: settings.file_bytes_max,
            interpretations_max: settings.interpretations_max,
            local_files: config.local_client,
        },
        interpreter,
        blobs: Arc::new(FileBlobs::open(config.data.join("blobs"))?),
        links: Links::new(secret, &config.public_base()),
        roots: Arc::new(Roots::open(&settings.upload_roots)?),
    });
    let checkers = checkers(contract::Capability::manifest(&capability))?;
    Ok(Mount { capability: Arc::new(capability), checkers, fold: Some(("neotoma", Neotoma::fold())) })
}
