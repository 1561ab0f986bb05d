//! A fact of monitor carries the rows that it puts, so the fold only files them.

use desk::Recordable;
use ledger::{Effect, NewFact, Record};
use serde::Deserialize;
use serde_json::Value;

use crate::domain::fact::Fact;
use crate::domain::row::Row;

/// The body of a fact.
#[derive(Deserialize)]
struct Body {
    rows: Vec<Row>,
}

impl Recordable for Fact {
    fn encode(self, meta: String) -> (NewFact, Vec<Effect>) {
        let (kind, subject) = (self.kind(), self.subject());
        let (mut bodies, mut effects) = (Vec::with_capacity(self.rows.len()), Vec::with_capacity(self.rows.len()));
        for row in &self.rows {
            let (tagged, effect) = filed(row);
            bodies.push(tagged);
            effects.push(effect);
        }
        let body = format!("{{\"rows\":[{}]}}", bodies.join(","));
        (NewFact { kind, subject, body, meta }, effects)
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }
}

/// The fold of monitor.
pub struct Fold;

impl ledger::Fold for Fold {
    fn effects(&self, fact: &NewFact) -> Result<Vec<Effect>, String> {
        let body: Body = serde_json::from_str(&fact.body).map_err(|error| error.to_string())?;
        Ok(body.rows.iter().map(|row| filed(row).1).collect())
    }
}

/// A row as it stands in the body of its fact, and the record that holds it.
fn filed(row: &Row) -> (String, Effect) {
    let tagged = serde_json::to_value(row).expect("a row has only text keys");
    let inner = tagged.as_object().and_then(|variant| variant.values().next()).unwrap_or(&Value::Null);
    let record = Record { body: inner.to_string(), ..row.record() };
    (tagged.to_string(), Effect::Put(Box::new(record)))
}
