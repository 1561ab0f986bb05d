//! Contracts: the title, the parties, and the dates that clauses and labels state.

use super::effort::Effort;
use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::CONTRACT;
use super::{Extracted, Failure, language, prose};

/// Whether a word of a heading says that the paper is a contract.
pub fn is_title_word(word: &str) -> bool {
    matches!(word, "agreement" | "contract" | "contrato") || word.ends_with("vertrag") || word.ends_with("vereinbarung")
}

const ROLES: &str = "client|contractor|landlord|tenant|licensor|licensee|provider|service provider|employer|employee|lessor|\
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
pub fn read(text: &str, lines: &[Line], pairs: &[Pair], effort: &Effort) -> Result<Option<Extracted>, Failure> {
    let flat = text.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut entity = record::extracted(&CONTRACT, pairs, Hints::default())
        .unwrap_or_else(|| Extracted { entity_type: CONTRACT.entity_type.to_owned(), fields: Default::default() });
    let fields = &mut entity.fields;
    if let Some(title) = title(lines) {
        fields.insert("name".to_owned(), title.into());
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
    let stated = ["parties", "effective_date", "expiration_date", "signed_date"];
    Ok(stated.iter().any(|field| fields.contains_key(*field)).then_some(entity))
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
        let name = super::party::name(&pair.value);
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
