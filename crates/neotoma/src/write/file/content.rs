//! The bytes of a file, checked and kept.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blobs::media::{self, Refused};
use blobs::{Folder, Key, Limit, StoredBlob};
use bytes::Bytes;
use contract::Context;
use contract::generated::neotoma::IngestRequest;
use scope::TenantId;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::Error;
use crate::domain::{ids, shape};
use crate::write::Write;

/// A file whose size and type are known to be right.
#[derive(Debug)]
pub struct Arrived {
    /// The bytes, when they came with the call. Others are in the store only.
    pub held: Option<Bytes>,
    pub size: u64,
    /// SHA-256 in hex.
    pub hash: String,
    pub mime_type: &'static str,
    pub filename: Option<String>,
}

/// Reads the file of an ingest call.
pub fn decode(request: &IngestRequest, bytes_max: u64) -> Result<Arrived, Error> {
    let text = request.file_content.as_deref().unwrap_or_default();
    let size = decoded_size(text);
    if size > bytes_max {
        return Err(Error::FileTooLarge { size, max: bytes_max });
    }
    let Some(declared) = request.mime_type.as_deref() else {
        return Err(Error::invalid(
            "mime_type",
            "is required for a file",
            "give the type, for example application/pdf",
        ));
    };
    let bytes = STANDARD.decode(text).map_err(|_| {
        Error::invalid("file_content", "is not base64", "encode the bytes with the standard alphabet and padding")
    })?;
    if bytes.is_empty() {
        return Err(Error::invalid("file_content", "is empty", "send the bytes of the file in base64"));
    }
    if let Some(name) = &request.original_filename {
        shape::check_file_name(name)
            .map_err(|reason| Error::invalid("original_filename", reason, "give a plain file name"))?;
    }
    let head = &bytes[..bytes.len().min(media::HEAD_BYTES)];
    let mime_type = media::sniff(head, Some(declared), request.original_filename.as_deref()).map_err(|refused| {
        let reason = match refused {
            Refused::Mismatch => "is not what the content or the file name says",
            Refused::Unsupported => "is not a type that can be stored",
        };
        let known: Vec<&str> = media::supported().collect();
        Error::invalid("mime_type", reason, format!("give the type that the bytes have, one of {}", known.join(", ")))
    })?;
    let hash = ids::content_hash(&bytes);
    Ok(Arrived {
        size: bytes.len() as u64,
        hash,
        held: Some(bytes.into()),
        mime_type,
        filename: request.original_filename.clone(),
    })
}

/// How many bytes a base64 text stands for, without decoding it.
fn decoded_size(text: &str) -> u64 {
    let padding = text.bytes().rev().take(2).take_while(|byte| *byte == b'=').count();
    ((text.len() / 4) * 3 + (text.len() % 4).saturating_sub(1)).saturating_sub(padding) as u64
}

impl Write {
    /// Keeps the bytes of a file, and says where and what they are.
    pub(super) async fn keep(
        &self,
        ctx: &Context,
        user: &str,
        bucket: &str,
        content: &mut (dyn AsyncRead + Send + Unpin),
    ) -> Result<StoredBlob, Error> {
        let folder = Folder::new(&ctx.scope.tenant, bucket, user)
            .map_err(|_| Error::invalid("bucket", "is not a bucket name", "use letters, digits, dots and hyphens"))?;
        let limit = Limit::of(self.parts.config.file_bytes_max);
        self.parts.blobs.put(&folder, content, limit).await.map_err(|error| match error {
            blobs::Error::TooLarge { size, max } => Error::FileTooLarge { size, max },
            blobs::Error::NotFound | blobs::Error::SeveralNames | blobs::Error::Io(_) => {
                tracing::warn!(%error, "a blob could not be stored");
                Error::UploadFailed
            }
        })
    }

    /// The bytes of a stored file.
    pub(super) async fn fetch(&self, tenant: &TenantId, path: &str) -> Result<Bytes, Error> {
        let missing = || Error::NoSuchFile { field: "source_id" };
        let key = Key::parse(tenant, path).map_err(|_| missing())?;
        let unreadable = |error: blobs::Error| match error {
            blobs::Error::NotFound => missing(),
            error => {
                tracing::warn!(%error, "a blob could not be read");
                Error::QueryFailed
            }
        };
        let mut reader = self.parts.blobs.read(&key, 0, u64::MAX).await.map_err(unreadable)?;
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await.map_err(|error| unreadable(error.into()))?;
        Ok(bytes.into())
    }
}
