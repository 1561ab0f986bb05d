//! A listing that goes on over several pages, all read at one point.
//!
//! The token that continues a listing holds the query's hash, the point and the ledger's cursor. It is opaque and
//! carries a checksum, which catches damage; it needs no secret, because nothing in it widens what a caller may read.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use contract::Context;
use contract::generated::transformation::ReadContext;
use ledger::{Ledger, Seq};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Snapshot;
use super::read_context::Wanted;
use crate::Error;

/// One query and where it goes on.
#[derive(Debug, Clone)]
pub struct Listing {
    wanted: Wanted,
    query: String,
    /// The ledger's cursor; none on the first page.
    pub after: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Token {
    query: String,
    sequence: Seq,
    after: String,
}

impl Listing {
    /// Starts a listing, or goes on with it. `arguments` are all that narrow it, without token and read_context.
    pub fn new(
        ctx: &Context,
        tool: &str,
        arguments: &impl Serialize,
        context: Option<&ReadContext>,
        token: Option<&str>,
    ) -> Result<Self, Error> {
        let mut wanted = Wanted::new(context)?;
        let walls = (&ctx.scope.tenant, &ctx.scope.repository);
        let query = digest(&(walls, tool, arguments, wanted.selector.label(), wanted.as_of));
        let Some(token) = token else {
            return Ok(Self { wanted, query, after: None });
        };
        let token = Token::decode(token).ok_or_else(|| {
            Error::argument("page_token", "was not given by this server", "leave page_token out to start again")
        })?;
        if token.query != query || wanted.sequence.is_some_and(|sequence| sequence != token.sequence) {
            let hint = "give the token with the arguments of the page it came from, or leave it out to start again";
            return Err(Error::argument("page_token", "belongs to a query with other arguments", hint));
        }
        wanted.sequence = Some(token.sequence);
        Ok(Self { wanted, query, after: Some(token.after) })
    }

    /// The point that all pages are read at.
    pub async fn snapshot<'a>(&self, ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Snapshot<'a>, Error> {
        self.wanted.snapshot(ledger, ctx).await
    }

    /// The token for the page after this one.
    pub fn token(&self, at: Seq, next: Option<String>) -> Option<String> {
        next.map(|after| Token { query: self.query.clone(), sequence: at, after }.encode())
    }

    pub fn echo(&self, at: Seq) -> ReadContext {
        self.wanted.echo(at)
    }
}

impl Token {
    fn encode(&self) -> String {
        let text = serde_json::to_string(self).expect("a token has only string keys");
        BASE64.encode(format!("{}{text}", checksum(&text)))
    }

    fn decode(token: &str) -> Option<Self> {
        let text = String::from_utf8(BASE64.decode(token).ok()?).ok()?;
        let (sum, text) = text.split_at_checked(16)?;
        (checksum(text) == sum).then(|| serde_json::from_str(text).ok())?
    }
}

fn checksum(text: &str) -> String {
    hex::encode(&Sha256::digest(format!("transformation page token:{text}"))[..8])
}

fn digest(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("arguments have only string keys");
    hex::encode(&Sha256::digest(text)[..16])
}
