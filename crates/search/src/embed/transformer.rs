//! A sentence transformer of the BERT family, read from a directory in the form in which all-MiniLM-L6-v2 is published.
//!
//! [`settings`] reads what the model is, [`weights`] its numbers, [`vocabulary`] its words, and [`model`] computes. Texts of a
//! batch are laid end to end, so nothing is padded. The directory is only data: weights come from `model.safetensors` and from
//! nothing that could run code.

mod model;
mod settings;
mod vocabulary;
mod weights;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::BoxFuture;
use sha2::{Digest, Sha256};

use super::{EmbedError, Embedder, Space};
use model::Model;
use settings::Settings;
use vocabulary::Vocabulary;
use weights::Weights;

/// So many pieces are computed at once. A longer batch takes more turns, not more memory.
const BATCH_PIECES_MAX: usize = 2_048;

/// Why a directory is not taken for a model.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} cannot be read", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is not what it should be: {reason}", path.display())]
    Unfit { path: PathBuf, reason: String },
    #[error("{} holds weights that could run code when they are read; only model.safetensors is taken", path.display())]
    Pickled { path: PathBuf },
}

/// A model in memory.
#[derive(Debug, Clone)]
pub struct Transformer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    space: Space,
    vocabulary: Vocabulary,
    model: Model,
}

impl Transformer {
    /// Reads `config.json`, `model.safetensors` and `tokenizer.json`, and where they are there `sentence_bert_config.json` and
    /// `1_Pooling/config.json`.
    pub fn open(directory: &Path) -> Result<Self, OpenError> {
        let settings = Settings::read(directory)?;
        let bytes = weights::read(directory)?;
        let vocabulary = Vocabulary::read(directory, &settings)?;
        let hash = hex::encode(&Sha256::digest(&bytes)[..8]);
        let path = directory.join(weights::FILE);
        let weights = Weights::new(&path, &bytes)?;
        let model = Model::new(&settings, &weights)?;
        let space = Space { model: format!("transformer-{hash}"), dimensions: settings.hidden_size };
        Ok(Self { inner: Arc::new(Inner { space, vocabulary, model }) })
    }

    /// Unit vectors, parallel to `texts`; an empty one for a text without a word. Takes some milliseconds for each.
    pub fn vectors(&self, texts: &[String]) -> Vec<Vec<f32>> {
        self.inner.vectors(texts)
    }
}

impl Inner {
    fn vectors(&self, texts: &[String]) -> Vec<Vec<f32>> {
        let pieces: Vec<Vec<u32>> = texts.iter().map(|text| self.vocabulary.pieces(text)).collect();
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut batch = Vec::new();
        let mut length = 0;
        for (at, text) in pieces.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            if length + text.len() > BATCH_PIECES_MAX {
                self.embed_batch(&pieces, &batch, &mut vectors);
                batch.clear();
                length = 0;
            }
            batch.push(at);
            length += text.len();
        }
        self.embed_batch(&pieces, &batch, &mut vectors);
        vectors
    }

    fn embed_batch(&self, pieces: &[Vec<u32>], batch: &[usize], vectors: &mut [Vec<f32>]) {
        let texts: Vec<&[u32]> = batch.iter().map(|at| pieces[*at].as_slice()).collect();
        for (at, vector) in batch.iter().zip(self.model.embed(&texts)) {
            vectors[*at] = vector;
        }
    }
}

impl Embedder for Transformer {
    fn space(&self) -> &Space {
        &self.inner.space
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        let (inner, texts) = (Arc::clone(&self.inner), texts.to_vec());
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || inner.vectors(&texts)).await;
            done.map_err(|error| EmbedError::Failed { reason: error.to_string() })
        })
    }
}
