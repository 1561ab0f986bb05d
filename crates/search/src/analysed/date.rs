//! A moment in the words that a question would use for its day.

use scope::Timestamp;

/// Months as they are written in the languages that are known, without accents. The first form is the one in the index.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "janvier", "enero", "januari"],
    &["february", "februar", "fevrier", "febrero", "februari"],
    &["march", "marz", "mars", "marzo", "maart"],
    &["april", "avril", "abril"],
    &["may", "mai", "mayo", "mei"],
    &["june", "juni", "juin", "junio"],
    &["july", "juli", "juillet", "julio"],
    &["august", "aout", "agosto", "augustus"],
    &["september", "septembre", "septiembre"],
    &["october", "oktober", "octobre", "octubre"],
    &["november", "novembre", "noviembre"],
    &["december", "dezember", "decembre", "diciembre"],
];

/// Year, month and day, the way people and computers write them. They keep their endings: a month has no other form.
pub fn words(time: Timestamp) -> Vec<String> {
    let Some((year, month, day)) = day(time) else { return Vec::new() };
    let mut words = vec![year.to_string(), MONTHS[usize::from(month - 1)][0].to_owned(), day.to_string()];
    words.push(format!("{month:02}"));
    if day < 10 {
        words.push(format!("{day:02}"));
    }
    words
}

/// The name of a month as the index has it, in whichever of the languages it is written.
pub fn month(word: &str) -> Option<&'static str> {
    MONTHS.iter().find(|names| names.contains(&word)).map(|names| names[0])
}

fn day(time: Timestamp) -> Option<(i16, u8, u8)> {
    let text = time.to_string();
    let mut parts = text.split('T').next()?.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_found_in_words_and_in_digits() {
        check("2023-05-08T13:56:00Z", "2023 may 8 05 08");
        check("2023-12-24T00:00:00Z", "2023 december 24 12");
        check("-0044-03-15T12:00:00Z", "");
    }

    #[test]
    fn months_are_known_in_other_languages() {
        assert_eq!(
            [month("mai"), month("marz"), month("may"), month("order")],
            [Some("may"), Some("march"), Some("may"), None]
        );
    }

    #[track_caller]
    fn check(time: &str, expected: &str) {
        let time = time.parse().unwrap_or(Timestamp(i64::MIN));
        assert_eq!(words(time).join(" "), expected);
    }
}
