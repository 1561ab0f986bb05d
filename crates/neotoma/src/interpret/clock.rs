//! Times of day, and days without a year, as minutes and invitations write them.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use super::language;

/// The time that `text` begins with: `18.30 Uhr`, `21h00`, `7.15 pm`, `20:00`, `10 Uhr`.
pub fn leading(text: &str) -> Option<String> {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^\s*(\d{1,2})(?:\s?[:.h]\s?(\d{2}))?\s*(am\b|pm\b|a\.m\.|p\.m\.|uhr\b|h\b|uur\b|u\b|horas\b|ore\b|o'clock)?")
            .expect("a fixed expression")
    });
    let found = TIME.captures(text)?;
    let mut hour: u8 = found[1].parse().ok()?;
    let minute: u8 = found.get(2).map_or(Some(0), |minute| minute.as_str().parse().ok())?;
    let mark = found.get(3).map(|mark| mark.as_str().to_lowercase());
    // A number alone is no time.
    if found.get(2).is_none() && mark.is_none() {
        return None;
    }
    match mark.as_deref() {
        Some("pm" | "p.m.") if hour < 12 => hour += 12,
        Some("am" | "a.m.") if hour == 12 => hour = 0,
        _ => {}
    }
    (hour < 24 && minute < 60).then(|| format!("{hour:02}:{minute:02}"))
}

/// The time behind the first of the words that has one.
pub fn after(text: &str, words: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let mut words: Vec<&str> = words.split('|').collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.iter().find_map(|word| {
        let mut starts = lower.match_indices(word).filter(|(at, _)| !lower[..*at].ends_with(char::is_alphanumeric));
        starts.find_map(|(at, word)| leading(text[at + word.len()..].trim_start_matches([':', ' '])))
    })
}

/// A day without its year in `text`, as the first one that is not before `day`.
pub fn near(text: &str, day: Date) -> Option<String> {
    static DAY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+|of\s+)?(\p{L}{3,})\.?(?:\s+(?:de\s+)?(\d{4}))?")
            .expect("a fixed expression")
    });
    DAY.captures_iter(text).find_map(|found| {
        let month = i8::try_from(language::month(&found[2])?).ok()?;
        let number = found[1].parse().ok()?;
        let in_year = |year: i16| Date::new(year, month, number).ok();
        let date = match found.get(3).and_then(|year| year.as_str().parse().ok()) {
            Some(year) => in_year(year)?,
            None => in_year(day.year()).filter(|date| *date >= day).or_else(|| in_year(day.year() + 1))?,
        };
        Some(date.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_many_ways() {
        for (text, expected) in [
            ("18.30 Uhr", "18:30"),
            ("21h00, reuniu", "21:00"),
            ("7.15 pm.", "19:15"),
            ("10 Uhr", "10:00"),
            ("20:00 horas", "20:00"),
            ("12 members", "-"),
            ("25:00", "-"),
        ] {
            assert_eq!(leading(text).as_deref().unwrap_or("-"), expected, "{text}");
        }
        assert_eq!(after("The meeting opened at 7.15 pm.", "opened at").as_deref(), Some("19:15"));
    }

    #[test]
    fn a_day_without_a_year_is_the_next_one() {
        let day = Date::constant(2026, 2, 24);
        assert_eq!(near("by 6 March", day).as_deref(), Some("2026-03-06"));
        assert_eq!(near("am 6. Januar", day).as_deref(), Some("2027-01-06"));
        assert_eq!(near("entro il 20 aprile 2028", day).as_deref(), Some("2028-04-20"));
    }
}
