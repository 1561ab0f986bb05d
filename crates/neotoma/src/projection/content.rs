//! What was sent as structured material, or said. It stays in the fact that stored it: whoever asks about a value wants to know the
//! source, and hardly anybody all that the source says.

use contract::Object;
use ledger::RecordVersion;

use super::fold;
use super::row::{SourceKind, SourceRow};
use super::{Reader, Stored};
use crate::Error;
use crate::domain::ids::{self, EntitiesHash};

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
