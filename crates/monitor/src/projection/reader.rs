//! Rows at one point in history.

use contract::Context;
use contract::generated::monitor as proto;
use desk::{Stored, View, points};
use ledger::{At, Find, Ledger, RecordKey, Seq};
use serde::de::DeserializeOwned;

use crate::Error;
use crate::domain::node::{Entity, Story, Universe};
use crate::domain::row::kind;

/// Reads rows of one tenant.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub view: View<'a>,
}

impl<'a> Reader<'a> {
    /// What is live, for writes.
    pub fn live(ledger: &'a dyn Ledger, ctx: &'a Context) -> Self {
        Self { view: View::live(ledger, ctx) }
    }

    /// At the point that a query names, or now.
    pub async fn at(
        ledger: &'a dyn Ledger,
        ctx: &'a Context,
        point: Option<&proto::ReadContext>,
    ) -> Result<Self, Error> {
        let at = match point {
            None => At::Head,
            Some(proto::ReadContext { as_of: Some(_), sequence: Some(_) }) => {
                return Err(Error::invalid("read_context", "names a moment and a sequence", "give one of them"));
            }
            Some(proto::ReadContext { as_of: Some(moment), .. }) => {
                At::Time(points::moment("read_context.as_of", moment)?)
            }
            Some(proto::ReadContext { sequence: Some(sequence), .. }) => At::Seq(sequence_of(*sequence)?),
            Some(_) => At::Head,
        };
        Ok(Self { view: View::at(ledger, ctx, "read_context.sequence", at).await? })
    }

    /// The row of this kind and id.
    pub async fn find<T: DeserializeOwned>(&self, kind: &str, id: &str) -> Result<Option<Stored<T>>, Error> {
        Ok(self.view.get(RecordKey::new(kind, id.to_ascii_lowercase())).await?)
    }

    /// The row of this kind that an argument names.
    pub async fn get<T: DeserializeOwned>(
        &self,
        kind: &str,
        (field, what): (&str, &'static str),
        id: &str,
    ) -> Result<Stored<T>, Error> {
        self.find(kind, id).await?.ok_or_else(|| Error::not_found(field, what, id))
    }

    pub async fn universe(&self, field: &str, id: &str) -> Result<Stored<Universe>, Error> {
        self.get(kind::UNIVERSE, (field, "universe"), id).await
    }

    pub async fn story(&self, field: &str, id: &str) -> Result<Stored<Story>, Error> {
        self.get(kind::STORY, (field, "story"), id).await
    }

    pub async fn entity(&self, field: &str, id: &str) -> Result<Stored<Entity>, Error> {
        self.get(kind::ENTITY, (field, "entity"), id).await
    }

    /// The rows of these ids, in their order; `None` for those that do not exist.
    pub async fn all<T: DeserializeOwned>(&self, kind: &str, ids: &[String]) -> Result<Vec<Option<Stored<T>>>, Error> {
        let keys: Vec<RecordKey> = ids.iter().map(|id| RecordKey::new(kind, id.to_ascii_lowercase())).collect();
        let found = self.view.versions(&keys).await?;
        let read =
            found.into_iter().map(|version| version.map(|found| Stored::read(found, self.view.error_id)).transpose());
        Ok(read.collect::<Result<_, _>>()?)
    }

    /// Every row that matches, up to `most`; the flag says whether there are more.
    pub async fn some<T: DeserializeOwned>(&self, find: Find, most: usize) -> Result<(Vec<Stored<T>>, bool), Error> {
        let page = self.view.find(Find { limit: most, ..find }).await?;
        Ok((page.items, page.next.is_some()))
    }
}

fn sequence_of(sequence: i64) -> Result<Seq, Error> {
    Seq::try_from(sequence).map_err(|_| {
        Error::invalid(
            "read_context.sequence",
            "is negative",
            "give a sequence that an answer of this endpoint has named",
        )
    })
}

/// The point that a query was answered at, for its answer.
pub fn read_context(reader: &Reader<'_>) -> Option<proto::ReadContext> {
    Some(proto::ReadContext { as_of: None, sequence: Some(reader.view.at.cast_signed()) })
}
