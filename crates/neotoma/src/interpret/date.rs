//! Dates: ISO, `3 March 2026`, `3. März 2026`, `03.03.2026`, and `03/04/2026` where only one order is possible.

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::effort::Effort;
use super::{Failure, language};

/// The order in which dates such as `03/04/2026` are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    DayFirst,
    MonthFirst,
}

/// Reads `text`, all of which must be one date, perhaps with a weekday before and a time after it.
pub fn parse(text: &str, order: Option<Order>) -> Option<String> {
    let text = without_weekday(without_time(text.trim())).trim_matches(|c: char| c.is_whitespace() || c == ',');
    let date = numeric(text, order).or_else(|| named(text))?;
    (date.year() >= 1900 && date.year() <= 2199).then(|| date.to_string())
}

/// How many bytes of a day with its time are the day.
pub fn day_bytes(text: &str) -> usize {
    without_time(text).len()
}

/// Both readings of a day such as `03/04/2026`, when nothing but its order is open.
pub fn readings(text: &str) -> Option<(String, String)> {
    if parse(text, None).is_some() {
        return None;
    }
    Some((parse(text, Some(Order::MonthFirst))?, parse(text, Some(Order::DayFirst))?))
}

pub fn is_ambiguous(text: &str) -> bool {
    readings(text).is_some()
}

/// A day as minutes spell it: `L'anno 2026, il giorno 9 del mese di aprile`, `a los 12 días del mes de marzo de 2026`.
pub fn formal(text: &str) -> Option<String> {
    static FORMAL: LazyLock<Regex> = LazyLock::new(|| {
        let before = r"(?:ann?o|año)\s+(\d{4}).{0,40}?(\d{1,2})\s+(?:del|do)\s+mese?\s+d[ie]\s+(\p{L}+)";
        let behind = r"(\d{1,2})\s+d[ií]as\s+d[eo]l?\s+m[eê]s\s+de\s+(\p{L}+)\s+de\s+(\d{4})";
        Regex::new(&format!("(?i){before}|{behind}")).expect("a fixed expression")
    });
    let found = FORMAL.captures(text)?;
    let part = |at: usize, other: usize| found.get(at).or_else(|| found.get(other)).map(|part| part.as_str());
    let (year, number, month) = (part(1, 6)?, part(2, 4)?, part(3, 5)?);
    ymd(year.parse().ok()?, language::month(month)?, number.parse().ok()?).map(|day| day.to_string())
}

/// The order that the dates of one column show: any date that fits only one order decides, two that disagree do not.
pub fn order<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Order> {
    let mut found = None;
    for text in texts {
        let parts = numbers(without_time(text.trim()));
        let Some(([first, second, _], _)) = parts else { continue };
        let order = match (first > 12, second > 12) {
            (true, false) if first <= 31 => Order::DayFirst,
            (false, true) => Order::MonthFirst,
            _ => continue,
        };
        if found.is_some_and(|found| found != order) {
            return None;
        }
        found = Some(order);
    }
    found
}

/// Every date in running text, with where it stands.
pub fn find(text: &str, effort: &Effort) -> Result<Vec<(Range<usize>, String)>, Failure> {
    find_in(text, None, effort)
}

/// Like [`find`], in a text whose order is known.
pub fn find_in(text: &str, order: Option<Order>, effort: &Effort) -> Result<Vec<(Range<usize>, String)>, Failure> {
    effort.spend(text.len())?;
    let words = words(text);
    let mut found = Vec::new();
    let mut next = 0;
    while next < words.len() {
        // A word may be part of a date with any of the three before it.
        effort.spend(words[next].len() * 10)?;
        let longest = dated(text, words[next].start, &words[next..], order);
        match longest {
            Some((count, range, date)) => {
                found.push((range, date));
                next += count;
            }
            None => next += 1,
        }
    }
    Ok(found)
}

/// The longest date that begins at `start`, where the first of `words` does: how many words it takes, where it stands.
fn dated(
    text: &str,
    start: usize,
    words: &[Range<usize>],
    order: Option<Order>,
) -> Option<(usize, Range<usize>, String)> {
    (1..=5).rev().find_map(|count| {
        let slice = text[start..words.get(count - 1)?.end].trim_end_matches(['.', ',', ';', ':', ')']);
        // A run of eight digits in prose is more often a number than a date.
        let digits_only = slice.chars().all(|c| c.is_ascii_digit());
        (!digits_only && slice.contains(|c: char| c.is_ascii_digit()))
            .then(|| parse(slice, order))
            .flatten()
            .map(|date| (count, start..start + slice.len(), date))
    })
}

/// The date that `text` begins with.
pub fn leading(text: &str) -> Option<String> {
    const CHARS_MAX: usize = 40;
    let beginning: String = text.chars().take(CHARS_MAX).collect();
    let words = words(&beginning);
    let first = words.first().filter(|first| first.start == 0)?;
    dated(&beginning, first.start, &words, None).map(|(_, _, date)| date)
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (start, c.is_whitespace() || c == '(') {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                words.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|from| from..text.len()));
    words
}

fn numeric(text: &str, order: Option<Order>) -> Option<Date> {
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return ymd(text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?);
    }
    let ([first, second, third], mark) = numbers(text)?;
    let year_first = text.find(mark) == Some(4);
    let year_chars = text.rsplit(mark).next().map_or(0, str::len);
    if year_first {
        return ymd(first, second, third);
    }
    let year = match year_chars {
        4 => third,
        // Two digits are read only where the order is settled, and only as years of this century.
        2 if (mark == '.' || order.is_some() || first > 12 || second > 12) && third < 50 => 2000 + third,
        _ => return None,
    };
    if mark == '.' {
        return ymd(year, second, first);
    }
    match (ymd(year, second, first), ymd(year, first, second), order) {
        (Some(day_first), None, _) => Some(day_first),
        (None, Some(month_first), _) => Some(month_first),
        (Some(day_first), Some(month_first), _) if day_first == month_first => Some(day_first),
        (Some(day_first), _, Some(Order::DayFirst)) => Some(day_first),
        (_, Some(month_first), Some(Order::MonthFirst)) => Some(month_first),
        _ => None,
    }
}

/// Three numbers with one mark between them.
fn numbers(text: &str) -> Option<([u16; 3], char)> {
    let mark = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '.' | '/' | '-'))?;
    let mut parts = text.split(mark);
    let mut next = || {
        let part = parts.next()?.trim();
        let digits = (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        if digits { part.parse().ok() } else { None }
    };
    let found = [next()?, next()?, next()?];
    parts.next().is_none().then_some((found, mark))
}

fn named(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '-' | '/'))
        .filter(|part| {
            !part.is_empty()
                && !matches!(part.to_lowercase().as_str(), "of" | "de" | "the" | "del" | "den" | "dem" | "der")
        })
        .collect();
    let [first, second, year] = parts[..] else { return None };
    let year = if year.len() == 4 { year.parse().ok()? } else { return None };
    match (language::month(first), language::month(second)) {
        (None, Some(month)) => ymd(year, month, day(first)?),
        (Some(month), None) => ymd(year, month, day(second)?),
        _ => None,
    }
}

fn day(text: &str) -> Option<u16> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '°');
    let suffix = text[digits.len()..].to_ascii_lowercase();
    matches!(suffix.as_str(), "" | "st" | "nd" | "rd" | "th" | "er" | "º" | "°" | "ª" | "e").then_some(())?;
    if digits.len() <= 2 { digits.parse().ok() } else { None }
}

fn ymd(year: u16, month: u16, day: u16) -> Option<Date> {
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}

fn without_weekday(text: &str) -> &str {
    let Some((first, rest)) = text.split_once([' ', ',']) else { return text };
    let first = first.trim_end_matches([',', '.']);
    if language::is_weekday(first) { rest.trim_start_matches([',', ' ']) } else { text }
}

/// `text` up to a time such as `T10:00:00Z` or ` 14:55 Uhr`.
fn without_time(text: &str) -> &str {
    let Some(colon) = text.find(':') else { return text };
    let hour = text[..colon].trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = colon - hour.len();
    match hour.strip_suffix(['T', ' ', ',']) {
        Some(date) if (1..=2).contains(&digits) => {
            let date = date.trim_end().trim_end_matches([',', '-']).trim_end();
            [" at", " um"].iter().find_map(|word| date.strip_suffix(word)).unwrap_or(date)
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn dates_of_many_forms_become_iso() {
        for text in [
            "2026-03-04",
            "2026/03/04",
            "20260304",
            "2026-03-04T10:11:12Z",
            "04.03.2026",
            "4.3.2026",
            "4.3.26",
            "04.03.2026 14:55 Uhr",
            "4 March 2026",
            "4. März 2026",
            "March 4, 2026",
            "4th of March 2026",
            "04-Mar-2026",
            "Wednesday, 4 March 2026",
            "Mittwoch, 04.03.2026",
            "4 de marzo de 2026",
            "Wed, 4 Mar 2026 09:00:00 +0100",
        ] {
            check(text, None, "2026-03-04");
        }
    }

    #[test]
    fn slashes_are_read_only_when_one_order_fits() {
        check("25/03/2026", None, "2026-03-25");
        check("03/25/2026", None, "2026-03-25");
        check("03/03/2026", None, "2026-03-03");
        check("03/04/2026", None, "-");
        check("03-04-2026", None, "-");
        check("03/04/2026", Some(Order::DayFirst), "2026-04-03");
        check("03/04/2026", Some(Order::MonthFirst), "2026-03-04");
    }

    #[test]
    fn what_is_not_a_date_is_unreadable() {
        for text in [
            "",
            "30.02.2026",
            "31 April 2026",
            "14 Tage",
            "March 2026",
            "1.2.3",
            "10:30",
            "99999999",
            "03/04/26",
            "3 of May 26",
        ] {
            check(text, None, "-");
        }
    }

    #[test]
    fn a_column_shows_its_order() {
        assert_eq!(order(["03/04/2026", "25/04/2026"].into_iter()), Some(Order::DayFirst));
        assert_eq!(order(["03/04/2026", "04/25/2026"].into_iter()), Some(Order::MonthFirst));
        assert_eq!(order(["25/04/2026", "04/25/2026"].into_iter()), None);
        assert_eq!(order(["03/04/2026"].into_iter()), None);
    }

    #[test]
    fn dates_are_found_in_prose() {
        let text = "Signed on 3 March 2026, effective 2026-04-01 (until 31.03.2027).";
        let dates: Vec<String> = find(text, &ample()).unwrap().into_iter().map(|(_, date)| date).collect();
        assert_eq!(dates, ["2026-03-03", "2026-04-01", "2027-03-31"]);
    }

    #[track_caller]
    fn check(text: &str, order: Option<Order>, expected: &str) {
        assert_eq!(parse(text, order).as_deref().unwrap_or("-"), expected, "{text}");
    }
}
