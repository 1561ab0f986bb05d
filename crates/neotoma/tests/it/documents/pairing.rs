//! Which found entity is which true one, and what follows from that for fields, relationships and line items.

use std::collections::BTreeMap;

use neotoma::interpret::{Extracted, Understood};
use serde_json::{Map, Value};

use super::Score;
use super::values::same;

type Truth = Map<String, Value>;

/// Fields that nobody judges.
const UNJUDGED: [&str; 17] = [
    "description",
    "notes",
    "content",
    "summary",
    "tags",
    "source",
    "category",
    "type",
    "files",
    "companies",
    "address",
    "country",
    "website",
    "first_name",
    "last_name",
    "items",
    "checks",
];
const MARKS: [&str; 5] = ["ref", "entity_type", "may", "also", "optional"];

/// What one document gave.
#[derive(Debug, Default)]
pub struct Judged {
    pub fields: Vec<(String, Score)>,
    pub links: Score,
    pub lines: Score,
    pub traps: usize,
    pub remarks: Vec<String>,
}

pub fn judge(truth: &Truth, found: &Understood) -> Judged {
    let mut judged = Judged::default();
    let entities: Vec<&Truth> = list(truth, "entities");
    let interchangeable: Vec<Vec<&str>> = list_of(truth, "interchangeable").iter().map(|pair| texts(pair)).collect();
    let partners = partners(&entities, &found.entities, &interchangeable);
    let banks: Vec<&Value> = entities
        .iter()
        .flat_map(|entity| [entity.get("bank_name"), entity.get("may").and_then(|may| may.get("bank_name"))])
        .flatten()
        .collect();
    for (at, entity) in found.entities.iter().enumerate() {
        let partner = partners.iter().position(|of| *of == Some(at)).map(|of| entities[of]);
        let is_bank = banks.iter().any(|bank| entity.fields.get("name").is_some_and(|name| same("name", name, bank)));
        if partner.is_none() && (entity.entity_type == "note" || is_bank) {
            continue;
        }
        judge_found(entity, partner, &interchangeable, &mut judged);
    }
    for (of, entity) in entities.iter().enumerate() {
        judge_missed(entity, partners[of].map(|at| &found.entities[at]), &interchangeable, &mut judged);
    }
    judge_links(truth, &entities, found, &partners, &mut judged);
    judge_lines(truth, found, &partners, &mut judged);
    judge_traps(truth, &entities, found, &partners, &mut judged);
    judged
}

fn judge_found(entity: &Extracted, partner: Option<&Truth>, alike: &[Vec<&str>], judged: &mut Judged) {
    for (field, value) in entity.fields.iter().filter(|(field, _)| !UNJUDGED.contains(&field.as_str())) {
        let name = format!("{}.{field}", entity.entity_type);
        let score = match partner.and_then(|partner| right(partner, field, value, alike)) {
            // Core fields that are right are counted with what is missed.
            Some(Right::Core) => continue,
            Some(Right::May) => Score { extra: 1, ..Score::default() },
            None => {
                let of = partner.map(|partner| partner.get(field));
                judged.remarks.push(format!("{name} is {value}, not {of:?}"));
                Score { wrong: 1, ..Score::default() }
            }
        };
        judged.fields.push((name, score));
    }
}

fn judge_missed(truth: &Truth, found: Option<&Extracted>, alike: &[Vec<&str>], judged: &mut Judged) {
    for (field, value) in truth.iter().filter(|(field, _)| !MARKS.contains(&field.as_str())) {
        let name = format!("{}.{field}", kind(truth));
        let is_found = found.is_some_and(|found| {
            names_of(field, alike)
                .iter()
                .any(|name| found.fields.get(*name).is_some_and(|value| right(truth, name, value, alike).is_some()))
        });
        let optional = truth.get("optional").is_some_and(|optional| optional == true) && found.is_none();
        if is_found {
            judged.fields.push((name, Score { right: 1, ..Score::default() }));
        } else if !optional {
            judged.remarks.push(format!("{name} {value} is missed"));
            judged.fields.push((name, Score { missed: 1, ..Score::default() }));
        }
    }
}

enum Right {
    Core,
    May,
}

fn right(truth: &Truth, field: &str, value: &Value, alike: &[Vec<&str>]) -> Option<Right> {
    for name in names_of(field, alike) {
        let also = truth.get("also").and_then(|also| also.get(name)).and_then(Value::as_array);
        let core = truth.get(name).filter(|_| !MARKS.contains(&name));
        if core.into_iter().chain(also.into_iter().flatten()).any(|truth| same(name, value, truth)) {
            return Some(if core.is_some() { Right::Core } else { Right::May });
        }
        if truth.get("may").and_then(|may| may.get(name)).is_some_and(|truth| same(name, value, truth)) {
            return Some(Right::May);
        }
    }
    None
}

fn names_of<'a>(field: &'a str, alike: &'a [Vec<&'a str>]) -> Vec<&'a str> {
    let same = alike.iter().find(|names| names.contains(&field)).map(Vec::as_slice).unwrap_or_default();
    std::iter::once(field).chain(same.iter().copied().filter(|name| *name != field)).collect()
}

/// For each true entity the found one that shares the most with it, the best pairs first.
fn partners(truth: &[&Truth], found: &[Extracted], alike: &[Vec<&str>]) -> Vec<Option<usize>> {
    let mut pairs = Vec::new();
    for (of, entity) in truth.iter().enumerate() {
        for (at, other) in found.iter().enumerate() {
            let (one, two) = (kind(entity), other.entity_type.replace("contact", "person"));
            let is_party = |kind: &str| matches!(kind, "person" | "company");
            if one != two && !(is_party(one) && is_party(&two)) {
                continue;
            }
            let shared = other
                .fields
                .iter()
                .filter(|(field, _)| !UNJUDGED.contains(&field.as_str()))
                .filter(|(field, value)| right(entity, field, value, alike).is_some())
                .count();
            let is_main_note = one == "note" && found.iter().filter(|one| one.entity_type == "note").count() == 1;
            if shared > 0 || is_main_note {
                pairs.push((usize::MAX - shared, usize::from(one != two), of, at));
            }
        }
    }
    pairs.sort_unstable();
    let mut partners = vec![None; truth.len()];
    for (_, _, of, at) in pairs {
        if partners[of].is_none() && !partners.contains(&Some(at)) {
            partners[of] = Some(at);
        }
    }
    partners
}

fn judge_links(
    truth: &Truth,
    entities: &[&Truth],
    found: &Understood,
    partners: &[Option<usize>],
    judged: &mut Judged,
) {
    let names: BTreeMap<usize, &str> =
        partners.iter().enumerate().filter_map(|(of, at)| Some(((*at)?, text(entities[of], "ref")))).collect();
    let mut open: Vec<&Truth> = list(truth, "relationships");
    for link in &found.links {
        let named = |at: usize| names.get(&at).copied().unwrap_or("-");
        let (source, target) = (named(link.source), named(link.target));
        let is_it = |one: &&Truth| {
            text(one, "type") == link.relationship_type
                && text(one, "source") == source
                && text(one, "target") == target
        };
        match open.iter().position(is_it) {
            Some(at) if is_optional(open.remove(at)) => judged.links.extra += 1,
            Some(_) => judged.links.right += 1,
            None => {
                judged.remarks.push(format!("{} {source} -> {target} is not said", link.relationship_type));
                judged.links.wrong += 1;
            }
        }
    }
    for link in open.into_iter().filter(|link| !is_optional(link)) {
        judged.remarks.push(format!(
            "{} {} -> {} is missed",
            text(link, "type"),
            text(link, "source"),
            text(link, "target")
        ));
        judged.links.missed += 1;
    }
}

fn judge_lines(truth: &Truth, found: &Understood, partners: &[Option<usize>], judged: &mut Judged) {
    let lines: Vec<&Truth> = list(truth, "lines");
    let main = partners.first().copied().flatten().map(|at| &found.entities[at]);
    let items = main.and_then(|main| main.fields.get("items")).and_then(Value::as_array).cloned().unwrap_or_default();
    let name = |item: &Value| item.get("description").unwrap_or(item).clone();
    for line in &lines {
        let is_found = items.iter().any(|item| same("description", &name(item), &line["description"]));
        judged.lines.right += usize::from(is_found);
        judged.lines.missed += usize::from(!is_found);
    }
    judged.lines.wrong += items.len().saturating_sub(judged.lines.right);
}

fn judge_traps(
    truth: &Truth,
    entities: &[&Truth],
    found: &Understood,
    partners: &[Option<usize>],
    judged: &mut Judged,
) {
    for trap in list(truth, "not_there").into_iter().filter(|trap| trap.contains_key("field")) {
        let (field, of_type, of) = (text(trap, "field"), text(trap, "entity_type"), text(trap, "entity"));
        let is_it = |at: usize, entity: &Extracted| {
            let partner = partners.iter().position(|of| *of == Some(at)).map(|of| text(entities[of], "ref"));
            if of.is_empty() { entity.entity_type == of_type } else { partner == Some(of) }
        };
        let is_taken = found.entities.iter().enumerate().any(|(at, entity)| {
            is_it(at, entity) && entity.fields.get(field).is_some_and(|value| same(field, value, &trap["value"]))
        });
        if is_taken {
            judged.remarks.push(format!("{of_type}{of}.{field} is {}: {}", trap["value"], text(trap, "why")));
            judged.traps += 1;
        }
    }
}

fn kind(truth: &Truth) -> &str {
    text(truth, "entity_type")
}

fn text<'a>(truth: &'a Truth, key: &str) -> &'a str {
    truth.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn is_optional(truth: &Truth) -> bool {
    truth.get("optional").is_some_and(|optional| optional == true)
}

fn list<'a>(truth: &'a Truth, key: &str) -> Vec<&'a Truth> {
    list_of(truth, key).iter().filter_map(Value::as_object).collect()
}

fn list_of<'a>(truth: &'a Truth, key: &str) -> &'a [Value] {
    truth.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
