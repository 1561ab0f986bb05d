//! Lines about tax, whose labels carry the rate: "VAT 20%", "zzgl. 19 % MwSt.".

use super::language;
use super::record::Pair;

/// Words of tax lines beside those of the languages.
const TAXES: [&str; 1] = ["salestax"];

fn is_tax(word: &str) -> bool {
    TAXES.contains(&word) || language::any(|language| language.taxes, word)
}

fn is_filler(word: &str) -> bool {
    language::any(|language| language.tax_fillers, word)
}

/// Whether a label in normal form names nothing but a tax and perhaps its rate.
pub fn is_line(label: &str) -> bool {
    let spaced = label.replace('%', " % ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == ',' || c == '.');
    let is_part = |(at, word): (usize, &&str)| {
        is_tax(word) || is_filler(word) || *word == "%" || (is_number(word) && words.get(at + 1) == Some(&"%"))
    };
    words.iter().enumerate().all(is_part) && words.iter().filter(|word| is_tax(word)).count() == 1
}

/// The rate as written, when all tax lines name the same one.
pub fn rate(pairs: &[Pair]) -> Option<String> {
    let mut found: Option<String> = None;
    for pair in pairs.iter().filter(|pair| pair.rate.is_some()) {
        let rate = pair.rate.clone()?;
        if found.as_ref().is_some_and(|found| *found != rate) {
            return None;
        }
        found = Some(rate);
    }
    found
}

/// The percentage in the words of a tax line, as written: `19%`, `7,5 %`.
pub fn percentage(label: &str) -> Option<String> {
    let percent = label.find('%')?;
    let before = label[..percent].trim_end();
    let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',' || c == '.');
    let start = number.len();
    let first = label[start..].find(|c: char| c.is_ascii_digit())?;
    (start + first < percent).then(|| plain_rate(&label[start + first..=percent]))
}

/// `20,00 %` says no more than `20 %`.
fn plain_rate(rate: &str) -> String {
    match rate.split_once([',', '.']) {
        Some((whole, rest)) if rest.trim_end_matches('%').trim().chars().all(|c| c == '0') => {
            format!("{whole}{}", rest.trim_start_matches('0'))
        }
        _ => rate.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_lines_name_a_tax_and_a_rate() {
        for (label, expected) in [
            ("vat 20%", true),
            ("zzgl 19 % mwst", true),
            ("sales tax", true),
            ("vat 20% 12,00", false),
            ("tax id", false),
            ("total incl vat", false),
            ("ust idnr", false),
        ] {
            assert_eq!(is_line(label), expected, "{label}");
        }
    }

    #[test]
    fn the_rate_stays_as_written() {
        assert_eq!(percentage("VAT (20%)").as_deref(), Some("20%"));
        assert_eq!(percentage("zzgl. 19 % MwSt.").as_deref(), Some("19 %"));
        assert_eq!(percentage("IVA 7,5%").as_deref(), Some("7,5%"));
        assert_eq!(percentage("TVA 20,00 %").as_deref(), Some("20 %"));
        assert_eq!(percentage("VAT"), None);
    }
}
