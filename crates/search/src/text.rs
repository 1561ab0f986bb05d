//! Texts as people see them: paragraphs with their lines, and the line that answers.

use std::ops::Range;

use crate::words::{self, Language};

/// A paragraph that has so many words is long enough to stand alone.
const WORDS_ENOUGH: usize = 40;
/// And one that has so many is cut.
const WORDS_MAX: usize = 320;
/// Of a longer question or text, only the beginning is looked at.
const RUNS_MAX: usize = 20_000;

/// Some lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    pub text: String,
    /// The first of its lines, counted from 1.
    pub line: usize,
    pub last_line: usize,
}

/// A text in paragraphs: short ones together, long ones in parts.
pub fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut open, mut words): (Option<Paragraph>, usize) = (None, 0);
    for (number, line) in (1..).zip(text.lines()) {
        let count = line.split_whitespace().count();
        let is_end = (count == 0 && words >= WORDS_ENOUGH) || words + count > WORDS_MAX;
        if is_end {
            paragraphs.extend(open.take());
            words = 0;
        }
        for part in parts(line) {
            words += part.split_whitespace().count();
            match &mut open {
                Some(paragraph) if words <= WORDS_MAX => {
                    // Empty lines stay, so that lines can be counted.
                    let breaks = number - paragraph.last_line;
                    paragraph.text.push_str(&if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) });
                    paragraph.text.push_str(part);
                    paragraph.last_line = number;
                }
                _ => {
                    paragraphs.extend(open.take());
                    words = part.split_whitespace().count();
                    open = Some(Paragraph { text: part.to_owned(), line: number, last_line: number });
                }
            }
        }
    }
    paragraphs.extend(open);
    paragraphs
}

/// A line in parts that are not too long; none if there is no word in it.
fn parts(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut count) = (0, 0);
    for word in line.split_whitespace() {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        if count == WORDS_MAX {
            parts.push(line[start..at].trim());
            (start, count) = (at, 0);
        }
        count += 1;
    }
    if count > 0 {
        parts.push(line[start..].trim());
    }
    parts
}

/// The line of a text that answers a question best, cut to what can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// Which line it is, from 0.
    pub line: usize,
    /// Where words of the question stand in it.
    pub marks: Vec<Range<usize>>,
}

/// The line with most words of the question, the first of equals, in about `chars_max` characters around them.
pub fn snippet(text: &str, question: &str, chars_max: usize) -> Snippet {
    let asked = Asked::new(question);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rated = lines.map(|(number, line)| (asked.distinct(line), number, line));
    let best = rated.reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((_, line, found)) = best else { return Snippet { text: String::new(), line: 0, marks: Vec::new() } };
    let first = asked.marks(found).first().map_or(0, |mark| mark.start);
    let text = around(found, first, chars_max);
    Snippet { marks: asked.marks(&text), text, line }
}

/// The words of a question as they may stand in a text.
struct Asked(Vec<String>);

impl Asked {
    fn new(question: &str) -> Self {
        let runs = words::runs(question, RUNS_MAX);
        let all = || runs.iter().map(|run| run.text.as_str());
        let language = Language::of(all(), &Language::ALL, 1).unwrap_or_default();
        let mut wanted: Vec<String> = all().filter(|word| !language.is_stop_word(word)).map(stem).collect();
        if wanted.is_empty() {
            wanted = all().map(stem).collect();
        }
        Self(wanted)
    }

    fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let runs = words::runs(text, RUNS_MAX);
        runs.into_iter().filter(|run| self.0.contains(&stem(&run.text))).map(|run| run.range).collect()
    }

    fn distinct(&self, text: &str) -> usize {
        let held: Vec<String> = words::runs(text, RUNS_MAX).iter().map(|run| stem(&run.text)).collect();
        self.0.iter().filter(|word| held.contains(word)).count()
    }
}

fn stem(word: &str) -> String {
    Language::English.stem(word)
}

/// So many characters of a line, with those at `at` among the first.
fn around(line: &str, at: usize, chars_max: usize) -> String {
    let line = line.trim_end();
    let before = line[..at].chars().count();
    let skipped = if line.chars().count() <= chars_max { 0 } else { before.saturating_sub(chars_max / 3) };
    let mut shown: String = line.chars().skip(skipped).take(chars_max).collect();
    if skipped > 0 {
        shown.insert(0, '…');
    }
    if line.chars().count() > skipped + chars_max {
        shown.push('…');
    }
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_paragraphs_stay_together_and_long_ones_are_cut() {
        let text = format!("Title\n\nOne line.\n\n{}\n\n{}\nend", "word ".repeat(60), "many ".repeat(800));
        let shown: Vec<String> = paragraphs(&text)
            .iter()
            .map(|part| format!("{}-{} {}", part.line, part.last_line, part.text.split_whitespace().count()))
            .collect();
        assert_eq!(shown, ["1-5 63", "7-7 320", "7-7 320", "7-8 161"]);
        assert_eq!(paragraphs(" \n\n"), []);
    }

    #[test]
    fn the_line_with_most_words_is_shown_and_marked() {
        let text = "The roof leaks.\nCall the plumber about the leaking pipes.\nPay the painter.";
        let found = snippet(text, "which plumber fixes pipes?", 200);
        assert_eq!((found.line, found.text.as_str()), (1, "Call the plumber about the leaking pipes."));
        let marked: Vec<&str> = found.marks.iter().map(|mark| &found.text[mark.clone()]).collect();
        assert_eq!(marked, ["plumber", "pipes"]);
        assert_eq!(snippet("", "x", 9), Snippet { text: String::new(), line: 0, marks: Vec::new() });
        let long = format!("{} plumber {}", "a".repeat(300), "b".repeat(300));
        let cut = snippet(&long, "plumber", 60).text;
        assert!(
            cut.starts_with('…') && cut.ends_with('…') && cut.contains("plumber") && cut.chars().count() <= 62,
            "{cut}"
        );
    }
}
