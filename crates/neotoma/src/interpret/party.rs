//! Names of companies and people on papers: in letterheads, address blocks and after labels.

use super::language;
use super::lines::Line;

pub fn is_legal_form(word: &str) -> bool {
    language::any(|language| language.legal_forms, word)
}

/// A name in the form in which names are compared: letters and digits in lower case, without a legal form at its end.
pub fn key(name: &str) -> String {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    while words.len() > 1 && words.last().is_some_and(|word| is_legal_form(word.trim_end_matches(','))) {
        words.pop();
    }
    words.concat().chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `Lowe, Desmond` as people say it.
pub fn natural(name: &str) -> String {
    match name.split_once(", ") {
        Some((family, given)) if !given.contains(',') && !given.contains(' ') && !is_legal_form(given) => {
            format!("{given} {family}")
        }
        _ => name.to_owned(),
    }
}

/// Whether a name is one of an organisation: it has a legal form, or begins like one.
pub fn is_organisation(name: &str) -> bool {
    let mut words = name.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter(|word| !word.is_empty());
    let any =
        words.any(|word| is_legal_form(word) || language::any(|language| language.organisations, &word.to_lowercase()));
    any || name.contains(" & ") || name.contains('"')
}

/// Whether the words of a name stand one after the other in the domain of an address.
pub fn is_domain_of(name: &str, email: &str) -> bool {
    let Some((_, domain)) = email.rsplit_once('@') else { return false };
    let Some((domain, _)) = domain.rsplit_once('.') else { return false };
    let plain = |text: &str| text.chars().filter_map(plain_letter).collect::<String>();
    let domain = plain(domain);
    let words: Vec<String> = name.split_whitespace().map(|word| plain(&word.to_lowercase())).collect();
    (0..words.len()).any(|start| {
        let rest: String = words[start..].concat();
        let most = rest.chars().count() >= 6 && words.len() - start >= words.len().div_ceil(2);
        (most && domain.contains(&rest)) || (start == 0 && domain.len() >= 6 && rest.contains(&domain))
    })
}

/// A letter without its accent, as addresses write it.
fn plain_letter(c: char) -> Option<char> {
    use unicode_normalization::UnicodeNormalization as _;
    let base = c.nfd().next()?;
    base.is_alphanumeric().then_some(base).map(|c| c.to_ascii_lowercase())
}

/// How far down a letterhead may stand.
const LETTERHEAD_LINES_MAX: usize = 6;

/// The first line near the top that names a company by its legal form.
pub fn letterhead(lines: &[Line]) -> Option<String> {
    let top = lines.iter().filter(|line| !line.is_blank()).take(LETTERHEAD_LINES_MAX);
    top.flat_map(|line| line.cells.first())
        .filter(|cell| !cell.contains(':'))
        .map(|cell| name(cell))
        .find(|name| is_company(name))
}

/// Whether the last word of `name` is a legal form.
pub fn is_company(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.len() >= 2 && words.len() <= 8 && words.last().is_some_and(|last| is_legal_form(last))
}

/// The name below `Herrn`, `Frau` or `Firma` in an address block.
pub fn addressee(lines: &[Line]) -> Option<String> {
    let is_salutation = |line: &Line| {
        let first = line.cells.first().map(String::as_str);
        matches!(first, Some("Herrn" | "Herr" | "Frau" | "Firma" | "An" | "An die"))
    };
    let at = lines.iter().position(is_salutation)?;
    lines.get(at + 1).and_then(|line| line.cells.first()).cloned()
}

/// A name without the address that follows it on the same line.
pub fn name(text: &str) -> String {
    let cut = text.split(['·', '•', '|']).next().unwrap_or(text);
    let cut = [" – ", " — ", " - "].iter().fold(cut, |cut, dash| cut.split(dash).next().unwrap_or(cut)).trim();
    // In "Acme, Inc." the comma belongs to the name; in "Acme GmbH, Hafenstr. 3" it ends it.
    match cut.split_once(',') {
        Some((before, after)) => {
            let first = after.split_whitespace().next().unwrap_or_default();
            if is_legal_form(first.trim_end_matches(',')) {
                match after.split_once(',') {
                    Some((form, _)) => format!("{before},{form}"),
                    None => cut.to_owned(),
                }
            } else {
                before.trim().to_owned()
            }
        }
        None => cut.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::*;

    #[test]
    fn names_end_where_the_address_begins() {
        for (text, expected) in [
            ("Nordwind GmbH · Hafenstr. 3 · 20457 Hamburg", "Nordwind GmbH"),
            ("Nordwind GmbH, Hafenstr. 3", "Nordwind GmbH"),
            ("Acme, Inc.", "Acme, Inc."),
            ("Acme, Inc., 1 Main Street", "Acme, Inc."),
            ("Hofladen Birke", "Hofladen Birke"),
        ] {
            assert_eq!(name(text), expected);
        }
    }

    #[test]
    fn the_letterhead_is_a_company_near_the_top() {
        let top = |text| letterhead(&lines(text, &ample()).unwrap());
        assert_eq!(top("Page 1\nNordwind GmbH\nRechnung").as_deref(), Some("Nordwind GmbH"));
        assert_eq!(top("Invoice\nfor our friends"), None);
    }
}
