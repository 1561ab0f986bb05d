//! What a rule answers with when it does not refuse, and what it is shown.

use ledger::Expectation;
use scope::Timestamp;
use serde::Serialize;

use super::Fact;
use crate::metamodel::Concept;

/// A write that may happen: what it leads to, what to record, and what must still hold then.
#[derive(Debug, Clone)]
pub struct Decision<T> {
    /// What the caller is told about.
    pub outcome: T,
    pub facts: Vec<Fact>,
    pub expectations: Vec<Expectation>,
    pub notes: Notes,
}

impl<T> Decision<T> {
    /// The same decision with its outcome seen as something else.
    pub fn map<U>(self, wrap: impl FnOnce(T) -> U) -> Decision<U> {
        let Self { outcome, facts, expectations, notes } = self;
        Decision { outcome: wrap(outcome), facts, expectations, notes }
    }
}

impl<T> Decision<T> {
    /// This decision and the next in one: both happen, or neither. What the first makes, the second need not expect.
    pub fn then(mut self, next: Self) -> Self {
        let made: Vec<ledger::RecordKey> = self.facts.iter().map(Fact::subject).collect();
        let expected = |expectation: &Expectation| match expectation {
            Expectation::Version { key, .. } | Expectation::Exists { key } => !made.contains(key),
            _ => true,
        };
        self.expectations.extend(next.expectations.into_iter().filter(expected));
        self.facts.extend(next.facts);
        Self { outcome: next.outcome, notes: next.notes, ..self }
    }
}

/// What the caller should know although nothing is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    pub warnings: Vec<Warning>,
    /// What to do next.
    pub suggestions: Vec<String>,
    /// What the caller's references were found to mean. A proposal keeps the ids, since names may change.
    pub resolved: Vec<Resolved>,
}

/// A reference by key or name, and the id it stood for when the write was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The argument that held it, without what encloses it.
    pub field: &'static str,
    pub reference: String,
    pub id: String,
}

impl Notes {
    pub fn warn(&mut self, code: &'static str, message: impl Into<String>, suggestion: impl Into<String>) {
        self.warnings.push(Warning { code, message: message.into(), suggestion: suggestion.into() });
    }

    /// Notes that all is as the caller wants it already.
    pub fn unchanged(&mut self) {
        self.warn("UNCHANGED", "Everything is so already; no version was made", "Nothing to do");
    }

    pub fn suggest(&mut self, suggestion: impl Into<String>) {
        self.suggestions.push(suggestion.into());
    }

    pub fn resolve(&mut self, field: &'static str, reference: &str, id: &str) {
        if reference != id {
            self.resolved.push(Resolved { field, reference: reference.to_owned(), id: id.to_owned() });
        }
    }
}

/// Something worth knowing that did not stop the write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub code: &'static str,
    pub message: String,
    pub suggestion: String,
}

/// Something as the ledger holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored<T> {
    pub state: T,
    pub version: u64,
    /// When this version was committed.
    pub at: Timestamp,
}

impl<T> std::ops::Deref for Stored<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.state
    }
}

/// The name of one version for ever. Versions of a record have no gaps and ids are never reused, so this is immutable
/// without being stored.
pub fn version_id(id: &str, version: u64) -> String {
    format!("{id}@{version}")
}

/// An element, or another end of a relationship, as refusals and suggestions name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mention {
    pub id: String,
    pub name: String,
    pub r#type: Concept,
}
