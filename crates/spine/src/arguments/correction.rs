//! Arguments as they were probably meant, for the refusal to offer.
//!
//! Only what is certain is corrected: a name or word in another spelling, one slip of the keyboard away from a valid one
//! and no other, or a synonym of it; an argument one object too far out or too far in; a number, a truth value or a date in
//! another form; one value in a list or a list of one value. Nobody acts on a correction but the caller, who sends it again.

use contract::labels;
use serde_json::{Map, Value};

use super::near::{self, single, slip};
use super::schema::{is_closed, is_required, options, properties, property, type_in};
use super::{date, is_moment, joined, synonyms};

/// Corrects arguments in place; returns the paths of unknown arguments that were dropped because nothing is like them.
pub fn correct(schema: &Map<String, Value>, arguments: &mut Map<String, Value>) -> Vec<String> {
    let mut dropped = Vec::new();
    let strays = correct_object(schema, "", arguments, &mut dropped);
    dropped.extend(strays.into_iter().map(|(name, _)| joined("", &name)));
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
fn meant_name<'a>(schema: &'a Map<String, Value>, given: &Map<String, Value>, word: &str) -> Option<&'a str> {
    let free: Vec<&str> =
        properties(schema).filter(|(name, inner)| is_free(given, name, inner)).map(|(name, _)| name.as_str()).collect();
    let needed = |name: &&str| is_required(schema, name);
    // `id` for the one id that is missing, `element_id` for a missing `id`, and `view` for `view_id`.
    let shorter = |name: &&str| is_ending(word, name) || is_ending(name, word) || is_beginning(word, name);
    same_name(schema, given, word)
        .or_else(|| single(free.iter().copied().filter(needed).filter(shorter)))
        .or_else(|| slip(word, &free, 1))
        .or_else(|| synonyms::name(word, &free))
        .or_else(|| single(free.iter().copied().filter(|name| is_beginning(word, name))))
}

/// The same, or where else the argument belongs: `filters.layer` for `layer`.
pub fn meant_path(schema: &Map<String, Value>, given: &Map<String, Value>, word: &str) -> Option<String> {
    let name = meant_name(schema, given, word).map(str::to_owned);
    name.or_else(|| home_of(schema, given, word).map(|(home, name)| joined(&home, &name)))
}

/// The valid name that is `word` in another spelling, if it is not given.
fn same_name<'a>(schema: &'a Map<String, Value>, given: &Map<String, Value>, word: &str) -> Option<&'a str> {
    let same = |(name, inner): &(&String, &Map<String, Value>)| {
        is_free(given, name, inner) && word.len() <= 2 * name.len() && labels::same(name, word)
    };
    properties(schema).find(same).map(|(name, _)| name.as_str())
}

/// Defaults are filled in by now; they count as not given.
fn is_free(given: &Map<String, Value>, name: &str, inner: &Map<String, Value>) -> bool {
    given.get(name).is_none_or(|value| Some(value) == inner.get("default"))
}

type Stray = (String, Value);

/// Corrects an object; returns what belongs nowhere in it.
fn correct_object(
    schema: &Map<String, Value>,
    at: &str,
    object: &mut Map<String, Value>,
    dropped: &mut Vec<String>,
) -> Vec<Stray> {
    let strays = if is_closed(schema) { take_strays(schema, object) } else { Vec::new() };
    let homeless: Vec<Stray> = strays.into_iter().filter_map(|stray| settle(schema, object, stray)).collect();
    for (name, inner) in properties(schema) {
        let Some(value) = object.get_mut(name) else { continue };
        let at = joined(at, name);
        for (stray, value) in correct_value(name, inner, &at, value, dropped) {
            // One object too far in.
            match same_name(schema, object, &stray).map(str::to_owned) {
                Some(name) => drop(object.insert(name, value)),
                None => dropped.push(joined(&at, &stray)),
            }
        }
    }
    homeless
}

fn take_strays(schema: &Map<String, Value>, object: &mut Map<String, Value>) -> Vec<Stray> {
    if object.keys().all(|name| property(schema, name).is_some()) {
        return Vec::new();
    }
    let (known, strays): (Vec<Stray>, Vec<Stray>) =
        std::mem::take(object).into_iter().partition(|(name, _)| property(schema, name).is_some());
    object.extend(known);
    strays
}

/// The arguments that an object holds, if it is nothing but the whole, wrapped once more: `{"arguments": {...}}`.
pub fn held_names(schema: &Map<String, Value>, given: &Map<String, Value>, value: &Value) -> Option<Vec<String>> {
    let inner = value.as_object().filter(|inner| !inner.is_empty())?;
    inner.keys().map(|name| same_name(schema, given, name).map(str::to_owned)).collect()
}

/// Puts a stray where it belongs; returns it when that is not certain.
fn settle(schema: &Map<String, Value>, object: &mut Map<String, Value>, (name, value): Stray) -> Option<Stray> {
    if let Some(names) = held_names(schema, object, &value) {
        let inner = if let Value::Object(inner) = value { inner } else { Map::new() };
        object.extend(names.into_iter().zip(inner.into_iter().map(|(_, value)| value)));
        return None;
    }
    if let Some(meant) = meant_name(schema, object, &name) {
        object.insert(meant.to_owned(), value);
        return None;
    }
    let Some((home, name_there)) = home_of(schema, object, &name) else { return Some((name, value)) };
    let inner = object.entry(home).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        inner.insert(name_there, value);
    }
    None
}

/// The object among the properties that takes this name, if there is only one, or if it is the one that is given or that
/// another argument names: `createElement` names `create_element`.
fn home_of(schema: &Map<String, Value>, object: &Map<String, Value>, name: &str) -> Option<(String, String)> {
    let empty = Map::new();
    let homes: Vec<(&str, &str)> = properties(schema)
        .filter(|(_, inner)| is_closed(inner))
        .filter_map(|(home, inner)| {
            let given = match object.get(home) {
                None => &empty,
                Some(Value::Object(given)) => given,
                Some(_) => return None,
            };
            Some((home.as_str(), same_name(inner, given, name)?))
        })
        .collect();
    let is_named =
        |home: &str| object.values().filter_map(Value::as_str).any(|word| word.len() <= 64 && labels::same(word, home));
    let home = single(homes.iter())
        .or_else(|| single(homes.iter().filter(|(home, _)| is_named(home))))
        .or_else(|| single(homes.iter().filter(|(home, _)| object.contains_key(*home))))?;
    Some((home.0.to_owned(), home.1.to_owned()))
}

/// Corrects a value; returns what an object holds that does not belong into it.
fn correct_value(
    name: &str,
    schema: &Map<String, Value>,
    at: &str,
    value: &mut Value,
    dropped: &mut Vec<String>,
) -> Vec<Stray> {
    let wanted = type_in(schema);
    match value {
        Value::Array(items) if !wanted.is_empty() && wanted != "array" && items.len() == 1 => *value = items.remove(0),
        Value::Array(_) | Value::Null => {}
        _ if wanted == "array" => *value = Value::Array(vec![value.take()]),
        _ => {}
    }
    if let Some(meant) = unwrapped(name, wanted, value) {
        *value = meant;
    }
    if let Some(meant) = as_wanted(schema, wanted, value) {
        *value = meant;
    }
    match value {
        Value::String(word) => {
            if let Some(meant) = meant_word(schema, word) {
                *value = Value::from(meant);
            }
            Vec::new()
        }
        Value::Object(inner) => correct_object(schema, at, inner, dropped),
        Value::Array(items) => {
            if let Some(Value::Object(item_schema)) = schema.get("items") {
                for (place, item) in items.iter_mut().enumerate() {
                    let at = joined(at, &place.to_string());
                    let strays = correct_value(name, item_schema, &at, item, dropped);
                    dropped.extend(strays.into_iter().map(|(name, _)| joined(&at, &name)));
                }
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// What an object stands for where a plain value belongs: the id of the thing, or its only value.
fn unwrapped(name: &str, wanted: &str, value: &Value) -> Option<Value> {
    let Value::Object(object) = value else { return None };
    if wanted.is_empty() || wanted == "object" || wanted == "array" {
        return None;
    }
    if (name == "id" || name.ends_with("_id") || name.ends_with("_ids"))
        && let Some(id) = object.get(name).or_else(|| object.get("id"))
    {
        return Some(id.clone());
    }
    let (inner, only) = object.iter().next().filter(|_| object.len() == 1)?;
    let stands = labels::same(inner, name) || ["value", "text", "id", "name", "key", "type"].contains(&inner.as_str());
    (stands && !only.is_object() && !only.is_array()).then(|| only.clone())
}

/// The permitted word that a text stands for, or the moment in the form of the schemas.
fn meant_word(schema: &Map<String, Value>, word: &str) -> Option<String> {
    if let Some(options) = options(schema) {
        if options.contains(&word) {
            return None;
        }
        let most = if word.chars().count() < 8 { 1 } else { 2 };
        let spelled = single(options.iter().copied().filter(|option| near::folded(option) == near::folded(word)));
        let meant = spelled.or_else(|| synonyms::word(word, &options)).or_else(|| slip(word, &options, most));
        return meant.map(str::to_owned);
    }
    let is_date = schema.get("format").is_some_and(|of| of == "date-time") && !is_moment(word);
    if is_date { date::clear(word) } else { None }
}

/// The same value as another type, where nothing is lost; a setting past its maximum is meant to be as large as may be.
fn as_wanted(schema: &Map<String, Value>, wanted: &str, value: &Value) -> Option<Value> {
    match (wanted, value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("number", Value::String(text)) => text.trim().parse::<serde_json::Number>().ok().map(Value::Number),
        ("boolean", Value::String(text)) => truth(text).map(Value::from),
        ("boolean", Value::Number(number)) => match number.as_i64() {
            Some(0) => Some(Value::from(false)),
            Some(1) => Some(Value::from(true)),
            _ => None,
        },
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::from(value.to_string())),
        ("integer" | "number", Value::Number(number)) if schema.contains_key("default") => {
            let most = schema.get("maximum")?;
            (number.as_f64()? > most.as_f64()?).then(|| most.clone())
        }
        _ => None,
    }
}

fn truth(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// `id` ends `element_id`.
fn is_ending(short: &str, long: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.ends_with('_'))
}

/// `element` begins `element_id`, and `start` begins `start_at`.
fn is_beginning(short: &str, long: &str) -> bool {
    let rest = long.strip_prefix(short).unwrap_or_default();
    ["_id", "_ids", "_at", "_date", "_name", "_type", "_types", "_path"].contains(&rest)
}
