//! Words of a message that say that an invoice was paid.

use contract::Object;
use jiff::civil::Date;

use super::language::Language;
use super::{amount, clock, date};

/// Words before the reference of a payment.
const REFERENCES: [&str; 11] = [
    "référence",
    "reference",
    "ref",
    "cro",
    "referenz",
    "verwendungszweck",
    "kenmerk",
    "riferimento",
    "referência",
    "referencia",
    "trn",
];

/// The payment that a sentence of `text` tells of, as made on `day`.
pub fn told(text: &str, language: &Language, day: Option<&str>) -> Option<Object> {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let style = amount::style(text);
    let sentence = flat.split(['!', '?']).flat_map(|part| part.split(". ")).find(|sentence| {
        let lower = sentence.to_lowercase();
        let is_paid = language.paid.split('|').any(|word| lower.contains(word));
        // Who is asked to pay has not paid.
        let is_asked = ["please", "bitte", "veuillez", "por favor", "graag", "prego", "could you", "can you"];
        is_paid && !is_asked.iter().any(|word| lower.contains(word)) && sum(sentence, style).is_some()
    })?;
    let sum = sum(sentence, style)?;
    let mut fields = Object::default();
    fields.insert("amount".to_owned(), sum.number.into());
    fields.extend(sum.currency.map(|code| ("currency".to_owned(), code.into())));
    fields.extend(day.map(|day| ("date".to_owned(), day.into())));
    fields.extend(reference(sentence).map(|reference| ("reference".to_owned(), reference.into())));
    Some(fields)
}

/// The only amount of a sentence that names its currency.
fn sum(sentence: &str, style: Option<amount::Style>) -> Option<amount::Amount> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let mut found: Vec<amount::Amount> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let read = (1..=4).rev().find_map(|count| {
            let run = words.get(at..at + count)?.join(" ");
            let read = amount::parse(run.trim_end_matches([',', ';', '.', ')']), style)?;
            read.currency.is_some().then_some((count, read))
        });
        match read {
            Some((count, read)) => {
                found.push(read);
                at += count;
            }
            None => at += 1,
        }
    }
    match &found[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}

fn reference(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    words.windows(2).find_map(|pair| {
        let label = pair[0].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let value = pair[1].trim_matches(|c: char| !c.is_alphanumeric());
        let has_digit = value.chars().filter(char::is_ascii_digit).count() >= 2;
        (REFERENCES.contains(&label.as_str()) && has_digit).then(|| value.to_owned())
    })
}

/// The day that stands behind the number of an invoice: `fattura n. 31 del 19 marzo`.
pub fn day_behind(text: &str, number: &str, sent: Option<Date>) -> Option<String> {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = flat.find(number)? + number.len();
    let rest: String = flat[at..].chars().take(30).collect();
    let word = ["vom ", "del ", "du ", "de ", "van ", "of ", "dated "]
        .iter()
        .find_map(|word| rest.trim_start().strip_prefix(word));
    let rest = word?;
    date::leading(rest).or_else(|| {
        // An invoice that is paid was written before.
        let sent = sent?;
        let year_before = Date::new(sent.year() - 1, sent.month(), sent.day()).ok()?;
        let found = clock::near(rest, year_before)?;
        let this_year = clock::near(rest, Date::new(sent.year(), 1, 1).ok()?)?;
        Some(if this_year.as_str() <= sent.to_string().as_str() { this_year } else { found })
    })
}

#[cfg(test)]
mod tests {
    use super::super::language;
    use super::*;

    #[test]
    fn a_sentence_tells_of_a_payment() {
        check(
            "fr",
            "Le virement de 1 876,80 € est parti ce matin, référence VIR-AC-0629.",
            r#"{"amount":1876.8,"currency":"EUR","date":"2026-06-29","reference":"VIR-AC-0629"}"#,
        );
        check("en", "Please pay £12.00 today.", "-");
        check("en", "I paid two bills.", "-");
    }

    #[test]
    fn the_day_of_an_invoice_stands_behind_its_number() {
        let sent = Date::constant(2026, 3, 27);
        assert_eq!(day_behind("la fattura n. 31 del 19 marzo, CRO", "31", Some(sent)).as_deref(), Some("2026-03-19"));
        assert_eq!(day_behind("Rechnung GB-04 vom 2. März 2026 über", "GB-04", None).as_deref(), Some("2026-03-02"));
    }

    #[track_caller]
    fn check(code: &str, text: &str, expected: &str) {
        let language = language::ALL.iter().find(|language| language.code == code).unwrap();
        let shown = told(text, language, Some("2026-06-29"))
            .map_or("-".to_owned(), |fields| serde_json::to_string(&fields).unwrap());
        assert_eq!(shown, expected);
    }
}
