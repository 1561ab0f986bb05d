//! Facts: a fact of neotoma carries the rows that it puts and the keys of those that it ends, so the fold only files them.

use ledger::{Effect, NewFact, RecordKey};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::row::Row;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    Ingested,
    Interpreted,
    Corrected,
    Merged,
    Unmerged,
    Related,
    Deleted,
    Restored,
    SchemaRegistered,
}

impl Happened {
    /// The kind of the fact.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Ingested => "neotoma.Ingested",
            Self::Interpreted => "neotoma.Interpreted",
            Self::Corrected => "neotoma.Corrected",
            Self::Merged => "neotoma.Merged",
            Self::Unmerged => "neotoma.Unmerged",
            Self::Related => "neotoma.Related",
            Self::Deleted => "neotoma.Deleted",
            Self::Restored => "neotoma.Restored",
            Self::SchemaRegistered => "neotoma.SchemaRegistered",
        }
    }
}

/// The body of a fact as it is read back.
#[derive(Deserialize)]
struct Body<'a> {
    user: String,
    #[serde(borrow)]
    rows: Vec<&'a RawValue>,
    ends: Vec<RecordKey>,
}

/// The fact that puts `rows` and ends `ends`, with its effects. Each row is written once and used twice.
pub fn fact(
    happened: Happened,
    subject: RecordKey,
    user: &str,
    rows: &[Row],
    ends: Vec<RecordKey>,
    meta: String,
) -> (NewFact, Vec<Effect>) {
    let mut body = String::from("{\"user\":");
    body.push_str(&json(user));
    body.push_str(",\"rows\":[");
    let mut effects = Vec::with_capacity(rows.len() + ends.len());
    for (index, row) in rows.iter().enumerate() {
        let text = json(row);
        if index > 0 {
            body.push(',');
        }
        body.push_str(&text);
        effects.push(Effect::Put(Box::new(row.record(user, text))));
    }
    body.push_str("],\"ends\":");
    body.push_str(&json(&ends));
    body.push('}');
    effects.extend(ends.into_iter().map(Effect::End));
    (NewFact { kind: happened.kind().to_owned(), subject, body, meta }, effects)
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("rows have only string keys")
}

/// Makes the records of a fact again.
#[derive(Debug, Default, Clone, Copy)]
pub struct Fold;

impl ledger::Fold for Fold {
    fn effects(&self, fact: &NewFact) -> Result<Vec<Effect>, String> {
        let body: Body<'_> = serde_json::from_str(&fact.body).map_err(|error| error.to_string())?;
        let mut effects = Vec::with_capacity(body.rows.len() + body.ends.len());
        for text in body.rows {
            let row: Row = serde_json::from_str(text.get()).map_err(|error| error.to_string())?;
            effects.push(Effect::Put(Box::new(row.record(&body.user, text.get().to_owned()))));
        }
        effects.extend(body.ends.into_iter().map(Effect::End));
        Ok(effects)
    }
}
