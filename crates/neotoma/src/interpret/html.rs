//! HTML: what a page shows, as lines. Blocks end lines, the cells of tables are divided by tabs.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states,
};

use super::Failure;
use super::effort::Effort;

/// What is no text of the page.
const HIDDEN: [&str; 6] = ["script", "style", "title", "head", "nav", "template"];
const BLOCKS: [&str; 24] = [
    "p",
    "div",
    "br",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "dl",
    "dt",
    "section",
    "article",
    "header",
    "footer",
    "address",
    "blockquote",
    "hr",
    "body",
];

/// The text of a page.
pub fn text(html: &str, effort: &Effort) -> Result<String, Failure> {
    effort.spend(html.len().saturating_mul(4))?;
    let tokenizer = Tokenizer::new(Page::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    Ok(tokenizer.sink.shown.into_inner().finish())
}

#[derive(Default)]
struct Page {
    shown: RefCell<Shown>,
}

#[derive(Default)]
struct Shown {
    text: String,
    line: String,
    hidden: usize,
    /// A gap is due before the next words.
    gap: bool,
}

impl TokenSink for Page {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut shown = self.shown.borrow_mut();
        match token {
            Token::CharacterTokens(words) => shown.write(&words),
            Token::TagToken(tag) => return shown.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Shown {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        let opens = tag.kind == TagKind::StartTag;
        if HIDDEN.contains(&name) && !tag.self_closing {
            self.hidden = if opens { self.hidden + 1 } else { self.hidden.saturating_sub(1) };
            return match name {
                "script" | "style" if opens => TokenSinkResult::RawData(states::RawKind::Rawtext),
                "title" if opens => TokenSinkResult::RawData(states::RawKind::Rcdata),
                _ => TokenSinkResult::Continue,
            };
        }
        match name {
            "body" => self.hidden = 0,
            "td" | "th" | "dd" if opens => {
                if !self.line.trim().is_empty() {
                    self.line.push('\t');
                }
                self.gap = false;
            }
            _ => {}
        }
        if BLOCKS.contains(&name) {
            self.end_line();
            if opens && matches!(name, "h1" | "h2" | "h3" | "h4" | "p" | "table") && !self.text.ends_with("\n\n") {
                self.text.push('\n');
            }
        }
        TokenSinkResult::Continue
    }

    fn write(&mut self, words: &str) {
        if self.hidden > 0 {
            return;
        }
        for c in words.chars() {
            if c.is_whitespace() && c != '\u{a0}' {
                self.gap = true;
                continue;
            }
            if std::mem::take(&mut self.gap) && !self.line.is_empty() && !self.line.ends_with('\t') {
                self.line.push(' ');
            }
            self.line.push(c);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.gap = false;
        if !line.trim().is_empty() {
            self.text.push_str(line.trim());
            self.text.push('\n');
        }
    }

    fn finish(mut self) -> String {
        self.end_line();
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn blocks_end_lines_and_cells_have_tabs() {
        check("<p>a <b>b</b>\n c<br>d</p>", "a b c\nd\n");
        check("<table><tr><td>a</td><td>b &amp; c</td></tr><tr><td>d</td></tr></table>", "a\tb & c\nd\n");
    }

    #[test]
    fn scripts_styles_and_titles_are_not_shown() {
        check(
            "<html><head><title>t</title><style>p{}</style></head><body>x<script>var a='<p>y';</script></body>",
            "x\n",
        );
    }

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(text(html, &ample()).unwrap().trim_start(), expected);
    }
}
