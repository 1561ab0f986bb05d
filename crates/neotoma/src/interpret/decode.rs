//! Bytes to text: UTF-8 and UTF-16 by their marks, otherwise UTF-8, otherwise the Western code page.

use std::borrow::Cow;

/// The text of `bytes`. Every sequence of bytes has one.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Some(rest) = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        return String::from_utf8_lossy(rest);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe]) {
        return utf16(rest, u16::from_le_bytes).into();
    }
    if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        return utf16(rest, u16::from_be_bytes).into();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|byte| western(*byte)).collect::<String>().into(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// The characters of Windows-1252 from 0x80 to 0x9f; the others are those of Unicode.
const WESTERN: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn western(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WESTERN[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        assert_eq!(text("Müller €".as_bytes()), "Müller €");
        assert_eq!(text(b"\xef\xbb\xbfM\xc3\xbcller"), "Müller");
        assert_eq!(text(b"\xff\xfeM\x00\xfc\x00"), "Mü");
        assert_eq!(text(b"\xfe\xff\x00M\x00\xfc"), "Mü");
        assert_eq!(text(b"M\xfcller \x80"), "Müller €");
    }
}
