//! What somebody is to do: lines below a heading of actions, lines with an arrow, and sentences that begin with a name and
//! end with a day.

use std::collections::HashSet;

use contract::Object;
use jiff::civil::Date;
use serde_json::Value;

use super::date;
use super::finding::Findings;
use super::language::{self, Language};
use super::lines::Line;
use super::{clock, party, vocabulary};

/// People that a task may be given to, and the longest line that is one.
const PEOPLE_MAX: usize = 40;
const PART_BYTES_MAX: usize = 400;

/// Words between who does something and what is done.
const BETWEEN: [&str; 14] = [
    "to ",
    "will ",
    "shall ",
    "zal ",
    "wird ",
    "va ",
    "deve ",
    "dovrà ",
    "ficou de ",
    "se encarga de ",
    "si occupa di ",
    "s'occupe de ",
    "se charge de ",
    "zu ",
];

/// The tasks that lines name. `known` are the people that a task may be given to.
pub fn find(lines: &[Line], known: &Findings, language: &Language, day: Option<Date>) -> Vec<Object> {
    let people: Vec<String> = known
        .entities()
        .iter()
        .filter(|entity| entity.entity_type == "person")
        .filter_map(|entity| entity.fields.get("name").and_then(Value::as_str).map(str::to_owned))
        .take(PEOPLE_MAX)
        .collect();
    let initials: HashSet<char> =
        people.iter().flat_map(|name| name.split([' ', '-'])).filter_map(|word| word.chars().next()).collect();
    let mut found = Vec::new();
    let mut listing = false;
    for line in lines {
        let normal = vocabulary::normal(line.text.trim_end_matches(':'));
        if language::among(language.actions, '|', &normal) {
            listing = true;
            continue;
        }
        if line.heading {
            listing = false;
        }
        let marked = ["->", "→", "=>", "➔"].iter().find_map(|mark| line.text.strip_prefix(mark));
        let parts: Vec<&str> = match (marked, listing) {
            (Some(rest), _) => vec![rest],
            (None, true) => vec![line.text.as_str()],
            (None, false) => line.text.split(". ").collect(),
        };
        for part in parts {
            let is_said = marked.is_some() || listing;
            let part = part.trim();
            if !part.trim_start_matches('~').starts_with(|first: char| initials.contains(&first))
                || part.len() > PART_BYTES_MAX
            {
                continue;
            }
            found.extend(task(part, &people, language, day, is_said));
        }
    }
    found
}

/// Adds tasks, each related to who is to do it.
pub fn add(found: &mut Findings, tasks: Vec<Object>) {
    for fields in tasks {
        let assignee = fields.get("assignee").and_then(Value::as_str).map(str::to_owned);
        let task = found.add("task", fields);
        let Some(assignee) = assignee else { continue };
        let person = found.entities().iter().position(|entity| {
            entity.entity_type == "person"
                && entity.fields.get("name").and_then(Value::as_str).is_some_and(|name| is_meant(&assignee, name))
        });
        if let Some(person) = person {
            found.link("ASSIGNED_TO", task, person, &assignee);
        }
    }
}

/// Whether a short form stands for a name: `P. Niehaus`, `Niehaus`, `WAM`, `Paul`, and of course the name.
pub fn is_meant(short: &str, name: &str) -> bool {
    let words: Vec<&str> = name.split([' ', '-']).filter(|word| !word.is_empty()).collect();
    let initials: String = words.iter().filter_map(|word| word.chars().next()).filter(|c| c.is_uppercase()).collect();
    let parts: Vec<&str> = short.split(' ').collect();
    let ends_alike = match parts[..] {
        [first, ref rest @ ..] if first.ends_with('.') && !rest.is_empty() => {
            name.ends_with(&rest.join(" ")) && name.starts_with(first.trim_end_matches('.'))
        }
        _ => false,
    };
    party::key(short) == party::key(name)
        || short == initials
        || ends_alike
        || (!short.is_empty() && (name.starts_with(&format!("{short} ")) || name.ends_with(&format!(" {short}"))))
}

fn task(text: &str, people: &[String], language: &Language, day: Option<Date>, is_said: bool) -> Option<Object> {
    let done = text.contains("~~") || text.to_lowercase().ends_with("(done)");
    let text = text.replace("~~", "").replace("(done)", "");
    let text = text.trim().trim_end_matches('.');
    let (who, what) = who(text, people)?;
    let (what, due) = without_day(what, language, day);
    let what = BETWEEN.iter().find_map(|word| what.strip_prefix(word)).unwrap_or(what).trim();
    // A sentence is a task only if it says until when.
    if (!is_said && due.is_none()) || what.split_whitespace().count() < 2 {
        return None;
    }
    let mut fields = Object::default();
    fields.insert("title".to_owned(), what.into());
    fields.insert("status".to_owned(), if done { "done" } else { "open" }.into());
    fields.insert("assignee".to_owned(), who.into());
    fields.extend(due.map(|due| ("due_date".to_owned(), due.into())));
    Some(fields)
}

/// Who a line begins with, and what follows.
fn who<'a>(text: &'a str, people: &[String]) -> Option<(String, &'a str)> {
    if let Some((short, rest)) = text.split_once(": ") {
        return people.iter().any(|name| is_meant(short, name)).then(|| (short.to_owned(), rest.trim()));
    }
    let ends: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).take(4).collect();
    ends.into_iter().rev().find_map(|at| {
        let short = &text[..at];
        let is_name = short.starts_with(char::is_uppercase) && people.iter().any(|name| is_meant(short, name));
        is_name.then(|| (short.to_owned(), text[at + 1..].trim()))
    })
}

/// What is to be done without the day, and the day.
pub fn without_day<'a>(text: &'a str, language: &Language, day: Option<Date>) -> (&'a str, Option<String>) {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return (text, None);
    }
    let mut words: Vec<&str> = language.by.split('|').collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in words {
        let Some(at) = lower.rfind(&format!("{word} ")) else { continue };
        if lower[..at].ends_with(char::is_alphanumeric) {
            continue;
        }
        let rest = text[at + word.len()..].trim().trim_end_matches(')');
        let due = date::leading(rest).or_else(|| clock::near(rest, day?).filter(|_| rest.len() < 40));
        if due.is_some() {
            return (text[..at].trim_end_matches(|c: char| " (,;-–".contains(c)), due);
        }
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_stand_for_names() {
        for short in ["Paul Niehaus", "P. Niehaus", "Niehaus", "Paul", "PN"] {
            assert!(is_meant(short, "Paul Niehaus"), "{short}");
        }
        assert!(!is_meant("Peter", "Paul Niehaus"));
        assert!(is_meant("WAM", "Wole Adeyemi-Marsh"));
    }

    #[test]
    fn a_sentence_with_a_name_and_a_day_is_a_task() {
        let people = ["Tarcisio De Lazzari".to_owned()];
        let it = language::detect("Il Consiglio approva entro il giorno della seduta per il contratto");
        let task = task(
            "De Lazzari prepara il contratto entro il 20 aprile",
            &people,
            it,
            Some(Date::constant(2026, 4, 9)),
            false,
        );
        assert_eq!(
            serde_json::to_string(&task.unwrap()).unwrap(),
            r#"{"title":"prepara il contratto","status":"open","assignee":"De Lazzari","due_date":"2026-04-20"}"#
        );
    }
}
