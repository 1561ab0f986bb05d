//! What a listing asks for, checked before anything is read.

use contract::generated::neotoma::{FieldFilter, FilterOperator, RetrieveEntitiesRequest};
use ledger::{Find, FindOrder};

use super::cursor::Position;
use crate::Error;
use crate::domain::filter::{Condition, Op};
use crate::domain::schema::FieldType;
use crate::domain::shape;
use crate::projection::row::{kind, merged_scope};
use crate::projection::{Reader, message};
use crate::query::interleaved::ROWS_AT_ONCE;
use crate::query::window::Window;

const FILTERS_MAX: usize = 32;
/// Longest text that a filter compares with: it is compared with every entity that is looked at.
const FILTER_CHARS_MAX: usize = 1_000;

/// A listing.
pub struct Listing {
    pub entity_type: Option<String>,
    pub merged: bool,
    pub snapshots: bool,
    pub filters: Vec<Condition>,
    pub sort: Option<Sort>,
    pub fields: Vec<String>,
    pub limit: usize,
}

/// By which field of the snapshot a listing is sorted. Numbers compare as doubles, texts without their case and by their beginning.
/// Creation and id decide between equals, in reverse when the listing is descending; absent values come last either way.
pub struct Sort {
    pub field: String,
    pub descending: bool,
}

impl Listing {
    pub async fn new(reader: &Reader<'_>, request: RetrieveEntitiesRequest) -> Result<Self, Error> {
        let entity_type = match &request.entity_type {
            Some(given) => Some(reader.meant_type("entity_type", given).await?),
            None => None,
        };
        if request.filters.len() > FILTERS_MAX {
            return Err(Error::invalid(
                "filters",
                format!("has more than {FILTERS_MAX} items"),
                format!("give at most {FILTERS_MAX} filters"),
            ));
        }
        Ok(Self {
            entity_type,
            merged: request.include_merged.unwrap_or(false),
            snapshots: request.include_snapshots.unwrap_or(true),
            limit: Window::new(request.limit, None).size(),
            filters: request.filters.into_iter().enumerate().map(filter).collect::<Result<_, _>>()?,
            sort: request.sort.as_deref().map(sort).transpose()?,
            fields: request.fields,
        })
    }

    /// What to walk: live entities and, when they are asked for, those that were merged into others.
    pub fn finds(&self, user: &str, after: Option<&Position>) -> Vec<Find> {
        let find = |scope: String| Find {
            scope: Some(scope),
            r#type: self.entity_type.clone(),
            order: FindOrder::Time,
            after: after.map(|position| Find::after_time(position.created_at, &position.id)),
            limit: if self.filters.is_empty() && self.sort.is_none() {
                self.limit.min(ROWS_AT_ONCE)
            } else {
                ROWS_AT_ONCE
            },
            ..Find::all(kind::ENTITY)
        };
        self.scopes(user).map(find).collect()
    }

    /// Where the entities are.
    pub fn scopes(&self, user: &str) -> impl Iterator<Item = String> + use<> {
        std::iter::once(user.to_owned()).chain(self.merged.then(|| merged_scope(user)))
    }

    /// How many entities there are, whatever the filters.
    pub async fn total(&self, reader: &Reader<'_>) -> Result<u64, Error> {
        let mut total = 0;
        for scope in self.scopes(reader.user) {
            total += reader.count_of(kind::ENTITY, &scope, self.entity_type.as_deref()).await?;
        }
        Ok(total)
    }

    /// The type of a field, when the listing is of one type that declares it. Values of several types compare by what they are.
    pub async fn declared(&self, reader: &Reader<'_>, field: &str) -> Result<Option<FieldType>, Error> {
        match &self.entity_type {
            Some(of) => Ok(reader.schema(of).await?.field_type(field)),
            None => Ok(None),
        }
    }
}

fn filter((index, given): (usize, FieldFilter)) -> Result<Condition, Error> {
    let op = match given.op() {
        FilterOperator::Unspecified | FilterOperator::Eq => Op::Eq,
        FilterOperator::Ne => Op::Ne,
        FilterOperator::Lt => Op::Lt,
        FilterOperator::Lte => Op::Lte,
        FilterOperator::Gt => Op::Gt,
        FilterOperator::Gte => Op::Gte,
        FilterOperator::Contains => Op::Contains,
        FilterOperator::Exists => Op::Exists,
    };
    shape::check_name(&given.field).map_err(|reason| {
        Error::invalid(format!("filters.{index}.field"), reason, "give the name of a field of the snapshot")
    })?;
    let value = given.value.map(|value| value.0).unwrap_or_default();
    if value.is_null() && !matches!(op, Op::Exists | Op::Ne) {
        return Err(Error::invalid(
            format!("filters.{index}.value"),
            "is required",
            "give what to compare with; absence is asked for by op exists with value false",
        ));
    }
    if message::value_chars(&value) > FILTER_CHARS_MAX {
        return Err(Error::invalid(
            format!("filters.{index}.value"),
            format!("is longer than {FILTER_CHARS_MAX} characters"),
            "compare with a part that tells the entity apart, with op contains",
        ));
    }
    Ok(Condition { field: given.field, op, value })
}

fn sort(given: &str) -> Result<Sort, Error> {
    let (field, descending) = given.strip_prefix('-').map_or((given, false), |field| (field, true));
    shape::check_name(field)
        .map_err(|reason| Error::invalid("sort", reason, "give a field of the snapshot, or -field for descending"))?;
    Ok(Sort { field: field.to_owned(), descending })
}
