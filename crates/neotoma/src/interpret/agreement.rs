//! Contracts: the title, the parties, and the dates that clauses and labels state.

use super::contractors::{self, Contractor};
use super::effort::Effort;
use super::finding::Findings;
use super::language::Language;
use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::CONTRACT;
use super::{Extracted, Failure, Understood, account, date, invoice, language, parties, prose, vocabulary};

/// Whether a word of a heading says that the paper is a contract.
pub fn is_title_word(word: &str) -> bool {
    matches!(word, "agreement" | "contract" | "contrato") || word.ends_with("vertrag") || word.ends_with("vereinbarung")
}

const ROLES: &str = "vendor|prestataire|bailleur|locataire|employeur|salarié|arrendador|arrendatario|arrendadora|arrendataria|verhuurder|huurder|werkgever|werknemer|\
    opdrachtgever|opdrachtnemer|locatore|conduttore|committente|senhorio|inquilino|arrendatário|client|contractor|landlord|tenant|licensor|licensee|provider|service provider|employer|employee|lessor|\
    lessee|buyer|seller|auftraggeber|auftragnehmer|vermieter|mieter|arbeitgeber|arbeitnehmer|lizenzgeber|lizenznehmer|verkäufer|\
    käufer|party a|party b|customer|supplier|anbieter|kunde|dienstleister|disclosing party|receiving party|vermieterin|mieterin";

const EFFECTIVE: &[&str] = &[
    "effective as of ",
    "effective from ",
    "takes effect on ",
    "effective on ",
    "commences on ",
    "commencing on ",
    "begins on ",
    "starts on ",
    "beginnt am ",
    "tritt am ",
    "gilt ab dem ",
    "gilt ab ",
    "mit wirkung zum ",
    "mit wirkung vom ",
    "enters into force on ",
];
const EXPIRES: &[&str] = &[
    "expires on ",
    "ends on ",
    "terminates on ",
    "endet am ",
    "befristet bis zum ",
    "befristet bis ",
    "gilt bis zum ",
    "continues until ",
    "remains in force until ",
    "läuft bis zum ",
    "and end on ",
    "und endet am ",
];
const SIGNED: &[&str] = &["signed on ", "signed this ", "unterzeichnet am ", "unterschrieben am ", "executed on "];

/// The contract that `lines` are. A title alone is not enough: it must name parties or a date.
pub fn read(text: &str, lines: &[Line], pairs: &[Pair], effort: &Effort) -> Result<Option<Understood>, Failure> {
    effort.spend(text.len().saturating_mul(LOOKS_MAX))?;
    let language = language::detect(text);
    let parties = contractors::find(text, language);
    let flat = text.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut entity = record::extracted(&CONTRACT, pairs, Hints::default())
        .unwrap_or_else(|| Extracted { entity_type: CONTRACT.entity_type.to_owned(), fields: Default::default() });
    let fields = &mut entity.fields;
    if let Some(title) = title(lines) {
        fields.insert("name".to_owned(), title.into());
    }
    let labelled = labelled_parties(pairs).is_some();
    if !fields.contains_key("parties") && !labelled && !parties.is_empty() {
        let names: Vec<&str> = parties.iter().map(|party| party.name.as_str()).collect();
        fields.insert("parties".to_owned(), names.join("; ").into());
    }
    if !fields.contains_key("parties") {
        let parties = match labelled_parties(pairs) {
            Some(parties) => Some(parties),
            None => clause_parties(&flat, effort)?,
        };
        fields.extend(parties.map(|parties| ("parties".to_owned(), parties.into())));
    }
    for (field, phrases) in [("effective_date", EFFECTIVE), ("expiration_date", EXPIRES), ("signed_date", SIGNED)] {
        if !fields.contains_key(field)
            && let Some(day) = date_after(&flat, &known(field, phrases, text), effort)?
        {
            fields.insert(field.to_owned(), day.into());
        }
    }
    let order = language::order(text);
    if let Some((from, to)) = span(&flat, language, order, effort)? {
        fields.entry("effective_date".to_owned()).or_insert_with(|| from.into());
        fields.entry("expiration_date".to_owned()).or_insert_with(|| to.into());
    }
    if !fields.contains_key("signed_date")
        && let Some(day) = signed(lines, order, effort)?
    {
        fields.insert("signed_date".to_owned(), day.into());
    }
    if !fields.contains_key("contract_number")
        && let Some(number) = number(lines)
    {
        fields.insert("contract_number".to_owned(), number.into());
    }
    let stated = ["parties", "effective_date", "expiration_date", "signed_date"];
    if !stated.iter().any(|field| fields.contains_key(*field)) {
        return Ok(None);
    }
    Ok(Some(related(entity, &parties, text)))
}

/// How often the text is looked at: for its parties, their numbers, its dates and its number.
const LOOKS_MAX: usize = 60;

/// The contract with its parties and who acts for them.
fn related(entity: Extracted, parties: &[Contractor], text: &str) -> Understood {
    let listed = entity.fields.get("parties").and_then(|parties| parties.as_str()).unwrap_or_default().to_owned();
    let mut found = Findings::from(Understood::from(vec![entity]));
    let named: Vec<Contractor> = match parties.is_empty() || !listed.contains(&parties[0].name) {
        false => parties.to_vec(),
        true => listed
            .split("; ")
            .flat_map(|part| part.split(" and "))
            .flat_map(|part| part.split(" und "))
            .filter(|name| !name.is_empty())
            .map(Contractor::plain)
            .collect(),
    };
    for party in &named {
        let at = found.party(if party.is_person { "person" } else { "company" }, &party.name, &[]);
        found.link("REFERS_TO", 0, at, &party.name);
        for number in &party.numbers {
            parties::give(&mut found, at, number.kind, &number.value);
        }
        if let Some(person) = &party.represented_by {
            let person_at = found.person(person, &[]);
            found.link("WORKS_FOR", person_at, at, person);
        }
    }
    account::add(&mut found, text);
    found.finish()
}

/// `from 2 February 2026 … until 31 July 2026`: two days in one sentence with the words for both before them.
fn span(
    flat: &str,
    language: &Language,
    order: Option<date::Order>,
    effort: &Effort,
) -> Result<Option<(String, String)>, Failure> {
    for sentence in flat.split(". ").filter(|sentence| sentence.len() < 600) {
        let days = date::find_in(sentence, order, effort)?;
        let ends_with = |before: &str, words: &str| {
            let before = before.trim_end().to_lowercase();
            words.split('|').any(|word| {
                before.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', ',', '(']))
            })
        };
        let from = days.iter().find(|(at, _)| ends_with(&sentence[..at.start], language.begins));
        let to = days.iter().find(|(at, _)| ends_with(&sentence[..at.start], language.ends));
        if let (Some((_, from)), Some((_, to))) = (from, to)
            && from < to
        {
            return Ok(Some((from.clone(), to.clone())));
        }
    }
    Ok(None)
}

/// The day beside a place at the end, or the last one behind a label there.
fn signed(lines: &[Line], order: Option<date::Order>, effort: &Effort) -> Result<Option<String>, Failure> {
    const END_LINES: usize = 14;
    let written: Vec<&Line> = lines.iter().filter(|line| !line.is_blank()).collect();
    let end = &written[written.len().saturating_sub(END_LINES)..];
    let (mut labelled, mut placed, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for line in end {
        effort.spend(line.text.len())?;
        let first = line.text.split_whitespace().next().unwrap_or_default().to_lowercase();
        if SIGNING.contains(&first.as_str()) {
            placed.extend(date::find_in(&line.text, order, effort)?.into_iter().map(|(_, day)| day).next_back());
        }
        for cell in &line.cells {
            let label = cell.split_once(':').map(|(label, value)| (vocabulary::normal(label), value));
            let is_day = |label: &str| matches!(label, "date" | "datum" | "data" | "fecha" | "dated" | "signed" | "le");
            labelled.extend(label.filter(|(label, _)| is_day(label)).and_then(|(_, value)| date::parse(value, order)));
            placed.extend(invoice::place_and_date(cell, order));
            // A sentence may break before a day; a day on a line of its own has no full stop.
            alone.extend(Some(cell).filter(|cell| !cell.ends_with('.')).and_then(|cell| date::parse(cell, order)));
        }
    }
    let last = |mut days: Vec<String>| {
        days.sort();
        days.pop()
    };
    Ok(last(labelled).or_else(|| last(placed)).or_else(|| last(alone)))
}

/// First words of lines that say where and when a contract was signed.
const SIGNING: [&str; 10] =
    ["fait", "aldus", "signed", "en", "letto", "feito", "hecho", "opgemaakt", "dated", "executed"];

/// A number behind a label for one in the first lines, or behind the title.
fn number(lines: &[Line]) -> Option<String> {
    const TOP_LINES: usize = 25;
    let top = lines.iter().filter(|line| !line.is_blank()).take(TOP_LINES);
    { top }.find_map(|line| {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        (0..words.len()).find_map(|at| {
            (1..=4).rev().find_map(|count| {
                let label = words.get(at..at + count)?.join(" ");
                let normal = vocabulary::normal(label.trim_start_matches('('));
                let is_marked =
                    ["no", "nr", "n°", "nº", "n", "number"].iter().any(|end| normal.ends_with(&format!(" {end}")));
                let is_label = vocabulary::CONTRACT.term(&normal).is_some_and(|term| term.field == "contract_number");
                let is_title = is_marked
                    && at == 0
                    && language::title(normal.split(' ').next()?) == Some(language::Title::Contract);
                if !(is_label || is_title) {
                    return None;
                }
                let value = words.get(at + count)?.trim_matches(|c: char| !c.is_alphanumeric());
                let digits = value.chars().filter(char::is_ascii_digit).count();
                (digits >= 2 && date::parse(value, None).is_none()).then(|| value.to_owned())
            })
        })
    })
}

/// The phrases before a date, with those of the language of the text. Single short words stand before other dates, too.
fn known(field: &str, phrases: &[&'static str], text: &str) -> Vec<String> {
    const CHARS_MIN: usize = 8;
    let language = language::detect(text);
    let more = match field {
        "effective_date" => language.begins,
        "expiration_date" => language.ends,
        _ => "",
    };
    let more = more.split('|').filter(|phrase| phrase.chars().count() >= CHARS_MIN).map(|phrase| format!("{phrase} "));
    phrases.iter().map(|phrase| (*phrase).to_owned()).chain(more).collect()
}

/// Names that are read as parties.
const PARTIES_MAX: usize = 20;

fn title(lines: &[Line]) -> Option<String> {
    let top = lines.iter().filter(|line| !line.is_blank()).take(10);
    let mut titles = top.flat_map(|line| &line.cells).filter(|cell| {
        let words: Vec<&str> = cell.split(|c: char| !c.is_alphanumeric()).collect();
        let is_title = words.iter().any(|word| {
            let word = word.to_lowercase();
            is_title_word(&word) || language::title(&word) == Some(language::Title::Contract)
        });
        is_title && !cell.contains(':') && !cell.ends_with(['.', ',']) && cell.split_whitespace().count() <= 9
    });
    titles.next().cloned()
}

/// The values of role labels such as `Landlord: …`, in order.
fn labelled_parties(pairs: &[Pair]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for pair in pairs.iter().filter(|pair| ROLES.split('|').any(|role| role == pair.label)) {
        let name = super::party::name(language::without_honorifics(&pair.value).0);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
        if names.len() == PARTIES_MAX {
            break;
        }
    }
    (names.len() >= 2).then(|| names.join("; "))
}

/// The names in `between X and Y` or `zwischen X und Y`.
fn clause_parties(flat: &str, effort: &Effort) -> Result<Option<String>, Failure> {
    for (open, middle) in [("between ", " and "), ("zwischen ", " und ")] {
        let Some(rest) = prose::after(flat, &[open], effort)?.next() else { continue };
        let rest: String = rest.chars().take(400).collect();
        let rest = rest.strip_prefix("der ").or_else(|| rest.strip_prefix("dem ")).unwrap_or(&rest);
        let names = rest.split_once(middle).and_then(|(first, second)| Some((party(first)?, party(second)?)));
        if let Some((first, second)) = names {
            return Ok(Some(format!("{first}; {second}")));
        }
    }
    Ok(None)
}

/// A name up to the bracket, comma or full stop that ends it.
fn party(text: &str) -> Option<String> {
    let text = text.trim_start_matches(':').trim();
    let text = ["der ", "dem ", "the "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let end = text.find([',', '(', ';', '"', '„', '“']).unwrap_or(text.len());
    let name = text[..end].trim();
    let name = name.split(". ").next().unwrap_or(name);
    let name = if super::party::is_company(name) { name } else { name.trim_end_matches('.') };
    // Names begin with a capital and are short; anything else is a sentence.
    (name.starts_with(char::is_uppercase) && name.split_whitespace().count() <= 7).then(|| name.to_owned())
}

/// The date after the first of the phrases that one follows.
fn date_after(flat: &str, phrases: &[String], effort: &Effort) -> Result<Option<String>, Failure> {
    for phrase in phrases {
        let first = prose::after(flat, &[phrase.as_str()], effort)?.next();
        if let Some(day) = first.and_then(prose::leading_date) {
            return Ok(Some(day));
        }
    }
    Ok(None)
}
