//! The words that enum values have in JSON.
//!
//! Generated enums carry a label such as `ApplicationComponent` for `APPLICATION_COMPONENT`. Output uses the label;
//! input also takes the proto name and any spelling that [`same`] finds equal. Zero, the unspecified value, has no word:
//! it is left out of output and refused in input.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Implemented by generated code for every enum.
pub trait Labelled: Copy + Into<i32> + TryFrom<i32> + 'static {
    /// Every value except the unspecified one, in proto order.
    const ALL: &'static [Self];

    /// The word outside; empty for the unspecified value.
    fn label(self) -> &'static str;

    /// The name in the proto file.
    fn proto_name(self) -> &'static str;

    /// The value that a word means. Labels win over proto names.
    fn from_label(word: &str) -> Option<Self> {
        let find = |fits: &dyn Fn(Self) -> bool| Self::ALL.iter().copied().find(|value| fits(*value));
        find(&|value| value.label() == word)
            .or_else(|| find(&|value| same(value.label(), word)))
            .or_else(|| find(&|value| same(value.proto_name(), word)))
    }
}

/// True when two words differ only in case, spaces, underscores and hyphens.
pub fn same(a: &str, b: &str) -> bool {
    folded(a).eq(folded(b))
}

fn folded(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|char| !matches!(char, ' ' | '_' | '-')).flat_map(char::to_lowercase)
}

fn word_of<E: Labelled>(number: i32) -> &'static str {
    E::try_from(number).map_or("", E::label)
}

fn number_of<'de, E: Labelled, D: Deserializer<'de>>(word: &str) -> Result<i32, D::Error> {
    match E::from_label(word) {
        Some(value) => Ok(value.into()),
        None => {
            let known: Vec<_> = E::ALL.iter().map(|value| value.label()).collect();
            Err(D::Error::custom(format!("{word:?} is not one of {}", known.join(", "))))
        }
    }
}

/// For generated code: true for the unspecified value.
pub fn is_unspecified(number: &i32) -> bool {
    *number == 0
}

/// For generated code: writes a singular field.
pub fn write<E: Labelled, S: Serializer>(number: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(word_of::<E>(*number))
}

/// For generated code: reads a singular field.
pub fn read<'de, E: Labelled, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    number_of::<E, D>(&String::deserialize(deserializer)?)
}

/// For generated code: writes an optional field.
pub fn write_optional<E: Labelled, S: Serializer>(number: &Option<i32>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(word_of::<E>).serialize(serializer)
}

/// For generated code: reads an optional field.
pub fn read_optional<'de, E: Labelled, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i32>, D::Error> {
    Option::<String>::deserialize(deserializer)?.map(|word| number_of::<E, D>(&word)).transpose()
}

/// For generated code: writes a repeated field.
pub fn write_list<E: Labelled, S: Serializer>(numbers: &[i32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(|number| word_of::<E>(*number)))
}

/// For generated code: reads a repeated field.
pub fn read_list<'de, E: Labelled, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i32>, D::Error> {
    Vec::<String>::deserialize(deserializer)?.iter().map(|word| number_of::<E, D>(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_word_are_the_same() {
        for word in ["ApplicationComponent", "application component", "APPLICATION_COMPONENT", "application-component"]
        {
            assert!(same("ApplicationComponent", word), "{word}");
        }
        assert!(!same("ApplicationComponent", "ApplicationComponents"));
    }
}
