//! What kind of model a directory holds.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::OpenError;

/// The part of `config.json` that matters. Defaults are those of the format.
#[derive(Debug, Clone, Deserialize)]
pub struct Settings {
    model_type: String,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    pub max_position_embeddings: usize,
    pub vocab_size: usize,
    #[serde(default = "layer_norm_eps")]
    pub layer_norm_eps: f32,
    /// Of a longer text, the beginning is embedded.
    #[serde(skip)]
    pub pieces_max: usize,
    #[serde(skip)]
    pub pooling: Pooling,
}

/// How the vectors of the pieces become that of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pooling {
    #[default]
    Mean,
    /// The vector of the mark that stands before every text.
    First,
}

/// Beyond this, the sizes are those of no model that answers in time.
const SIZE_MAX: usize = 1 << 20;
const LAYERS_MAX: usize = 48;
/// What the published models were trained on.
const PIECES_MAX: usize = 256;

impl Settings {
    pub fn read(directory: &Path) -> Result<Self, OpenError> {
        let path = directory.join("config.json");
        let mut settings: Self = json(&path)?.ok_or_else(|| unfit(&path, "it is missing"))?;
        settings.check().map_err(|reason| unfit(&path, &reason))?;
        #[derive(Deserialize)]
        struct Sentence {
            max_seq_length: Option<usize>,
        }
        let sentence: Option<Sentence> = json(&directory.join("sentence_bert_config.json"))?;
        let wanted = sentence.and_then(|sentence| sentence.max_seq_length).unwrap_or(PIECES_MAX);
        settings.pieces_max = wanted.clamp(3, settings.max_position_embeddings.max(3));
        settings.pooling = Pooling::read(directory)?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), String> {
        let kind =
            [(&self.model_type, "bert"), (&self.hidden_act, "gelu"), (&self.position_embedding_type, "absolute")];
        if let Some((is, wanted)) = kind.into_iter().find(|(is, wanted)| is != wanted) {
            return Err(format!("it says {is} where only {wanted} is known"));
        }
        let sizes = [
            self.hidden_size,
            self.intermediate_size,
            self.max_position_embeddings,
            self.vocab_size,
            self.num_attention_heads,
        ];
        if sizes.iter().any(|size| *size == 0 || *size > SIZE_MAX) || self.num_hidden_layers > LAYERS_MAX {
            return Err("a size is out of bounds".to_owned());
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) || self.max_position_embeddings < 3 {
            return Err("its sizes do not fit each other".to_owned());
        }
        Ok(())
    }
}

impl Pooling {
    fn read(directory: &Path) -> Result<Self, OpenError> {
        #[derive(Deserialize)]
        struct Modes {
            #[serde(default)]
            pooling_mode_cls_token: bool,
            #[serde(default)]
            pooling_mode_mean_tokens: bool,
        }
        let path = directory.join("1_Pooling").join("config.json");
        match json::<Modes>(&path)? {
            None | Some(Modes { pooling_mode_mean_tokens: true, pooling_mode_cls_token: false }) => Ok(Self::Mean),
            Some(Modes { pooling_mode_mean_tokens: false, pooling_mode_cls_token: true }) => Ok(Self::First),
            Some(_) => Err(unfit(&path, "only the mean and the first piece are known")),
        }
    }
}

/// What a file says, or nothing if there is no such file.
pub fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, OpenError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(OpenError::Unreadable { path: path.to_owned(), source }),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| unfit(path, &error.to_string()))
}

pub fn unfit(path: &Path, reason: &str) -> OpenError {
    OpenError::Unfit { path: PathBuf::from(path), reason: reason.to_owned() }
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

fn layer_norm_eps() -> f32 {
    1e-12
}
