//! Definitions, found by id, by kind and name, or by a name that only one of them has.

use ledger::{Find, Page};

use super::Snapshot;
use crate::Error;
use crate::domain::definition::refusal::Handle;
use crate::domain::definition::{Definition, KIND, Kind, Refusal};
use crate::domain::name::normalised;
use crate::domain::{Name, Stored};

/// How many definitions a refusal names.
const KNOWN_MAX: usize = 20;

impl Snapshot<'_> {
    /// All definitions of the repository, to be narrowed or paged.
    pub fn all_definitions(&self) -> Find {
        Find { scope: Some(self.ctx.scope.repository.to_string()), ..Find::all(KIND) }
    }

    /// The definition of a kind with this name, if there is one.
    pub async fn definition_of(&self, kind: Kind, name: &Name) -> Result<Option<Stored<Definition>>, Error> {
        let find = Find {
            r#type: Some(kind.label().to_owned()),
            name: Some(name.normalised()),
            limit: 1,
            ..self.all_definitions()
        };
        Ok(self.page(find).await?.items.pop())
    }

    /// The definition a caller names by id or unique name.
    pub async fn definition(&self, reference: &str) -> Result<Stored<Definition>, Error> {
        let by_id: Option<Stored<Definition>> = self.get(Definition::key_of(reference)).await?;
        if let Some(found) = by_id.filter(|found| found.repository_id == self.ctx.scope.repository.as_str()) {
            return Ok(found);
        }
        let find = Find { name: Some(normalised(reference)), ..self.all_definitions() };
        let mut named: Page<Stored<Definition>> = self.page(find).await?;
        let reference = reference.to_owned();
        match named.items.len() {
            1 => Ok(named.items.remove(0)),
            0 => {
                let find = Find { limit: KNOWN_MAX, ..self.all_definitions() };
                let known: Page<Stored<Definition>> = self.page(find).await?;
                let known = known.items.iter().map(|found| Handle::of(found)).collect();
                Err(Refusal::NotFound { reference, known }.into())
            }
            _ => {
                let candidates = named.items.iter().map(|found| Handle::of(found)).collect();
                Err(Refusal::Ambiguous { reference, candidates }.into())
            }
        }
    }
}
