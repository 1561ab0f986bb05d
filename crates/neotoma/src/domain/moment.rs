//! Moments in the many ways people write them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use scope::Timestamp;
use serde_json::Value;

/// Years that a date is believed to mean.
const YEARS: std::ops::RangeInclusive<i16> = 1000..=9999;
/// 2000 to 2100, in seconds since 1970.
const EPOCH_SECONDS: std::ops::Range<i64> = 946_684_800..4_102_444_800;

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

/// The moment that a value means, or nothing when it means none or more than one.
///
/// Texts: ISO dates and times, dates with slashes or dots of which only one reading exists, dates with the month as an
/// English word, RFC 2822. Numbers: seconds or milliseconds since 1970, from 2000 to 2100. A date is its midnight in
/// UTC, and so is a time without an offset in UTC.
pub fn parse(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => parse_text(text.trim()),
        Value::Number(number) => number.as_i64().and_then(parse_epoch),
        _ => None,
    }
}

fn parse_epoch(number: i64) -> Option<Timestamp> {
    if EPOCH_SECONDS.contains(&number) {
        Some(Timestamp(number * 1_000_000))
    } else if EPOCH_SECONDS.contains(&number.div_euclid(1000)) {
        Some(Timestamp(number * 1000))
    } else {
        None
    }
}

fn parse_text(text: &str) -> Option<Timestamp> {
    // The longest date that is written with words; most texts are no dates and end here.
    if text.len() > 64 || text.len() < 6 || !text.contains(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    iso(text).or_else(|| numeric(text)).or_else(|| worded(text)).or_else(|| rfc2822(text))
}

fn iso(text: &str) -> Option<Timestamp> {
    let dashed = text.as_bytes();
    if dashed.len() < 10 || dashed[4] != b'-' || dashed[7] != b'-' {
        return None;
    }
    let date: Date = text.get(..10)?.parse().ok()?;
    if !YEARS.contains(&date.year()) {
        return None;
    }
    if text.len() == 10 {
        return midnight(date);
    }
    if !text[10..].starts_with(['T', 't', ' ']) {
        return None;
    }
    if !has_real_offset(text) {
        return None;
    }
    let zoned = text.parse::<jiff::Timestamp>().ok();
    let civil = || text.parse::<DateTime>().ok().and_then(utc);
    zoned.map(|moment| Timestamp(moment.as_microsecond())).or_else(civil)
}

/// Whether a time is written without an offset, or with one that some place on earth has: 14 hours at most.
pub fn has_real_offset(text: &str) -> bool {
    let time = text.get(11..).unwrap_or_default();
    let Some(at) = time.rfind(['+', '-']) else { return true };
    let hours = time[at + 1..].get(..2).and_then(|hours| hours.parse::<u8>().ok());
    let rest = time[at + 1..].get(2..).unwrap_or_default().trim_start_matches(':');
    let minutes = if rest.is_empty() { Some(0) } else { rest.get(..2).and_then(|minutes| minutes.parse::<u8>().ok()) };
    match (hours, minutes) {
        (Some(hours), Some(minutes)) => hours < 14 || (hours == 14 && minutes == 0),
        _ => false,
    }
}

/// `2024/01/15`, `15.01.2024`, `01/15/2024`; not `02/03/2024`, which is two dates.
fn numeric(text: &str) -> Option<Timestamp> {
    let separator = if text.contains('/') { '/' } else { '.' };
    let parts: Vec<&str> = text.split(separator).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let number = |part: &&str| part.bytes().all(|digit| digit.is_ascii_digit()).then(|| part.parse::<i16>().ok())?;
    let short = |part: &&str| (1..=2).contains(&part.len());
    let (a, b, c) = (number(first)?, number(second)?, number(third)?);
    if first.len() == 4 && short(second) && short(third) {
        return date(a, b, c);
    }
    if third.len() != 4 || !short(first) || !short(second) {
        return None;
    }
    match (date(c, b, a), date(c, a, b)) {
        (Some(one), Some(other)) => (one == other).then_some(one),
        (one, other) => one.or(other),
    }
}

/// `15 January 2024`, `Jan 15, 2024`, `15th-Jan-2024`, with an optional leading weekday.
fn worded(text: &str) -> Option<Timestamp> {
    let lower = text.to_ascii_lowercase();
    let mut words: Vec<&str> = lower.split([' ', ',', '-', '.']).filter(|word| !word.is_empty()).collect();
    if words.len() == 4 && is_weekday(words[0]) {
        words.remove(0);
    }
    let [first, second, year] = words.as_slice() else { return None };
    let (day, month) = match (month(first), month(second)) {
        (Some(month), None) => (second, month),
        (None, Some(month)) => (first, month),
        _ => return None,
    };
    let day = ["st", "nd", "rd", "th"].iter().find_map(|ending| day.strip_suffix(ending)).unwrap_or(day);
    if year.len() != 4 || day.len() > 2 {
        return None;
    }
    date(year.parse().ok()?, month, day.parse().ok()?)
}

fn rfc2822(text: &str) -> Option<Timestamp> {
    let moment = jiff::fmt::rfc2822::parse(text).ok()?;
    YEARS.contains(&moment.year()).then(|| Timestamp(moment.timestamp().as_microsecond()))
}

/// The number of a month that is written out or cut to at least three letters.
fn month(word: &str) -> Option<i16> {
    let known = |name: &&str| *name == word || &name[..3] == word || (word == "sept" && *name == "september");
    let index = MONTHS.iter().position(known)?;
    i16::try_from(index + 1).ok()
}

fn is_weekday(word: &str) -> bool {
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    days.iter().any(|day| *day == word || &day[..3] == word)
}

fn date(year: i16, month: i16, day: i16) -> Option<Timestamp> {
    if !YEARS.contains(&year) {
        return None;
    }
    midnight(Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?)
}

fn midnight(date: Date) -> Option<Timestamp> {
    utc(date.to_datetime(jiff::civil::Time::midnight()))
}

fn utc(moment: DateTime) -> Option<Timestamp> {
    let moment = TimeZone::UTC.to_timestamp(moment).ok()?;
    Some(Timestamp(moment.as_microsecond()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn means(value: Value, expected: &str) {
        let expected = (!expected.is_empty()).then(|| expected.parse().unwrap());
        assert_eq!(parse(&value), expected, "{value}");
    }

    #[test]
    fn iso() {
        means(json!("2024-01-15"), "2024-01-15T00:00:00Z");
        means(json!(" 2024-01-15T10:30:00Z "), "2024-01-15T10:30:00Z");
        means(json!("2024-01-15T10:30:00.123+02:00"), "2024-01-15T08:30:00.123Z");
        means(json!("2024-01-15 10:30"), "2024-01-15T10:30:00Z");
    }

    #[test]
    fn slashes_and_dots_with_one_reading() {
        for text in ["2024/01/15", "2024.1.15", "15/01/2024", "01/15/2024", "15.01.2024"] {
            means(json!(text), "2024-01-15T00:00:00Z");
        }
        means(json!("5/5/2024"), "2024-05-05T00:00:00Z");
        for text in ["02/03/2024", "02.03.2024", "13/13/2024", "1/2/24", "1.2.3", "192.168.1.1", "1/2/3/2024"] {
            means(json!(text), "");
        }
    }

    #[test]
    fn month_names_and_mail_dates() {
        for text in
            ["15 January 2024", "Jan 15, 2024", "15-JAN-2024", "January 15th, 2024", "Mon, 15 Jan 2024", "Jan. 15 2024"]
        {
            means(json!(text), "2024-01-15T00:00:00Z");
        }
        means(json!("Mon, 15 Jan 2024 10:30:00 +0100"), "2024-01-15T09:30:00Z");
        for text in ["January 2024", "may 12 monkeys", "15 Smarch 2024", "31 April 2024", "Jan Feb 2024"] {
            means(json!(text), "");
        }
    }

    #[test]
    fn epochs_from_2000_to_2100() {
        means(json!(1_705_276_800), "2024-01-15T00:00:00Z");
        means(json!(1_705_276_800_123_i64), "2024-01-15T00:00:00.123Z");
        for value in
            [json!(100), json!(946_684_799), json!(4_102_444_800_i64), json!(1.5), json!("1705276800"), json!(i64::MAX)]
        {
            means(value, "");
        }
    }

    #[test]
    fn absurd_dates_are_none() {
        for text in [
            "0000-01-01",
            "0001-01-01",
            "10000-01-01",
            "-2024-01-15",
            "2024-02-30",
            "2024-13-01",
            "99999999-01-01T00:00:00Z",
            "",
            "soon",
            "2024-01-1é",
            "ééééé2024",
            "2024-01-15T00:00:00+24:00",
            "2024-01-15T00:00:00-14:30",
            "2024-01-15T00:00:00+99:99",
        ] {
            means(json!(text), "");
        }
        means(json!(null), "");
        means(json!(["2024-01-15"]), "");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_moment_or_not(text in "[0-9TJanéZ:/., +-]{0,30}") {
            if let Some(moment) = parse(&json!(text)) {
                proptest::prop_assert_eq!(parse(&json!(moment.to_string())), Some(moment));
            }
        }
    }
}
