//! Patterns over whole names.

/// True when the pattern covers the whole text: `*` stands for any text and `?` for one character. Goes back to the last `*`
/// only, so it takes at most length times length steps.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[t] => {
                p += 1;
                t += 1;
            }
            // The last star takes one character more.
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    t = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_whole_names() {
        for (pattern, text, expected) in [
            ("transformation.submit*", "transformation.submitScrumIntent", true),
            ("transformation.submit*", "transformation.submit", true),
            ("transformation.submit*", "x.transformation.submit", false),
            ("*.list*s", "transformation.listElements", true),
            ("*.list*s", "transformation.listElement", false),
            ("transformation.get?iew", "transformation.getView", true),
            ("transformation.get?iew", "transformation.getiew", false),
            ("*", "", true),
            ("?", "", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
