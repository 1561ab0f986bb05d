//! When a value that was found is the true one.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

/// Fields that are compared without regard to blanks and punctuation.
const CODES: [&str; 8] = ["iban", "bic", "vat_id", "tax_id", "phone", "external_id", "account_number", "sort_code"];

/// Whether `found` is `truth`: amounts as numbers, lists as sets, texts without regard to case and blanks.
pub fn same(field: &str, found: &Value, truth: &Value) -> bool {
    match (found, truth) {
        (Value::Array(found), Value::Array(truth)) => {
            found.len() == truth.len() && truth.iter().all(|one| found.iter().any(|other| same(field, other, one)))
        }
        (Value::String(text), Value::Array(truth)) => {
            let parts: Vec<&str> = text.split([',', ';']).map(str::trim).collect();
            parts.len() == truth.len()
                && truth.iter().all(|one| parts.iter().any(|part| same(field, &Value::from(*part), one)))
        }
        (found, truth) => {
            let (found, truth) = (plain(found), plain(truth));
            let numbers = (found.parse::<f64>(), truth.parse::<f64>());
            let is_code = CODES.contains(&field);
            match numbers {
                (Ok(found), Ok(truth)) if !is_code && !field.ends_with("number") => found == truth,
                _ if is_code => code(&found) == code(&truth),
                _ => text(&found) == text(&truth),
            }
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn code(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn text(text: &str) -> String {
    let composed: String = text.nfc().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    composed.replace('’', "'")
}
