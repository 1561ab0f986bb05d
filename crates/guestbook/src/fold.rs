//! How a signature becomes a record.

use ledger::{Effect, NewFact, Record};

use crate::generated::guestbook::Entry;

/// The kind of our records.
pub const KIND: &str = "guestbook.entry";
/// The kind of our only fact.
pub const SIGNED: &str = "guestbook.Signed";

/// The fold of the guest book.
pub struct Fold;

impl ledger::Fold for Fold {
    fn effects(&self, fact: &NewFact) -> Result<Vec<Effect>, String> {
        if fact.kind != SIGNED {
            return Err(format!("{} is not a fact of the guest book", fact.kind));
        }
        let entry: Entry = serde_json::from_str(&fact.body).map_err(|error| error.to_string())?;
        Ok(vec![Effect::Put(Box::new(Record {
            key: fact.subject.clone(),
            scope: "book".to_owned(),
            r#type: "entry".to_owned(),
            listed: true,
            status: None,
            name: Some(entry.name.to_lowercase()),
            time: None,
            tags: Vec::new(),
            ends: None,
            fields: Vec::new(),
            unique: Vec::new(),
            text: format!("{} {}", entry.name, entry.line),
            body: fact.body.clone(),
        }))])
    }
}
