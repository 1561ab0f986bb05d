//! Which words are close to each other. Words longer than any of ours are close to none, so that comparing is cheap
//! whatever a caller sends.

/// How many near misses a refusal names.
const NEAREST_MAX: usize = 3;
/// The closeness of words that differ in case and separators only.
const SAME: u32 = 100;
/// Longest word that is compared.
const WORD_BYTES_MAX: usize = 100;

/// The closest candidates, best first; none when nothing is close.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let Some(given) = Word::new(word) else { return Vec::new() };
    let scored =
        candidates.into_iter().filter_map(|candidate| Some((given.closeness(&Word::new(candidate)?)?, candidate)));
    let mut scored: Vec<(u32, &str)> = scored.collect();
    scored.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(right.1)));
    // Where one is the same but for its spelling, the others only distract.
    let least = if scored.first().is_some_and(|(score, _)| *score == SAME) { SAME } else { 0 };
    scored.retain(|(score, _)| *score >= least);
    scored.into_iter().take(NEAREST_MAX).map(|(_, candidate)| candidate.to_owned()).collect()
}

/// The one candidate that is at most `most` slips of the keyboard away; none when the word is short or two are equally near.
pub fn slip<'a>(word: &str, candidates: &[&'a str], most: usize) -> Option<&'a str> {
    let given = Word::new(word).filter(|given| given.folded.len() >= 3)?;
    let distance = |candidate: &str| {
        let candidate = folded(candidate);
        // Half of a short word is another word: only letters that changed places are a slip there.
        let differs = given.folded.len() == 3 && letters(&given.folded) != letters(&candidate);
        if differs { usize::MAX } else { strsim::osa_distance(&given.folded, &candidate) }
    };
    let distances: Vec<usize> = candidates.iter().map(|candidate| distance(candidate)).collect();
    let least = distances.iter().copied().min().filter(|least| *least <= most)?;
    single(
        candidates.iter().zip(&distances).filter(|(_, distance)| **distance == least).map(|(candidate, _)| *candidate),
    )
}

fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

pub fn single<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// Letters and digits in lower case.
pub fn folded(word: &str) -> String {
    word.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `applicationComponent` and `APPLICATION_COMPONENT` as the words `application` and `component`.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for letter in text.chars() {
        let begins =
            letter.is_alphanumeric() && (!last.is_alphanumeric() || (letter.is_uppercase() && last.is_lowercase()));
        if begins {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            let word = words.last_mut().expect("the first letter begins a word");
            word.extend(letter.to_lowercase());
        }
        last = letter;
    }
    words
}

struct Word {
    folded: String,
    words: Vec<String>,
}

impl Word {
    fn new(text: &str) -> Option<Self> {
        (text.len() <= WORD_BYTES_MAX).then(|| Self { folded: folded(text), words: words(text) })
    }

    /// How close another word is, up to [`SAME`]; nothing when it is not.
    fn closeness(&self, other: &Self) -> Option<u32> {
        let (left, right) = (self.folded.as_str(), other.folded.as_str());
        let shorter = left.len().min(right.len());
        if left == right && shorter > 0 {
            return Some(SAME);
        }
        let slips = u32::try_from(strsim::osa_distance(left, right)).unwrap_or(u32::MAX);
        let most = match shorter {
            0..=2 => 0,
            3..=5 => 1,
            6..=9 => 2,
            _ => 3,
        };
        if slips <= most {
            return Some(90 - slips);
        }
        if shorter >= 4 && (is_abbreviation(&self.words, &other.words) || is_abbreviation(&other.words, &self.words)) {
            return Some(70);
        }
        (shorter >= 5 && strsim::jaro_winkler(left, right) >= 0.88).then_some(60)
    }
}

/// True when each word begins one of the others, in their order: `AppComponent` for `ApplicationComponent`.
fn is_abbreviation(short: &[String], long: &[String]) -> bool {
    let mut rest = long.iter();
    !short.is_empty() && short.iter().all(|start| rest.any(|word| word.starts_with(start.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, candidates: &[&str], expected: &[&str]) {
        assert_eq!(nearest(word, candidates.iter().copied()), expected, "{word}");
    }

    #[test]
    fn slips_abbreviations_and_other_separators_are_close() {
        let types = ["ApplicationComponent", "ApplicationService", "BusinessProcess", "Node"];
        check("ApplicatoinComponent", &types, &["ApplicationComponent"]);
        check("AppComponent", &types, &["ApplicationComponent"]);
        check("Component", &types, &["ApplicationComponent"]);
        check("business_process", &types, &["BusinessProcess"]);
        check("elementId", &["element_id", "element_type", "model_id"], &["element_id"]);
    }

    // a fix that is none misleads.
    #[test]
    fn what_only_shares_letters_is_not_close() {
        check("like", &["eq", "ne", "lt", "lte", "gt", "gte", "contains", "exists"], &[]);
        check("qqqq", &["head", "published", "as_of"], &[]);
        check("never.commit", &["auto", "propose"], &[]);
        check("", &["a"], &[]);
    }

    #[test]
    fn a_slip_leads_to_one_word() {
        assert_eq!(slip("adn", &["and", "or"], 1), Some("and"));
        assert_eq!(slip("ant", &["and", "or"], 1), None);
        assert_eq!(slip("on", &["and", "or"], 1), None);
        assert_eq!(slip("Nodee", &["Node", "Nodes"], 1), None);
    }

    // The longest text a request may hold is compared with nothing.
    #[test]
    fn long_words_are_close_to_none() {
        let long = "a".repeat(4 * 1024 * 1024);
        check(&long, &["a", "aa"], &[]);
        assert_eq!(slip(&long, &["aaaa"], 2), None);
    }

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("listElements"), ["list", "elements"]);
        assert_eq!(words("LIST_ELEMENTS-2"), ["list", "elements", "2"]);
        assert_eq!(words("orderAPI"), ["order", "api"]);
        assert_eq!(words("…"), Vec::<String>::new());
    }
}
