//! What a call answers with, before a door gives it its wire form.

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The answer to a tool call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The whole answer; valid against the tool's output schema.
    pub structured: Option<Structured>,
    /// What a model reads: one resource block per entity, or other content.
    pub content: Vec<Content>,
    /// A failure that the tool itself words; refusals use [`crate::CallError`] instead.
    pub failed: bool,
}

/// A message as the JSON text that is sent. Long answers are written once and read by nobody here, so they never become
/// a tree of values.
#[derive(Debug, Clone)]
pub struct Structured(Box<RawValue>);

impl Structured {
    /// Writes a message whose keys are all texts.
    pub fn of(message: &impl Serialize) -> Self {
        Self(to_raw_value(message).expect("a message has only text keys"))
    }

    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The same as a tree of values.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.text()).expect("what was written as JSON can be read")
    }
}

impl From<Value> for Structured {
    fn from(value: Value) -> Self {
        Self::of(&value)
    }
}

impl PartialEq for Structured {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Structured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// One block of content.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text(String),
    Image(Blob),
    Audio(Blob),
    Resource { uri: String, blob: Blob },
}

/// Bytes or text with their type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blob {
    Text { mime: String, text: String },
    Base64 { mime: String, data: String },
}

/// An entity found in a message by the generated code.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityRef {
    pub uri: String,
    /// The entity as JSON text.
    pub json: String,
}

/// A resource a client can list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEntry {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime: String,
}

/// One page of resources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourcePage {
    pub items: Vec<ResourceEntry>,
    pub next: Option<String>,
}

/// A prompt, filled in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptAnswer {
    pub description: Option<String>,
    pub messages: Vec<PromptMessage>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PromptMessage {
    pub speaker: Speaker,
    pub content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
}
