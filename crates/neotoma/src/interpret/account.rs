//! The account to pay to: its IBAN and BIC, or its number and sort code.

use std::sync::LazyLock;

use contract::Object;
use regex::Regex;

use super::finding::Findings;
use super::identifier;

/// Adds the account that a paper names. Of several none is meant more than another, so all are left out.
pub fn add(found: &mut Findings, text: &str) {
    let mut fields = Object::default();
    match &identifier::ibans(text)[..] {
        [iban] => {
            fields.insert("iban".to_owned(), iban.as_str().into());
            if let Some(bic) = bic(text) {
                fields.insert("bic".to_owned(), bic.into());
            }
        }
        [] => fields.extend(british(text).into_iter().map(|(field, value)| (field.to_owned(), value.into()))),
        _ => {}
    }
    if !fields.is_empty() {
        found.add("account", fields);
    }
}

fn bic(text: &str) -> Option<String> {
    static BIC: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:BIC|SWIFT)(?:[/ -](?:SWIFT|BIC|Code))?[\s:.]*([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b")
            .expect("a fixed expression")
    });
    Some(BIC.captures(text)?[1].to_owned())
}

/// Sort code and account number of the United Kingdom.
fn british(text: &str) -> Vec<(&'static str, String)> {
    static CODE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)\bsort\s+code[\s:]*(\d\d-\d\d-\d\d|\d{6})\b").expect("a fixed expression"));
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:account|acc|a/c)(?:\s+(?:no|number|num))?[\s:.]*(\d{8})\b").expect("a fixed expression")
    });
    match (CODE.captures(text), NUMBER.captures(text)) {
        (Some(code), Some(number)) => {
            vec![("sort_code", code[1].to_owned()), ("account_number", number[1].to_owned())]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_known_by_its_numbers() {
        check("IBAN DE89 3704 0044 0532 0130 00, BIC: COBADEFFXXX", "iban=DE89370400440532013000 bic=COBADEFFXXX");
        check("sort code 00-00-00, account 01234567", "sort_code=00-00-00 account_number=01234567");
        check("account 01234567", "");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut found = Findings::default();
        add(&mut found, text);
        let fields = found.entities().first().map(|entity| entity.fields.clone()).unwrap_or_default();
        let shown: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default())).collect();
        assert_eq!(shown.join(" "), expected);
    }
}
