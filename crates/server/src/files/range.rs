//! Which bytes of a file are asked for.

/// A part of a file, within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub start: u64,
    pub length: u64,
    pub is_partial: bool,
}

impl Part {
    #[expect(clippy::unnecessary_wraps, reason = "the counterpart of `asked`, which may have nothing to give")]
    pub fn whole(size: u64) -> Option<Self> {
        Some(Self { start: 0, length: size, is_partial: false })
    }

    /// What a `Range` header asks for; nothing when it lies beyond the end. One that we do not understand, or that asks for
    /// several parts, is passed over, as HTTP permits.
    pub fn asked(range: &str, size: u64) -> Option<Self> {
        let Some((first, last)) = single(range) else { return Self::whole(size) };
        let (start, end) = match (first, last) {
            (Some(first), Some(last)) if last < first => return Self::whole(size),
            (Some(first), Some(last)) => (first, last.saturating_add(1).min(size)),
            (Some(first), None) => (first, size),
            (None, Some(suffix)) => (size - suffix.min(size), size),
            (None, None) => return Self::whole(size),
        };
        (start < end).then(|| Self { start, length: end - start, is_partial: true })
    }
}

/// Both ends of `bytes=first-last`, either of which may be left out.
fn single(range: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, bounds) = range.split_once('=')?;
    let (first, last) = bounds.trim().split_once('-')?;
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok().map(Some),
        _ => None,
    };
    if unit.trim().eq_ignore_ascii_case("bytes") { Some((number(first)?, number(last)?)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: &str, expected: Option<(u64, u64)>) {
        let part = |(start, length)| Part { start, length, is_partial: true };
        assert_eq!(Part::asked(range, 10), expected.map(part), "{range}");
    }

    #[test]
    fn a_part_lies_within_the_file() {
        check("bytes=0-0", Some((0, 1)));
        check("bytes=2-5", Some((2, 4)));
        check("bytes=2-", Some((2, 8)));
        check("bytes=-3", Some((7, 3)));
        check("bytes=-30", Some((0, 10)));
        check("bytes=9-1000", Some((9, 1)));
        check("bytes=0-18446744073709551615", Some((0, 10)));
        check("Bytes = 1-2", Some((1, 2)));
        for beyond in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
            check(beyond, None);
        }
        assert_eq!(Part::asked("bytes=0-", 0), None);
    }

    #[test]
    fn what_is_not_understood_asks_for_everything() {
        for range in ["bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=+1-2", "bytes=0-1,3-4", "lines=1-2", "x"] {
            assert_eq!(Part::asked(range, 10), Part::whole(10), "{range}");
        }
    }
}
