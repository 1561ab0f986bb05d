//! What was probably meant by a word that does not exist.

/// At most this many guesses are given.
const GUESSES_MAX: usize = 5;
/// A word longer than this many bytes is like none: callers decide how long it is.
const WORD_BYTES_MAX: usize = 128;
/// Below this likeness a guess would be noise.
const LIKENESS_MIN: f64 = 0.72;

/// The words most like `word`, best first.
///
/// Initial likeness counts most, because people abbreviate from the front: `AppComponent` means `ApplicationComponent`.
pub fn nearest(word: &str, words: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    if word.len() > WORD_BYTES_MAX {
        return Vec::new();
    }
    let wanted = folded(word);
    let mut ranked: Vec<(f64, &'static str)> = words
        .into_iter()
        .map(|candidate| (likeness(&wanted, &folded(candidate)), candidate))
        .filter(|(score, _)| *score >= LIKENESS_MIN)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    ranked.into_iter().take(GUESSES_MAX).map(|(_, candidate)| candidate).collect()
}

/// The words that are meant by `listed`, then those most like `word`.
pub fn meant_or_nearest(
    listed: &[&'static str],
    word: &str,
    words: impl IntoIterator<Item = &'static str>,
) -> Vec<&'static str> {
    let mut guesses = listed.to_vec();
    guesses.extend(nearest(word, words).into_iter().filter(|guess| !listed.contains(guess)));
    guesses.truncate(GUESSES_MAX);
    guesses
}

/// A spelling without case, blanks, punctuation and namespace.
pub fn folded(text: &str) -> String {
    let local = text.rsplit(':').next().unwrap_or(text);
    local.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// 1 for equal words; a word whose letters all occur in order in the other is a likely abbreviation.
fn likeness(wanted: &str, candidate: &str) -> f64 {
    let score = strsim::jaro_winkler(wanted, candidate);
    if wanted.len() >= 4 && abbreviates(wanted, candidate) { (score + 1.0) / 2.0 } else { score }
}

fn abbreviates(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    short.chars().all(|letter| rest.any(|other| other == letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metamodel::{ElementType, RelationshipType};

    //
    #[test]
    fn the_nearest_type_comes_first() {
        check("AppComponent", "ApplicationComponent");
        check("AppService", "ApplicationService");
        check("Capabilty", "Capability");
        check("Busines Process", "BusinessProcess");
        check("SystemSofware", "SystemSoftware");
    }

    // The longest text that a request may hold is compared with nothing.
    #[test]
    fn a_long_word_is_like_none() {
        let long = "Capability".repeat(400_000);
        assert_eq!(nearest(&long, ElementType::all().map(ElementType::label)), Vec::<&str>::new());
    }

    #[test]
    fn nothing_is_near_nonsense() {
        assert_eq!(nearest("qqqq", ElementType::all().map(ElementType::label)), Vec::<&str>::new());
        assert_eq!(
            nearest("Realisation", RelationshipType::ALL.map(RelationshipType::label)).first(),
            Some(&"Realization")
        );
    }

    #[track_caller]
    fn check(word: &str, expected: &str) {
        assert_eq!(nearest(word, ElementType::all().map(ElementType::label)).first(), Some(&expected));
    }
}
