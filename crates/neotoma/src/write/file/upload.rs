//! upload_file: a file of this machine, from below a configured folder.

use std::path::Path;

use blobs::CHUNK_BYTES;
use blobs::media::{self, Refused};
use contract::generated::neotoma::{IngestResponse, UploadFileRequest, UploadFileResponse};
use contract::{Context, List, Object};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use super::Storing;
use super::content::Arrived;
use super::run::{Ran, Wanted};
use crate::domain::{ids, shape};
use crate::projection::Reader;
use crate::write::{Act, Write};
use crate::{Error, user};

impl Write {
    pub(in crate::write) async fn upload(
        &self,
        ctx: &Context,
        request: &UploadFileRequest,
    ) -> Result<UploadFileResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let properties = request.properties.as_deref().map(properties).transpose()?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let attached_to = match &request.source_material_id {
            Some(id) => Some(reader.named_source("source_material_id", id).await?.id),
            None => None,
        };
        let attach = attached_to.is_some();
        let mut local = self.local_file(request)?;
        let file = local.hashed(self.parts.config.file_bytes_max).await?;
        let source_id = attached_to.unwrap_or_else(|| ids::source(&user, &file.hash));
        let wanted = if properties.is_some() { Wanted::Nothing } else { Wanted::run(None::<&Value>) };
        let admitted = self.admit_run(&reader, ctx, &source_id, &wanted).await?;
        let bucket = request.bucket.as_deref().unwrap_or(super::BUCKET);
        let kept = self.keep(ctx, &user, bucket, &mut local.reader).await?;
        if kept.hash() != file.hash {
            tracing::warn!("a local file changed while it was read");
            return Err(Error::UploadFailed);
        }
        let path = kept.key.to_string();
        let _locks = self.recorder.lock([source_id.as_str()]).await;
        let ran = self.interpret(&reader, ctx, &source_id, (&file, &path), (&wanted, admitted)).await?;
        let storing = Storing { source_id, file: &file, path, attach, properties, ran };
        let stored = self.recorder.once(ctx, Act::Insert, || storing.decide(&reader, ctx)).await?;
        let stored = storing.failure(stored)?;
        if stored.content_hash != file.hash {
            // The key stands for what the file held when it was first used.
            return Err(Error::KeyReused);
        }
        let snapshots = match &storing.ran {
            Ran::Nothing => None,
            _ => Some(snapshots(&reader, &stored).await?),
        };
        Ok(UploadFileResponse {
            source_id: stored.source_id,
            entity_snapshots: snapshots,
            file_url: storing.path,
            file_size: file.size,
            content_type: file.mime_type.to_owned(),
            deduplicated: stored.deduplicated,
            warnings: stored.warnings,
            read_point: stored.read_point,
            outcome: stored.outcome,
        })
    }

    /// Opens a file below the configured folders, when it may be stored.
    fn local_file(&self, request: &UploadFileRequest) -> Result<Local, Error> {
        if !self.parts.config.local_files {
            return Err(Error::invalid(
                "file_path",
                "cannot be read from here",
                "send the bytes with ingest as file_content; upload_file works over stdio with configured folders only",
            ));
        }
        if self.parts.roots.is_empty() {
            return Err(Error::invalid(
                "file_path",
                "cannot be read: no folder is open to upload_file",
                "send the bytes with ingest as file_content, or ask the operator to configure upload folders",
            ));
        }
        let missing = |_| Error::NoSuchFile { field: "file_path" };
        let path = Path::new(&request.file_path);
        let mut local = self.parts.roots.file(path).map_err(|error| match error {
            blobs::Error::Io(_) => {
                tracing::warn!(%error, "a local file could not be opened");
                Error::UploadFailed
            }
            blobs::Error::SeveralNames => Error::invalid(
                "file_path",
                "names a file that has other names too, which may lie outside the upload folders",
                "copy the file into the folder instead of linking it",
            ),
            _ => missing(error),
        })?;
        let (size, max) = (local.size(), self.parts.config.file_bytes_max);
        if size > max {
            return Err(Error::FileTooLarge { size, max });
        }
        let head = local.head(media::HEAD_BYTES).map_err(missing)?;
        let filename = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let mime_type = media::sniff(&head, None, filename.as_deref()).map_err(|refused| match refused {
            Refused::Mismatch | Refused::Unsupported => Error::UnsupportedFileType,
        })?;
        Ok(Local { reader: local.into_reader(), mime_type, filename })
    }
}

/// A file of this machine that is open.
struct Local {
    reader: tokio::fs::File,
    mime_type: &'static str,
    filename: Option<String>,
}

impl Local {
    /// Reads it to the end, a piece at a time, to know its size and hash; then it can be read again.
    async fn hashed(&mut self, bytes_max: u64) -> Result<Arrived, Error> {
        let (size, hash) = self.read_through(bytes_max).await.map_err(|error| {
            tracing::warn!(%error, "a local file could not be read");
            Error::NoSuchFile { field: "file_path" }
        })?;
        if size > bytes_max {
            // It has grown since it was opened.
            return Err(Error::FileTooLarge { size, max: bytes_max });
        }
        Ok(Arrived { held: None, size, hash, mime_type: self.mime_type, filename: self.filename.clone() })
    }

    async fn read_through(&mut self, bytes_max: u64) -> std::io::Result<(u64, String)> {
        let (mut hash, mut size) = (Sha256::new(), 0_u64);
        let mut chunk = vec![0; CHUNK_BYTES];
        while size <= bytes_max {
            let read = self.reader.read(&mut chunk).await?;
            if read == 0 {
                break;
            }
            size += read as u64;
            hash.update(&chunk[..read]);
        }
        self.reader.rewind().await?;
        Ok((size, hex::encode(hash.finalize())))
    }
}

/// What a caller says about a file instead of having it interpreted.
fn properties(text: &str) -> Result<Object, Error> {
    let wrong = || Error::invalid("properties", "is not a JSON object", "give an object such as {\"project\": \"x\"}");
    let Ok(Value::Object(properties)) = serde_json::from_str::<Value>(text) else { return Err(wrong()) };
    shape::check_shape(&Value::Object(properties.clone()))
        .map_err(|shape| Error::invalid("properties", shape.reason, "send plain text, numbers, lists and objects"))?;
    Ok(Object(properties))
}

/// The entities that the file speaks about, as they are now.
async fn snapshots(reader: &Reader<'_>, stored: &IngestResponse) -> Result<List, Error> {
    let ids: Vec<String> = stored.entities.iter().map(|entity| entity.id.clone()).collect();
    let found = reader.entities(&ids).await?.into_iter().flatten();
    Ok(List::of(found.map(|found| {
        json!({
            "entity_id": found.row.id,
            "entity_type": found.row.entity_type,
            "snapshot": found.row.state.snapshot(),
        })
    })))
}
