//! Part of a change set: what is accepted now, and the rest, which stays proposed.

use std::collections::{BTreeMap, BTreeSet};

use contract::Object;
use serde_json::{Map, Value};

use super::Proposal;
use crate::Error;

/// Ids that a change of a set takes.
const IDS_OF_CHANGE: usize = 2;

/// Some changes of a set as a set of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub arguments: Object,
    /// Those of the whole set, as far as they are for these changes.
    pub reserved_ids: Vec<String>,
}

/// The changes at the places `only`, and the others. Refuses a part that needs something of the rest. What the rest names of
/// the part has its id there, so that it can be accepted later.
pub fn split(proposal: &Proposal, only: &[u32]) -> Result<(Part, Part), Error> {
    let whole = || Error::invalid("only", "is for change sets".to_owned(), "approve the proposal as a whole");
    let changes = match proposal.operation.as_str() {
        "applyChanges" => proposal.arguments.0.get("changes").and_then(Value::as_array).ok_or_else(whole)?,
        _ => return Err(whole()),
    };
    let chosen: BTreeSet<usize> = only.iter().filter_map(|place| usize::try_from(*place).ok()).collect();
    if let Some(beyond) = chosen.iter().find(|place| **place >= changes.len()) {
        let reason = format!("names {beyond}; the set has changes 0 to {}", changes.len() - 1);
        return Err(Error::invalid("only", reason, "give places of changes in the list"));
    }
    if chosen.len() == changes.len() {
        return Err(Error::invalid("only", "names every change".to_owned(), "approve the proposal as a whole"));
    }
    let key_of = |change: &Value| change.get("key").and_then(Value::as_str).map(str::to_owned);
    let holders: BTreeMap<String, usize> =
        changes.iter().enumerate().filter_map(|(place, change)| Some((key_of(change)?, place))).collect();
    for place in &chosen {
        for key in keys_named(&changes[*place]) {
            if let Some(holder) = holders.get(&key).filter(|holder| !chosen.contains(holder)) {
                let reason = format!("leaves out changes[{holder}], which changes[{place}] needs as ${key}");
                return Err(Error::invalid("only", reason, format!("add {holder}, or leave {place} out")));
            }
        }
    }
    let made: BTreeMap<String, String> = holders
        .iter()
        .filter(|(_, place)| chosen.contains(place))
        .filter_map(|(key, place)| Some((key.clone(), proposal.reserved_ids.get(place * IDS_OF_CHANGE)?.clone())))
        .collect();
    let part = |wanted: bool, bind: &BTreeMap<String, String>| {
        let places: Vec<usize> = (0..changes.len()).filter(|place| chosen.contains(place) == wanted).collect();
        let mut arguments = proposal.arguments.0.clone();
        let taken = places.iter().map(|place| bound(changes[*place].clone(), bind)).collect();
        arguments.insert("changes".to_owned(), Value::Array(taken));
        let ids = places
            .iter()
            .flat_map(|place| proposal.reserved_ids.iter().skip(place * IDS_OF_CHANGE).take(IDS_OF_CHANGE).cloned());
        Part { reserved_ids: ids.collect(), arguments: Object(arguments) }
    };
    Ok((part(true, &BTreeMap::new()), part(false, &made)))
}

/// The keys that a change names.
fn keys_named(change: &Value) -> Vec<String> {
    let texts = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let named = REFERENCES.iter().filter_map(|name| change.get(*name)).flat_map(texts);
    named.filter_map(|text| text.strip_prefix('$').map(str::to_owned)).collect()
}

/// The arguments of a change that name something.
const REFERENCES: [&str; 5] = ["id", "source_id", "target_id", "parent_id", "shows"];

/// A change with ids in the place of these keys.
fn bound(mut change: Value, ids: &BTreeMap<String, String>) -> Value {
    let bind = |text: &mut Value| {
        if let Some(id) = text.as_str().and_then(|text| text.strip_prefix('$')).and_then(|key| ids.get(key)) {
            *text = Value::String(id.clone());
        }
    };
    let members: Option<&mut Map<String, Value>> = change.as_object_mut();
    for value in members.into_iter().flatten().filter(|(name, _)| REFERENCES.contains(&name.as_str())) {
        match value.1 {
            Value::Array(items) => items.iter_mut().for_each(bind),
            other => bind(other),
        }
    }
    change
}
