//! Filters: what is left to check when an index has done its part.

use ledger::{FieldRange, Find};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use crate::fields::parse_fields;
use crate::record;

/// The parts of a find that the chosen index does not check itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Filter {
    pub scope: Option<String>,
    pub r#type: Option<String>,
    pub status: Option<String>,
    pub name: Option<TextRange>,
    pub tag: Option<String>,
    pub field: Option<FieldRange>,
    pub time: Option<(i64, i64)>,
    /// Ids after the first text and before the second.
    pub under: Option<(String, String)>,
}

impl Filter {
    pub(super) fn of(find: &Find) -> Self {
        let exact = find.name.as_deref().map(TextRange::exactly);
        let prefix = find.name_prefix.as_deref().map(TextRange::starting_with);
        Self {
            scope: find.scope.clone(),
            r#type: find.r#type.clone(),
            status: find.status.clone(),
            name: match (exact, prefix) {
                (Some(exact), Some(prefix)) => Some(exact.within(prefix)),
                (exact, prefix) => exact.or(prefix),
            },
            tag: find.tag.clone(),
            field: find.field.clone(),
            time: find.time.map(|(from, until)| (from.0, until.0)),
            under: find.under_range(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        let Self { scope, r#type, status, name, tag, field, time, under } = self;
        scope.is_none()
            && r#type.is_none()
            && status.is_none()
            && name.is_none()
            && tag.is_none()
            && field.is_none()
            && time.is_none()
            && under.is_none()
    }

    /// Whether the version in this slot passes.
    pub(super) fn admits(&self, connection: &Connection, slot: i64) -> rusqlite::Result<bool> {
        if self.is_empty() {
            return Ok(true);
        }
        let mut statement = connection.prepare_cached(
            "SELECT scope, type, status, name, time, tags, id, fields FROM record_versions WHERE slot = ?1",
        )?;
        statement.query_row([slot], |row| self.admits_row(row))
    }

    fn admits_row(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let text = |column| -> rusqlite::Result<Option<&str>> { Ok(row.get_ref(column)?.as_str_or_null()?) };
        let equal = |wanted: &Option<String>, actual: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| actual == Some(wanted))
        };
        let time: Option<i64> = row.get(4)?;
        let simple = equal(&self.scope, text(0)?)
            && equal(&self.r#type, text(1)?)
            && equal(&self.status, text(2)?)
            && self
                .name
                .as_ref()
                .is_none_or(|range| text(3).is_ok_and(|name| name.is_some_and(|name| range.holds(name))))
            && self.time.is_none_or(|(from, until)| time.is_some_and(|time| from <= time && time < until))
            && self.under.as_ref().is_none_or(|(from, until)| {
                text(6).is_ok_and(|id| id.is_some_and(|id| id > from.as_str() && id < until.as_str()))
            });
        if !simple {
            return Ok(false);
        }
        let tagged = match &self.tag {
            Some(tag) => record::parse_tags(row.get_ref(5)?.as_str()?)?.contains(tag),
            None => true,
        };
        Ok(tagged
            && match &self.field {
                Some(range) => range.keys_of(&parse_fields(row.get_ref(7)?.as_str()?)?).next().is_some(),
                None => true,
            })
    }
}

/// Texts from one (inclusive) to another (exclusive), compared byte by byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextRange {
    pub from: String,
    /// Nothing when no text lies beyond.
    pub until: Option<String>,
}

impl TextRange {
    pub(super) fn all() -> Self {
        Self { from: String::new(), until: None }
    }

    pub(super) fn exactly(text: &str) -> Self {
        Self { from: text.to_owned(), until: Some(format!("{text}\0")) }
    }

    pub(super) fn starting_with(prefix: &str) -> Self {
        let mut until = prefix.to_owned();
        while let Some(last) = until.pop() {
            // Characters are ordered like their bytes; the next one after the last decides where the prefix ends.
            if let Some(next) = (last..=char::MAX).nth(1) {
                until.push(next);
                return Self { from: prefix.to_owned(), until: Some(until) };
            }
        }
        Self { from: prefix.to_owned(), until: None }
    }

    /// What lies in both.
    fn within(self, other: Self) -> Self {
        let until = match (self.until, other.until) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
        Self { from: self.from.max(other.from), until }
    }

    fn holds(&self, text: &str) -> bool {
        self.from.as_str() <= text && self.until.as_deref().is_none_or(|until| text < until)
    }

    /// The upper bound for SQL. SQLite orders every blob after every text.
    pub(super) fn until_value(&self) -> Value {
        self.until.clone().map_or(Value::Blob(Vec::new()), Value::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_holds_what_starts_with_it_and_nothing_else() {
        for (prefix, text, held) in [
            ("or", "or", true),
            ("or", "orders", true),
            ("or", "os", false),
            ("or", "o", false),
            ("o\u{10ffff}", "o\u{10ffff}\u{10ffff}x", true),
            ("\u{d7ff}", "\u{d7ff}z", true),
            ("\u{d7ff}", "\u{e000}", false),
            ("", "anything", true),
        ] {
            assert_eq!(TextRange::starting_with(prefix).holds(text), held, "{prefix:?} {text:?}");
        }
    }

    #[test]
    fn an_exact_text_holds_only_itself() {
        let range = TextRange::exactly("a");
        assert!(range.holds("a") && !range.holds("a\0") && !range.holds("ab") && !range.holds(""));
    }
}
