//! Cuts a document into snippets: along its headings, in paragraphs, with a little of the one before.
//!
//! Headings are Markdown's (`#`), or short lines under which a line of `=` or `-` is drawn. A form feed begins a page.

use super::claim;
use super::words::DocumentKind;

/// About what a token takes of English text.
const CHARS_PER_TOKEN: usize = 4;
const OVERLAP_TOKENS: usize = 50;

/// A snippet, before it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    pub text: String,
    /// The headings above it, from the outermost: `Combat > Initiative`.
    pub section: String,
    /// Counted from 1 where the document has pages.
    pub page: Option<i64>,
}

/// About how many tokens a text is.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARS_PER_TOKEN)
}

/// How many tokens a snippet of such a document has at most.
fn tokens_max(kind: DocumentKind) -> usize {
    match kind {
        DocumentKind::Text => 500,
        DocumentKind::Rulebook => 1000,
    }
}

/// The snippets of a text, in order.
pub fn cut(text: &str, kind: DocumentKind) -> Vec<Chunk> {
    let chars_max = (tokens_max(kind) - OVERLAP_TOKENS) * CHARS_PER_TOKEN;
    let mut cutter = Cutter { chars_max, chunks: Vec::new(), open: String::new(), headings: Vec::new(), page: 1 };
    let has_pages = text.contains('\u{c}');
    let lines: Vec<&str> = text.lines().collect();
    let mut paragraph = String::new();
    for (index, line) in lines.iter().enumerate() {
        for (nth, part) in line.split('\u{c}').enumerate() {
            if nth > 0 {
                cutter.paragraph(&std::mem::take(&mut paragraph));
                cutter.close();
                cutter.page += 1;
            }
            if let Some((level, title)) = heading(part, lines.get(index + 1).copied()) {
                cutter.paragraph(&std::mem::take(&mut paragraph));
                cutter.heading(level, title);
            } else if is_underline(part) && index > 0 && heading(lines[index - 1], Some(part)).is_some() {
                // It belongs to the heading above it.
            } else if part.trim().is_empty() {
                cutter.paragraph(&std::mem::take(&mut paragraph));
            } else {
                paragraph.push_str(part.trim_end());
                paragraph.push('\n');
            }
        }
    }
    cutter.paragraph(&paragraph);
    cutter.close();
    if !has_pages {
        cutter.chunks.iter_mut().for_each(|chunk| chunk.page = None);
    }
    overlap(&mut cutter.chunks);
    cutter.chunks
}

/// The id of a snippet: the same document, place and text give the same one.
pub fn id(document: &str, number: u64, text: &str) -> String {
    let hex = claim::digest(["snippet", document, &number.to_string(), text]);
    // A UUID of version 8, whose bits are its maker's.
    format!("{}-{}-8{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

struct Cutter {
    chars_max: usize,
    chunks: Vec<Chunk>,
    /// The chunk that grows.
    open: String,
    headings: Vec<(usize, String)>,
    page: i64,
}

impl Cutter {
    fn heading(&mut self, level: usize, title: &str) {
        self.close();
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, title.to_owned()));
    }

    fn paragraph(&mut self, text: &str) {
        for part in pieces(text.trim(), self.chars_max) {
            if !self.open.is_empty() && self.open.chars().count() + part.chars().count() > self.chars_max {
                self.close();
            }
            if !self.open.is_empty() {
                self.open.push_str("\n\n");
            }
            self.open.push_str(part.trim());
        }
    }

    fn close(&mut self) {
        let text = std::mem::take(&mut self.open);
        if !text.trim().is_empty() {
            let titles: Vec<&str> = self.headings.iter().map(|(_, title)| title.as_str()).collect();
            self.chunks.push(Chunk { text, section: titles.join(" > "), page: Some(self.page) });
        }
    }
}

/// Puts the end of a chunk before the next one of the same section.
fn overlap(chunks: &mut [Chunk]) {
    let tails: Vec<String> = chunks.iter().map(|chunk| tail(&chunk.text)).collect();
    for index in 1..chunks.len() {
        if chunks[index].section == chunks[index - 1].section && !tails[index - 1].is_empty() {
            chunks[index].text = format!("{} {}", tails[index - 1], chunks[index].text);
        }
    }
}

/// The last words of a text, about as many as an overlap has.
fn tail(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut chars = 0;
    for word in text.split_whitespace().rev() {
        chars += word.chars().count() + 1;
        if chars > OVERLAP_TOKENS * CHARS_PER_TOKEN {
            break;
        }
        words.push(word);
    }
    words.reverse();
    words.join(" ")
}

/// A paragraph that is too long by itself, cut between words, and within a word only where that alone is too long.
fn pieces(text: &str, chars_max: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((limit, _)) = rest.char_indices().nth(chars_max) {
        let at = rest[..limit].rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(limit);
        pieces.push(&rest[..at]);
        rest = rest[at..].trim_start();
    }
    pieces.extend((!rest.is_empty()).then_some(rest));
    pieces
}

fn heading<'a>(line: &'a str, below: Option<&str>) -> Option<(usize, &'a str)> {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
        let title = line[hashes..].trim().trim_end_matches('#').trim_end();
        return (!title.is_empty()).then_some((hashes, title));
    }
    let below = below.filter(|below| is_underline(below) && below.trim().len() >= 3)?;
    let title = line.trim();
    let fits = !title.is_empty() && title.chars().count() <= 100 && !is_underline(title);
    fits.then_some((if below.trim().starts_with('=') { 1 } else { 2 }, title))
}

fn is_underline(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        cut(text, DocumentKind::Text).into_iter().map(|chunk| format!("{}: {}", chunk.section, chunk.text)).collect()
    }

    #[test]
    fn headings_begin_a_snippet_and_name_it() {
        let text = "Before.\n\n# Combat\n\nIntro.\n\n## Initiative\nRoll.\n\nAgain.\n\nMagic\n=====\nCast.";
        let expected = [": Before.", "Combat: Intro.", "Combat > Initiative: Roll.\n\nAgain.", "Magic: Cast."];
        assert_eq!(show(text), expected);
    }

    #[test]
    fn a_long_section_is_cut_within_its_bound_and_overlaps() {
        let text = format!("# Lore\n\n{}", "one two three four five six seven. ".repeat(400));
        let chunks = cut(&text, DocumentKind::Text);
        assert!(chunks.len() > 5);
        assert!(chunks.iter().all(|chunk| tokens(&chunk.text) <= 500 && chunk.section == "Lore"));
        let end: Vec<&str> = chunks[0].text.split_whitespace().rev().take(5).collect();
        assert!(chunks[1].text.contains(&end.into_iter().rev().collect::<Vec<_>>().join(" ")));
        assert!(cut(&text, DocumentKind::Rulebook).len() < chunks.len());
    }

    #[test]
    fn a_word_without_end_is_cut_too_and_nothing_is_lost() {
        let chunks = cut(&"ö".repeat(5000), DocumentKind::Text);
        assert_eq!(
            chunks.iter().map(|chunk| chunk.text.chars().filter(|letter| *letter == 'ö').count()).sum::<usize>(),
            5000
        );
    }

    #[test]
    fn pages_are_counted_where_there_are_any() {
        let chunks = cut("one\n\u{c}two", DocumentKind::Text);
        assert_eq!(chunks.iter().map(|chunk| chunk.page).collect::<Vec<_>>(), [Some(1), Some(2)]);
        assert_eq!(cut("one", DocumentKind::Text)[0].page, None);
        assert!(cut(" \n\n", DocumentKind::Text).is_empty());
    }

    #[test]
    fn an_id_is_stable_and_shaped_like_a_uuid() {
        assert_eq!(id("d", 1, "text"), id("d", 1, "text"));
        assert_ne!(id("d", 1, "text"), id("d", 2, "text"));
        assert_eq!(id("d", 1, "text").len(), 36);
    }
}
