//! What a statement claims, so that its denial is recognised.
//!
//! Words are compared without case, punctuation, articles and endings of verbs; a word of denial turns the statement round. It is
//! a plain comparison of words: what is said in other words is not recognised, and nothing is guessed.

use ledger::FieldKey;
use sha2::{Digest as _, Sha256};

const DENIALS: &[&str] = &["not", "no", "never", "cannot", "neither", "nor", "without"];
const LEFT_OUT: &[&str] = &["the", "a", "an", "do", "does", "did", "ever", "longer", "any"];

/// A statement, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    words: Vec<String>,
    pub denied: bool,
}

impl Claim {
    pub fn of(statement: &str) -> Self {
        let lower =
            statement.to_lowercase().replace('\u{2019}', "'").replace("can't", "can not").replace("n't", " not");
        let mut denied = false;
        let mut words = Vec::new();
        for word in lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if DENIALS.contains(&word) {
                denied = !denied;
                words.extend((word == "cannot").then(|| "can".to_owned()));
            } else if !LEFT_OUT.contains(&word) {
                words.push(stem(word));
            }
        }
        Self { words, denied }
    }

    /// Whether one affirms what the other denies.
    pub fn denies(&self, other: &Self) -> bool {
        self.denied != other.denied && self.words == other.words
    }
}

/// The key that a statement about these entities shares with its denial.
pub fn key(statement: &str, entities: &[String]) -> FieldKey {
    let mut entities: Vec<&str> = entities.iter().map(String::as_str).collect();
    entities.sort_unstable();
    entities.dedup();
    let words = Claim::of(statement).words.join(" ");
    FieldKey::text(&digest(entities.into_iter().chain([words.as_str()])))
}

/// A short text that stands for these parts in their order.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `knows` and `know`, `carries` and `carry`, `reaches` and `reach` are one word.
fn stem(word: &str) -> String {
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() > 2) {
        return format!("{rest}y");
    }
    let sibilant = word.strip_suffix("es").filter(|rest| rest.ends_with(['s', 'x', 'z', 'h', 'o']));
    let plain = || word.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s'));
    sibilant.or_else(plain).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_is_recognised_by_its_words() {
        for (one, other, expected) in [
            ("Frodo carries the Ring.", "Frodo does not carry the ring", true),
            ("Frodo knows the way", "Frodo doesn't know the way", true),
            ("Gandalf is dead", "Gandalf is not dead!", true),
            ("Gandalf can pass", "Gandalf cannot pass", true),
            ("Gandalf is dead", "Gandalf is dead", false),
            ("Gandalf is not dead", "Gandalf is never dead", false),
            ("Gandalf is dead", "Saruman is not dead", false),
            ("The gate is open", "The gate is no longer open", true),
        ] {
            assert_eq!(Claim::of(one).denies(&Claim::of(other)), expected, "{one} / {other}");
        }
    }

    #[test]
    fn a_key_is_shared_with_the_denial_and_belongs_to_the_entities() {
        let ids = |list: &[&str]| list.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let key = |statement: &str, entities: &[&str]| key(statement, &ids(entities));
        assert_eq!(key("Gandalf is dead", &["g", "b"]), key("gandalf is NOT dead", &["b", "g", "g"]));
        assert_ne!(key("Gandalf is dead", &["g"]), key("Gandalf is dead", &["g", "b"]));
    }
}
