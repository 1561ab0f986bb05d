//! Signatures: who ends a letter or a message, in which office, and for whom.

use serde_json::Value;

use super::effort::Effort;
use super::finding::Findings;
use super::{Failure, identifier, language, party, vocabulary};

/// Lines below a closing that belong to it.
const LINES_MAX: usize = 8;

/// A name with what stands below it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    pub role: Option<String>,
    pub organisation: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
}

/// The signatures at the end of a text: more than one where two sign side by side.
pub fn find(text: &str) -> Vec<Signature> {
    let lines: Vec<&str> = text.lines().collect();
    let is_closing = |line: &&str| {
        let normal = vocabulary::normal(line.trim().trim_end_matches([',', '!', '.']));
        let closings = || language::ALL.iter().flat_map(|language| language.closings.split('|'));
        let is_longer = |closing: &str| normal.strip_prefix(closing).is_some_and(|rest| rest.starts_with(' '));
        let words = normal.split(' ').count();
        closings().any(|closing| closing == normal || (words <= 4 && closing.len() > 6 && is_longer(closing)))
    };
    let Some(closing) = lines.iter().rposition(is_closing) else { return Vec::new() };
    let below = lines[closing + 1..].iter().filter(|line| !line.trim().is_empty()).take(LINES_MAX);
    let mut found: Vec<Signature> = Vec::new();
    for line in below {
        let cells = line.split("  ").map(str::trim).filter(|cell| cell.contains(char::is_alphanumeric));
        let cells: Vec<&str> = cells.collect();
        for (column, cell) in cells.iter().enumerate() {
            let (cell, after) = match cell.split_once(", ") {
                Some((name, rest)) if is_person(name) => (name, Some(rest)),
                _ => (*cell, None),
            };
            if found.len() <= column && is_person(cell) && !party::is_organisation(cell) {
                let name = language::without_honorifics(cell).0.trim_end_matches(" e.h.").to_owned();
                found.push(Signature { name, ..Signature::default() });
            } else if let Some(signature) = found.get_mut(column) {
                signature.take(cell);
            }
            if let (Some(rest), Some(signature)) = (after, found.get_mut(column)) {
                signature.take(rest);
            }
        }
    }
    found
}

/// Adds who signed a message. The organisation is one whose name the domain of the sender has, or that shows to be one.
pub fn read(text: &str, sender: Option<&str>, found: &mut Findings, effort: &Effort) -> Result<(), Failure> {
    effort.spend(text.len().saturating_mul(4))?;
    for signature in find(text) {
        let known = found.entities().iter().position(|entity| {
            entity.entity_type == "person"
                && entity
                    .fields
                    .get("name")
                    .and_then(Value::as_str)
                    .is_some_and(|name| party::key(name) == party::key(&signature.name))
        });
        let whole = signature.name.contains(' ');
        let Some(at) = known.or_else(|| whole.then(|| found.person(&signature.name, &[]))) else { continue };
        if let Some(role) = &signature.role {
            found.fields(at).entry("role".to_owned()).or_insert_with(|| role.as_str().into());
        }
        let domain_has = |name: &String| sender.is_some_and(|sender| party::is_domain_of(name, sender));
        let named = signature.organisation.clone().filter(|name| domain_has(name) || party::is_organisation(name));
        let company = match named {
            Some(name) => Some(found.party("company", &name, &[])),
            None => found.entities().iter().position(|entity| {
                entity.entity_type == "company"
                    && sender.is_some_and(|sender| {
                        entity.fields.get("email").and_then(Value::as_str).is_some_and(|email| email == sender)
                    })
            }),
        };
        if let Some(company) = company {
            found.link("WORKS_FOR", at, company, &signature.name);
        }
    }
    Ok(())
}

impl Signature {
    fn take(&mut self, line: &str) {
        if let Some(email) = identifier::emails(line).first() {
            self.email.get_or_insert_with(|| (*email).to_owned());
        }
        if line.contains('@') || line.chars().filter(char::is_ascii_digit).count() > 3 {
            // Of "Marrow & Pith Books, 2 Inkwell Passage" the first part is a name.
            let first = line.split(',').next().unwrap_or_default();
            if first.chars().any(|c| c.is_ascii_digit()) || first.contains('@') || !party::is_organisation(first) {
                return;
            }
            self.organisation.get_or_insert_with(|| first.trim().to_owned());
            return;
        }
        let normal = vocabulary::normal(line);
        if self.role.is_none() && is_role(&normal) {
            self.role = Some(line.trim().to_owned());
        } else if self.organisation.is_none() && line.split_whitespace().count() <= 8 {
            let name = line.split(',').next().unwrap_or(line);
            self.organisation = Some(if party::is_company(line) { line.to_owned() } else { name.trim().to_owned() });
        }
    }
}

/// Whether a line in normal form is an office that people hold.
pub fn is_role(normal: &str) -> bool {
    let words: Vec<&str> = normal.split_whitespace().collect();
    words.len() <= 5
        && (1..=words.len()).any(|count| {
            language::any(|language| language.roles, &words[..count].join(" "))
                || language::any(|language| language.roles, &words[words.len() - count..].join(" "))
        })
}

/// Whether a text looks like the name of a person: two to five words with capitals, and no digits.
pub fn is_person(text: &str) -> bool {
    const PARTICLES: &str = "de la van der den von zu del di da do dos das du le y e ten ter zum af al d' o' i";
    let (name, _) = language::without_honorifics(text);
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_word = |word: &&str| {
        let is_name =
            word.starts_with(char::is_uppercase) && word.chars().all(|c| c.is_alphabetic() || "-.'’".contains(c));
        is_name || PARTICLES.split(' ').any(|known| known == *word)
    };
    (2..=5).contains(&words.len())
        && words.iter().all(is_word)
        && words.last().is_some_and(|last| last.starts_with(char::is_uppercase) && last.chars().count() > 1)
        && !words.iter().any(|word| party::is_legal_form(word))
        && !is_role(&vocabulary::normal(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_below_the_closing() {
        let found = find("Text\n\nKind regards\nPrudence Marrow\nTreasurer\nMarrow & Pith Books, 2 Inkwell Passage\n");
        assert_eq!(found[0].name, "Prudence Marrow");
        assert_eq!(found[0].role.as_deref(), Some("Treasurer"));
        assert_eq!(found[0].organisation.as_deref(), Some("Marrow & Pith Books"));
        let two = find("Mit freundlichen Grüßen\n\nKatrin Uhl      Stefanie Marx\nSchulleiterin      Lehrerin");
        assert_eq!((two[0].name.as_str(), two[1].name.as_str()), ("Katrin Uhl", "Stefanie Marx"));
    }

    #[test]
    fn names_of_people_have_capitals_and_no_digits() {
        for (text, expected) in [
            ("Kees van Rijnsoever", true),
            ("Dr. Ada Linde", true),
            ("Birke GmbH", false),
            ("Hafenstraße 3", false),
            ("please pay", false),
        ] {
            assert_eq!(is_person(text), expected, "{text}");
        }
    }
}
