//! Names of companies and people on papers: in letterheads, address blocks and after labels.

use super::language;

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

/// Words before the names of companies.
const LEADS: [&str; 12] = [
    "firma",
    "fa.",
    "ditta",
    "spett.le",
    "spettabile",
    "spett.",
    "exmos.",
    "sres.",
    "messrs",
    "société",
    "societé",
    "empresa",
];

/// Whether a word in lower case stands before the names of companies, or of anybody.
pub fn is_lead(word: &str) -> bool {
    LEADS.contains(&word)
        || matches!(word, "an" | "to" | "aan" | "à" | "a" | "al" | "para" | "mr/mrs" | "sr(a)" | "exmo(a)")
}

/// `name` without a word before it that says that it is one of a company, and whether there was one.
pub fn without_lead(name: &str) -> (&str, bool) {
    match name.split_once(' ') {
        Some((first, rest)) if LEADS.contains(&first.to_lowercase().as_str()) => (rest.trim(), true),
        _ => (name, false),
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
    // German addresses write `ä` as `ae`.
    let spelled = |word: &str| word.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('ß', "ss");
    let words: Vec<String> = name.split_whitespace().map(|word| plain(&word.to_lowercase())).collect();
    let others: Vec<String> = name.split_whitespace().map(|word| plain(&spelled(&word.to_lowercase()))).collect();
    [words, others].iter().any(|words| is_in_domain(words, &domain))
}

fn is_in_domain(words: &[String], domain: &str) -> bool {
    (0..words.len()).any(|start| {
        let rest: String = words[start..].concat();
        let most = rest.chars().count() >= 6 && words.len() - start >= words.len().div_ceil(2);
        (most && domain.contains(&rest)) || (start == 0 && domain.len() >= 6 && rest.contains(domain))
    })
}

/// A letter without its accent, as addresses write it.
fn plain_letter(c: char) -> Option<char> {
    use unicode_normalization::UnicodeNormalization as _;
    let base = c.nfd().next()?;
    base.is_alphanumeric().then_some(base).map(|c| c.to_ascii_lowercase())
}

/// Whether the last word of `name` is a legal form.
pub fn is_company(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.len() >= 2 && words.len() <= 8 && words.last().is_some_and(|last| is_legal_form(last))
}

/// A name without the address that follows it on the same line.
pub fn name(text: &str) -> String {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    if !has_digit && !text.contains(['·', '•', '|']) && is_company(text) {
        return text.trim().to_owned();
    }
    let cut = text.split(['·', '•', '|']).next().unwrap_or(text);
    let cut = [" – ", " — ", " - "].iter().fold(cut, |cut, dash| cut.split(dash).next().unwrap_or(cut)).trim();
    // In "Acme, Inc." the comma belongs to the name; in "Acme GmbH, Hafenstr. 3" it ends it.
    match cut.split_once(',') {
        Some((before, after)) => {
            let first = after.split_whitespace().next().unwrap_or_default();
            if is_legal_form(first.trim_end_matches(',')) {
                let forms = after.split_whitespace();
                let forms: Vec<&str> = forms.take_while(|word| is_legal_form(word.trim_end_matches(','))).collect();
                let ends = forms.iter().position(|word| word.ends_with(',')).map_or(forms.len(), |at| at + 1);
                format!("{before}, {}", forms[..ends].join(" ").trim_end_matches(','))
            } else {
                before.trim().to_owned()
            }
        }
        None => cut.to_owned(),
    }
}

#[cfg(test)]
mod tests {
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
}
