//! Which tools an agent may call: those that are exposed and allowed and not denied.

/// Patterns over whole tool names; `*` stands for any text and `?` for one character.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Empty allows nothing.
    pub allow: Vec<String>,
    /// Wins over what is allowed.
    pub deny: Vec<String>,
}

impl ToolFilter {
    pub fn permits(&self, tool: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
        any(&self.allow) && !any(&self.deny)
    }

    /// What is left of the exposed tools, in their order.
    pub fn effective<'a>(&self, exposed: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        exposed.into_iter().filter(|tool| self.permits(tool)).collect()
    }
}

/// True when the pattern covers the whole text. Goes back to the last `*` only, so it takes at most length times length steps.
fn matches(pattern: &str, text: &str) -> bool {
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

    #[test]
    fn the_effective_set_is_exposed_and_allowed_and_not_denied() {
        check(&["*"], &["t.submit*"], "t.list t.view");
        check(&["t.list", "t.gone"], &[], "t.list");
        check(&["*"], &["*"], "");
        check(&[], &[], "");
        check(&["t.submitA"], &["t.submit*"], "");
    }

    #[track_caller]
    fn check(allow: &[&str], deny: &[&str], expected: &str) {
        let own = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let filter = ToolFilter { allow: own(allow), deny: own(deny) };
        assert_eq!(filter.effective(["t.list", "t.view", "t.submitA"]).join(" "), expected);
    }
}
