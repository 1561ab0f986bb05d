//! What is wrong with a contract, where, and how to put it right.

use std::fmt;

/// A line of a proto file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Whether the contract can be generated all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// One fault of a contract. Reads as `query.proto:12: error: what is wrong; what to do`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub place: Place,
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl Problem {
    pub fn error(place: Place, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { place, severity: Severity::Error, message: message.into(), fix: fix.into() }
    }

    pub fn warning(place: Place, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { place, severity: Severity::Warning, message: message.into(), fix: fix.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}: {severity}: {}; {}", self.place, self.message, self.fix)
    }
}

impl std::error::Error for Problem {}
