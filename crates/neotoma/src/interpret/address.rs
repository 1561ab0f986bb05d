//! Lines of addresses: streets, towns with their postal codes, and how somebody is reached.

use std::sync::LazyLock;

use regex::Regex;

use super::{identifier, language};

/// `04999 Torfheide`, `A-5999 St. Florin`, `9998 XX Westerlauwer`, `7999-012 Vale`, `LW9 9ZZ`, `Elk Harbour, ON P0X 9Z9`.
pub fn is_town(line: &str) -> bool {
    static TOWN: LazyLock<Regex> = LazyLock::new(|| {
        let continental = r"^(?:[A-Z]{1,2}-)?\d{4,5}(?:-\d{3})?\s+(?:[A-Z]{2}\s+)?\p{Lu}";
        let british = r"\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}$";
        let american = r"\b[A-Z]{2}\s+(?:\d{5}(?:-\d{4})?|[A-Z]\d[A-Z]\s?\d[A-Z]\d)$";
        let irish = r"\b[A-Z]\d[\dW]\s?[A-Z\d]{4}$";
        Regex::new(&format!("{continental}|{british}|{american}|{irish}")).expect("a fixed expression")
    });
    TOWN.is_match(line.trim())
}

/// Whether a line is a street with its number, or names a box.
pub fn is_street(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    if !lower.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '/')).filter(|word| !word.is_empty());
    words.any(|word| {
        let streets = || language::ALL.iter().flat_map(|language| language.streets.split('|'));
        streets().any(|street| match street.strip_prefix('-') {
            Some(end) => word.len() > end.len() && word.ends_with(end),
            None => word == street,
        })
    })
}

/// Whether a line says how to reach or pay somebody.
pub fn is_contact(line: &str) -> bool {
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let named = ["tel", "tél", "telefon", "phone", "fax", "iban", "mobil", "www", "cell", "tlf", "telf", "telefone"];
    lower.contains('@') || words.iter().any(|word| named.contains(word)) || !identifier::numbers(line).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn towns_have_postal_codes() {
        for town in ["04999 Torfheide", "A-5999 St. Florin", "9998 XX Westerlauwer", "LW8 9YY", "ON  P0X 9Z9"] {
            assert!(is_town(town), "{town}");
        }
        for other in ["2026 0017", "Birke GmbH", "12 rue des Aulnes"] {
            assert!(!is_town(other), "{other}");
        }
    }

    #[test]
    fn streets_have_numbers() {
        for street in ["Werkstraße 11-13", "12 bis, chemin des Aulnes", "Via Argine 3", "Postbus 77", "14 Hythe Row"] {
            assert!(is_street(street), "{street}");
        }
        assert!(!is_street("Am Ende der Straße"));
    }
}
