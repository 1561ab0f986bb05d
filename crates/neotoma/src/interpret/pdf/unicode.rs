//! What the codes of a font mean: its `ToUnicode` map, read leniently, because writers lay it out in many ways.

use std::collections::HashMap;

/// Entries beyond this are not read; no script needs more.
const ENTRIES_MAX: usize = 1 << 17;

/// The text of each code of one font.
#[derive(Debug, Default)]
pub struct Map {
    texts: HashMap<(usize, u32), String>,
}

impl Map {
    /// Reads the unpacked bytes of a map. What is malformed is passed over.
    pub fn read(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut section = Section::None;
        let mut pending: Vec<Token<'_>> = Vec::new();
        let mut list: Option<Vec<Vec<u8>>> = None;
        for token in (Tokens { rest: bytes }) {
            match (token, &mut list) {
                (Token::Word(word), _) => {
                    section = match word {
                        b"beginbfchar" => Section::Characters,
                        b"beginbfrange" => Section::Ranges,
                        _ => Section::None,
                    };
                    pending.clear();
                }
                (Token::Open, _) => list = Some(Vec::new()),
                (Token::Close, taken) => {
                    if let (Some(texts), [Token::Hex(first), Token::Hex(_)]) = (taken.take(), &pending[..]) {
                        map.list(first, &texts);
                    }
                    pending.clear();
                }
                (Token::Hex(hex), Some(texts)) => texts.push(hex),
                (hex @ Token::Hex(_), None) => pending.push(hex),
            }
            match (section, &pending[..]) {
                (Section::Characters, [Token::Hex(code), Token::Hex(text)]) => {
                    map.list(code, std::slice::from_ref(text));
                    pending.clear();
                }
                (Section::Ranges, [Token::Hex(first), Token::Hex(last), Token::Hex(text)]) => {
                    map.range(first, last, text);
                    pending.clear();
                }
                _ => {}
            }
        }
        map
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The text of a string of codes. Codes without a text say nothing.
    pub fn text(&self, mut bytes: &[u8], two_bytes: bool) -> String {
        let mut text = String::new();
        while !bytes.is_empty() {
            let lengths = if two_bytes { [2, 1] } else { [1, 2] };
            let known = lengths
                .into_iter()
                .filter(|length| *length <= bytes.len())
                .find_map(|length| Some((length, self.texts.get(&(length, code(&bytes[..length])))?)));
            let usual = if two_bytes { 2 } else { 1 };
            let used = known.map_or(usual, |(length, _)| length).min(bytes.len());
            text.extend(known.map(|(_, known)| known.as_str()));
            bytes = &bytes[used..];
        }
        text
    }

    fn list(&mut self, first: &[u8], texts: &[Vec<u8>]) {
        for (next, text) in (code(first)..).zip(texts) {
            self.insert(first.len(), next, utf16(text));
        }
    }

    fn range(&mut self, first: &[u8], last: &[u8], text: &[u8]) {
        let Some((start, head)) = text.split_last() else { return };
        // A range runs through the last byte of its text.
        for (next, step) in (code(first)..=code(last)).zip(0..=u8::MAX) {
            let Some(end) = start.checked_add(step) else { break };
            self.insert(first.len(), next, utf16(&[head, &[end]].concat()));
        }
    }

    fn insert(&mut self, length: usize, code: u32, text: String) {
        if self.texts.len() < ENTRIES_MAX {
            self.texts.insert((length, code), text);
        }
    }
}

#[derive(Clone, Copy)]
enum Section {
    None,
    Characters,
    Ranges,
}

enum Token<'a> {
    Word(&'a [u8]),
    Hex(Vec<u8>),
    Open,
    Close,
}

struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (first, after) = self.rest.split_first()?;
            match first {
                b'[' | b']' => {
                    self.rest = after;
                    return Some(if *first == b'[' { Token::Open } else { Token::Close });
                }
                b'<' if after.first() != Some(&b'<') => {
                    let end = after.iter().position(|byte| *byte == b'>')?;
                    self.rest = &after[end + 1..];
                    return Some(Token::Hex(hex(&after[..end])));
                }
                byte if byte.is_ascii_alphabetic() => {
                    let end =
                        self.rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    return Some(Token::Word(word));
                }
                // Names, numbers, marks of dictionaries and space.
                b'/' => {
                    let end = after.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(after.len());
                    self.rest = &after[end..];
                }
                _ => self.rest = after,
            }
        }
    }
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = digits.iter().filter_map(|digit| super::names::hex(*digit)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

fn code(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte))
}

fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> =
        bytes.chunks(2).map(|pair| pair.iter().fold(0, |unit, byte| unit << 8 | u16::from(*byte))).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_ranges_and_lists_are_read() {
        let map = "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <0001> <0041>\n<0002> <00660069> \
                   endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0058> <0059>] endbfrange";
        check(map, &[0, 1, 0, 2, 0, 0x10, 0, 0x12, 0, 0x21], true, "AfiacY");
        check("beginbfchar <41> <00DF> endbfchar", b"AB", false, "ß");
    }

    #[test]
    fn malformed_maps_say_what_they_can() {
        check("beginbfchar <0001 <0041>", &[0, 1], true, "");
        check("beginbfrange <00000000> <ffffffff> <0000> endbfrange", &[0, 1], true, "");
        check("[[[ ]]] <", &[1], false, "");
    }

    #[track_caller]
    fn check(map: &str, bytes: &[u8], two_bytes: bool, expected: &str) {
        assert_eq!(Map::read(map.as_bytes()).text(bytes, two_bytes), expected);
    }
}
