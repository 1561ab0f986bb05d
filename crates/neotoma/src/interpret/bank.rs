//! Exports of banks: the account that the transactions are of, told above, below or beside them, and what they settle.

use contract::Object;
use serde_json::Value;

use super::effort::Effort;
use super::finding::Findings;
use super::{Extracted, Failure, Understood, amount, identifier, language, signature, vocabulary};

/// Adds the account to transactions. Other entities stay as they are.
pub fn account(
    rows: &[Vec<String>],
    entities: Vec<Extracted>,
    left: &[String],
    effort: &Effort,
) -> Result<Understood, Failure> {
    if entities.iter().any(|entity| entity.entity_type != "transaction") {
        return Ok(assigned(entities));
    }
    let count = entities.len();
    let mut found = Findings::from(Understood::from(entities));
    let around: Vec<&Vec<String>> = rows.iter().filter(|row| left.contains(&joined(row))).take(40).collect();
    for row in &around {
        effort.spend(row.iter().map(String::len).sum::<usize>() * 4)?;
    }
    let mut fields = Object::default();
    let mut currency = None;
    for row in &around {
        let cells: Vec<&String> = row.iter().filter(|cell| !cell.is_empty()).collect();
        for (at, cell) in cells.iter().enumerate() {
            let (label, inline) = cell.split_once(':').unwrap_or((cell, ""));
            let label = vocabulary::normal(label);
            let value =
                if inline.trim().is_empty() { cells.get(at + 1).map_or("", |next| next.trim()) } else { inline.trim() };
            if let Some(iban) = identifier::ibans(cell).first() {
                fields.entry("iban".to_owned()).or_insert_with(|| iban.as_str().into());
            }
            if label == "bic" && !value.is_empty() {
                fields.entry("bic".to_owned()).or_insert_with(|| value.into());
            }
            let is_holder = vocabulary::field_of("account", &label) == Some("holder_name") || label == "account name";
            if is_holder && value.chars().any(char::is_alphabetic) {
                fields.entry("holder_name".to_owned()).or_insert_with(|| holder(value).into());
            }
            currency = currency.or_else(|| amount::currency(cell).or_else(|| amount::parse(cell, None)?.currency));
        }
    }
    // Where every row names the same account of its own, that is it.
    if !fields.contains_key("iban")
        && let Some(own) =
            found.entities().first().and_then(|first| first.fields.get("account_id")).and_then(Value::as_str)
        && let [iban] = &identifier::ibans(own)[..]
    {
        let iban = iban.clone();
        fields.insert("iban".to_owned(), iban.into());
    }
    for at in 0..count {
        let fields = found.fields(at);
        fields.shift_remove("account_id");
        if let Some(code) = currency.filter(|_| !fields.contains_key("currency")) {
            fields.insert("currency".to_owned(), code.into());
        }
    }
    if !fields.is_empty() {
        let account = found.add("account", fields);
        for at in 0..count {
            found.link("PART_OF", at, account, "the export names one account");
        }
    }
    for at in 0..count {
        settle(&mut found, at);
    }
    Ok(found.finish())
}

/// Tasks of a table, each related to who is to do it.
fn assigned(entities: Vec<Extracted>) -> Understood {
    let mut found = Findings::from(Understood::from(entities));
    for at in 0..found.entities().len() {
        let entity = &found.entities()[at];
        let name = entity.fields.get("assignee").and_then(Value::as_str).filter(|_| entity.entity_type == "task");
        if let Some(name) = name.filter(|name| signature::is_person(name)).map(str::to_owned) {
            let person = found.person(&name, &[]);
            found.link("ASSIGNED_TO", at, person, &name);
        }
    }
    found.finish()
}

fn joined(row: &[String]) -> String {
    row.iter().filter(|cell| !cell.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// A holder without the kind of the account behind the name.
fn holder(value: &str) -> String {
    const KINDS: [&str; 6] = ["Current", "Savings", "Account", "Girokonto", "Business", "Current Account"];
    KINDS.iter().fold(value, |name, kind| name.strip_suffix(kind).unwrap_or(name).trim_end()).to_owned()
}

/// Relates a transaction to the invoice that its text names.
fn settle(found: &mut Findings, at: usize) {
    let text =
        |field: &str| found.entities()[at].fields.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    for words in [text("reference"), text("merchant_name")] {
        if let Some(number) = invoice_named(&words) {
            let mut fields = Object::default();
            fields.insert("invoice_number".to_owned(), number.into());
            let invoice = found.add("invoice", fields);
            found.link("SETTLES", at, invoice, &words);
            return;
        }
    }
}

/// The number of an invoice that a text names after the word for one.
pub fn invoice_named(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let plain = vocabulary::normal(word.trim_end_matches([':', '.', ',']));
        let is_invoice =
            language::title(&plain) == Some(language::Title::Invoice) && plain != "minuta" && plain != "nota"
                || matches!(
                    plain.as_str(),
                    "inv"
                        | "fra"
                        | "fact"
                        | "ft"
                        | "fatt"
                        | "rg"
                        | "re"
                        | "rechnungsnr"
                        | "factuurnr"
                        | "factuurnummer"
                        | "rechnungsnummer"
                );
        if !is_invoice {
            return None;
        }
        let mut rest = words[at + 1..].iter().copied();
        let mut next = rest.next()?;
        if matches!(
            vocabulary::normal(next).as_str(),
            "no" | "nr" | "n" | "n°" | "nº" | "number" | "nummer" | "num" | "núm" | "número"
        ) {
            next = rest.next()?;
        }
        let number = next.trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '.' | '?' | '!' | '"'));
        let digits = number.chars().filter(char::is_ascii_digit).count();
        let plausible = digits >= 2 && number.chars().all(|c| c.is_ascii_alphanumeric() || "-/._".contains(c));
        let is_date = super::date::parse(number, Some(super::date::Order::DayFirst)).is_some();
        (plausible && !is_date).then(|| number.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_the_invoice_that_it_pays() {
        for (text, expected) in [
            ("PETTIFER INV PH-2274", "PH-2274"),
            ("Transferencia recibida Editorial fra 2026/019", "2026/019"),
            ("Factuur 2026-08", "2026-08"),
            ("Rechnung vom 03.03.2026", "-"),
            ("Miete Februar", "-"),
        ] {
            assert_eq!(invoice_named(text).as_deref().unwrap_or("-"), expected, "{text}");
        }
    }
}
