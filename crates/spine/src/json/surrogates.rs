//! Escapes that are half of a character.

/// The text with a NUL for each of them; of the same length, and the same otherwise.
pub fn without_halves(bytes: &[u8]) -> Vec<u8> {
    let mut text = bytes.to_vec();
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' {
            at += 1;
            continue;
        }
        let is_high = |unit: u16| (0xd800..0xdc00).contains(&unit);
        let is_low = |unit: u16| (0xdc00..0xe000).contains(&unit);
        at += match (unit(&text, at), unit(&text, at + 6)) {
            (Some(high), Some(low)) if is_high(high) && is_low(low) => 12,
            (Some(half), _) if is_high(half) || is_low(half) => {
                text[at + 2..at + 6].fill(b'0');
                6
            }
            // The character after a backslash is no escape of its own.
            _ => 2,
        };
    }
    text
}

/// The number in an escape such as `\u00e9`.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
