//! Sentences that state an invoice: "please pay invoice INV-7 of EUR 120.00 by 15 March 2026".

use contract::Object;

use super::effort::Effort;
use super::vocabulary::normal;
use super::{Extracted, Failure, amount, date, record};

const DUE: &[&str] = &[
    "due on ",
    "due by ",
    "is due ",
    "payable by ",
    "payable until ",
    "payment by ",
    "pay by ",
    "fällig am ",
    "zahlbar bis zum ",
    "zahlbar bis ",
    "bitte bis zum ",
    "bis spätestens ",
    "bis zum ",
    "vence el ",
    "zahlung bis ",
];
const AMOUNT: &[&str] = &[
    "amount of ",
    "total of ",
    "amounts to ",
    "amount due is ",
    "the sum of ",
    "in höhe von ",
    "betrag von ",
    "über ",
    "beträgt ",
    "importe de ",
    "comes to ",
    "total is ",
];
const NUMBER: &[&str] = &[
    "invoice number ",
    "invoice no. ",
    "invoice no ",
    "invoice #",
    "invoice ",
    "rechnung nr. ",
    "rechnung nummer ",
    "rechnung ",
    "rechnungsnummer ",
    "factura ",
];
const DATED: &[&str] = &["dated ", "vom ", "issued on ", "de fecha "];

/// The invoice that a text speaks of. It needs a number and an amount: a mere mention is not an invoice.
pub fn invoice(text: &str, effort: &Effort) -> Result<Option<Extracted>, Failure> {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some(number) = after(&flat, NUMBER, effort)?.find_map(leading_number) else { return Ok(None) };
    let style = amount::style(text);
    let sum = after(&flat, AMOUNT, effort)?.find_map(|rest| leading_amount(rest, style));
    let Some(sum) = sum else { return Ok(None) };
    let mut fields = Object::default();
    fields.insert("invoice_number".to_owned(), number.into());
    if let Some(day) = after(&flat, DATED, effort)?.find_map(leading_date) {
        fields.insert("invoice_date".to_owned(), day.into());
    }
    fields.insert("amount_due".to_owned(), sum.number.into());
    if let Some(code) = sum.currency {
        fields.insert("currency".to_owned(), code.into());
    }
    if let Some(day) = due_date(text, effort)? {
        fields.insert("date_due".to_owned(), day.into());
    }
    record::name_dollar(text, &mut fields);
    Ok(Some(Extracted { entity_type: "invoice".to_owned(), fields }))
}

/// The date by which a sentence asks for payment; nothing when sentences name different ones.
pub fn due_date(text: &str, effort: &Effort) -> Result<Option<String>, Failure> {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut dates: Vec<String> = after(&flat, DUE, effort)?.filter_map(leading_date).collect();
    dates.dedup();
    Ok(if dates.len() == 1 { dates.pop() } else { None })
}

/// What follows each of the phrases, phrase by phrase. Case is ignored and a phrase starts a word.
pub fn after<'a>(
    text: &'a str,
    phrases: &[&str],
    effort: &Effort,
) -> Result<impl Iterator<Item = &'a str> + use<'a>, Failure> {
    // Lower-casing may change lengths in bytes; such texts are searched as they are.
    let lower = text.to_lowercase();
    let lower = if lower.len() == text.len() { lower } else { text.to_owned() };
    let mut starts = Vec::new();
    for phrase in phrases {
        effort.spend(lower.len())?;
        let found = lower.match_indices(phrase).filter(|(at, _)| !lower[..*at].ends_with(char::is_alphanumeric));
        starts.extend(found.map(|(at, _)| at + phrase.len()));
    }
    Ok(starts.into_iter().filter_map(|at| text.get(at..)))
}

/// The date that `rest` begins with, perhaps after an article.
pub fn leading_date(rest: &str) -> Option<String> {
    date::leading(rest.strip_prefix("the ").or_else(|| rest.strip_prefix("dem ")).unwrap_or(rest))
}

fn leading_amount(rest: &str, style: Option<amount::Style>) -> Option<amount::Amount> {
    let words: Vec<&str> = rest.split(' ').take(3).collect();
    (1..=words.len()).rev().find_map(|count| {
        let words = words[..count].join(" ");
        let text = words.trim_end_matches(['.', ',', ';', ')']);
        amount::parse(text, style).filter(|read| read.currency.is_some())
    })
}

fn leading_number(rest: &str) -> Option<String> {
    let word = rest.split(' ').next()?.trim_end_matches(['.', ',', ';', ':', ')', '?', '!']);
    let is_number = word.chars().filter(char::is_ascii_digit).count() >= 2 && date::parse(word, None).is_none();
    (is_number && !normal(word).is_empty() && amount::parse(word, None).is_none_or(|read| read.number.is_i64()))
        .then(|| word.trim_start_matches('#').to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn a_sentence_states_an_invoice() {
        check(
            "Please find attached invoice INV-77 dated 1 March 2026 for a total of EUR 1,200.00, payable by 15 March 2026.",
            r#"{"invoice_number":"INV-77","invoice_date":"2026-03-01","amount_due":1200.0,"currency":"EUR","date_due":"2026-03-15"}"#,
        );
        check(
            "anbei die Rechnung 2026-118 über 480,00 €. Bitte bis zum 20.03.2026 überweisen.",
            r#"{"invoice_number":"2026-118","amount_due":480.0,"currency":"EUR","date_due":"2026-03-20"}"#,
        );
    }

    #[test]
    fn a_mention_is_no_invoice() {
        check("I paid invoice 4711 yesterday.", "-");
        check("The invoice for the total of our work will follow.", "-");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = invoice(text, &ample()).unwrap();
        let shown = found.map_or("-".to_owned(), |entity| serde_json::to_string(&entity.fields).unwrap());
        assert_eq!(shown, expected);
    }
}
