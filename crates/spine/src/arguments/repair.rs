//! Putting right what is certain, before anything is refused.
//!
//! Nothing here changes what a call means: a word is taken for another only if they differ in case and separators, or by
//! a namespace that is known, and `null` is not dropped where it could mean that something is to be cleared.

use contract::labels;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::near;
use super::schema::{is_required, options, properties, type_in};
use crate::json;

/// Longest text that is compared with permitted words.
const WORD_BYTES_MAX: usize = 256;
/// Deepest nesting of JSON that arrives as text.
const DEPTH_MAX: usize = 64;
/// Notations whose name a word may carry in front, as in `archimate:Node`.
const NOTATIONS: [&str; 1] = ["archimate"];
/// An object with one of these changes something that exists.
const CHANGING: [&str; 2] = ["expected_version", "update_mask"];
/// Arguments that say how to make a change and are no part of what is changed.
const STEERING: [&str; 6] =
    ["client_request_id", "commit_mode", "expected_version", "update_mask", "read_context", "even_if_published"];

pub struct Repair<'a> {
    capability: &'a str,
    cancelled: &'a CancellationToken,
    /// How many values arrived as JSON text.
    pub unwrapped: usize,
}

impl<'a> Repair<'a> {
    pub fn new(capability: &'a str, cancelled: &'a CancellationToken) -> Self {
        Self { capability, cancelled, unwrapped: 0 }
    }

    pub fn object(&mut self, schema: &Map<String, Value>, arguments: &mut Map<String, Value>) {
        for (name, inner) in properties(schema) {
            if arguments.get(name).is_some_and(Value::is_null) {
                match meaning_of_null(schema, name, inner) {
                    Null::Absent => drop(arguments.shift_remove(name)),
                    Null::Empty => drop(arguments.insert(name.clone(), "".into())),
                    Null::Itself => continue,
                }
            }
            match arguments.get_mut(name) {
                None => {
                    if let Some(default) = inner.get("default") {
                        arguments.insert(name.clone(), default.clone());
                    }
                }
                Some(value) => self.value(name, inner, value),
            }
        }
    }

    fn value(&mut self, name: &str, schema: &Map<String, Value>, value: &mut Value) {
        if let Value::String(text) = &*value {
            let wanted = type_in(schema);
            if wanted == "object" || wanted == "array" {
                let fits = |parsed: &Value| if wanted == "object" { parsed.is_object() } else { parsed.is_array() };
                if let Some(parsed) = json::parse(text.as_bytes(), DEPTH_MAX).ok().filter(fits) {
                    *value = parsed;
                    self.unwrapped += 1;
                }
            } else if let Some(word) = options(schema).and_then(|options| self.option(name, text, &options)) {
                *value = Value::from(word);
            }
        }
        match value {
            Value::Object(inner) => self.object(schema, inner),
            Value::Array(items) => {
                if let Some(Value::Object(item_schema)) = schema.get("items") {
                    for item in items.iter_mut().take_while(|_| !self.cancelled.is_cancelled()) {
                        self.value(name, item_schema, item);
                    }
                }
            }
            _ => {}
        }
    }

    /// The permitted word that a text is, in another spelling or with a namespace in front.
    fn option<'o>(&self, name: &str, text: &str, options: &[&'o str]) -> Option<&'o str> {
        if text.len() > WORD_BYTES_MAX {
            return None;
        }
        let find = |word: &str| options.iter().copied().find(|option| labels::same(option, word));
        find(text).or_else(|| {
            let (namespaces, word) = text.rsplit_once([':', '.'])?;
            let known = namespaces.split([':', '.']).all(|namespace| self.is_namespace(name, namespace));
            if known { find(word) } else { None }
        })
    }

    /// The capability, a notation, the argument itself, or a type named after it, such as `ElementType` for `type`.
    fn is_namespace(&self, name: &str, namespace: &str) -> bool {
        labels::same(namespace, self.capability)
            || NOTATIONS.iter().any(|notation| labels::same(namespace, notation))
            || near::words(namespace).ends_with(&near::words(name))
    }
}

/// What `null` stands for.
pub enum Null {
    Absent,
    Empty,
    /// A value of its own, or a mistake.
    Itself,
}

pub fn meaning_of_null(schema: &Map<String, Value>, name: &str, inner: &Map<String, Value>) -> Null {
    let changes = properties(schema).any(|(name, _)| CHANGING.contains(&name.as_str()));
    let steers = STEERING.contains(&name) || inner.contains_key("default");
    let of_its_own = inner.get("type").is_none_or(|of| of == "null");
    if is_required(schema, name) || of_its_own {
        return Null::Itself;
    }
    if !changes || steers {
        return Null::Absent;
    }
    let is_free_text = type_in(inner) == "string"
        && !["enum", "pattern", "format", "minLength"].iter().any(|bound| inner.contains_key(*bound))
        && !name.ends_with("_id");
    if is_free_text { Null::Empty } else { Null::Itself }
}
