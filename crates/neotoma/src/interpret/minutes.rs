//! Minutes: the meeting, who was there and who was not, and what somebody is to do.

use contract::Object;
use jiff::civil::Date;
use serde_json::Value;

use super::effort::Effort;
use super::finding::Findings;
use super::language::{self, Language, Title};
use super::lines::Line;
use super::record::Pair;
use super::{Failure, Understood, clock, date, parties, party, signature, table, todo, vocabulary};

/// How far down minutes say that they are, and the whole text is looked at.
const TOP_LINES: usize = 8;
const LOOKS_MAX: usize = 40;
/// Lines below a heading that list people.
const LISTED_MAX: usize = 200;

/// The meeting that `lines` are the minutes of.
pub fn read(text: &str, lines: &[Line], pairs: &[Pair], effort: &Effort) -> Result<Option<Understood>, Failure> {
    let top: Vec<&Line> = lines.iter().filter(|line| !line.is_blank()).take(TOP_LINES).collect();
    let Some(at) = top.iter().position(|line| is_heading(&line.text)) else { return Ok(None) };
    effort.spend(text.len().saturating_mul(LOOKS_MAX))?;
    let language = language::detect(text);
    let mut fields = Object::default();
    let mut put = |field: &str, value: Option<String>| {
        fields.extend(value.filter(|value| !value.is_empty()).map(|value| (field.to_owned(), value.into())));
    };
    put("title", Some(title(&top, at)));
    let labelled = |field: &str| {
        let known =
            pairs.iter().find(|pair| vocabulary::field_of_language("meeting", &pair.label, language) == Some(field));
        known.map(|pair| pair.value.clone()).filter(|value| !value.is_empty())
    };
    let head = top.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ");
    let order = language::order(text);
    let day = match labelled("date").and_then(|value| date::find_in(&value, order, effort).ok()?.pop()) {
        Some((_, day)) => Some(day),
        None => {
            date::find_in(&head, order, effort)?.into_iter().next().map(|(_, day)| day).or_else(|| date::formal(&head))
        }
    };
    put("date", day.clone());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (from, to) = times(labelled("start_time").as_deref(), labelled("end_time").as_deref());
    put("start_time", from.or_else(|| clock::after(&flat, language.opened)));
    put("end_time", to.or_else(|| clock::after(&flat, language.closed)));
    put("location", labelled("location").or_else(|| place(&head, language)));
    let next = labelled("next_meeting").and_then(|value| date::find_in(&value, order, effort).ok()?.into_iter().next());
    put("next_meeting", next.map(|(_, day)| day));
    let present = people(lines, "attendees", language);
    let absent = people(lines, "absent", language);
    let names = |people: &[Person]| people.iter().map(|person| Value::from(person.name.as_str())).collect::<Vec<_>>();
    if !present.is_empty() {
        fields.insert("attendees".to_owned(), names(&present).into());
    }
    if !absent.is_empty() {
        fields.insert("absent".to_owned(), names(&absent).into());
    }
    if !(fields.contains_key("date") || fields.contains_key("attendees")) {
        return Ok(None);
    }
    let mut found = Findings::default();
    let meeting = found.add("meeting", fields);
    for person in present {
        let at = person.add(&mut found);
        found.link("ATTENDED", at, meeting, &person.name);
    }
    absent.iter().for_each(|person| {
        person.add(&mut found);
    });
    if let Some(line) = top.iter().find(|line| !is_heading(&line.text) && party::is_organisation(&line.text)) {
        let name = line.cells.first().map(|cell| organisation(cell)).unwrap_or_default();
        if !name.is_empty() && name.split_whitespace().count() <= 8 {
            found.party("company", &name, &[]);
        }
    }
    let day: Option<Date> = day.and_then(|day| day.parse().ok());
    let (tasks, _) = table::in_lines(lines, effort)?;
    let listed = tasks.into_iter().filter(|task| task.entity_type == "task").map(|mut task| {
        task.fields.entry("status".to_owned()).or_insert_with(|| "open".into());
        task.fields
    });
    let written = todo::find(lines, &found, language, day);
    todo::add(&mut found, listed.chain(written).collect());
    Ok(Some(found.finish()))
}

/// Whether a line says that minutes follow. Letters that are spaced out are one word.
pub fn is_heading(text: &str) -> bool {
    let words: Vec<String> = joined(text)
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let first = words[..words.len().min(3)].join(" ");
    words.len() <= 16 && language::title(&first) == Some(Title::Minutes)
}

/// `P R O T O K O L L` as one word.
fn joined(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_spaced = words.len() >= 4 && words.iter().all(|word| word.chars().count() == 1);
    if !is_spaced {
        return text.to_owned();
    }
    let word = words.concat();
    let rest: String = word.chars().skip(1).flat_map(char::to_lowercase).collect();
    word.chars().take(1).collect::<String>() + &rest
}

/// The heading without the day, with the line below it where it is a single word.
fn title(top: &[&Line], at: usize) -> String {
    let mut heading = joined(top[at].text.trim_end_matches([':', '.']));
    if !heading.contains(' ')
        && let Some(next) = top.get(at + 1)
    {
        heading = format!("{heading} {}", next.text);
    }
    let words: Vec<&str> = heading.split(' ').collect();
    let is_day = |word: &str| {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        language::is_weekday(plain) && plain.chars().count() > 3
            || date::parse(plain, None).is_some()
            || (language::month(plain).is_some() && plain.chars().count() > 3)
    };
    let day = words.iter().position(|word| is_day(word)).unwrap_or(words.len());
    let mut kept = &words[..day];
    while let Some((last, before)) = kept.split_last() {
        let is_connector = kept.len() < words.len()
            && (last.chars().all(|c| c.is_lowercase() || c == ',') && last.chars().count() <= 4
                || last.trim_end_matches('.').chars().all(|c| c.is_ascii_digit()));
        if !is_connector || before.is_empty() {
            break;
        }
        kept = before;
    }
    kept.join(" ").trim_end_matches(',').to_owned()
}

/// Start and end; a start may name both: `20.00 - 21.45 uur`.
fn times(start: Option<&str>, end: Option<&str>) -> (Option<String>, Option<String>) {
    let from = start.and_then(clock::leading);
    let after = start.and_then(|start| start.split(['-', '–']).nth(1)).and_then(clock::leading);
    (from, end.and_then(clock::leading).or(after))
}

/// The place behind words such as "in the", up to the next mark.
fn place(head: &str, language: &Language) -> Option<String> {
    const WORDS_MAX: usize = 8;
    let lower = head.to_lowercase();
    if lower.len() != head.len() {
        return None;
    }
    let mut words: Vec<&str> = language.held.split('|').filter(|word| word.contains(' ')).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.iter().find_map(|word| {
        let at = lower.find(&format!(" {word} "))? + word.len() + 2;
        let rest = &head[at..];
        let end = rest.find([',', '.', ';', '(']).unwrap_or(rest.len());
        let place = rest[..end].trim();
        let count = place.split_whitespace().count();
        ((1..=WORDS_MAX).contains(&count) && date::parse(place, None).is_none()).then(|| place.to_owned())
    })
}

fn organisation(cell: &str) -> String {
    let has_number = cell.contains(|c: char| c.is_ascii_digit());
    if has_number { cell.to_owned() } else { party::name(cell) }
}

/// Somebody with an office.
struct Person {
    name: String,
    role: Option<String>,
}

impl Person {
    fn add(&self, found: &mut Findings) -> usize {
        let at = found.person(&self.name, &[]);
        if let Some(role) = &self.role {
            found.fields(at).entry("role".to_owned()).or_insert_with(|| role.as_str().into());
        }
        at
    }
}

/// The people behind or below a label, and those of rows that say whether somebody was there.
fn people(lines: &[Line], field: &str, language: &Language) -> Vec<Person> {
    let mut found: Vec<Person> = Vec::new();
    let is_label =
        |text: &str| vocabulary::field_of_language("meeting", &vocabulary::normal(text), language) == Some(field);
    let mut listing = false;
    for line in lines.iter().take(LISTED_MAX) {
        let (label, value) = line.text.split_once(':').unwrap_or((line.text.as_str(), ""));
        let first = line.cells.first().map(String::as_str).unwrap_or_default();
        if is_label(label) && !value.trim().is_empty() {
            found.extend(named(value));
            listing = true;
            continue;
        }
        if is_label(label) || (line.cells.len() <= 3 && is_label(first)) {
            listing = true;
            continue;
        }
        // A row of a list says who was there in a column of its own.
        if let Some(at) = line.cells.iter().position(|cell| is_label(cell) || is_label(&format!("{cell}s")))
            && line.cells.len() >= 2
        {
            found.extend(line.cells[..at].iter().filter_map(|cell| one(cell)).next_back());
            continue;
        }
        let ends = line.is_blank() && !found.is_empty() || line.heading || value.trim().len() > 1 && !label.is_empty();
        if listing && ends {
            listing = false;
        }
        if listing && !line.is_blank() {
            let before = found.len();
            if !is_represented(&line.text) {
                found.extend(line.cells.iter().filter_map(|cell| one(cell)).take(1));
            }
            if found.len() == before {
                found.extend(named(&line.text));
            }
        }
    }
    found
}

/// Whether a line says that somebody else came for who stands in it.
fn is_represented(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["represent", "représent", "vertreten durch", "vertegenwoordigd", "rappresentat", "per delega", "by proxy"]
        .iter()
        .any(|word| lower.contains(word))
}

/// The names of a list: `Ada Linde (Vorsitz), Ben Marx und Cleo Roth`.
fn named(list: &str) -> Vec<Person> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ';' if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    let ands = [" and ", " und ", " et ", " y ", " en ", " e "];
    let split = parts.into_iter().flat_map(|part| {
        let and = ands.iter().find_map(|and| part.split_once(and));
        match and {
            Some((one, two)) if one_of(one) && one_of(two) => vec![one, two],
            _ => vec![part],
        }
    });
    split.filter_map(one).collect()
}

fn one_of(text: &str) -> bool {
    one(text).is_some()
}

fn one(text: &str) -> Option<Person> {
    let text = text.trim().trim_end_matches('.');
    let (name, role) = match text.split_once('(') {
        Some((name, role)) => (name.trim(), Some(role.trim_end_matches(')').trim())),
        None => (text, None),
    };
    let (name, _) = language::without_honorifics(name);
    let is_name =
        signature::is_person(name) && !party::is_organisation(name) || parties::is_short(name) && name.contains(' ');
    let role = role.filter(|role| signature::is_role(&vocabulary::normal(role))).map(str::to_owned);
    is_name.then(|| Person { name: name.to_owned(), role })
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::super::pairs::pairs;
    use super::*;

    #[test]
    fn minutes_name_the_meeting_and_who_was_there() {
        let text = "Protokoll der Vorstandssitzung vom 5. Februar 2026\nOrt: Vereinsheim\nBeginn: 18.30 Uhr\nEnde: 20.10 Uhr\n\
                    Anwesend: Ada Linde (Vorsitzende), Ben Marx\nEntschuldigt: Cleo Roth\n\n-> B. Marx bestellt Farbe bis 13.02.2026.\n";
        let lines = lines(text, &ample()).unwrap();
        let found = read(text, &lines, &pairs(&lines, &ample()).unwrap(), &ample()).unwrap().unwrap();
        assert_eq!(
            serde_json::to_string(&found.entities[0].fields).unwrap(),
            r#"{"title":"Protokoll der Vorstandssitzung","date":"2026-02-05","start_time":"18:30","end_time":"20:10","location":"Vereinsheim","attendees":["Ada Linde","Ben Marx"],"absent":["Cleo Roth"]}"#
        );
        let kinds: Vec<&str> = found.links.iter().map(|link| link.relationship_type).collect();
        assert_eq!(kinds, ["ATTENDED", "ATTENDED", "ASSIGNED_TO"]);
    }

    #[test]
    fn other_texts_are_no_minutes() {
        let text = "Dear Ada,\nthe minutes will follow.";
        let lines = lines(text, &ample()).unwrap();
        assert_eq!(read(text, &lines, &[], &ample()).unwrap(), None);
    }
}
