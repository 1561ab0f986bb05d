//! Languages whose endings and stop words are known.

use frostem::{Algorithm, Stemmer};

use super::stop;

/// In which language a passage is written, as far as it matters for endings and stop words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Language {
    /// Also what is taken when nothing speaks for another one.
    #[default]
    English,
    German,
    French,
    Spanish,
    Dutch,
}

impl Language {
    pub const ALL: [Self; 5] = [Self::English, Self::German, Self::French, Self::Spanish, Self::Dutch];

    /// The one of these languages that has most of its stop words here, if that is at least `evidence_min` words.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>, among: &[Self], evidence_min: usize) -> Option<Self> {
        let mut counts = [0_usize; Self::ALL.len()];
        for word in words {
            let mask = stop::languages(word);
            for (index, count) in counts.iter_mut().enumerate() {
                *count += usize::from(mask >> index & 1 == 1);
            }
        }
        let count = |language: &Self| counts[usize::from(language.number())];
        // The first of equals, so English where nothing decides.
        let best = among.iter().rev().max_by_key(|language| count(language))?;
        (count(best) >= evidence_min).then_some(*best)
    }

    /// Whether the word tells nothing about what a text of this language is about.
    pub fn is_stop_word(self, word: &str) -> bool {
        stop::languages(word) >> (self as u8) & 1 == 1
    }

    /// The word without its ending. One that is short, or not of Latin letters, stays as it is.
    pub fn stem(self, word: &str) -> String {
        let letters_only = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !letters_only || word.len() < 3 {
            return word.to_owned();
        }
        Stemmer::new(self.algorithm()).stem(word).into_owned()
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Dutch => Algorithm::Dutch,
        }
    }

    pub fn number(self) -> u8 {
        self as u8
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_by_its_small_words() {
        check("the order is not in the system", Some(Language::English));
        check("die Bestellung ist nicht im System und das ist gut", Some(Language::German));
        check("la commande n'est pas dans le système", Some(Language::French));
        check("el pedido no esta en el sistema", Some(Language::Spanish));
        check("de bestelling is niet in het systeem en dat is goed", Some(Language::Dutch));
        check("OrderService", None);
        check("", None);
    }

    /// Rows hold stems: when one of these changes, so must the version of the rows.
    #[test]
    fn stems_are_those_that_rows_were_written_with() {
        let stem = |language: Language, word: &str| language.stem(word);
        assert_eq!(stem(Language::English, "organizations"), "organiz");
        assert_eq!(stem(Language::English, "running"), "run");
        assert_eq!(stem(Language::German, "bestellungen"), "bestell");
        assert_eq!(stem(Language::German, "hauser"), "haus");
        assert_eq!(stem(Language::French, "deploiements"), "deploi");
        assert_eq!(stem(Language::Spanish, "informaciones"), stem(Language::Spanish, "informacion"));
        assert_eq!(stem(Language::Dutch, "bestellingen"), "bestel");
        assert_eq!(stem(Language::English, "привет"), "привет");
        assert_eq!(stem(Language::English, "is"), "is");
    }

    #[track_caller]
    fn check(text: &str, expected: Option<Language>) {
        let words = super::super::split(text, 100);
        let words = words.iter().map(|word| word.text.as_str());
        assert_eq!(Language::of(words, &Language::ALL, 2), expected, "{text}");
    }
}
