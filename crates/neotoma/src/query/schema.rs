//! describe_schema: what an entity type declares, or which types there are.

use std::collections::BTreeMap;

use contract::Object;
use contract::generated::neotoma::{DescribeSchemaRequest, DescribeSchemaResponse};
use ledger::Find;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Error;
use crate::domain::{Schema, schema};
use crate::projection::Reader;
use crate::projection::row::kind;

/// Types of a user's own that are listed.
const OWN_MAX: usize = 1000;
const NEAR_MAX: usize = 3;
/// Names that are less alike are not suggested.
const NEAR_MIN: f64 = 0.75;

/// Answers describe_schema.
pub async fn describe(reader: &Reader<'_>, request: &DescribeSchemaRequest) -> Result<DescribeSchemaResponse, Error> {
    let own = own(reader).await?;
    match &request.entity_type {
        Some(given) => {
            let schema = one(&own, given)?;
            Ok(DescribeSchemaResponse {
                schema: Some(object(&schema)),
                read_point: reader.at,
                ..DescribeSchemaResponse::default()
            })
        }
        None => Ok(DescribeSchemaResponse {
            schema: None,
            entity_types: all(&own).into_values().map(summary).collect(),
            relationship_types: reader.relation_types().await?.iter().map(object).collect(),
            read_point: reader.at,
        }),
    }
}

async fn own(reader: &Reader<'_>) -> Result<BTreeMap<String, Schema>, Error> {
    let find = Find { scope: Some(reader.user.to_owned()), limit: OWN_MAX, ..Find::all(kind::SCHEMA) };
    let (rows, _) = reader.find::<Schema>(find).await?;
    Ok(rows.into_iter().map(|stored| (stored.row.entity_type.clone(), stored.row)).collect())
}

/// All types by name; a user's own schema stands for the built-in one.
fn all(own: &BTreeMap<String, Schema>) -> BTreeMap<&str, &Schema> {
    let builtin = schema::builtin_types().filter_map(|name| Some((name, schema::builtin(name)?)));
    builtin.chain(own.iter().map(|(name, schema)| (name.as_str(), schema))).collect()
}

fn one<'a>(own: &'a BTreeMap<String, Schema>, given: &str) -> Result<&'a Schema, Error> {
    let all = all(own);
    let by_alias = |name: &str| own.values().find(|schema| schema.aliases.iter().any(|alias| alias == name));
    let by_name = |name: &str| own.get(name).or_else(|| by_alias(name)).map(|schema| schema.entity_type.clone());
    let meant = schema::entity_type_among(given, by_name).ok();
    meant.and_then(|name| all.get(name.as_str()).copied()).ok_or_else(|| {
        let near = near(given, all.keys().copied());
        let fix = match near.is_empty() {
            true => "call describe_schema without entity_type to see all types".to_owned(),
            false => format!("use {}", near.join(" or ")),
        };
        Error::invalid("entity_type", "is not a known type", fix)
    })
}

/// The names that are most alike, best first.
fn near<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let given = given.trim().to_lowercase();
    let alike = |name: &str| strsim::jaro_winkler(&given, name);
    let mut found: Vec<(f64, &str)> =
        names.map(|name| (alike(name), name)).filter(|(score, _)| *score >= NEAR_MIN).collect();
    found.sort_by(|(one, name), (other, other_name)| other.total_cmp(one).then_with(|| name.cmp(other_name)));
    found.into_iter().take(NEAR_MAX).map(|(_, name)| name).collect()
}

fn summary(schema: &Schema) -> Object {
    object(&json!({
        "entity_type": schema.entity_type,
        "schema_version": schema.schema_version,
        "scope": schema.scope,
    }))
}

fn object<T: Serialize>(value: &T) -> Object {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => Object(object),
        _ => Object::default(),
    }
}
