//! A listing that goes on over several pages, all read at one point.
//!
//! The token that continues a listing holds the query's hash, the points and the ledger's cursor. It is opaque and
//! carries a checksum, which catches damage; it needs no secret, because nothing in it widens what a caller may read.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use contract::Context;
use contract::generated::transformation::ReadContext;
use ledger::Ledger;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Snapshot;
use super::read_context::Wanted;
use crate::Error;

/// One query and where it goes on.
#[derive(Debug, Clone)]
pub struct Listing {
    wanted: Vec<Wanted>,
    query: String,
    /// The ledger's cursor; none on the first page.
    pub after: Option<String>,
}

// Holds what was read and not how it was asked for, so that an echoed read_context makes the same token.
#[derive(Debug, Serialize, Deserialize)]
struct Token {
    query: String,
    points: Vec<ReadContext>,
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
        Self::over(ctx, tool, arguments, &[("read_context", context)], token)
    }

    /// A listing over several states, each given in an argument of its own.
    pub fn over(
        ctx: &Context,
        tool: &str,
        arguments: &impl Serialize,
        contexts: &[(&'static str, Option<&ReadContext>)],
        token: Option<&str>,
    ) -> Result<Self, Error> {
        let read = |(field, context): &(&'static str, Option<&ReadContext>)| Wanted::given_as(field, *context);
        let wanted = contexts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let selected: Vec<_> = wanted.iter().map(|wanted| (wanted.selector.label(), wanted.as_of)).collect();
        let query = digest(&((&ctx.scope.tenant, &ctx.scope.repository), tool, arguments, selected));
        let Some(token) = token else {
            return Ok(Self { wanted, query, after: None });
        };
        let token = Token::decode(token).ok_or_else(|| {
            Error::argument("page_token", "was not given by this server", "leave page_token out to start again")
        })?;
        if token.query != query || token.points.len() != wanted.len() {
            return Err(other_arguments());
        }
        let onward = wanted.into_iter().zip(token.points).map(|(wanted, point)| wanted.onward(point));
        let wanted = onward.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { wanted, query, after: Some(token.after) })
    }

    /// The state that all pages are read at.
    pub async fn snapshot<'a>(&self, ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Snapshot<'a>, Error> {
        self.wanted.first().expect("a listing has a state").snapshot(ledger, ctx).await
    }

    /// All the states that the pages are read at, in the order they were given.
    pub async fn snapshots<'a>(&self, ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Vec<Snapshot<'a>>, Error> {
        let mut snapshots = Vec::with_capacity(self.wanted.len());
        for wanted in &self.wanted {
            snapshots.push(wanted.snapshot(ledger, ctx).await?);
        }
        Ok(snapshots)
    }

    /// The token for the page after this one, which was read from these states.
    pub fn token(&self, read: &[&Snapshot<'_>], next: Option<String>) -> Option<String> {
        let points = read.iter().map(|snapshot| snapshot.read_context()).collect();
        next.map(|after| Token { query: self.query.clone(), points, after }.encode())
    }

    /// The token for a listing that no state has a part in.
    pub fn timeless_token(&self, next: Option<String>) -> Option<String> {
        let points = self.wanted.iter().map(|_| ReadContext::default()).collect();
        next.map(|after| Token { query: self.query.clone(), points, after }.encode())
    }
}

/// The refusal of a token that came with other arguments.
pub(super) fn other_arguments() -> Error {
    let hint = "give the token with the arguments of the page it came from, or leave it out to start again";
    Error::argument("page_token", "belongs to a query with other arguments", hint)
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
