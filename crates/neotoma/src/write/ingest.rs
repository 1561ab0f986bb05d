//! Ingest: entities from a source become observations.
//!
//! [`request`] checks what was sent, [`Batch`] says which entities it is about, [`Batch::absorb`] turns it into
//! observations of a [`Plan`].

mod absorb;
mod batch;
mod request;
mod structured;

pub use absorb::{Absorbed, Origin};
pub use batch::Batch;
pub use request::{Incoming, incoming};

use contract::Context;
use contract::generated::neotoma::{IngestRequest, IngestResponse};

use super::Write;
use crate::{Error, user};

impl Write {
    /// Stores a file or entities.
    pub(super) async fn store(&self, ctx: &Context, request: IngestRequest) -> Result<IngestResponse, Error> {
        let user = user::of_caller(ctx, request.user_id.as_deref())?;
        match (request.file_content.is_some(), !request.entities.is_empty()) {
            (true, false) => Err(Error::UnsupportedFileType),
            (false, _) if request.mime_type.is_none() || !request.entities.is_empty() => {
                self.ingest_entities(ctx, &user, &request).await
            }
            (true, true) => {
                Err(Error::invalid("file_content", "came together with entities", "send either a file or entities"))
            }
            (false, _) => Err(Error::invalid(
                "file_content",
                "is required with mime_type",
                "send file_content and mime_type, or entities",
            )),
        }
    }
}
