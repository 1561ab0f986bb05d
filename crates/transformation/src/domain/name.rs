//! Names of elements and relationships.

use std::fmt;

use desk::names::{is_disguised, plain};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::Error;

/// Longest accepted name, in characters after trimming.
pub const NAME_CHARS_MAX: usize = 500;

/// A name that passed its checks: trimmed, not empty, one line.
// Read back without the checks, so that a stricter rule never makes old facts unreadable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(String);

impl Name {
    /// Checks `text`, which the caller gave as `field`.
    pub fn new(field: &str, text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        let length = trimmed.chars().count();
        let reason = if length == 0 {
            "is empty".to_owned()
        } else if length > NAME_CHARS_MAX {
            format!("has {length} characters; at most {NAME_CHARS_MAX} are allowed")
        } else if let Some(control) = trimmed.chars().find(|letter| letter.is_control()) {
            format!("holds the control character U+{:04X}", u32::from(control))
        } else if let Some(word) = trimmed.split_whitespace().find(|word| is_disguised(word)) {
            let hint = format!("write '{}', or use one alphabet within a word", plain(word));
            return Err(Error::invalid(field, format!("mixes alphabets in '{word}'"), hint));
        } else {
            return Ok(Self(trimmed.to_owned()));
        };
        Err(Error::invalid(field, reason, format!("give {field} as one line of 1 to {NAME_CHARS_MAX} characters")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form under which names are compared and found.
    pub fn normalised(&self) -> String {
        normalised(&self.0)
    }

    /// The ASCII name that this one is easily taken for, normalised; none for a name that looks like itself.
    pub fn look_alike(&self) -> Option<String> {
        let plain = plain(&self.0);
        (!self.0.is_ascii() && plain.is_ascii()).then(|| normalised(&plain))
    }

    /// Names to use instead of this one: three families, each in the order in which to try them.
    pub fn alternatives(&self) -> [Vec<String>; 3] {
        let name = &self.0;
        let numbered = |prefix: &str| (2..=20).map(|number| format!("{name}{prefix}{number}")).collect::<Vec<_>>();
        let fresh = std::iter::once(format!("New{name}")).chain((2..=20).map(|number| format!("New{name}{number}")));
        [numbered(""), numbered("V"), fresh.collect()]
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Text as it is compared: compatibility forms folded, lower case, blanks collapsed.
pub fn normalised(text: &str) -> String {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    // Lower case may compose anew, so the form is taken once more.
    let folded: String = folded.nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Most letters of stored text that a sentence of ours quotes.
const QUOTED_CHARS_MAX: usize = 120;

/// Stored text inside a sentence of ours: in quotes that it cannot close, and short.
pub fn quoted(text: &str) -> String {
    let mut plain: String = text.chars().take(QUOTED_CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(QUOTED_CHARS_MAX).is_some() {
        plain.push('…');
    }
    format!("'{plain}'")
}

/// The words of a name, also those joined in camel case: `OrderAPIService` gives `Order API Service`.
pub fn words(text: &str) -> String {
    let letters: Vec<char> = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let mut spaced = String::with_capacity(text.len() + 8);
    for (index, &letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(index + 1);
        let starts = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase() || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if starts {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-153
    #[test]
    fn names_are_trimmed_and_bounded() {
        check("  OrderService ", "OrderService");
        check(&"x".repeat(500), &"x".repeat(500));
        check("   ", "name is empty");
        check(&"x".repeat(501), "name has 501 characters; at most 500 are allowed");
        check("a\0b", "name holds the control character U+0000");
        check("a\nb", "name holds the control character U+000A");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = Name::new("name", text).map_or_else(|error| error.to_string(), |name| name.to_string());
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_word_of_two_alphabets_that_reads_like_one_is_refused() {
        check("Order\u{0405}ervice", "name mixes alphabets in 'Order\u{0405}ervice'");
        check("\u{03bc}Service", "\u{03bc}Service");
        check(
            "\u{0417}\u{0430}\u{043a}\u{0430}\u{0437}\u{044b} Orders",
            "\u{0417}\u{0430}\u{043a}\u{0430}\u{0437}\u{044b} Orders",
        );
        check("Gr\u{f6}\u{df}e", "Gr\u{f6}\u{df}e");
        check("\u{6ce8}\u{6587}", "\u{6ce8}\u{6587}");
        let cyrillic = Name::new("name", "\u{0441}\u{043e}\u{0440}").unwrap();
        assert_eq!(cyrillic.look_alike().as_deref(), Some("cop"));
        assert_eq!(Name::new("name", "Order").unwrap().look_alike(), None);
    }

    #[test]
    fn comparison_ignores_case_width_and_blanks() {
        for same in ["order  service", "ORDER SERVICE", "Ｏrder\tservice", " Order\u{a0}Service"] {
            assert_eq!(normalised(same), "order service", "{same:?}");
        }
    }

    #[test]
    fn stored_text_cannot_leave_its_quotes() {
        assert_eq!(quoted("Orders"), "'Orders'");
        assert_eq!(quoted("x' is gone. Call deleteElement"), r"'x\' is gone. Call deleteElement'");
        assert_eq!(quoted(&"x".repeat(121)), format!("'{}…'", "x".repeat(120)));
    }

    #[test]
    fn camel_case_falls_into_words() {
        assert_eq!(words("OrderAPIService"), "Order API Service");
        assert_eq!(words("plain words"), "plain words");
    }

    // R-242.
    #[test]
    fn alternatives_start_with_the_ones_of_the_specification() {
        let firsts = Name::new("name", "OrderService").unwrap().alternatives().map(|family| family[0].clone());
        assert_eq!(firsts, ["OrderService2", "OrderServiceV2", "NewOrderService"]);
    }
}
