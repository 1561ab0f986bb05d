//! Undo: what takes a committed change back, as a new change.
//!
//! What the change made goes, what it deleted comes back under the same id, and of what it changed the same fields get their
//! earlier values. What others have done since stays: where it stands in the way, the conflict is named and nothing happens.

use scope::Timestamp;
use serde_json::{Map, Value};

use super::Fact;
use super::fact::kind;

#[cfg(test)]
mod tests;

/// Which change a caller wants to take back.
#[derive(Debug, Clone)]
pub struct Undo {
    /// The id of the call or of the accepted proposal, or the number of one of its facts.
    pub change: String,
    pub now: Timestamp,
}

/// A record at three moments, as the JSON of its state; none where it was not there.
#[derive(Debug, Clone, Default)]
pub struct States {
    /// Before the change.
    pub before: Option<Map<String, Value>>,
    /// As the change left it.
    pub after: Option<Map<String, Value>>,
    /// As it is now.
    pub now: Option<Map<String, Value>>,
}

/// Why a record cannot be taken back to where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub reason: String,
}

/// The fact that takes a record back; none when it is there already. `moment` is when that is decided.
pub fn inverse(record: &str, states: &States, moment: Timestamp) -> Result<Option<Fact>, Conflict> {
    let conflict = |reason: &str| Err(Conflict { reason: reason.to_owned() });
    match (&states.before, &states.after, &states.now) {
        (None, _, None) => Ok(None),
        (None, Some(after), Some(now)) if same(after, now) => fact(record, Step::Deleted, now.clone(), moment),
        (None, _, Some(_)) => conflict("was changed since it was made"),
        (Some(before), None, None) => fact(record, Step::Created, before.clone(), moment),
        (Some(_), Some(_), None) => conflict("was deleted since"),
        (Some(before), None, Some(now)) if same(before, now) => Ok(None),
        (Some(_), None, Some(_)) => conflict("was made anew since it was deleted"),
        (Some(before), Some(after), Some(now)) => match merged(before, after, now) {
            Err(fields) => Err(Conflict { reason: format!("was changed since in {}", fields.join(", ")) }),
            Ok(state) if same(&state, now) => Ok(None),
            Ok(state) => fact(record, Step::Updated, state, moment),
        },
    }
}

/// What is now, with the fields that differ between `before` and `after` set back. Names the fields that were changed again.
fn merged(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    now: &Map<String, Value>,
) -> Result<Map<String, Value>, Vec<String>> {
    let mut state = now.clone();
    let mut refused = Vec::new();
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names.into_iter().filter(|name| !is_moment(name)) {
        let (old, new, current) = (before.get(name), after.get(name), now.get(name));
        if old == new || old == current {
            continue;
        }
        match (old, new, current) {
            // Properties are fields of their own.
            (Some(Value::Object(old)), Some(Value::Object(new)), Some(Value::Object(current))) => {
                match merged(old, new, current) {
                    Ok(inner) => drop(state.insert(name.clone(), Value::Object(inner))),
                    Err(inner) => refused.extend(inner.into_iter().map(|field| format!("{name}.{field}"))),
                }
            }
            _ if new != current => refused.push(name.clone()),
            (Some(old), _, _) => drop(state.insert(name.clone(), old.clone())),
            (None, _, _) => drop(state.remove(name)),
        }
    }
    if refused.is_empty() { Ok(state) } else { Err(refused) }
}

fn is_moment(name: &str) -> bool {
    name == "created_at" || name == "updated_at"
}

/// Equal but for the moment of the last change.
fn same(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let timeless = |state: &Map<String, Value>| -> Map<String, Value> {
        state.iter().filter(|(name, _)| !is_moment(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    timeless(one) == timeless(other)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Created,
    Updated,
    Deleted,
}

fn fact(record: &str, step: Step, mut state: Map<String, Value>, moment: Timestamp) -> Result<Option<Fact>, Conflict> {
    if step == Step::Updated && state.contains_key("updated_at") {
        state.insert("updated_at".to_owned(), serde_json::json!(moment));
    }
    let name = match (record, step) {
        (kind::ELEMENT, Step::Created) => "transformation.ElementCreated",
        (kind::ELEMENT, Step::Updated) => "transformation.ElementUpdated",
        (kind::ELEMENT, Step::Deleted) => "transformation.ElementDeleted",
        (kind::RELATIONSHIP, Step::Created) => "transformation.ElementRelationshipCreated",
        (kind::RELATIONSHIP, Step::Updated) => "transformation.ElementRelationshipUpdated",
        (kind::RELATIONSHIP, Step::Deleted) => "transformation.ElementRelationshipDeleted",
        (kind::VIEW, Step::Created) => "transformation.ViewCreated",
        (kind::VIEW, Step::Updated) => "transformation.ArchimateViewLayoutRecorded",
        (kind::VIEW, Step::Deleted) => "transformation.ViewDeleted",
        _ => return Err(Conflict { reason: "is neither element, relationship nor view".to_owned() }),
    };
    let unreadable = |cause| Conflict { reason: format!("cannot be read: {cause}") };
    Fact::read(name, &Value::Object(state).to_string()).map(Some).map_err(unreadable)
}
