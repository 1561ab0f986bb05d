//! Identifiers that are told by their form: IBANs by their check digits, VAT ids by their country, addresses of mail.

use std::sync::LazyLock;

use regex::Regex;

use super::language;

/// The IBANs in a text, without blanks, each once and in order.
pub fn ibans(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let bytes = text.as_bytes();
    for at in 0..bytes.len().saturating_sub(14) {
        let starts = bytes[at].is_ascii_uppercase()
            && bytes[at + 1].is_ascii_uppercase()
            && bytes[at + 2].is_ascii_digit()
            && bytes[at + 3].is_ascii_digit()
            && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        if !starts {
            continue;
        }
        let Some(length) = length_of(&bytes[at..at + 2]) else { continue };
        let run = bytes[at..].iter().take(2 * length).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b' ');
        let plain: Vec<u8> = run.copied().filter(|byte| *byte != b' ').take(length).collect();
        if plain.len() == length && checks(&plain) {
            let iban = String::from_utf8(plain).unwrap_or_default();
            if !found.contains(&iban) {
                found.push(iban);
            }
        }
    }
    found
}

/// How long the IBANs of a country are.
fn length_of(country: &[u8]) -> Option<usize> {
    const LENGTHS: &str = "AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 IS26 IT27 LI21 LT20 \
                           LU20 LV21 MC27 MT31 NL18 NO15 PL28 PT25 RO24 SE24 SI19 SK24 SM27 TR26 AD24";
    let known = LENGTHS.split_whitespace().find(|known| known.as_bytes()[..2] == *country)?;
    known[2..].parse().ok()
}

/// Whether the check digits of an IBAN hold (ISO 7064, modulo 97).
fn checks(iban: &[u8]) -> bool {
    let rearranged = iban[4..].iter().chain(&iban[..4]);
    let rest = rearranged.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        b'A'..=b'Z' => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
        _ => 98,
    });
    rest == 1
}

/// What an office or a register knows somebody by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// For value added tax.
    Vat,
    /// Another number of a tax office.
    Tax,
    /// One number for both, as companies and people have it in Spain and Portugal.
    Either,
    Register,
}

/// A number with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    pub kind: Kind,
    pub value: String,
    /// Where its label and its value begin, in bytes.
    pub label: usize,
    pub at: usize,
}

/// Labels of numbers that are the VAT id of a company and the tax id of a person.
const EITHER: &str = "nif|n.i.f|nipc|contribuinte|contrib|n. contrib|nº contrib|n.º contrib|pessoa coletiva";

/// Numbers of one kind that are read of one text.
const NUMBERS_MAX: usize = 40;

/// The numbers in a text that stand behind their labels, in order.
pub fn numbers(text: &str) -> Vec<Number> {
    static LABELLED: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
        let labels = |of: fn(&language::Language) -> &'static str| {
            let all: Vec<&str> = language::ALL.iter().flat_map(|language| of(language).split('|')).collect();
            all.join("|")
        };
        [
            (Kind::Vat, labels(|language| language.vat)),
            (Kind::Tax, labels(|language| language.tax_ids)),
            (Kind::Either, EITHER.to_owned()),
            (Kind::Register, labels(|language| language.registers)),
        ]
        .into_iter()
        .map(|(kind, labels)| (kind, labelled(&labels)))
        .collect()
    });
    let mut found: Vec<Number> = Vec::new();
    for (kind, labelled) in LABELLED.iter() {
        for captures in labelled.captures_iter(text).take(NUMBERS_MAX) {
            let (Some(label), Some(value)) = (captures.get(1), captures.get(2)) else { continue };
            let digits = value.as_str().bytes().filter(u8::is_ascii_digit).count();
            let digits_min = if *kind == Kind::Register { 4 } else { 7 };
            if !(digits_min..=16).contains(&digits) {
                continue;
            }
            let value_text = match label.as_str().to_ascii_uppercase().as_str() {
                // The number of a German register is nothing without its part.
                part @ ("HRB" | "HRA" | "GNR" | "VR" | "FN") => format!("{part} {}", value.as_str()),
                _ => value.as_str().to_owned(),
            };
            found.push(Number { kind: *kind, value: value_text, label: label.start(), at: value.start() });
        }
    }
    // Of two readings of one number that with the longer label is meant.
    found.sort_by_key(|number| (number.at, number.label, number.kind));
    found.dedup_by_key(|number| number.at);
    found
}

/// A label, words such as "no." and a number, which may have single blanks and marks in it.
fn labelled(labels: &str) -> Regex {
    let mut labels: Vec<String> = labels.split('|').map(regex::escape).collect();
    labels.sort_by_key(|label| std::cmp::Reverse(label.len()));
    let labels = labels.join("|").replace(' ', r"\s?");
    let filler = r"(?:[\s.:°º(]|\b(?:no|nr|n|nummer|number|num|id|reg|registration|england|ireland|scotland|wales|and|the)\b)*[\s.:°º(]";
    let value = r"((?:[A-Z]{2} ?)?[A-Z]{0,6}[0-9][0-9A-Z]*(?:[ ./-][A-Z]{0,2}[0-9][0-9A-Z]*)*)";
    Regex::new(&format!(r"(?i)(?:^|[^\p{{L}}\d])({labels})\b{filler}(?-i:{value})")).expect("labels are escaped")
}

/// The addresses of mail in a text.
pub fn emails(text: &str) -> Vec<&str> {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | '|' | '"' | ':'));
    words
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| {
            let parts = word.split_once('@');
            parts.is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.') && !domain.contains('@'))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans_are_told_by_their_check_digits() {
        assert_eq!(ibans("IBAN DE89 3704 0044 0532 0130 00, BIC X"), ["DE89370400440532013000"]);
        assert_eq!(ibans("DE88 3704 0044 0532 0130 00"), [""; 0]);
        assert_eq!(ibans("konto GB82WEST12345698765432."), ["GB82WEST12345698765432"]);
    }

    #[test]
    fn numbers_stand_behind_their_labels() {
        for (text, expected) in [
            ("USt-IdNr. DE999300117      Tel. 030", "Vat DE999300117"),
            ("UID: ATU99112233", "Vat ATU99112233"),
            ("KvK 99012345   btw NL999123456B01", "Register 99012345, Vat NL999123456B01"),
            ("P.IVA IT99123450271   C.F. LRDFMM80A41L736X", "Vat IT99123450271, Tax LRDFMM80A41L736X"),
            ("SIRET 999 123 456 00017 - RCS Auxonne B 999 123 456", "Register 999 123 456 00017"),
            ("TVA intracom. FR 32 999123456 - APE 4332A", "Vat FR 32 999123456"),
            ("VAT Reg No. GB 999 4127 31", "Vat GB 999 4127 31"),
            ("NIF 599123456", "Either 599123456"),
            ("CPF/CNPJ: 99.888.777/0001-66", "Tax 99.888.777/0001-66"),
            ("HRA 99917 Amtsgericht", "Register HRA 99917"),
            ("VAT 20%  1,234.00", ""),
        ] {
            let shown: Vec<String> =
                numbers(text).iter().map(|number| format!("{:?} {}", number.kind, number.value)).collect();
            assert_eq!(shown.join(", "), expected, "{text}");
        }
    }

    #[test]
    fn addresses_of_mail_stand_alone() {
        assert_eq!(emails("Write to <a.b@example.org>, or c@d"), ["a.b@example.org"]);
    }
}
