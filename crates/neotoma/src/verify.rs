//! Verification: every snapshot, made again from its observations by the one reducer, and compared.

use std::borrow::Cow;
use std::collections::BTreeMap;

use blobs::{Blobs, CHUNK_BYTES, Key};
use ledger::{At, Find, Ledger, RecordVersion, Seq};
use scope::TenantId;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;

use crate::Error;
use crate::domain::{Schema, State};
use crate::projection::Reader;
use crate::projection::reader::Belongs as _;
use crate::projection::row::{self, EntityRow, SourceRow, kind};

/// Entities that are looked at in one step.
const ENTITIES_PER_STEP: usize = 500;
/// Differences that are told.
const DIFFERENCES_MAX: usize = 100;

/// What verification found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    pub entities: u64,
    pub observations: u64,
    pub files: u64,
    /// One line for each difference, at most a hundred, without values; empty is good.
    pub differences: Vec<String>,
}

/// Makes all snapshots of a tenant again from its observations. That records are what the facts say is for
/// [`Ledger::verify`]; this says that what was recorded is what the reducer makes of it.
pub async fn verify(ledger: &dyn Ledger, blobs: &dyn Blobs, tenant: &TenantId) -> Result<Verified, Error> {
    let at = ledger.point(tenant, At::Head).await?;
    let mut work = Work { ledger, blobs, tenant, at, schemas: BTreeMap::new(), found: Verified::default() };
    let (mut after, mut stored) = (None, 0);
    loop {
        let find = Find { after, limit: ENTITIES_PER_STEP, ..Find::all(kind::ENTITY) };
        let page = ledger.find(tenant, at, find).await?;
        for found in &page.items {
            if row::is_observation(&found.record.key) {
                stored += 1;
            } else {
                work.check(found).await?;
            }
        }
        if page.next.is_none() {
            break;
        }
        after = page.next;
    }
    work.check_sources().await?;
    if stored != work.found.observations {
        work.differs(format!("{stored} observations are stored, and {} belong to entities", work.found.observations));
    }
    Ok(work.found)
}

struct Work<'a> {
    ledger: &'a dyn Ledger,
    blobs: &'a dyn Blobs,
    tenant: &'a TenantId,
    at: Seq,
    /// By user and entity type.
    schemas: BTreeMap<(String, String), Cow<'static, Schema>>,
    found: Verified,
}

impl Work<'_> {
    async fn check(&mut self, stored: &RecordVersion) -> Result<(), Error> {
        self.found.entities += 1;
        let id = &stored.record.key.id;
        let Ok(entity) = EntityRow::read(&stored.record.body) else {
            self.differs(format!("entity {id} cannot be read"));
            return Ok(());
        };
        // Merged and deleted entities are in scopes below the user's.
        let user = stored.record.scope.split('/').next().unwrap_or_default();
        let reader = Reader::over(self.ledger, self.tenant, user, self.at);
        let own = reader.observations_of(&[id]).await?;
        self.found.observations += own.len() as u64;
        let members: Vec<&str> = entity.members.iter().map(String::as_str).collect();
        let merged = reader.observations_of(&members).await?;
        let schema = (user.to_owned(), entity.entity_type.clone());
        if !self.schemas.contains_key(&schema) {
            let declared = reader.schema(&entity.entity_type).await?;
            self.schemas.insert(schema.clone(), declared);
        }
        let made = State::of(&self.schemas[&schema], own.iter().chain(&merged));
        if json(&made) != json(&entity.state) {
            self.differs(format!("entity {id} is not what its observations say{}", fields(&made, &entity.state)));
        }
        Ok(())
    }

    /// Whether every source still holds what its hash was made of.
    async fn check_sources(&mut self) -> Result<(), Error> {
        let mut after = None;
        loop {
            let find = Find { after, limit: ENTITIES_PER_STEP, ..Find::all(kind::SOURCE) };
            let page = self.ledger.find(self.tenant, self.at, find).await?;
            for source in page.items {
                self.check_files(&source).await;
                let (user, id) = (source.record.scope.clone(), source.record.key.id.clone());
                let reader = Reader::over(self.ledger, self.tenant, &user, self.at);
                if !reader.holds_its_content(source).await {
                    self.differs(format!("source {id} does not hold what its hash was made of"));
                }
            }
            if page.next.is_none() {
                return Ok(());
            }
            after = page.next;
        }
    }

    /// Whether the files of a source are there, and are what their names say.
    async fn check_files(&mut self, source: &RecordVersion) {
        let Ok(row) = SourceRow::read(&source.record.body) else { return };
        for path in &row.files {
            self.found.files += 1;
            let hash = match Key::parse(self.tenant, path) {
                Ok(key) => hash_of(self.blobs, &key).await.map(|hash| hash == key.hash()),
                Err(_) => Err(blobs::Error::NotFound),
            };
            match hash {
                Ok(true) => {}
                Ok(false) => self.differs(format!("file {path} of source {} has changed", row.id)),
                Err(error) => self.differs(format!("file {path} of source {}: {error}", row.id)),
            }
        }
    }

    fn differs(&mut self, line: String) {
        if self.found.differences.len() < DIFFERENCES_MAX {
            self.found.differences.push(line);
        }
    }
}

/// SHA-256 of a blob, in hex.
async fn hash_of(blobs: &dyn Blobs, key: &Key) -> Result<String, blobs::Error> {
    let mut reader = blobs.read(key, 0, u64::MAX).await?;
    let (mut hash, mut chunk) = (Sha256::new(), vec![0; CHUNK_BYTES]);
    loop {
        match reader.read(&mut chunk).await? {
            0 => return Ok(hex::encode(hash.finalize())),
            read => hash.update(&chunk[..read]),
        }
    }
}

/// The names of the fields in which two states differ.
fn fields(made: &State, stored: &State) -> String {
    let (made, stored) = (made.snapshot(), stored.snapshot());
    let names: std::collections::BTreeSet<&String> = made.keys().chain(stored.keys()).collect();
    let other: Vec<&str> =
        names.into_iter().filter(|name| made.get(*name) != stored.get(*name)).map(String::as_str).collect();
    if other.is_empty() { String::new() } else { format!(": {}", other.join(", ")) }
}

fn json(state: &State) -> String {
    serde_json::to_string(state).expect("states have only string keys")
}
