//! What is remembered: something that happened to the records of a user, with the rows that it puts and the keys of those
//! that it ends.

use ledger::RecordKey;

use super::row::{Row, kind};

/// A large change is several facts: each is read, copied and handed on as a whole.
const ROWS_PER_FACT: usize = 512;

/// What happened, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    Ingested {
        source_id: String,
    },
    /// A run began that costs something.
    Interpreted {
        run_id: String,
    },
    Corrected {
        entity_id: String,
    },
    Merged {
        from: String,
    },
    Unmerged {
        from: String,
    },
    Related {
        edge: RecordKey,
    },
    /// An entity or an edge.
    Deleted {
        what: RecordKey,
    },
    Restored {
        what: RecordKey,
    },
    /// An entity type or a relationship type.
    SchemaRegistered {
        what: RecordKey,
    },
}

impl Happening {
    /// The kind under which the ledger keeps it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ingested { .. } => "neotoma.Ingested",
            Self::Interpreted { .. } => "neotoma.Interpreted",
            Self::Corrected { .. } => "neotoma.Corrected",
            Self::Merged { .. } => "neotoma.Merged",
            Self::Unmerged { .. } => "neotoma.Unmerged",
            Self::Related { .. } => "neotoma.Related",
            Self::Deleted { .. } => "neotoma.Deleted",
            Self::Restored { .. } => "neotoma.Restored",
            Self::SchemaRegistered { .. } => "neotoma.SchemaRegistered",
        }
    }

    /// The record it is about.
    pub fn subject(&self) -> RecordKey {
        match self {
            Self::Ingested { source_id } => RecordKey::new(kind::SOURCE, source_id),
            Self::Interpreted { run_id } => RecordKey::new(kind::RUN, run_id),
            Self::Corrected { entity_id } => RecordKey::new(kind::ENTITY, entity_id),
            Self::Merged { from } | Self::Unmerged { from } => RecordKey::new(kind::MERGE, from),
            Self::Related { edge: what }
            | Self::Deleted { what }
            | Self::Restored { what }
            | Self::SchemaRegistered { what } => what.clone(),
        }
    }
}

/// Something that happened to the records of a user.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    pub user: String,
    pub happening: Happening,
    pub rows: Vec<Row>,
    pub ends: Vec<RecordKey>,
}

impl Fact {
    /// The facts that put these rows and end these records: none when there is nothing to do, several when there is much.
    pub fn of(user: &str, happening: &Happening, rows: Vec<Row>, ends: Vec<RecordKey>) -> Vec<Self> {
        let fact = |rows, ends| Self { user: user.to_owned(), happening: happening.clone(), rows, ends };
        let mut facts = Vec::with_capacity(rows.len() / ROWS_PER_FACT + 1);
        let mut rows = rows.into_iter();
        while rows.len() > ROWS_PER_FACT {
            let mut part: Vec<Row> = rows.by_ref().take(ROWS_PER_FACT).collect();
            // Content stays with its source, which comes next.
            if let Some(Row::Content(_)) = part.last() {
                part.extend(rows.next());
            }
            facts.push(fact(part, Vec::new()));
        }
        if rows.len() > 0 || !ends.is_empty() {
            facts.push(fact(rows.collect(), ends));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::relation::RelationType;

    #[test]
    fn a_large_change_is_several_facts_and_nothing_is_none() {
        check(0, 0, &[]);
        check(0, 1, &[0]);
        check(512, 0, &[512]);
        check(513, 0, &[512, 1]);
        check(1200, 1, &[512, 512, 176]);
    }

    #[track_caller]
    fn check(rows: usize, ends: usize, expected: &[usize]) {
        let row = |number| Row::RelationType(RelationType { name: format!("r{number}"), acyclic: false });
        let ends = (0..ends).map(|number| RecordKey::new(kind::EVENT, number.to_string())).collect();
        let happening = Happening::Merged { from: "a".to_owned() };
        let facts = Fact::of("u", &happening, (0..rows).map(row).collect(), ends);
        assert_eq!(facts.iter().map(|fact| fact.rows.len()).collect::<Vec<_>>(), expected);
        let put: Vec<Row> = facts.into_iter().flat_map(|fact| fact.rows).collect();
        assert_eq!(put, (0..rows).map(row).collect::<Vec<_>>());
    }
}
