//! A listing that goes on over several pages, all read at one point.

use contract::Context;
use contract::generated::transformation::ReadContext;
use desk::{PageTokens, PagedQuery, Place};
use ledger::Ledger;
use serde::Serialize;

use super::Snapshot;
use super::read_context::Wanted;
use crate::Error;

/// One query and where it goes on.
#[derive(Clone)]
pub struct Listing {
    wanted: Vec<Wanted>,
    query: PagedQuery,
    /// The ledger's cursor; none on the first page.
    pub after: Option<String>,
}

/// What was read, one for each state, and the ledger's cursor. It does not hold how the states were asked for, so that an
/// echoed read_context makes the same token.
type Position = (Vec<ReadContext>, String);

impl Listing {
    /// Starts a listing, or goes on with it. `arguments` are all that narrow it, without token and read_context.
    pub fn new(
        tokens: &PageTokens,
        ctx: &Context,
        tool: &str,
        arguments: &impl Serialize,
        context: Option<&ReadContext>,
        token: Option<&str>,
    ) -> Result<Self, Error> {
        Self::over(tokens, ctx, tool, arguments, &[("read_context", context)], token)
    }

    /// A listing over several states, each given in an argument of its own.
    pub fn over(
        tokens: &PageTokens,
        ctx: &Context,
        tool: &str,
        arguments: &impl Serialize,
        contexts: &[(&'static str, Option<&ReadContext>)],
        token: Option<&str>,
    ) -> Result<Self, Error> {
        let read = |(field, context): &(&'static str, Option<&ReadContext>)| Wanted::given_as(field, *context);
        let wanted = contexts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let selected: Vec<_> = wanted.iter().map(|wanted| (wanted.selector.label(), wanted.as_of)).collect();
        let query = tokens.query(ctx, tool, &(arguments, selected));
        let Some(token) = token else {
            return Ok(Self { wanted, query, after: None });
        };
        let Place { after: (points, after), .. } = query.open::<Position>("page_token", token)?;
        let onward = wanted.into_iter().zip(points).map(|(wanted, point)| wanted.onward(point));
        let wanted = onward.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { wanted, query, after: Some(after) })
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
        let points: Vec<ReadContext> = read.iter().map(|snapshot| snapshot.read_context()).collect();
        let at = read.first().map_or(0, |snapshot| snapshot.at);
        next.map(|after| self.query.token(at, &(points, after)))
    }

    /// The token for a listing that no state has a part in.
    pub fn timeless_token(&self, next: Option<String>) -> Option<String> {
        let points: Vec<ReadContext> = self.wanted.iter().map(|_| ReadContext::default()).collect();
        next.map(|after| self.query.token(0, &(points, after)))
    }
}
