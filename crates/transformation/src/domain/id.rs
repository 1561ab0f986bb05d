//! Ids as callers write them: in capitals, in quotes, as a URN, in braces, as an address of a resource.

use std::borrow::Cow;

/// The usual form of an id; any other text as it is, without quotes.
pub fn usual_form(text: &str) -> Cow<'_, str> {
    let bare = text.trim().trim_matches(|letter| matches!(letter, '"' | '\'' | '`' | '<' | '>'));
    let bare = bare.rsplit_once("://").map_or(bare, |(_, rest)| rest.rsplit('/').next().unwrap_or(rest));
    let bare = bare.strip_prefix("urn:uuid:").or_else(|| bare.strip_prefix("URN:UUID:")).unwrap_or(bare);
    let inner = bare.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(bare);
    let digits: String = inner.chars().filter(|letter| *letter != '-').collect();
    if digits.len() == 32 && digits.chars().all(|letter| letter.is_ascii_hexdigit()) {
        let hex = digits.to_ascii_lowercase();
        return format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]).into();
    }
    bare.into()
}

/// Whether a text is an id with a slip: about as long, and made of the same letters.
pub fn is_nearly_one(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_hexdigit).count();
    (33..=39).contains(&text.len()) && text.is_ascii() && digits >= 28
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_form_however_it_is_written() {
        let id = "0199f3a2-7c11-7def-8a01-23456789abcd";
        for text in [
            id.to_owned(),
            id.to_uppercase(),
            format!("\"{id}\""),
            format!(" '{id}' "),
            format!("urn:uuid:{id}"),
            format!("{{{}}}", id.to_uppercase()),
            format!("transformation://element/{id}"),
            id.replace('-', ""),
        ] {
            assert_eq!(usual_form(&text), id, "{text}");
        }
        for other in ["OrderService", "cap-abc-123", "Order \u{e4}"] {
            assert_eq!(usual_form(other), other);
        }
    }

    #[test]
    fn a_slip_in_an_id_is_told_from_a_name() {
        assert!(is_nearly_one("0199f3a2-7c11-7def-8a01-23456789abc"));
        assert!(!is_nearly_one("OrderService"));
        assert!(!is_nearly_one("a name that has about thirty-six letters"));
    }
}
