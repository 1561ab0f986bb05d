//! JSON as we accept it: bounded in depth and in values, no name twice in one object, and no number that would be rounded.
//!
//! A parser that lets the last of two equal names win would let a caller show one value to admission and
//! another to the tool, so such input is refused. Small values take many times their text in memory, so they are counted
//! while they are read.

mod number;
mod surrogates;

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use scope::pace;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

pub use number::Inexact;

/// How many values one text may hold, names not counted: ten times what the largest batch needs.
pub const VALUES_MAX: usize = 250_000;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("not valid JSON: {0}")]
    Invalid(String),
    #[error("more than {VALUES_MAX} values in one message; send them in several")]
    TooManyValues,
}

/// Parses one JSON value, or says what is wrong with the text.
pub fn parse(bytes: &[u8], depth_max: usize) -> Result<Value, String> {
    let read = look(bytes, depth_max).map_err(|error| error.to_string())?;
    match read.inexact(bytes) {
        Some(inexact) => Err(inexact.to_string()),
        None => Ok(read.node.into()),
    }
}

/// A text that was read.
#[derive(Debug)]
pub struct Read {
    pub node: Node,
    /// How many values it holds.
    pub values: usize,
    /// Whether halves of characters were left out, so that the text itself is not what was read.
    pub lacks_halves: bool,
    has_doubles: bool,
}

impl Read {
    /// The first number that would be rounded. Most texts hold no number that could be, and are not looked at again.
    pub fn inexact(&self, bytes: &[u8]) -> Option<Inexact> {
        if self.has_doubles { number::first_inexact(bytes) } else { None }
    }
}

/// Parses one JSON value to look at, or says what is wrong with the text. Every message passes here, and few
/// names of it are asked for: a list of them is made faster than a table.
pub fn look(bytes: &[u8], depth_max: usize) -> Result<Read, Error> {
    match read(bytes, depth_max) {
        // Read without it, so that the refusal can name its place and answer its request.
        Err(Error::Invalid(why)) if why.starts_with(OUT_OF_RANGE) => {
            Ok(Read { has_doubles: true, ..read(&number::without_infinite(bytes), depth_max)? })
        }
        // The same: half a character becomes a NUL, which no text of an argument may hold.
        Err(Error::Invalid(why)) if HALF_CHARACTER.iter().any(|start| why.starts_with(start)) => {
            Ok(Read { lacks_halves: true, ..read(&surrogates::without_halves(bytes), depth_max)? })
        }
        outcome => outcome,
    }
}

/// How serde_json says that a number is too large for a double.
const OUT_OF_RANGE: &str = "number out of range";

/// How it says that an escape is half of a character.
const HALF_CHARACTER: [&str; 2] = ["lone leading surrogate in hex escape", "unexpected end of hex escape"];

fn read(bytes: &[u8], depth_max: usize) -> Result<Read, Error> {
    let seen = Seen { values_left: Cell::new(VALUES_MAX), has_doubles: Cell::new(false) };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let outcome = Strict { depth_left: depth_max, seen: &seen }
        .deserialize(&mut deserializer)
        .and_then(|node| deserializer.end().map(|()| node));
    match outcome {
        Ok(node) => Ok(Read {
            node,
            values: VALUES_MAX - seen.values_left.get(),
            lacks_halves: false,
            has_doubles: seen.has_doubles.get(),
        }),
        Err(_) if seen.values_left.get() == 0 => Err(Error::TooManyValues),
        Err(error) => Err(Error::Invalid(error.to_string())),
    }
}

/// A JSON value whose objects are lists of names and values, as they were written.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// What an object holds under a name.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries.iter().find(|(known, _)| known == name).map(|(_, node)| node),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

impl From<Node> for Value {
    fn from(node: Node) -> Self {
        match node {
            Node::Null => Self::Null,
            Node::Bool(flag) => Self::Bool(flag),
            Node::Number(number) => Self::Number(number),
            Node::Text(text) => Self::String(text),
            Node::List(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Node::Object(entries) => {
                Self::Object(entries.into_iter().map(|(name, node)| (name, Self::from(node))).collect())
            }
        }
    }
}

/// Estimated CPU time of reading a value, in nanoseconds.
const PER_NODE: u32 = 150;

/// Objects with more names than this are checked for doubles with a set.
const NAMES_COMPARED_MAX: usize = 16;

fn names_differ(entries: &[(String, Node)]) -> bool {
    let mut names = entries.iter().map(|(name, _)| name.as_str());
    if entries.len() > NAMES_COMPARED_MAX {
        let mut seen = HashSet::with_capacity(entries.len());
        return names.all(|name| seen.insert(name));
    }
    entries.iter().enumerate().all(|(position, (name, _))| entries[..position].iter().all(|(other, _)| other != name))
}

/// What was come across while reading.
struct Seen {
    values_left: Cell<usize>,
    has_doubles: Cell<bool>,
}

#[derive(Clone, Copy)]
struct Strict<'a> {
    depth_left: usize,
    seen: &'a Seen,
}

impl Strict<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.depth_left.checked_sub(1) {
            Some(depth_left) => Ok(Self { depth_left, ..self }),
            None => Err(E::custom("nested too deeply")),
        }
    }

    fn count<E: serde::de::Error>(self) -> Result<(), E> {
        let left = &self.seen.values_left;
        left.set(left.get().saturating_sub(1));
        pace::spend(PER_NODE);
        if left.get() == 0 { Err(E::custom("too many values")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Node, E> {
        self.seen.has_doubles.set(true);
        Number::from_f64(number).map(Node::Number).ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element_seed(inner)? {
            items.push(item);
            inner.count()?;
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut read = Vec::new();
        while let Some(name) = entries.next_key::<String>()? {
            read.push((name, entries.next_value_seed(inner)?));
            inner.count()?;
        }
        if names_differ(&read) {
            Ok(Node::Object(read))
        } else {
            Err(A::Error::custom("the same name stands twice in one object"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        match (parse(text.as_bytes(), 4), expected) {
            (Ok(value), Ok(expected)) => assert_eq!(value.to_string(), expected),
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            (outcome, expected) => panic!("{outcome:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn a_value_keeps_its_order_and_numbers() {
        check(r#"{"b":[1,-2,2.5,null,true],"a":"x"}"#, Ok(r#"{"b":[1,-2,2.5,null,true],"a":"x"}"#));
    }

    // R-808 (headers)
    #[test]
    fn a_name_given_twice_is_refused() {
        check(r#"{"tool":"a","tool":"b"}"#, Err("the same name stands twice"));
        check(r#"{"tool":"a","t\u006fol":"b"}"#, Err("the same name stands twice"));
        check(r#"[{"in":{"a":1,"b":2,"a":3}}]"#, Err("the same name stands twice"));
    }

    #[test]
    fn large_objects_are_checked_too() {
        let names = |last: &str| {
            let many: Vec<String> = (0..100).map(|number| format!("\"n{number}\":0")).collect();
            format!("{{{},\"{last}\":0}}", many.join(","))
        };
        check(&names("n100"), Ok(&names("n100")));
        check(&names("n50"), Err("the same name stands twice"));
    }

    #[test]
    fn nesting_is_bounded() {
        check("[[[[1]]]]", Ok("[[[[1]]]]"));
        check("[[[[[1]]]]]", Err("nested too deeply"));
    }

    #[test]
    fn values_are_counted_while_they_are_read() {
        let zeros = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        assert_eq!(look(zeros(VALUES_MAX - 1).as_bytes(), 4).unwrap().values, VALUES_MAX - 1);
        assert_eq!(look(zeros(VALUES_MAX).as_bytes(), 4).unwrap_err(), Error::TooManyValues);
        // What is wrong further on is not come to.
        assert_eq!(look(format!("{}nonsense", zeros(VALUES_MAX)).as_bytes(), 4).unwrap_err(), Error::TooManyValues);
        let names: Vec<String> = (0..VALUES_MAX).map(|number| format!("\"{number}\":[]")).collect();
        check(&format!("{{{}}}", names.join(",")), Err("more than 250000 values"));
    }

    #[test]
    fn a_number_that_would_be_rounded_is_refused_with_its_place() {
        check(r#"{"a":[0.5,18446744073709551616]}"#, Err("a.1: the number 18446744073709551616 would be rounded"));
        check(r#"{"a":["1e999",{"b":-1e999}]}"#, Err("a.1.b: the number -1e999 would be rounded"));
        check(r#"{"a":1e999,"b":}"#, Err("not valid JSON"));
        check(r#"{"a":9007199254740993}"#, Ok(r#"{"a":9007199254740993}"#));
    }

    // What a NUL is in is refused by its place.
    #[test]
    fn half_a_character_becomes_a_nul() {
        check(r#"["\ud800", "\udc00\ud800", "a\ud800b"]"#, Ok(r#"["\u0000","\u0000\u0000","a\u0000b"]"#));
        check(r#"["\ud83d\ude00", "\\ud800"]"#, Ok(r#"["😀","\\ud800"]"#));
        check(r#""\ud8"#, Err("not valid JSON"));
    }

    #[test]
    fn what_follows_the_value_is_refused() {
        check("{} {}", Err("trailing characters"));
    }
}
