//! Arguments as they were probably meant, for the refusal to offer.
//!
//! Only what is certain is corrected: a name or word that one slip of the keyboard away is a valid one and no other, a
//! number or a truth value in quotes, one value in a list or a list of one value. Nobody acts on a correction but the
//! caller, who sends it again.

use contract::labels;
use serde_json::{Map, Value};

use super::{joined, properties, property};

/// Corrects arguments in place; returns the paths of unknown arguments that were dropped because nothing is like them.
pub fn correct(schema: &Map<String, Value>, arguments: &mut Map<String, Value>) -> Vec<String> {
    let mut dropped = Vec::new();
    correct_object(schema, "", arguments, &mut dropped);
    dropped
}

/// Removes what only repeats a default, so that a correction shows what the caller said.
pub fn leave_defaults_out(schema: &Map<String, Value>, arguments: &mut Map<String, Value>) {
    for (name, inner) in properties(schema) {
        if arguments.get(name).is_some_and(|value| Some(value) == inner.get("default")) {
            arguments.shift_remove(name);
        }
        match (arguments.get_mut(name), inner.get("items")) {
            (Some(Value::Object(value)), _) => leave_defaults_out(inner, value),
            (Some(Value::Array(items)), Some(Value::Object(item_schema))) => {
                items
                    .iter_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(|item| leave_defaults_out(item_schema, item));
            }
            _ => {}
        }
    }
}

/// The valid name that `word` stands for beyond doubt, among the arguments that are not given.
pub fn meant_name<'a>(schema: &'a Map<String, Value>, given: &Map<String, Value>, word: &str) -> Option<&'a str> {
    // Defaults are filled in by now; they count as not given.
    let is_free = |name: &str, inner: &Map<String, Value>| match given.get(name) {
        None => true,
        Some(value) => Some(value) == inner.get("default"),
    };
    let free: Vec<&str> =
        properties(schema).filter(|(name, inner)| is_free(name, inner)).map(|(name, _)| name.as_str()).collect();
    let spelled = |name: &&str| labels::same(name, word);
    let required = schema.get("required").and_then(Value::as_array);
    let needed = |name: &str| required.is_some_and(|names| names.iter().any(|needed| needed == name));
    // `id` for the one id that is missing, and `element_id` for a missing `id`.
    let shorter = |name: &str| needed(name) && (is_ending(word, name) || is_ending(name, word));
    free.iter()
        .copied()
        .find(|name| spelled(name))
        .or_else(|| single(free.iter().copied().filter(|name| shorter(name))))
        .or_else(|| slip(word, &free, 1))
}

fn correct_object(
    schema: &Map<String, Value>,
    at: &str,
    arguments: &mut Map<String, Value>,
    dropped: &mut Vec<String>,
) {
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        let unknown: Vec<String> = arguments.keys().filter(|name| property(schema, name).is_none()).cloned().collect();
        for name in unknown {
            let Some(value) = arguments.shift_remove(&name) else { continue };
            match meant_name(schema, arguments, &name) {
                Some(meant) => drop(arguments.insert(meant.to_owned(), value)),
                None => dropped.push(joined(at, &name)),
            }
        }
    }
    for (name, inner) in properties(schema) {
        if let Some(value) = arguments.get_mut(name) {
            correct_value(inner, &joined(at, name), value, dropped);
        }
    }
}

fn correct_value(schema: &Map<String, Value>, at: &str, value: &mut Value, dropped: &mut Vec<String>) {
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    match value {
        Value::Array(items) if wanted != "array" && items.len() == 1 => *value = items.remove(0),
        Value::Array(_) | Value::Null => {}
        _ if wanted == "array" => *value = Value::Array(vec![value.take()]),
        _ => {}
    }
    if let Some(meant) = as_wanted(wanted, value) {
        *value = meant;
    }
    match value {
        Value::String(word) => {
            let options = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            let options: Vec<&str> = options.filter_map(Value::as_str).collect();
            if !options.contains(&word.as_str())
                && let Some(meant) = slip(word, &options, if word.chars().count() < 8 { 1 } else { 2 })
            {
                *value = Value::from(meant);
            }
        }
        Value::Object(inner) => correct_object(schema, at, inner, dropped),
        Value::Array(items) => {
            if let Some(Value::Object(item_schema)) = schema.get("items") {
                for (place, item) in items.iter_mut().enumerate() {
                    correct_value(item_schema, &joined(at, &place.to_string()), item, dropped);
                }
            }
        }
        _ => {}
    }
}

/// The same value as another type, where nothing is lost.
fn as_wanted(wanted: &str, value: &Value) -> Option<Value> {
    match (wanted, value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("number", Value::String(text)) => text.trim().parse::<serde_json::Number>().ok().map(Value::Number),
        ("boolean", Value::String(text)) => text.trim().to_lowercase().parse::<bool>().ok().map(Value::from),
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::from(value.to_string())),
        _ => None,
    }
}

/// The one candidate that is at most `most` slips away; none when the word is short or two are equally near.
fn slip<'a>(word: &str, candidates: &[&'a str], most: usize) -> Option<&'a str> {
    let folded = |word: &str| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let wanted = folded(word);
    if wanted.len() < 4 {
        return None;
    }
    let distance = |candidate: &str| strsim::osa_distance(&wanted, &folded(candidate));
    let nearest = candidates.iter().map(|candidate| distance(candidate)).min().filter(|distance| *distance <= most)?;
    single(candidates.iter().copied().filter(|candidate| distance(candidate) == nearest))
}

fn is_ending(short: &str, long: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.ends_with('_'))
}

fn single<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
