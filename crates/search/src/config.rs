//! What an operator chooses for search.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::embed::endpoint::{Endpoint, EndpointConfig, EndpointError};
use crate::embed::transformer::OpenError;
use crate::embed::{Embedder, Transformer};
use crate::{Fusion, Options};

/// The settings of search. What is empty is not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// `weighted` or `rrf`.
    pub fusion: String,
    pub cache_mb: u64,
    /// A directory with a sentence transformer.
    pub model_dir: String,
    pub endpoint: String,
    pub endpoint_model: String,
    pub endpoint_dimensions: u64,
    pub endpoint_key: String,
    pub endpoint_authorities: String,
    pub endpoint_timeout_ms: u64,
    pub endpoint_chars_per_day: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            fusion: "weighted".to_owned(),
            cache_mb: 256,
            model_dir: String::new(),
            endpoint: String::new(),
            endpoint_model: String::new(),
            endpoint_dimensions: 1536,
            endpoint_key: String::new(),
            endpoint_authorities: String::new(),
            endpoint_timeout_ms: 10_000,
            endpoint_chars_per_day: 10_000_000,
        }
    }
}

/// Why search cannot work as it is configured.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("search.model_dir: {0}")]
    Model(#[from] OpenError),
    #[error("search.endpoint: {0}")]
    Endpoint(#[from] EndpointError),
    #[error("search.model_dir and search.endpoint are both given; leave one of them out")]
    Both,
}

impl Config {
    /// Reads the model, or prepares the endpoint.
    pub fn options(&self) -> Result<Options, ConfigError> {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let model: Option<Arc<dyn Embedder>> = match (self.model_dir.as_str(), self.endpoint.as_str()) {
            ("", "") => None,
            (folder, "") => Some(Arc::new(Transformer::open(Path::new(folder))?)),
            ("", endpoint) => Some(Arc::new(Endpoint::new(EndpointConfig {
                base_url: endpoint.to_owned(),
                model: self.endpoint_model.clone(),
                dimensions: usize::try_from(self.endpoint_dimensions).unwrap_or(usize::MAX),
                api_key: given(&self.endpoint_key),
                authorities: given(&self.endpoint_authorities).map(PathBuf::from),
                timeout: Duration::from_millis(self.endpoint_timeout_ms),
                batch_max: 100,
                chars_per_day_max: self.endpoint_chars_per_day,
            })?)),
            _ => return Err(ConfigError::Both),
        };
        let fusion = if self.fusion == "rrf" { Fusion::ReciprocalRank } else { Fusion::Weighted };
        let cache_bytes_max = usize::try_from(self.cache_mb << 20).unwrap_or(usize::MAX);
        Ok(Options { model, fusion, cache_bytes_max, ..Options::default() })
    }
}
