//! How a signature becomes a fact, and the fact a record.

use desk::Recordable;
use ledger::{Effect, NewFact, Record, RecordKey};

use crate::generated::guestbook::Entry;

/// The kind of our records.
pub const KIND: &str = "guestbook.entry";

/// Somebody signed: our only fact.
#[derive(Clone)]
pub struct Signed(pub Entry);

impl Recordable for Signed {
    fn encode(self, meta: String) -> (NewFact, Vec<Effect>) {
        desk::encode(&Fold, "guestbook.Signed", RecordKey::new(KIND, &self.0.id), &self.0, meta)
    }
}

/// The fold of the guest book.
pub struct Fold;

impl ledger::Fold for Fold {
    fn effects(&self, fact: &NewFact) -> Result<Vec<Effect>, String> {
        let entry: Entry = serde_json::from_str(&fact.body).map_err(|error| error.to_string())?;
        let record = Record::new(fact.subject.clone(), "book", "entry");
        let (name, text) = (Some(entry.name.to_lowercase()), format!("{} {}", entry.name, entry.line));
        Ok(vec![Effect::Put(Box::new(Record { name, text, body: fact.body.clone(), ..record }))])
    }
}
