//! Reading a document whose refusals name the place, such as `spec.triggers[1].type`.

use serde_json::{Map, Value};

use crate::Error;
use crate::metamodel::nearest;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    path: String,
    value: &'a Value,
}

/// An object all of whose keys are known.
#[derive(Debug)]
pub struct Fields<'a> {
    path: String,
    map: &'a Map<String, Value>,
}

impl<'a> Node<'a> {
    pub fn root(value: &'a Value) -> Self {
        Self { path: String::new(), value }
    }

    /// The fields of an object with no other keys than these.
    pub fn fields(&self, known: &[&'static str]) -> Result<Fields<'a>, Error> {
        let Value::Object(map) = self.value else { return Err(self.unlike("an object")) };
        let fields = Fields { path: self.path.clone(), map };
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(fields),
            Some(unknown) => {
                let best = nearest(unknown, known.iter().copied()).first().map_or_else(
                    || format!("leave it out; there is {}", known.join(", ")),
                    |best| format!("use {best}"),
                );
                Err(Error::invalid(fields.at(unknown), "is not known".to_owned(), best))
            }
        }
    }

    /// Text that is not empty.
    pub fn text(&self) -> Result<&'a str, Error> {
        match self.value {
            Value::String(text) if !text.trim().is_empty() => Ok(text),
            Value::String(_) => Err(self.refuse("is empty", "say something, or leave it out")),
            _ => Err(self.unlike("text")),
        }
    }

    pub fn list(&self) -> Result<Vec<Node<'a>>, Error> {
        let Value::Array(items) = self.value else { return Err(self.unlike("a list")) };
        let item = |(place, value)| Node { path: format!("{}[{place}]", self.path), value };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub fn texts(&self) -> Result<Vec<String>, Error> {
        self.list()?.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    /// One of these words.
    pub fn one_of(&self, words: &[&'static str]) -> Result<&'static str, Error> {
        let text = self.text()?;
        if let Some(word) = words.iter().find(|word| **word == text) {
            return Ok(word);
        }
        let near = nearest(text, words.iter().copied());
        let hint =
            near.first().map_or_else(|| format!("use one of {}", words.join(", ")), |best| format!("use {best}"));
        Err(self.refuse(format!("cannot be {text:?}"), hint))
    }

    pub fn refuse(&self, reason: impl Into<String>, hint: impl Into<String>) -> Error {
        let path = if self.path.is_empty() { "payload" } else { &self.path };
        Error::invalid(path, reason.into(), hint)
    }

    fn unlike(&self, wanted: &str) -> Error {
        let is = match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.refuse(format!("is {is}"), format!("give {wanted}"))
    }
}

impl<'a> Fields<'a> {
    pub fn required(&self, key: &'static str) -> Result<Node<'a>, Error> {
        self.optional(key)
            .ok_or_else(|| Error::invalid(self.at(key), "is missing".to_owned(), format!("give {}", self.at(key))))
    }

    /// A null is as good as nothing.
    pub fn optional(&self, key: &'static str) -> Option<Node<'a>> {
        let value = self.map.get(key).filter(|value| !value.is_null())?;
        Some(Node { path: self.at(key), value })
    }

    fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}
