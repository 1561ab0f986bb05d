//! Reading what belongs to one user, at one point in history.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;

use contract::Context;
use desk::{Stored, View};
use ledger::{At, Find, Ledger, RecordKey, RecordVersion, Seq};
use scope::{TenantId, Timestamp};

use super::listed::{Listed, SourceHead};
use super::row::{self, EntityRow, Row, SourceRow, kind};
use crate::domain::identity::normalise;
use crate::domain::merge::CHAIN_MAX;
use crate::domain::moment::{self, has_real_offset};
use crate::domain::relation::{self, RelationType};
use crate::domain::schema::BadType;
use crate::domain::{Observation, Schema, ids, schema};
use crate::{Error, near};

/// Candidates shown for an ambiguous name.
const CANDIDATES_MAX: usize = 10;

/// One user's view of the ledger at a point.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    view: View<'a>,
    pub user: &'a str,
}

/// Ledger, tenant and point are those of the view.
impl<'a> Deref for Reader<'a> {
    type Target = View<'a>;
    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

impl<'a> Reader<'a> {
    /// Whatever is live: for writes, whose expectations notice what changes.
    pub fn live(ledger: &'a dyn Ledger, ctx: &'a Context, user: &'a str) -> Self {
        Self { view: View::live(ledger, ctx), user }
    }

    /// A point, for work that no caller asked for.
    pub fn over(ledger: &'a dyn Ledger, tenant: &'a TenantId, user: &'a str, at: Seq) -> Self {
        Self { view: View::over(ledger, tenant, at), user }
    }

    /// The head, or the point that `at_ingested` names: a time, or the `read_point` of an earlier answer.
    pub async fn at(
        ledger: &'a dyn Ledger,
        ctx: &'a Context,
        user: &'a str,
        at_ingested: Option<&str>,
    ) -> Result<Self, Error> {
        let field = "at_ingested";
        let at = match at_ingested {
            None => At::Head,
            Some(text) => match text.parse::<Seq>() {
                Ok(seq) => At::Seq(seq),
                Err(_) => At::Time(moment(field, text)?),
            },
        };
        Self::at_point(ledger, ctx, user, field, at).await
    }

    /// A point that came in the argument `field`.
    pub async fn at_point(
        ledger: &'a dyn Ledger,
        ctx: &'a Context,
        user: &'a str,
        field: &str,
        at: At,
    ) -> Result<Self, Error> {
        Ok(Self { view: View::at(ledger, ctx, field, at).await?, user })
    }

    /// The same view at another point.
    pub fn pinned(&self, at: Seq) -> Self {
        Self { view: self.view.pinned(at), user: self.user }
    }

    /// The same view at the last fact.
    pub async fn at_head(&self) -> Result<Self, Error> {
        Ok(Self { view: self.view.at_head().await?, user: self.user })
    }

    /// The rows under these keys, in order. What belongs to another user is not there.
    pub async fn rows<T: Belongs>(&self, keys: &[RecordKey]) -> Result<Vec<Option<Stored<T>>>, Error> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.view.versions(keys).await?;
        found
            .into_iter()
            .map(|found| found.filter(|found| self.owns(found)).map(|found| self.parse(found)).transpose())
            .collect()
    }

    fn owns(&self, found: &RecordVersion) -> bool {
        let scope = &found.record.scope;
        // Observations are scoped by their entity, whose owner was checked to get there.
        row::is_observation(&found.record.key)
            || scope.strip_prefix(self.user).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Reads the row of a record.
    pub fn parse<T: Belongs>(&self, found: RecordVersion) -> Result<Stored<T>, Error> {
        Ok(Stored::read_with(found, self.error_id, T::read)?)
    }

    /// A page of rows.
    pub async fn find<T: Belongs>(&self, find: Find) -> Result<(Vec<Stored<T>>, Option<String>), Error> {
        let page = self.view.page(find).await?;
        let own = page.items.into_iter().filter(|found| self.owns(found));
        let rows = own.map(|found| self.parse(found)).collect::<Result<_, _>>()?;
        Ok((rows, page.next))
    }

    /// How many records match, up to `most`.
    pub async fn count(&self, find: Find, most: u64) -> Result<u64, Error> {
        Ok(self.view.count(find, most).await?)
    }

    /// How many records of a kind there are in a scope: of a type, or of all.
    pub async fn count_of(&self, kind: &str, scope: &str, wanted: Option<&str>) -> Result<u64, Error> {
        let counts = self.ledger.counts(self.tenant, self.at, kind, scope).await?;
        Ok(counts.iter().filter(|(of, _)| wanted.is_none_or(|wanted| of == wanted)).map(|(_, count)| count).sum())
    }

    /// Entities by id, in order; merged and deleted ones too.
    pub async fn entities(&self, ids: &[String]) -> Result<Vec<Option<Stored<EntityRow>>>, Error> {
        let keys: Vec<RecordKey> = ids.iter().map(|id| RecordKey::new(kind::ENTITY, id)).collect();
        self.rows(&keys).await
    }

    pub async fn entity(&self, id: &str) -> Result<Option<Stored<EntityRow>>, Error> {
        Ok(self.rows(&[RecordKey::new(kind::ENTITY, id)]).await?.pop().flatten())
    }

    /// Entities as listings show them, by id, in order.
    pub async fn listed(&self, ids: &[String]) -> Result<Vec<Option<Stored<Listed>>>, Error> {
        let keys: Vec<RecordKey> = ids.iter().map(|id| RecordKey::new(kind::ENTITY, id)).collect();
        self.rows(&keys).await
    }

    /// Entities as listings show them, by id, in order; merged and deleted ones are not there.
    pub async fn listed_live(&self, ids: &[String]) -> Result<Vec<Option<Stored<Listed>>>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<RecordKey> = ids.iter().map(|id| RecordKey::new(kind::ENTITY, id)).collect();
        let found = self.view.versions(&keys).await?;
        let live = |found: &RecordVersion| found.record.scope == self.user;
        found.into_iter().map(|found| found.filter(live).map(|found| self.parse(found)).transpose()).collect()
    }

    /// A source without what it holds and whom it speaks of.
    pub async fn source_head(&self, id: &str) -> Result<Option<Stored<SourceHead>>, Error> {
        Ok(self.rows(&[RecordKey::new(kind::SOURCE, id)]).await?.pop().flatten())
    }

    pub async fn source(&self, id: &str) -> Result<Option<Stored<SourceRow>>, Error> {
        Ok(self.sources(std::slice::from_ref(&id.to_owned())).await?.pop().flatten())
    }

    pub async fn sources(&self, ids: &[String]) -> Result<Vec<Option<Stored<SourceRow>>>, Error> {
        let keys: Vec<RecordKey> = ids.iter().map(|id| RecordKey::new(kind::SOURCE, id)).collect();
        self.rows(&keys).await
    }

    /// The source that an argument names.
    pub async fn named_source(&self, field: &'static str, id: &str) -> Result<SourceRow, Error> {
        Ok(self.stored_source(field, id).await?.row)
    }

    /// Like [`Self::named_source`], with the version of its record.
    pub async fn stored_source(&self, field: &'static str, id: &str) -> Result<Stored<SourceRow>, Error> {
        let id = ids::reference(id);
        if !ids::is_uuid(&id) {
            return Err(Error::invalid(
                field,
                "is not a source id",
                "give the source_id that ingest or an observation shows",
            ));
        }
        self.source(&id).await?.ok_or(Error::NoSuchSource { field })
    }

    /// A fault of ours that a read came upon.
    pub fn fault(&self, cause: &str) -> Error {
        Error::internal(self.error_id, cause.to_owned())
    }

    /// The row under a key of another kind.
    pub async fn row<T: Belongs>(&self, key: RecordKey) -> Result<Option<Stored<T>>, Error> {
        Ok(self.rows(&[key]).await?.pop().flatten())
    }

    /// Follows merges from an entity to the one that it became part of.
    pub async fn survivor<T: EntityShape>(&self, mut entity: Stored<T>) -> Result<Stored<T>, Error> {
        for _ in 0..CHAIN_MAX {
            let Some(into) = entity.row.merged_into() else { return Ok(entity) };
            let into = RecordKey::new(kind::ENTITY, into);
            entity = self.row(into).await?.ok_or_else(|| self.fault("a merge leads to no entity"))?;
        }
        Err(self.fault("merges run in a circle"))
    }

    /// The entity that an argument names: by id, or by a name or identifier that only one live entity has. Merged ones
    /// are as they are; deleted ones too.
    pub async fn named(&self, field: &'static str, reference: &str) -> Result<Stored<EntityRow>, Error> {
        self.named_as(field, reference).await
    }

    /// Like [`Self::named`], with as much of the entity as is needed.
    pub async fn named_as<T: EntityShape>(&self, field: &'static str, reference: &str) -> Result<Stored<T>, Error> {
        let id = ids::reference(reference);
        if id.starts_with("ent_") {
            let malformed = !ids::is_entity_id(&id);
            if !malformed && let Some(found) = self.row(RecordKey::new(kind::ENTITY, id.as_ref())).await? {
                return Ok(found);
            }
            let near = near::entity_ids(self, &id).await?;
            return Err(match (near.is_empty(), malformed) {
                (true, true) => Error::MalformedId { field },
                (true, false) => Error::NoSuchEntity { field },
                (false, malformed) => Error::MisspeltId { field, malformed, near },
            });
        }
        one_of(field, self.identified_in(self.user, reference, None, CANDIDATES_MAX).await?)
    }

    /// Like [`Self::named`], and follows merges; what is deleted is not there.
    pub async fn resolved(&self, field: &'static str, reference: &str) -> Result<Stored<EntityRow>, Error> {
        self.resolved_as(field, reference).await
    }

    /// Like [`Self::resolved`], with as much of the entity as is needed.
    pub async fn resolved_as<T: EntityShape>(&self, field: &'static str, reference: &str) -> Result<Stored<T>, Error> {
        let entity = self.survivor(self.named_as::<T>(field, reference).await?).await?;
        if entity.row.is_deleted() { Err(Error::NoSuchEntity { field }) } else { Ok(entity) }
    }

    /// Like [`Self::named`], with names looked for in these scopes, one after the other.
    pub async fn named_in(
        &self,
        field: &'static str,
        reference: &str,
        scopes: &[&str],
    ) -> Result<Stored<EntityRow>, Error> {
        if ids::reference(reference).starts_with("ent_") {
            return self.named(field, reference).await;
        }
        for scope in scopes {
            let found = self.identified_in(scope, reference, None, CANDIDATES_MAX).await?;
            if !found.is_empty() {
                return one_of(field, found);
            }
        }
        Err(Error::NoSuchEntity { field })
    }

    /// Live entities with exactly this name or identifier, by id.
    pub async fn identified(
        &self,
        identifier: &str,
        entity_type: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Stored<EntityRow>>, Error> {
        self.identified_in(self.user, identifier, entity_type, limit).await
    }

    /// Like [`Self::identified`], as listings show them.
    pub async fn identified_listed(
        &self,
        identifier: &str,
        entity_type: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Stored<Listed>>, Error> {
        self.identified_in(self.user, identifier, entity_type, limit).await
    }

    async fn identified_in<T: Belongs>(
        &self,
        scope: &str,
        identifier: &str,
        entity_type: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Stored<T>>, Error> {
        let mut found = BTreeMap::new();
        for form in forms(identifier, entity_type) {
            let narrow = Find {
                scope: Some(scope.to_owned()),
                r#type: entity_type.map(str::to_owned),
                limit,
                ..Find::all(kind::ENTITY)
            };
            let by_name = Find { name: Some(form.clone()), ..narrow.clone() };
            let by_tag = Find { tag: Some(form), ..narrow };
            for find in [by_name, by_tag] {
                let (rows, _) = self.find::<T>(find).await?;
                found.extend(rows.into_iter().map(|row| (row.key.id.clone(), row)));
            }
        }
        Ok(found.into_values().take(limit).collect())
    }

    /// The user's schemas among these types; for others the built-in one holds, if there is one.
    pub async fn schemas<'t>(
        &self,
        types: impl Iterator<Item = &'t str>,
    ) -> Result<BTreeMap<String, Stored<Schema>>, Error> {
        let keys: Vec<RecordKey> = types.map(|of| row::schema_key(self.user, of)).collect();
        let found = self.rows::<Schema>(&keys).await?;
        Ok(found.into_iter().flatten().map(|found| (found.row.entity_type.clone(), found)).collect())
    }

    /// The active schema of a type.
    pub async fn schema(&self, entity_type: &str) -> Result<Cow<'static, Schema>, Error> {
        let own = self.row::<Schema>(row::schema_key(self.user, entity_type)).await?;
        Ok(match own {
            Some(own) => Cow::Owned(own.row),
            None => match schema::builtin(entity_type) {
                Some(builtin) => Cow::Borrowed(builtin),
                None => Cow::Owned(schema::infer(entity_type, &[])),
            },
        })
    }

    /// The entity type that an argument means, whatever its case and number.
    pub async fn meant_type(&self, field: &'static str, given: &str) -> Result<String, Error> {
        self.types_meant(std::iter::once(given)).await?.remove(given).ok_or_else(|| {
            Error::invalid(field, "is not a type name", format!("{BadType}; describe_schema lists them"))
        })
    }

    /// A relationship type, built in or registered.
    pub async fn relation_type(&self, name: &str) -> Result<Option<RelationType>, Error> {
        if let Some(builtin) = relation::builtin_relation(name) {
            return Ok(Some(builtin));
        }
        if !relation::is_relation_name(name) {
            return Ok(None);
        }
        let own = self.row::<RelationType>(row::relation_type_key(self.user, name)).await?;
        Ok(own.map(|own| own.row))
    }

    /// All relationship types.
    pub async fn relation_types(&self) -> Result<Vec<RelationType>, Error> {
        let find = Find { scope: Some(self.user.to_owned()), limit: 1000, ..Find::all(kind::RELATION_TYPE) };
        let (own, _) = self.find::<RelationType>(find).await?;
        Ok(relation::builtin_relations().chain(own.into_iter().map(|own| own.row)).collect())
    }

    /// Every observation of these entities, in no order that matters to the reducer.
    pub async fn observations_of(&self, ids: &[&str]) -> Result<Vec<Observation>, Error> {
        let mut all = Vec::new();
        for id in ids {
            let mut after = None;
            loop {
                let find = Find { under: Some((*id).to_owned()), after, limit: 1000, ..Find::all(kind::ENTITY) };
                let (rows, next) = self.find::<Observation>(find).await?;
                all.extend(rows.into_iter().map(|stored| stored.row));
                if next.is_none() {
                    break;
                }
                after = next;
            }
        }
        Ok(all)
    }
}

/// How an identifier is kept by the types that it may be of.
pub fn forms(identifier: &str, entity_type: Option<&str>) -> Vec<String> {
    let mut forms: Vec<String> = match entity_type {
        Some(of) => vec![normalise(of, identifier), normalise("", identifier)],
        None => ["", "company", "person"].iter().map(|of| normalise(of, identifier)).collect(),
    };
    forms.retain(|form| !form.is_empty());
    forms.sort();
    forms.dedup();
    forms
}

/// The only one of what an argument names.
fn one_of<T: EntityShape>(field: &'static str, mut found: Vec<Stored<T>>) -> Result<Stored<T>, Error> {
    match found.len() {
        0 => Err(Error::NoSuchEntity { field }),
        1 => Ok(found.remove(0)),
        _ => {
            let candidates =
                found.into_iter().map(|found| (found.key.id, found.row.entity_type().to_owned())).collect();
            Err(Error::Ambiguous { field, candidates })
        }
    }
}

/// A time that an argument gives.
pub fn moment(field: &'static str, text: &str) -> Result<Timestamp, Error> {
    let value = serde_json::Value::from(text);
    let parsed = text.parse::<Timestamp>().ok().filter(|_| has_real_offset(text));
    let parsed = parsed.or_else(|| moment::parse(&value));
    parsed.ok_or_else(|| Error::invalid(field, "is not an ISO 8601 time", "write it like 2026-03-31T23:59:59Z"))
}

/// What a row of one sort is read from.
pub trait Belongs: Sized {
    /// Reads the body of a record. The error says why it cannot, for the log.
    fn read(body: &str) -> Result<Self, String>;
}

/// The row of an entity, or what is needed of it.
pub trait EntityShape: Belongs {
    fn entity_type(&self) -> &str;

    /// The entity it was merged into.
    fn merged_into(&self) -> Option<&str>;

    fn is_deleted(&self) -> bool;
}

impl EntityShape for EntityRow {
    fn entity_type(&self) -> &str {
        &self.entity_type
    }

    fn merged_into(&self) -> Option<&str> {
        self.merged_into.as_deref()
    }

    fn is_deleted(&self) -> bool {
        self.state.is_deleted()
    }
}

/// Says how each sort of row is told from the others.
macro_rules! belongs {
    ($($type:ty => $variant:ident),* $(,)?) => {
        $(impl Belongs for $type {
            fn read(body: &str) -> Result<Self, String> {
                match serde_json::from_str::<Row>(body) {
                    Ok(Row::$variant(row)) => Ok(row),
                    Ok(_) => Err("it is of another kind".to_owned()),
                    Err(error) => Err(error.to_string()),
                }
            }
        })*
    };
}

belongs! {
    SourceRow => Source,
    Observation => Observation,
    EntityRow => Entity,
    row::EventRow => Event,
    row::RelationshipRow => Relationship,
    row::MergeRow => Merge,
    row::RunRow => Run,
    Schema => Schema,
    RelationType => RelationType,
}
