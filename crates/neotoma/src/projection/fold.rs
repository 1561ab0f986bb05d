//! Facts: a fact of neotoma carries the rows that it puts and the keys of those that it ends, so the fold only files them.

use ledger::{Effect, NewFact, RecordKey};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::ContentRow;
use super::row::Row;

/// What most rows take.
const ROW_BYTES: usize = 768;

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

/// A fact in the making. Each row is written once and used twice: in the body of the fact and in its record,
/// if it has one.
pub struct Writing<'a> {
    user: &'a str,
    body: Vec<u8>,
    rows: usize,
    effects: Vec<Effect>,
}

impl<'a> Writing<'a> {
    /// A fact about the records of `user` that will put this many rows.
    pub fn new(user: &'a str, rows: usize) -> Self {
        let mut body = Vec::with_capacity(256 + ROW_BYTES * rows);
        body.extend_from_slice(b"{\"user\":");
        write(user, &mut body);
        body.extend_from_slice(b",\"rows\":[");
        Self { user, body, rows: 0, effects: Vec::with_capacity(rows) }
    }

    /// How many rows it puts so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Puts a row.
    pub fn put(&mut self, row: &Row) {
        if self.body.last() != Some(&b'[') {
            self.body.push(b',');
        }
        self.rows += 1;
        let begin = self.body.len();
        write(row, &mut self.body);
        let text = std::str::from_utf8(&self.body[begin..]).expect("JSON is text");
        self.effects.extend(row.record(self.user, text).map(|record| Effect::Put(Box::new(record))));
    }

    /// The fact that puts these rows and ends `ends`, with its effects.
    pub fn finish(
        self,
        happened: Happened,
        subject: RecordKey,
        ends: Vec<RecordKey>,
        meta: String,
    ) -> (NewFact, Vec<Effect>) {
        let Self { mut body, mut effects, .. } = self;
        body.extend_from_slice(b"],\"ends\":");
        write(&ends, &mut body);
        body.push(b'}');
        effects.extend(ends.into_iter().map(Effect::End));
        (NewFact { kind: happened.kind().to_owned(), subject, body: text(body), meta }, effects)
    }
}

fn write<T: serde::Serialize + ?Sized>(value: &T, body: &mut Vec<u8>) {
    serde_json::to_writer(body, value).expect("rows have only string keys");
}

fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).expect("JSON is text")
}

/// What was sent as a source, when the fact with this body carries it.
pub fn content(body: &str, source_id: &str) -> Option<ContentRow> {
    let body: Body<'_> = serde_json::from_str(body).ok()?;
    body.rows.into_iter().filter(|text| text.get().starts_with("{\"content\":")).find_map(|text| {
        match serde_json::from_str(text.get()) {
            Ok(Row::Content(content)) if content.source_id == source_id => Some(content),
            _ => None,
        }
    })
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
            effects.extend(row.record(&body.user, text.get()).map(|record| Effect::Put(Box::new(record))));
        }
        effects.extend(body.ends.into_iter().map(Effect::End));
        Ok(effects)
    }
}
