//! upload_file: a file of this machine, from below a configured folder.

use std::path::Path;

use blobs::media::{self, Refused};
use contract::generated::neotoma::{IngestResponse, UploadFileRequest, UploadFileResponse};
use contract::{Context, List, Object};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use super::Storing;
use super::content::Arrived;
use super::run::{Ran, Wanted};
use crate::domain::{ids, shape};
use crate::projection::Reader;
use crate::write::Write;
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
        let file = self.local_file(request).await?;
        let source_id = attached_to.unwrap_or_else(|| ids::source(&user, &file.hash));
        let wanted = if properties.is_some() { Wanted::Nothing } else { Wanted::run(None::<&Value>) };
        let _admitted = self.admit_run(&reader, ctx, &source_id, &wanted).await?;
        let path = self.keep(ctx, &user, request.bucket.as_deref().unwrap_or(super::BUCKET), &file).await?;
        let _turn = self.recorder.turn([source_id.as_str()]).await;
        let ran = self.interpret(&reader, &source_id, &file, &wanted).await?;
        let storing = Storing { source_id, file: &file, path, attach, properties, ran };
        let stored = self.recorder.once(ctx, &user, || storing.decide(&reader, ctx)).await?;
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
            read_point: stored.read_point,
        })
    }

    /// Opens a file below the configured folders, and reads it when it may be stored.
    async fn local_file(&self, request: &UploadFileRequest) -> Result<Arrived, Error> {
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
        let mut bytes = Vec::new();
        // One byte more than allowed tells that the file has grown meanwhile.
        let read = local.into_reader().take(max + 1).read_to_end(&mut bytes).await;
        read.map_err(|_| Error::NoSuchFile { field: "file_path" })?;
        let size = bytes.len() as u64;
        if size > max {
            return Err(Error::FileTooLarge { size, max });
        }
        Ok(Arrived { size, hash: ids::content_hash(&bytes), bytes, mime_type, filename })
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
