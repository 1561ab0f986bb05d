//! Keys: handles that callers choose, usable wherever an id is.

use crate::Error;

/// Longest accepted key.
const KEY_CHARS_MAX: usize = 128;

/// Checks a key that the caller gave as `key`.
pub fn checked(key: Option<String>) -> Result<Option<String>, Error> {
    key.map(|key| checked_in("key", key)).transpose()
}

/// Checks a key that the caller gave as `field`.
pub fn checked_in(field: &str, key: String) -> Result<String, Error> {
    let fits = (1..=KEY_CHARS_MAX).contains(&key.len())
        && key.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | ':' | '-'));
    if fits {
        return Ok(key);
    }
    let hint = format!("use 1 to {KEY_CHARS_MAX} letters, digits, '.', '_', ':' or '-', a letter or digit first");
    Err(Error::invalid(field, format!("cannot be {key:?}"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_plain() {
        for good in ["a", "orders-domain", "x.y_z:1", &"k".repeat(128)] {
            assert_eq!(checked(Some(good.to_owned())).unwrap().as_deref(), Some(good));
        }
        for bad in ["", "-a", "a b", "\u{e4}", &"k".repeat(129)] {
            assert!(checked(Some(bad.to_owned())).is_err(), "{bad:?}");
        }
    }
}
