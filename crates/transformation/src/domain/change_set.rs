//! Change sets: several changes that belong together and may name each other's results.
//!
//! A change refers to what another one makes as `$key`. The set says in which order its changes are decided ([`order`]) and
//! refuses changes that disagree about one thing ([`Claims`]); what each of them may do is for the rules of elements,
//! relationships and views.

use std::collections::{BTreeMap, BTreeSet};

use scope::Timestamp;
use serde_json::Value;

use super::element::CreateElement;
use super::properties::Properties;
use super::relationship::CreateRelationship;
use super::view::SaveView;
use super::{Name, Stored};
use crate::Error;

#[cfg(test)]
mod tests;

/// Most changes of a set.
pub const CHANGES_MAX: usize = 200;

/// Marks a reference to what another change of the set makes.
const MARK: char = '$';

/// What a caller wants to happen as one.
#[derive(Debug, Clone)]
pub struct ChangeSet {
    pub changes: Vec<Change>,
    /// Id, key or name of the model that new things go to; none for the active one.
    pub model: Option<String>,
    /// Changes that could not even be read.
    pub refused: Vec<Refused>,
    /// Their keys.
    pub lost_keys: BTreeSet<String>,
}

impl ChangeSet {
    /// How many changes were given.
    pub fn total(&self) -> usize {
        self.changes.len() + self.refused.len()
    }
}

/// One change of a set.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its place in the list.
    pub index: usize,
    /// What the others call its result.
    pub key: Option<String>,
    pub act: Act,
}

/// What a change does. References are ids, keys or names, or `$` and a key.
#[derive(Debug, Clone)]
pub enum Act {
    Create(CreateElement),
    Relate(CreateRelationship),
    Draw(Draw),
    Update(Update),
    Delete(Delete),
}

/// A new view of these elements, or an existing one that shows them from now on.
#[derive(Debug, Clone)]
pub struct Draw {
    /// Without its layout, which follows from what is shown.
    pub view: SaveView,
    pub shows: Vec<String>,
}

/// A change of an element, a relationship or a view, whatever the reference means.
#[derive(Debug, Clone)]
pub struct Update {
    pub reference: String,
    pub now: Timestamp,
    pub name: Option<Name>,
    /// `Some(None)` clears it.
    pub description: Option<Option<String>>,
    pub properties: Option<Properties>,
    pub expected_version: Option<u64>,
}

/// The end of an element, a relationship or a view.
#[derive(Debug, Clone)]
pub struct Delete {
    pub reference: String,
    pub expected_version: Option<u64>,
}

/// A refusal of one change, and the argument of it that is at fault.
#[derive(Debug, Clone)]
pub struct Refused {
    pub index: usize,
    pub error: Error,
}

impl Refused {
    pub fn new(index: usize, error: Error) -> Self {
        Self { index, error }
    }
}

impl Change {
    /// The keys of other changes that this one names, with the arguments that do.
    fn needs<'c>(&'c self) -> Vec<(String, &'c str)> {
        let keyed = |(field, reference): (String, &'c str)| Some((field, reference.strip_prefix(MARK)?));
        self.references().into_iter().filter_map(keyed).collect()
    }

    fn references(&self) -> Vec<(String, &str)> {
        match &self.act {
            Act::Create(create) => {
                create.parent.iter().map(|parent| ("parent_id".to_owned(), parent.as_str())).collect()
            }
            Act::Relate(relate) => {
                vec![("source_id".to_owned(), relate.source.as_str()), ("target_id".to_owned(), relate.target.as_str())]
            }
            Act::Draw(draw) => {
                let view = draw.view.view.iter().map(|view| ("id".to_owned(), view.as_str()));
                let shown = draw.shows.iter().enumerate().map(|(at, shown)| (format!("shows[{at}]"), shown.as_str()));
                view.chain(shown).collect()
            }
            Act::Update(update) => vec![("id".to_owned(), update.reference.as_str())],
            Act::Delete(delete) => vec![("id".to_owned(), delete.reference.as_str())],
        }
    }

    /// The same change with ids in the place of keys; none while one of them is not known.
    pub fn bound(&self, ids: &BTreeMap<String, String>) -> Option<Self> {
        let mut change = self.clone();
        let bind = |reference: &mut String| match reference.strip_prefix(MARK) {
            None => Some(()),
            Some(key) => ids.get(key).map(|id| reference.clone_from(id)),
        };
        match &mut change.act {
            Act::Create(create) => create.parent.iter_mut().try_for_each(bind)?,
            Act::Relate(relate) => [&mut relate.source, &mut relate.target].into_iter().try_for_each(bind)?,
            Act::Draw(draw) => draw.view.view.iter_mut().chain(&mut draw.shows).try_for_each(bind)?,
            Act::Update(update) => bind(&mut update.reference)?,
            Act::Delete(delete) => bind(&mut delete.reference)?,
        }
        Some(change)
    }

    /// The references to what is in the model.
    pub fn references_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let references: Vec<&mut String> = match &mut self.act {
            Act::Create(create) => create.parent.iter_mut().collect(),
            Act::Relate(relate) => vec![&mut relate.source, &mut relate.target],
            Act::Draw(draw) => draw.shows.iter_mut().collect(),
            Act::Update(update) => vec![&mut update.reference],
            Act::Delete(delete) => vec![&mut delete.reference],
        };
        references.into_iter().filter(|reference| !reference.starts_with(MARK))
    }

    /// The id of what it makes, if it makes something.
    pub fn makes(&self) -> Option<&str> {
        match &self.act {
            Act::Create(create) => Some(&create.id),
            Act::Relate(relate) => Some(&relate.id),
            Act::Draw(draw) if draw.view.view.is_none() => Some(&draw.view.id),
            _ => None,
        }
    }
}

/// The order in which the changes are decided: as they are given, but each after those that it names, and views at the end. Refuses keys that are
/// given twice, that nothing has, and that lead in a circle; all of them at once. What has one of `lost_keys` is refused elsewhere.
pub fn order(changes: &[Change], lost_keys: &BTreeSet<String>) -> Result<Vec<usize>, Vec<Refused>> {
    let mut refused = Vec::new();
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, change) in changes.iter().enumerate() {
        let Some(key) = &change.key else { continue };
        if let Some(other) = holders.get(key.as_str()) {
            let reason = format!("'{key}' is the key of changes[{}] already", changes[*other].index);
            refused
                .push(Refused::new(change.index, Error::invalid("key", reason, "give each change a key of its own")));
        } else {
            holders.insert(key, place);
        }
    }
    let mut waits: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); changes.len()];
    for (place, change) in changes.iter().enumerate() {
        for (field, key) in change.needs() {
            match holders.get(key) {
                Some(holder) => drop(waits[place].insert(*holder)),
                None if lost_keys.contains(key) => {}
                None => refused.push(Refused::new(change.index, unknown_key(&field, key, &holders))),
            }
        }
    }
    let mut order = Vec::with_capacity(changes.len());
    let mut done = BTreeSet::new();
    while order.len() < changes.len() {
        // The first that waits for nothing, so that what is given in order stays in order.
        let mut ready = (0..changes.len()).filter(|place| !done.contains(place) && waits[*place].is_subset(&done));
        let drawn = |place: &usize| matches!(changes[*place].act, Act::Draw(_));
        // A view shows what there is when all else is done.
        let Some(place) = ready.clone().find(|place| !drawn(place)).or_else(|| ready.next()) else { break };
        done.insert(place);
        order.push(place);
    }
    if order.len() < changes.len() && refused.is_empty() {
        refused.extend(
            circle(&waits).into_iter().map(|place| Refused::new(changes[place].index, in_a_circle(&changes[place]))),
        );
    }
    if refused.is_empty() { Ok(order) } else { Err(refused) }
}

fn unknown_key(field: &str, key: &str, holders: &BTreeMap<&str, usize>) -> Error {
    let nearest = holders.keys().max_by(|a, b| strsim::jaro_winkler(key, a).total_cmp(&strsim::jaro_winkler(key, b)));
    let hint = match nearest {
        Some(nearest) => format!("name a change of this list, such as ${nearest}; what is in the model has no $"),
        None => "give the change that makes it a key, or name what is in the model without $".to_owned(),
    };
    Error::invalid(field, format!("names ${key}, and no change has this key"), hint)
}

fn in_a_circle(change: &Change) -> Error {
    let (field, key) = change.needs().into_iter().next().unwrap_or_default();
    let reason = format!("names ${key}, which in turn needs this change first");
    Error::invalid(field, reason, "leave one of these references out, and add it as a change of its own")
}

/// The places that wait for each other in a circle, without those that merely wait for the circle.
fn circle(waits: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let reaches = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(place) = open.pop() {
            open.extend(waits[place].iter().copied().filter(|next| seen.insert(*next)));
        }
        seen
    };
    (0..waits.len()).filter(|place| reaches(*place).contains(place)).collect()
}

/// What the changes of a set have said about each thing so far.
#[derive(Debug, Default)]
pub struct Claims {
    made: BTreeMap<String, usize>,
    set: BTreeMap<(String, String), (usize, Value)>,
    updated: BTreeMap<String, usize>,
    deleted: BTreeMap<String, usize>,
}

impl Claims {
    /// Notes that a change makes something.
    pub fn make(&mut self, index: usize, id: &str) {
        self.made.insert(id.to_owned(), index);
    }

    /// Notes the fields that a change sets; refuses what another change sets otherwise, or deletes.
    pub fn set(&mut self, index: usize, id: &str, fields: Vec<(String, Value)>) -> Result<(), Error> {
        if let Some(other) = self.deleted.get(id) {
            return Err(disagree("id", *other, "deletes it"));
        }
        for (field, value) in fields {
            if let Some((other, earlier)) = self.set.get(&(id.to_owned(), field.clone()))
                && *earlier != value
            {
                return Err(disagree(&field, *other, &format!("sets {field} of the same to something else")));
            }
            self.set.insert((id.to_owned(), field), (index, value));
        }
        self.updated.insert(id.to_owned(), index);
        Ok(())
    }

    /// Notes that a change deletes these, the first of them by name; refuses what another change makes, changes or deletes.
    pub fn delete(&mut self, index: usize, ids: &[String]) -> Result<(), Error> {
        for (place, id) in ids.iter().enumerate() {
            let what = if place == 0 { "it" } else { "a relationship that goes with it" };
            if let Some(other) = self.made.get(id) {
                return Err(disagree("id", *other, &format!("makes {what}")));
            }
            if let Some(other) = self.updated.get(id) {
                return Err(disagree("id", *other, &format!("changes {what}")));
            }
            if place == 0
                && let Some(other) = self.deleted.get(id)
            {
                return Err(disagree("id", *other, "deletes it too"));
            }
        }
        self.deleted.extend(ids.iter().map(|id| (id.clone(), index)));
        Ok(())
    }

    /// The change that deletes something, if one does.
    pub fn deleter(&self, id: &str) -> Option<usize> {
        self.deleted.get(id).copied()
    }
}

fn disagree(field: &str, other: usize, how: &str) -> Error {
    Error::invalid(field, format!("disagrees with changes[{other}], which {how}"), "keep one of the two")
}

/// Something of a model, whatever it is.
#[derive(Debug, Clone)]
pub enum Thing {
    Element(Stored<super::element::Element>),
    Relationship(Stored<super::relationship::Relationship>),
    View(Stored<super::view::View>),
}
