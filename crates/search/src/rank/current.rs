//! Whether a question asks for what holds now.

use crate::words::Word;

/// Words that ask for the present state, in the languages that are known.
const WORDS: &str = "
current currently now latest newest still today nowadays presently
aktuell aktuelle aktuellen aktueller aktuelles derzeit derzeitige derzeitigen jetzt heute momentan neueste neuesten gegenwartig
actuel actuelle actuels actuelles actuellement maintenant aujourd
actualmente ahora hoy vigente vigentes
huidig huidige momenteel nu vandaag nieuwste
";

/// Pairs of words that do.
const PAIRS: [[&str; 2]; 6] =
    [["as", "of"], ["most", "recent"], ["the", "moment"], ["at", "present"], ["nog", "steeds"], ["valor", "actual"]];

pub fn is_meant(text: &[Word]) -> bool {
    let is_word = |word: &Word| WORDS.split_ascii_whitespace().any(|known| known == word.text);
    let is_pair = |pair: &[Word]| PAIRS.iter().any(|known| known[0] == pair[0].text && known[1] == pair[1].text);
    text.iter().any(is_word) || text.windows(2).any(is_pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::split;

    #[test]
    fn the_present_is_asked_for_in_several_languages() {
        for text in [
            "What is the current budget?",
            "As of March, who leads?",
            "Wie hoch ist das aktuelle Budget?",
            "Qui est le directeur actuel ?",
            "¿Quién dirige ahora?",
            "Wat is het huidige budget?",
        ] {
            assert!(is_meant(&split(text, 100)), "{text}");
        }
        for text in ["When did they move?", "What is the actual cost?", "as if of glass", ""] {
            assert!(!is_meant(&split(text, 100)), "{text}");
        }
    }
}
