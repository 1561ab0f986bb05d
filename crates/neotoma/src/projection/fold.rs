//! Facts: a fact of neotoma carries the rows that it puts and the keys of those that it ends, so the fold only files them.

use desk::Recordable;
use ledger::{Effect, NewFact, RecordKey};
use scope::pace;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::domain::fact::Fact;
use crate::domain::row::Row;
use crate::domain::source::Content;
use crate::projection::row::{is_observation, kind};

/// What most rows take.
const ROW_BYTES: usize = 768;

/// The body of a fact as it is read back.
#[derive(Deserialize)]
struct Body<'a> {
    user: String,
    #[serde(borrow)]
    rows: Vec<&'a RawValue>,
    ends: Vec<RecordKey>,
}

/// Estimated CPU time of encoding a row, in nanoseconds.
const PER_ROW: u32 = 8_000;

/// Each row is written once and used twice: in the body of the fact and in its record, if it has one.
impl Recordable for Fact {
    fn encode(self, meta: String) -> (NewFact, Vec<Effect>) {
        let Self { user, happening, rows, ends } = self;
        let mut body = Vec::with_capacity(256 + ROW_BYTES * rows.len());
        let mut effects = Vec::with_capacity(rows.len() + ends.len());
        body.extend_from_slice(b"{\"user\":");
        write(&user, &mut body);
        body.extend_from_slice(b",\"rows\":[");
        for (index, row) in rows.into_iter().enumerate() {
            if index > 0 {
                body.push(b',');
            }
            let begin = body.len();
            write(&row, &mut body);
            let text = std::str::from_utf8(&body[begin..]).expect("JSON is text");
            effects.extend(row.record(&user, text).map(|record| Effect::Put(Box::new(record))));
            pace::spend(PER_ROW);
        }
        body.extend_from_slice(b"],\"ends\":");
        write(&ends, &mut body);
        body.push(b'}');
        effects.extend(ends.into_iter().map(Effect::End));
        let (kind, subject) = (happening.kind().to_owned(), happening.subject());
        (NewFact { kind, subject, body: text(body), meta }, effects)
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }
}

fn write<T: serde::Serialize + ?Sized>(value: &T, body: &mut Vec<u8>) {
    serde_json::to_writer(body, value).expect("rows have only string keys");
}

fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).expect("JSON is text")
}

/// What was sent as a source, when the fact with this body carries it.
pub fn content(body: &str, source_id: &str) -> Option<Content> {
    let body: Body<'_> = serde_json::from_str(body).ok()?;
    body.rows.into_iter().filter(|text| text.get().starts_with("{\"content\":")).find_map(|text| {
        match serde_json::from_str(text.get()) {
            Ok(Row::Content(content)) if content.source_id == source_id => Some(content),
            _ => None,
        }
    })
}

/// The ids of the entities and sources that the fact with this body puts or ends.
pub fn searched(body: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Id {
        id: String,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Head {
        Entity(Id),
        Source(Id),
    }
    let Ok(body) = serde_json::from_str::<Body<'_>>(body) else { return Vec::new() };
    let heads = body.rows.iter().map(|text| text.get());
    let heads = heads.filter(|text| text.starts_with("{\"entity\":") || text.starts_with("{\"source\":"));
    let put = heads.filter_map(|text| serde_json::from_str(text).ok()).map(|head| match head {
        Head::Entity(Id { id }) | Head::Source(Id { id }) => id,
    });
    let is_searched = |key: &RecordKey| key.kind == kind::SOURCE || (key.kind == kind::ENTITY && !is_observation(key));
    put.chain(body.ends.iter().filter(|key| is_searched(key)).map(|key| key.id.clone())).collect()
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
