//! Letters: what they are about, when they were written, who wrote them for whom, and to what they invite.

use contract::Object;
use jiff::civil::Date;

use super::effort::Effort;
use super::finding::Findings;
use super::language::{self, Language};
use super::lines::Line;
use super::{Failure, Understood, clock, date, invoice, letterhead, note, parties, party, signature, vocabulary};

const LOOKS_MAX: usize = 30;
/// How far down a letter says when it was written.
const TOP_LINES: usize = 25;

/// The letter that `lines` are: they greet somebody and are signed.
pub fn read(text: &str, lines: &[Line], effort: &Effort) -> Result<Option<Understood>, Failure> {
    effort.spend(text.len().saturating_mul(LOOKS_MAX))?;
    let language = language::detect(text);
    let Some(greeting) = lines.iter().position(|line| is_greeting(&line.text, language)) else { return Ok(None) };
    let signed = signature::find(text);
    if signed.is_empty() {
        return Ok(None);
    }
    let whole = note::read(text, lines, &[]);
    let mut found = Findings::from(Understood { entities: whole.entities, ..Understood::default() });
    let day = written(lines, language::order(text), effort)?;
    let fields = found.fields(0);
    fields.shift_remove("title");
    if let Some(title) = subject(lines, greeting, language) {
        fields.shift_insert(0, "title".to_owned(), title.into());
    }
    fields.extend(day.clone().map(|day| ("created_date".to_owned(), day.into())));
    let sides = letterhead::find(text, None, None, effort)?;
    let is_business =
        |name: &str| signed.iter().filter_map(|one| one.email.as_deref()).any(|email| party::is_domain_of(name, email));
    let issuer = sides.issuer.as_ref().filter(|party| !party.is_person || is_business(&party.name)).map(|issuer| {
        let at = found.party("company", &issuer.name, &[]);
        found.link("ISSUED_BY", 0, at, &issuer.name);
        at
    });
    if let Some(addressee) = &sides.addressee {
        found.party(if addressee.is_person { "person" } else { "company" }, &addressee.name, &[]);
    }
    for signature in
        signed.iter().filter(|signature| signature.name.contains(' ') && !parties::is_short(&signature.name))
    {
        let person = found.person(&signature.name, &[]);
        for (field, value) in [("role", &signature.role), ("email", &signature.email), ("phone", &signature.phone)] {
            if let Some(value) = value {
                found.fields(person).entry(field.to_owned()).or_insert_with(|| value.as_str().into());
            }
        }
        if let Some(issuer) = issuer {
            found.link("WORKS_FOR", person, issuer, &signature.name);
        }
    }
    let reference: Option<Date> = day.and_then(|day| day.parse().ok());
    if let Some(event) = event(text, language, reference, effort)? {
        let at = found.add("event", event);
        found.link("REFERS_TO", 0, at, "the letter names day and time");
    }
    Ok(Some(found.finish()))
}

/// Whether a line greets somebody.
pub fn is_greeting(line: &str, language: &Language) -> bool {
    let lower = line.to_lowercase();
    let greets = language.greetings.split('|').any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', '!', ':', '.', '(']))
    });
    greets && line.split_whitespace().count() <= 8 && (line.ends_with([',', '!', ':']) || !line.ends_with('.'))
}

/// What stands behind a label such as "Re:", or in the line right below or above the greeting.
fn subject(lines: &[Line], greeting: usize, language: &Language) -> Option<String> {
    let labelled = lines.iter().take(greeting + 4).find_map(|line| {
        let (label, value) = line.text.split_once(':')?;
        language::among(language.subjects, '|', &vocabulary::normal(label)).then(|| value.trim().to_owned())
    });
    let near = || {
        let below = lines[greeting + 1..].iter().find(|line| !line.is_blank());
        let blank_after = |line: &Line| {
            let at = lines.iter().position(|other| std::ptr::eq(other, line)).unwrap_or_default();
            lines.get(at + 1).is_none_or(Line::is_blank)
        };
        let above = lines[..greeting].iter().rev().find(|line| !line.is_blank());
        let is_title = |line: &&Line| {
            let words = line.text.split_whitespace().count();
            (1..=12).contains(&words) && line.cells.len() == 1 && !line.text.ends_with(['.', ',', '?', '!'])
        };
        let below = below.filter(|line| is_title(line) && blank_after(line));
        let is_address = |line: &&Line| super::address::is_town(&line.text) || super::address::is_street(&line.text);
        let above = above.filter(|line| {
            is_title(line)
                && !is_address(line)
                && date::parse(&line.text, None).is_none()
                && !signature::is_person(&line.text)
        });
        below.or(above).map(|line| line.text.clone())
    };
    labelled.filter(|subject| !subject.is_empty()).or_else(near)
}

/// The day that stands with a place, alone, or behind a label for dates near the top.
pub fn written(lines: &[Line], order: Option<date::Order>, effort: &Effort) -> Result<Option<String>, Failure> {
    let top: Vec<&String> = lines.iter().take(TOP_LINES).flat_map(|line| &line.cells).collect();
    for cell in &top {
        effort.spend(cell.len())?;
    }
    // What the label beside a day says of another day does not count for the letter.
    let labels = |cell: &str| vocabulary::is_label(&vocabulary::normal(cell.trim_end_matches(':')));
    let is_alone = |line: &&Line| line.cells.len() == 1 || !line.cells.iter().any(|cell| labels(cell));
    let placed = top.iter().find_map(|cell| invoice::place_and_date(cell, order));
    let free = || lines.iter().take(TOP_LINES).filter(is_alone).flat_map(|line| &line.cells);
    let alone = || free().find_map(|cell| date::parse(cell, order));
    let labelled = || {
        top.iter().find_map(|cell| {
            let (label, value) = cell.split_once(':')?;
            let term = vocabulary::INVOICE.term(&vocabulary::normal(label));
            let is_date = term.is_some_and(|term| term.field == "invoice_date")
                || matches!(
                    vocabulary::normal(label).as_str(),
                    "verzonden" | "sent" | "gesendet" | "envoyé" | "enviado" | "inviato"
                );
            is_date.then(|| date::parse(value, order)).flatten()
        })
    };
    let beside = || {
        let pairs = lines.iter().take(TOP_LINES).flat_map(|line| line.cells.windows(2));
        { pairs }.find_map(|pair| {
            let normal = vocabulary::normal(&pair[0]);
            let is_date = matches!(normal.as_str(), "verzonden" | "date" | "datum" | "fecha" | "data" | "sent");
            is_date.then(|| date::parse(&pair[1], order)).flatten()
        })
    };
    Ok(placed.or_else(alone).or_else(labelled).or_else(beside))
}

/// The gathering that a sentence names with its day and its time.
pub fn event(text: &str, language: &Language, day: Option<Date>, effort: &Effort) -> Result<Option<Object>, Failure> {
    let flat: Vec<String> =
        text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for paragraph in &flat {
        effort.spend(paragraph.len() * 4)?;
        let days = date::find_in(paragraph, Some(date::Order::DayFirst), effort)?;
        let dated =
            days.first().map(|(range, day)| (range.start + date::day_bytes(&paragraph[range.clone()]), day.clone()));
        let dated = dated.or_else(|| Some((0, clock::near(paragraph, day?)?)));
        let Some((end, on)) = dated else { continue };
        let rest = paragraph.get(end..).unwrap_or_default();
        let near: String = rest.chars().take(60).collect();
        let Some((time, until, after)) = time_in(&near) else { continue };
        let behind = rest.get(after..).unwrap_or_default();
        let Some(title) = called(text, paragraph, language) else { continue };
        let mut fields = Object::default();
        fields.insert("title".to_owned(), title.into());
        fields.insert("start_time".to_owned(), format!("{on}T{time}").into());
        fields.extend(until.map(|until| ("end_time".to_owned(), format!("{on}T{until}").into())));
        fields.extend(location(behind, language).map(|place| ("location".to_owned(), place.into())));
        return Ok(Some(fields));
    }
    Ok(None)
}

/// The place right behind a time: behind words such as "in the", or in capitals up to the end.
fn location(rest: &str, language: &Language) -> Option<String> {
    const WORDS_MAX: usize = 8;
    let rest = rest.trim_start_matches([',', ' ', '.']);
    let lower = rest.to_lowercase();
    let mut words: Vec<&str> = language.held.split('|').collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let held = words.iter().find_map(|word| {
        let after = lower.strip_prefix(word).filter(|after| after.starts_with(' '))?;
        rest.get(rest.len() - after.len()..)
    });
    let place = match held {
        Some(place) => &place[..place.find([',', '.', ';', '(']).unwrap_or(place.len())],
        None if rest.starts_with(char::is_uppercase) => &rest[..rest.find(['.', ';']).unwrap_or(rest.len())],
        None => return None,
    };
    let count = place.split_whitespace().count();
    (1..=WORDS_MAX).contains(&count).then(|| place.trim().to_owned())
}

/// The first time in words behind a day, the one until when on the same day, and where the words go on.
fn time_in(text: &str) -> Option<(String, Option<String>, usize)> {
    let starts: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let mut last = None;
    for at in starts {
        if last.is_some_and(|last| at < last + 2)
            || text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.' || c == '/')
        {
            continue;
        }
        if let Some(time) = clock::leading(&text[at..]) {
            let rest = text[at..].split_once(['-', '–']).map(|(_, rest)| rest);
            let until =
                rest.filter(|_| text[at..].find(['-', '–']).is_some_and(|dash| dash < 10)).and_then(clock::leading);
            let mark = ["Uhr", "uhr", " h", "h00", "uur", "horas", "p.m.", "a.m.", "pm", "am"];
            let digits =
                text[at..].find(|c: char| !(c.is_ascii_digit() || ":.h".contains(c))).unwrap_or(text.len() - at);
            let behind = mark.iter().find_map(|mark| {
                text[at + digits..].trim_start().strip_prefix(mark.trim()).map(|rest| text.len() - rest.len())
            });
            return Some((time, until, behind.unwrap_or(at + digits)));
        }
        last = Some(at);
    }
    None
}

/// What the gathering is called: a word for one, with the capitals around it.
fn called(text: &str, paragraph: &str, language: &Language) -> Option<String> {
    let find = |text: &str| {
        let words: Vec<&str> =
            text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
        let is_called = |word: &&str| {
            language::ends_like(language.called, &word.to_lowercase())
                && !language::is_weekday(word)
                && word.chars().count() > 2
        };
        let at = words.iter().position(is_called)?;
        let is_capital = |word: &&str| word.starts_with(char::is_uppercase);
        let mut end = at + 1;
        while language.code != "de"
            && end < words.len()
            && is_capital(&words[end])
            && is_capital(&words[at])
            && end < at + 3
        {
            end += 1;
        }
        Some(words[at..end].join(" "))
    };
    find(paragraph).or_else(|| find(text))
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::*;

    #[test]
    fn a_letter_has_a_subject_a_day_and_somebody_who_signed() {
        let text = "Stadtwerke Birkenau GmbH\nHafenstr. 3\n04999 Birkenau\nTel. 030 1234\n\nBirkenau, 2. März 2026\n\nBetreff: Neue Zähler\n\n\
                    Sehr geehrte Frau Linde,\n\nwir tauschen die Zähler und melden uns bei Ihnen.\n\nMit freundlichen Grüßen\n\nPaul Marx\nGeschäftsführer\n";
        let found = read(text, &lines(text, &ample()).unwrap(), &ample()).unwrap().unwrap();
        let note = &found.entities[0].fields;
        assert_eq!((note["title"].as_str(), note["created_date"].as_str()), (Some("Neue Zähler"), Some("2026-03-02")));
        assert!(found.links.iter().any(|link| link.relationship_type == "WORKS_FOR"));
    }

    #[test]
    fn an_invitation_has_a_time() {
        let text = "hiermit laden wir zur Mitgliederversammlung ein:\n\nFreitag, 20. März 2026, 19:00 Uhr\n";
        let text = format!("{text}\n");
        let german = language::detect("der die das und ist");
        let event = event(&text, german, None, &ample()).unwrap().unwrap();
        assert_eq!(event["start_time"], "2026-03-20T19:00");
        assert_eq!(event["title"], "Mitgliederversammlung");
    }
}
