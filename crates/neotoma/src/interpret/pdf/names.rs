//! Names in the raw bytes of a PDF.

/// How often the name `/wanted` stands in `bytes`, however its characters are escaped.
pub fn count(bytes: &[u8], wanted: &[u8]) -> usize {
    let slashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
    slashes.filter(|at| starts_with(&bytes[*at..], wanted)).count()
}

fn starts_with(mut bytes: &[u8], wanted: &[u8]) -> bool {
    wanted.iter().all(|byte| {
        let (found, length) = match bytes {
            [b'#', high, low, ..] => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, 3),
                _ => (b'#', 1),
            },
            [first, ..] => (*first, 1),
            [] => return false,
        };
        bytes = &bytes[length..];
        found == *byte
    })
}

/// The value of a hexadecimal digit.
pub fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| value.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_names_count_too() {
        assert_eq!(count(b"/Type /ObjStm /Obj#53tm /Obj /ObjSt", b"ObjStm"), 2);
        assert_eq!(count(b"", b"ObjStm"), 0);
    }
}
