//! The parties of a contract: named one after the other, in a numbered list or behind their roles, with who acts for them.

use std::sync::LazyLock;

use regex::Regex;

use super::identifier::{self, Number};
use super::language::{self, Language};
use super::{party, signature};

/// One party.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contractor {
    pub name: String,
    pub is_person: bool,
    pub represented_by: Option<String>,
    pub numbers: Vec<Number>,
}

impl Contractor {
    /// A party of whom no more than the name is known.
    pub fn plain(name: &str) -> Self {
        let (plain, honoured) = language::without_honorifics(name);
        let is_person = !party::is_organisation(plain) && (honoured || signature::is_person(plain));
        Self { name: plain.to_owned(), is_person, represented_by: None, numbers: Vec::new() }
    }
}

/// How much of a contract may stand before its parties, and of the words about one.
const BEFORE_CHARS_MAX: usize = 3_000;
const ABOUT_CHARS_MAX: usize = 600;

/// Both parties, or nothing when only one is understood.
pub fn find(text: &str, language: &Language) -> Vec<Contractor> {
    let readings = [numbered(text), after_roles(text), between(text, language)];
    let named = readings
        .into_iter()
        .flatten()
        .map(|parts| parts.iter().filter_map(|part| contractor(part, language)).collect::<Vec<_>>());
    { named }.find(|found| found.len() >= 2).unwrap_or_default()
}

/// `1. … 2. …` or `(1) … (2) …`, before any article.
fn numbered(text: &str) -> Option<Vec<String>> {
    static FIRST: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\s*\(?1[.)]\s+").expect("a fixed expression"));
    static SECOND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\s*\(?2[.)]\s+").expect("a fixed expression"));
    let first = FIRST.find(text).filter(|first| first.start() < BEFORE_CHARS_MAX)?;
    let second =
        SECOND.find_at(text, first.end()).filter(|second| second.start() < first.end() + ABOUT_CHARS_MAX * 2)?;
    Some(vec![text[first.end()..second.start()].to_owned(), about(&text[second.end()..])])
}

/// `PRIMEIRO OUTORGANTE: …`, `De una parte, …`: a role and a colon at the beginning of paragraphs.
fn after_roles(text: &str) -> Option<Vec<String>> {
    static ROLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^\s*(?:[\p{L}ªº.]+ ){0,3}[\p{Lu}ªº]{4,}\s*:\s+").expect("a fixed expression")
    });
    let found: Vec<_> = ROLE.find_iter(text).take_while(|role| role.start() < BEFORE_CHARS_MAX).collect();
    let [first, second, ..] = found[..] else { return None };
    Some(vec![text[first.end()..second.start()].to_owned(), about(&text[second.end()..])])
}

/// `between … and …`.
fn between(text: &str, language: &Language) -> Option<Vec<String>> {
    let words = language.between;
    let opener = Regex::new(&format!(r"(?i)(?:^|[^\p{{L}}])(?:{words})\b[^\n:]{{0,40}}?:?\s")).ok()?;
    let beginning = &text[..text.floor_char_boundary(BEFORE_CHARS_MAX)];
    let at = opener.find(beginning)?.end();
    let rest = &text[at..];
    // "Entre les soussignés" goes on in the next line.
    let line = rest.split('\n').next().unwrap_or_default();
    let is_lead = !line.trim().is_empty()
        && line.split_whitespace().count() <= 4
        && !line.contains(',')
        && rest[line.len()..].trim_start_matches([' ', '\r']).starts_with("\n\n");
    let rest = if is_lead { rest[line.len()..].trim_start() } else { rest };
    let rest = &rest[..rest.floor_char_boundary(ABOUT_CHARS_MAX * 2)];
    let ands = language.ands;
    let alone = Regex::new(&format!(r"(?im)^\s*(?:{ands})\s*$")).ok()?;
    let marked = Regex::new(&format!(r"(?i)[,;)]\s+(?:{ands})\s+")).ok()?;
    let plain = Regex::new(&format!(r"(?i)\s(?:{ands})\s+")).ok()?;
    let split = alone.find(rest).or_else(|| marked.find(rest)).or_else(|| plain.find(rest))?;
    Some(vec![rest[..split.start() + 1].to_owned(), about(&rest[split.end()..])])
}

/// The words about one party, up to the end of their paragraph.
fn about(rest: &str) -> String {
    let rest = &rest[..rest.floor_char_boundary(ABOUT_CHARS_MAX)];
    let rest = rest.trim_start();
    rest.split("\n\n").next().unwrap_or(rest).to_owned()
}

fn contractor(part: &str, language: &Language) -> Option<Contractor> {
    let flat = part.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = without_article(&flat);
    let (plain, is_firm) = party::without_lead(plain);
    let (plain, honoured) = language::without_honorifics(plain);
    let beginning = &plain[..plain.floor_char_boundary(160)];
    let end = beginning.find(['(', ';', '„', '“']).unwrap_or(beginning.len());
    let end = beginning.find(" - ").map_or(end, |dash| dash.min(end));
    let name = party::name(beginning[..end].trim()).trim_end_matches([',', '.']).trim().to_owned();
    let dotted = format!("{name}.");
    let is_dotted = ["., ", ".,", ". (", ".;"].iter().any(|end| beginning.starts_with(&format!("{name}{end}")));
    let name = if is_dotted && party::is_company(&dotted) { dotted } else { name };
    let count = name.split_whitespace().count();
    let is_name = name.starts_with(char::is_uppercase) && (1..=9).contains(&count) && name.chars().count() >= 4;
    let is_person = !is_firm && !party::is_organisation(&name) && (honoured || signature::is_person(&name));
    (is_name && (is_person || count >= 2)).then(|| Contractor {
        name,
        is_person,
        represented_by: representative(&flat, language),
        numbers: identifier::numbers(&flat),
    })
}

fn without_article(text: &str) -> &str {
    const ARTICLES: [&str; 18] = [
        "the ", "der ", "die ", "dem ", "den ", "la ", "le ", "il ", "lo ", "l'", "l’", "o ", "a ", "el ", "los ",
        "las ", "gli ", "i ",
    ];
    let lower = text.to_lowercase();
    let article = ARTICLES.iter().find(|article| lower.starts_with(**article));
    article.and_then(|article| text.get(article.len()..)).unwrap_or(text)
}

/// Who acts for a party: the first name behind words such as "represented by".
fn representative(text: &str, language: &Language) -> Option<String> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let at = language.represented.split('|').filter_map(|words| Some(lower.find(words)? + words.len())).max()?;
    let rest = &text[at..];
    let rest = &rest[..rest.find([';', '(']).unwrap_or(rest.len())];
    first_person(rest)
}

/// The first run of words in `text` that is the name of a person.
pub fn first_person(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().take(14).collect();
    (0..words.len()).find_map(|from| {
        (2..=5).rev().find_map(|count| {
            let run = words.get(from..from + count)?;
            let inner_mark = run[..count - 1].iter().any(|word| word.ends_with([',', ';', ':']));
            let joined = run.join(" ");
            let name = joined.trim_end_matches([',', ';', '.', ':', ')']);
            let (plain, _) = language::without_honorifics(name);
            let starts = run[0].starts_with(char::is_uppercase);
            (starts && !inner_mark && plain == name && signature::is_person(plain) && !party::is_organisation(plain))
                .then(|| plain.to_owned())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parties_stand_in_several_ways() {
        check(
            "en",
            "This Agreement is made between:\n(1) Quartz & Lowe LLP, a partnership (the “Client”); and\n(2) Emi Sato, trading as Sato (the “Consultant”).\n\n1. Term",
            "Quartz & Lowe LLP, Emi Sato (person)",
        );
        check(
            "de",
            "Zwischen\n   Wohnbau Ahlbeck eG, Am Markt 3,\n   vertreten durch den Vorstand Marlies Tietjen - Vermieterin -\nund\n   Herrn Enno Petersen, geb. am 14.06.1984\n\nwird",
            "Wohnbau Ahlbeck eG by Marlies Tietjen, Enno Petersen (person)",
        );
        check(
            "pt",
            "PRIMEIRO OUTORGANTE: Junta de Freguesia, aqui representada pelo seu presidente, Custódio Varela Nunes;\n\nSEGUNDO OUTORGANTE: Jardins, Unipessoal Lda., NIPC 599 050 505;\n\n",
            "Junta de Freguesia by Custódio Varela Nunes, Jardins, Unipessoal Lda.",
        );
    }

    #[track_caller]
    fn check(code: &str, text: &str, expected: &str) {
        let language = language::ALL.iter().find(|language| language.code == code).unwrap();
        let shown: Vec<String> = find(text, language)
            .iter()
            .map(|one| {
                let by = one.represented_by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
                format!("{}{by}{}", one.name, if one.is_person { " (person)" } else { "" })
            })
            .collect();
        assert_eq!(shown.join(", "), expected);
    }
}
