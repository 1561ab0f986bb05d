//! Embedders: from a text to a vector whose neighbours mean something similar.

pub mod endpoint;
mod pieces;
pub mod table;
pub mod transformer;

pub use endpoint::Endpoint;
pub use table::StaticTable;
pub use transformer::Transformer;

/// Which vectors can be compared with each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space {
    /// The model with a hash of its weights, so that another model is another space.
    pub model: String,
    pub dimensions: usize,
}

/// One way to embed.
pub trait Embedder: Send + Sync {
    fn space(&self) -> &Space;

    /// Unit vectors, parallel to `texts`; an empty one for a text without anything to embed.
    fn embed<'a>(&'a self, texts: &'a [String]) -> futures::future::BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>>;

    /// Whether it is cheap enough to run wherever a text is met, and needs no waiting.
    fn is_instant(&self) -> bool {
        false
    }
}

/// Why there is no vector. Search goes on by words and says so.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    #[error("the embedder did not answer in time")]
    Timeout,
    #[error("the embedder failed: {reason}")]
    Failed { reason: String },
}
