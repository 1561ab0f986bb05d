//! get_file_url: a link that whoever has it can follow for a while.

use blobs::Key;
use contract::Context;
use contract::generated::neotoma::{GetFileUrlRequest, GetFileUrlResponse};

use crate::Error;
use crate::capability::Parts;
use crate::domain::ids;
use crate::projection::Reader;

/// How long a link is good when nobody says.
const EXPIRES_IN: u32 = 3600;

/// Answers get_file_url. The one answer that differs from call to call: it holds the time.
pub async fn get(
    parts: &Parts,
    ctx: &Context,
    user: &str,
    request: &GetFileUrlRequest,
) -> Result<GetFileUrlResponse, Error> {
    let missing = || Error::NoSuchFile { field: "file_path" };
    let key = Key::parse(&ctx.scope.tenant, &request.file_path).map_err(|_| missing())?;
    if key.folder().user() != user {
        return Err(missing());
    }
    match parts.blobs.len(&key).await {
        Ok(_) => {}
        Err(blobs::Error::NotFound) => return Err(missing()),
        Err(error) => {
            tracing::warn!(%error, "a blob could not be looked at");
            return Err(Error::SigningFailed);
        }
    }
    let reader = Reader::at(parts.ledger.as_ref(), ctx, user, None).await?;
    let source = reader.source(&ids::source(user, key.hash())).await?;
    let media = source.and_then(|source| source.row.mime_type).unwrap_or_else(|| "application/octet-stream".to_owned());
    let link = parts.links.link(&key, &media, ctx.now, request.expires_in.unwrap_or(EXPIRES_IN));
    Ok(GetFileUrlResponse { signed_url: link.url, expires_at: link.expires_at.to_string(), read_point: reader.at })
}
