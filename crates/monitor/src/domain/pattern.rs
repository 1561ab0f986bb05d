//! Patterns of names: `*` stands for any letters, `?` for one; without either, a name matches that holds the text. Case does not matter.

/// A pattern, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    letters: Vec<char>,
    is_wild: bool,
}

impl Pattern {
    pub fn of(text: &str) -> Self {
        let letters: Vec<char> = text.trim().to_lowercase().chars().collect();
        Self { is_wild: letters.iter().any(|letter| matches!(letter, '*' | '?')), letters }
    }

    pub fn matches(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        if !self.is_wild {
            return name.contains(&self.letters.iter().collect::<String>());
        }
        fits(&self.letters, &name.chars().collect::<Vec<_>>())
    }

    /// What all matching names begin with, if that alone makes them match.
    pub fn prefix(&self) -> Option<String> {
        let (last, rest) = self.letters.split_last()?;
        let plain = *last == '*' && !rest.is_empty() && !rest.iter().any(|letter| matches!(letter, '*' | '?'));
        plain.then(|| rest.iter().collect())
    }
}

/// Goes back to the last star when letters do not fit, so that it takes no longer than both lengths multiplied.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[place] => {
                at += 1;
                place += 1;
            }
            _ => match star {
                Some((from, seen)) => {
                    star = Some((from, seen + 1));
                    at = from + 1;
                    place = seen + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn a_pattern_is_wild_or_a_part_of_the_name() {
        for (pattern, name, expected) in [
            ("gandalf", "Gandalf the Grey", true),
            ("THE", "Gandalf the Grey", true),
            ("gan*", "Gandalf", true),
            ("*grey", "Gandalf the Grey", true),
            ("g?ndalf*", "Gandalf the Grey", true),
            ("gan*f", "Gandalf the Grey", false),
            ("*", "", true),
            ("?", "", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("[a-z]+", "abc", false),
            ("", "anything", true),
        ] {
            assert_eq!(Pattern::of(pattern).matches(name), expected, "{pattern} {name}");
        }
        // No pattern takes for ever.
        assert!(!Pattern::of(&"*a".repeat(100)).matches(&"b".repeat(200)));
    }

    #[test]
    fn a_beginning_is_known_as_one() {
        assert_eq!(Pattern::of("Gan*").prefix().as_deref(), Some("gan"));
        for other in ["gan", "*", "g*n*", "g?n*", "*gan"] {
            assert_eq!(Pattern::of(other).prefix(), None, "{other}");
        }
    }
}
