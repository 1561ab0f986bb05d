//! Which entity types a text means, for a user with types and aliases of their own.

use std::collections::{BTreeMap, BTreeSet};

use ledger::Find;

use super::Reader;
use super::row::kind;
use crate::Error;
use crate::domain::{Schema, schema};

impl Reader<'_> {
    /// The entity types that these texts mean. A text that cannot name a type is not among them.
    pub async fn types_meant<'t>(
        &self,
        given: impl Iterator<Item = &'t str> + Send,
    ) -> Result<BTreeMap<&'t str, String>, Error> {
        let given: BTreeSet<&str> = given.collect();
        let unknown: Vec<&str> = given.iter().copied().filter(|given| schema::builtin(given).is_none()).collect();
        let names: BTreeSet<String> = unknown.iter().flat_map(|given| schema::spellings(given)).collect();
        let mut own: BTreeMap<String, String> = self
            .schemas(names.iter().map(String::as_str))
            .await?
            .into_keys()
            .map(|name| (name.clone(), name))
            .collect();
        for given in unknown {
            if own.contains_key(&schema::fold(given)) {
                continue;
            }
            for name in schema::spellings(given) {
                if let Some(of) = self.aliased_type(&name).await? {
                    own.insert(name, of);
                }
            }
        }
        let meant = |given: &'t str| {
            let name = schema::entity_type_among(given, |name| own.get(name).cloned()).ok()?;
            Some((given, name))
        };
        Ok(given.into_iter().filter_map(meant).collect())
    }

    /// The type of the user's own that goes by this other name.
    pub async fn aliased_type(&self, alias: &str) -> Result<Option<String>, Error> {
        let find = Find {
            scope: Some(self.user.to_owned()),
            tag: Some(alias.to_owned()),
            limit: 1,
            ..Find::all(kind::SCHEMA)
        };
        let (found, _) = self.find::<Schema>(find).await?;
        Ok(found.into_iter().next().map(|found| found.row.entity_type))
    }
}
