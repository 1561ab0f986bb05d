//! What was sent as structured material, or said. It stays in the fact that stored it: whoever asks about a value wants to know the
//! source, and hardly anybody all that the source says.

use contract::Object;
use ledger::RecordVersion;
use scope::pace;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::fold;
use super::row::{SourceKind, SourceRow};
use super::{Reader, Stored};
use crate::Error;
use crate::domain::ids::{self, EntitiesHash};

/// What writing an entity takes, in nanoseconds.
const PER_ENTITY: u32 = 500;

/// The entities of a source, as they were sent. A part of a fact, and no record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ContentRow {
    pub source_id: String,
    /// A list of entities, as JSON.
    pub entities: Box<RawValue>,
}

impl PartialEq for ContentRow {
    fn eq(&self, other: &Self) -> bool {
        self.source_id == other.source_id && self.entities.get() == other.entities.get()
    }
}

impl ContentRow {
    pub fn new(source_id: &str, entities: &[Object]) -> Self {
        let entities = to_raw_value(&Paced(entities)).expect("entities have only string keys");
        Self { source_id: source_id.to_owned(), entities }
    }
}

/// Entities that are written at a pace: there may be thousands.
struct Paced<'a>(&'a [Object]);

impl Serialize for Paced<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().inspect(|_| pace::worked(PER_ENTITY)))
    }
}

impl SourceRow {
    /// The row for the version after a stored one. It remembers where the content is.
    pub fn after(Stored { mut row, seq, .. }: Stored<Self>) -> Self {
        if row.kind != SourceKind::File {
            row.content_seq.get_or_insert(seq);
        }
        row
    }
}

impl Reader<'_> {
    /// The entities that were sent as this source, or what was said; none for a file.
    pub async fn content(&self, source: &Stored<SourceRow>) -> Result<Vec<Object>, Error> {
        if source.row.kind == SourceKind::File {
            return Ok(Vec::new());
        }
        let seq = source.row.content_seq.unwrap_or(source.seq);
        let fact = self.ledger.facts(self.tenant, seq.saturating_sub(1), 1).await?.pop();
        let content = fact.and_then(|fact| fold::content(&fact.body, &source.row.id));
        let entities = content.and_then(|content| serde_json::from_str(content.entities.get()).ok());
        entities.ok_or_else(|| self.fault("a source has lost its content"))
    }

    /// Whether the content of a source is what its hash was made of. The bytes of files are the blob store's to check.
    pub async fn holds_its_content(&self, source: RecordVersion) -> bool {
        let Ok(source) = self.parse::<SourceRow>(source) else { return false };
        let Ok(content) = self.content(&source).await else { return false };
        let hash = match source.row.kind {
            SourceKind::File => return true,
            SourceKind::Structured => {
                let mut hash = EntitiesHash::default();
                content.iter().for_each(|entity| hash.add(entity));
                hash.finish()
            }
            SourceKind::Internal => match content.into_iter().next() {
                Some(said) => ids::content_hash(ids::canonical(&said.0.into())),
                None => return false,
            },
        };
        hash == source.row.content_hash
    }
}
