//! Dates and times that are clear and yet not in the form of the schemas.

use jiff::civil::{Date, DateTime, Time};

/// Longest text that is read as a date.
const TEXT_BYTES_MAX: usize = 40;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The same moment in RFC 3339, or nothing where a text has two readings or none. Without an offset it is UTC, and a
/// date is its midnight.
pub fn clear(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let moment = text.parse::<DateTime>().ok().or_else(|| in_parts(text))?;
    Some(format!("{moment}Z"))
}

/// `28.07.2026 10:30`, `2026/07/28`, `July 28, 2026`, `28 Jul 2026`.
fn in_parts(text: &str) -> Option<DateTime> {
    let (day, time) = match text.split_once(':') {
        Some((before, _)) => {
            let at = before.rfind([' ', 'T'])?;
            (&text[..at], time(text[at + 1..].trim_end_matches(['Z', 'z']))?)
        }
        None => (text, Time::midnight()),
    };
    let parts: Vec<&str> = day.split([' ', ',', '.', '/', '-']).filter(|part| !part.is_empty()).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let number = |part: &str| part.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).parse::<i16>().ok();
    let date = match (month(first), month(second)) {
        (Some(month), None) => (number(third)?, month, number(second)?),
        (None, Some(month)) => (number(third)?, month, number(first)?),
        _ => match (number(first)?, number(second)?, number(third)?) {
            (year @ 1000.., month, day) => (year, month, day),
            // With dots the day comes first everywhere; with slashes only a number past twelve tells.
            (day, month, year @ 1000..) if day > 12 || day == month || text.contains('.') => (year, month, day),
            (month, day, year @ 1000..) if day > 12 => (year, month, day),
            _ => return None,
        },
    };
    let (year, month, day) = date;
    let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    Some(date.to_datetime(time))
}

fn time(text: &str) -> Option<Time> {
    text.trim().parse().ok()
}

/// The number of a month that is written out or cut to three letters or more.
fn month(word: &str) -> Option<i16> {
    let word = word.to_lowercase();
    let found = MONTHS.iter().position(|month| word.len() >= 3 && month.starts_with(&word))?;
    i16::try_from(found + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(clear(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn a_clear_date_has_one_reading() {
        check("2026-07-28", Some("2026-07-28T00:00:00Z"));
        check("2026-07-28 10:30", Some("2026-07-28T10:30:00Z"));
        check("2026-07-28T10:30:15", Some("2026-07-28T10:30:15Z"));
        check("2026/07/28", Some("2026-07-28T00:00:00Z"));
        check("28.07.2026 10:30", Some("2026-07-28T10:30:00Z"));
        check("05.04.2026", Some("2026-04-05T00:00:00Z"));
        check("July 28, 2026", Some("2026-07-28T00:00:00Z"));
        check("28th Jul 2026", Some("2026-07-28T00:00:00Z"));
        check("07/28/2026", Some("2026-07-28T00:00:00Z"));
    }

    #[test]
    fn what_is_unclear_stays_so() {
        for text in ["05/04/2026", "yesterday", "2026", "28.07", "2026-13-01", "1 2 3", "", &"2".repeat(1000)] {
            check(text, None);
        }
    }
}
