//! Fields: values of a record's own that it is found and sorted by.
//!
//! A capability turns a value into a [`FieldKey`], a text whose order is the order of the values. Keys are short: of a text only its
//! beginning is kept, and of a number what a double holds. So a find by field gives candidates in order, and
//! whoever needs the whole value compares again.

use scope::Timestamp;
use serde::{Deserialize, Serialize};

/// Characters of a text that a key keeps.
pub const KEY_CHARS_MAX: usize = 40;

/// A value in an index. Keys of one sort are ordered like their values; the sorts follow each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldKey(String);

impl FieldKey {
    pub fn flag(value: bool) -> Self {
        Self(if value { "b1" } else { "b0" }.to_owned())
    }

    pub fn moment(value: Timestamp) -> Self {
        Self(format!("d{:016x}", value.0.cast_unsigned() ^ SIGN))
    }

    /// What is no number is taken for zero.
    pub fn number(value: f64) -> Self {
        // Minus zero equals zero.
        let bits = if value.is_nan() || value == 0.0 { 0 } else { value.to_bits() };
        Self(format!("n{:016x}", if bits & SIGN == 0 { bits ^ SIGN } else { !bits }))
    }

    /// The beginning of a text, compared byte by byte.
    pub fn text(value: &str) -> Self {
        // By characters: cut by bytes, the beginnings of two texts could stand in another order than the texts.
        let end = value.char_indices().nth(KEY_CHARS_MAX).map_or(value.len(), |(end, _)| end);
        Self(format!("t{}", &value[..end]))
    }

    /// A value that has no order. All are equal here.
    pub fn unordered() -> Self {
        Self("u".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const SIGN: u64 = 1 << 63;

/// Keys of one field, from one (inclusive) to another (exclusive).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRange {
    pub name: String,
    from: String,
    until: String,
}

impl FieldRange {
    /// Every record that has the field.
    pub fn all(name: impl Into<String>) -> Self {
        Self { name: name.into(), from: String::new(), until: "~".to_owned() }
    }

    /// Exactly this key.
    pub fn equal(name: impl Into<String>, key: &FieldKey) -> Self {
        Self::all(name).at_least(key).at_most(key)
    }

    /// All keys of the sort that this one is of.
    pub fn of_sort(name: impl Into<String>, key: &FieldKey) -> Self {
        Self::beginning(name, &key.0[..1])
    }

    /// Texts that begin so, as far as keys tell.
    pub fn starting_with(name: impl Into<String>, prefix: &str) -> Self {
        Self::beginning(name, &FieldKey::text(prefix).0)
    }

    fn beginning(name: impl Into<String>, from: &str) -> Self {
        let mut until = from.to_owned();
        // Characters are ordered like their bytes: the next one after the last that has a next ends the range.
        while let Some(last) = until.pop() {
            if let Some(next) = (last..=char::MAX).nth(1) {
                until.push(next);
                break;
            }
        }
        Self { name: name.into(), from: from.to_owned(), until }
    }

    /// The part that does not come before `key`.
    #[must_use]
    pub fn at_least(mut self, key: &FieldKey) -> Self {
        self.from = self.from.max(key.0.clone());
        self
    }

    /// The part that does not come after `key`.
    #[must_use]
    pub fn at_most(mut self, key: &FieldKey) -> Self {
        self.until = self.until.min(format!("{}\0", key.0));
        self
    }

    /// The part that comes after `key`.
    #[must_use]
    pub fn above(mut self, key: &FieldKey) -> Self {
        self.from = self.from.max(format!("{}\0", key.0));
        self
    }

    /// The part that comes before `key`.
    #[must_use]
    pub fn below(mut self, key: &FieldKey) -> Self {
        self.until = self.until.min(key.0.clone());
        self
    }

    /// The first key of the range.
    pub fn from(&self) -> &str {
        &self.from
    }

    /// The first key after the range.
    pub fn until(&self) -> &str {
        &self.until
    }

    /// Whether it holds one key at most.
    pub fn is_one_key(&self) -> bool {
        self.until.strip_suffix('\0') == Some(&self.from)
    }

    pub fn holds(&self, key: &FieldKey) -> bool {
        self.from.as_str() <= key.0.as_str() && key.0 < self.until
    }

    /// Those of a record's keys that lie in the range.
    pub fn keys_of<'a>(&'a self, fields: &'a [(String, FieldKey)]) -> impl Iterator<Item = &'a FieldKey> {
        fields.iter().filter(|(name, key)| *name == self.name && self.holds(key)).map(|(_, key)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ascending(keys: &[FieldKey]) {
        assert!(keys.is_sorted_by(|one, other| one < other), "{keys:?}");
    }

    #[test]
    fn keys_are_ordered_like_their_values() {
        let numbers = [f64::NEG_INFINITY, -1e300, -2.5, -1e-300, 0.0, 1e-300, 2.0, 9.0, 10.0, 100.0, f64::INFINITY];
        ascending(&numbers.map(FieldKey::number));
        ascending(&[i64::MIN, -1, 0, 1, i64::MAX].map(|micros| FieldKey::moment(Timestamp(micros))));
        ascending(&["", "a", "a\0", "ab", "b", "é", "日"].map(FieldKey::text));
        ascending(&[false, true].map(FieldKey::flag));
        assert_eq!(FieldKey::number(-0.0), FieldKey::number(0.0));
    }

    #[test]
    fn a_long_text_is_cut_and_keeps_its_place() {
        let long = |end: &str| FieldKey::text(&format!("{}{end}", "a".repeat(KEY_CHARS_MAX - 1)));
        assert_eq!(long("zebra"), long("zoo"));
        ascending(&[long(""), long("z"), long("日本")]);
    }

    #[test]
    fn a_range_holds_what_lies_between_its_ends() {
        let number = |value| FieldKey::number(value);
        let range = FieldRange::of_sort("f", &number(0.0)).at_least(&number(2.0)).at_most(&number(9.0));
        for (key, held) in [
            (number(1.9), false),
            (number(2.0), true),
            (number(9.0), true),
            (number(9.1), false),
            (FieldKey::text("5"), false),
            (FieldKey::flag(true), false),
        ] {
            assert_eq!(range.holds(&key), held, "{key:?}");
        }
        let inner = FieldRange::of_sort("f", &number(0.0)).above(&number(2.0)).below(&number(9.0));
        for (key, held) in [(number(2.0), false), (number(2.1), true), (number(8.9), true), (number(9.0), false)] {
            assert_eq!(inner.holds(&key), held, "{key:?}");
        }
        let prefix = FieldRange::starting_with("f", "or");
        for (text, held) in [("or", true), ("orders", true), ("os", false), ("o", false)] {
            assert_eq!(prefix.holds(&FieldKey::text(text)), held, "{text}");
        }
        let one = FieldRange::equal("f", &FieldKey::text("a"));
        assert!(one.is_one_key() && one.holds(&FieldKey::text("a")) && !one.holds(&FieldKey::text("a\0")));
        assert!(!FieldRange::all("f").is_one_key() && FieldRange::all("f").holds(&FieldKey::unordered()));
    }
}
