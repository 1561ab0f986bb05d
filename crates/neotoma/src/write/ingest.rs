//! Ingest: entities from a source become observations.
//!
//! [`request`] checks what was sent, [`Batch`] says which entities it is about, [`Batch::absorb`] loads what is stored about
//! them and lets [`crate::domain::ingest`] decide.

mod absorb;
mod batch;
mod request;
mod structured;

pub use absorb::edges_wanted;
pub use batch::Batch;
pub use request::{ENTITIES_MAX, Incoming, incoming};
pub use structured::list;

use contract::Context;
use contract::generated::neotoma::{IngestRequest, IngestResponse};

use super::Write;
use crate::{Error, user};

impl Write {
    /// Stores a file or entities.
    pub(super) async fn store(&self, ctx: &Context, request: IngestRequest) -> Result<IngestResponse, Error> {
        let user = user::of_caller(ctx, request.user_id.as_deref())?;
        let fix = "send either file_content with mime_type, or entities";
        match (&request.file_content, request.entities.is_empty()) {
            (Some(_), true) => self.ingest_file(ctx, &user, &request).await,
            (Some(_), false) => Err(Error::invalid("file_content", "came together with entities", fix)),
            (None, true) if request.mime_type.is_some() => Err(Error::invalid("file_content", "is missing", fix)),
            (None, _) => self.ingest_entities(ctx, &user, &request).await,
        }
    }
}
