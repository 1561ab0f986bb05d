//! Numbers that a double does not hold to the last digit.
//!
//! Whole numbers of 64 bits are kept as they are, everything else becomes a double. Where that would change a digit, two
//! different calls could look the same, so such a number is found here and refused by whoever read it.

use std::ops::Range;

use contract::excerpt;

/// Every decimal of so many digits survives a double, whatever its exponent within reason.
const DIGITS_SAFE: usize = 15;
const EXPONENT_SAFE: i64 = 290;
/// How much of a number, or of a name on the way to it, a refusal repeats.
const SHOWN_CHARS_MAX: usize = 40;

/// A number that would be rounded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: the number {shown} would be rounded; send it as text")]
pub struct Inexact {
    /// Names and positions from the outermost value on, joined by dots.
    pub path: String,
    /// The number, cut to a bound.
    pub shown: String,
}

/// The first such number in a text that is known to be JSON.
pub fn first_inexact(json: &[u8]) -> Option<Inexact> {
    let mut places: Vec<Place> = Vec::new();
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        match byte {
            b'{' => places.push(Place::Object(None)),
            b'[' => places.push(Place::List(0)),
            b'}' | b']' => drop(places.pop()),
            b',' => match places.last_mut() {
                Some(Place::List(position)) => *position += 1,
                Some(Place::Object(name)) => *name = None,
                None => {}
            },
            b'"' => {
                let end = end_of_text(json, at);
                if let Some(Place::Object(name @ None)) = places.last_mut() {
                    *name = Some(at..end);
                }
                at = end;
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let end = end_of_number(json, at);
                let number = std::str::from_utf8(&json[at..end]).unwrap_or_default();
                if !is_exact(number) {
                    return Some(Inexact { path: path(json, &places), shown: excerpt(number, SHOWN_CHARS_MAX) });
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The same text with nothing in place of numbers that no double comes near, so that the rest of it can be read.
pub fn without_infinite(json: &[u8]) -> Vec<u8> {
    let mut text = json.to_vec();
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        at = match byte {
            b'"' => end_of_text(json, at),
            b'-' | b'0'..=b'9' => {
                let end = end_of_number(json, at);
                let number = std::str::from_utf8(&json[at..end]).unwrap_or_default();
                if number.parse::<f64>().is_ok_and(f64::is_infinite) {
                    text[at..end].fill(b' ');
                    text[at] = b'0';
                }
                end
            }
            _ => at + 1,
        };
    }
    text
}

enum Place {
    /// The position of the present item.
    List(usize),
    /// Where the name of the present entry stands, once it was read.
    Object(Option<Range<usize>>),
}

fn end_of_text(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

fn end_of_number(json: &[u8], start: usize) -> usize {
    let belongs = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    json[start..].iter().position(|byte| !belongs(byte)).map_or(json.len(), |length| start + length)
}

fn path(json: &[u8], places: &[Place]) -> String {
    let word = |place: &Place| match place {
        Place::List(position) => position.to_string(),
        Place::Object(name) => {
            let quoted = name.clone().map_or(&b"\"\""[..], |name| &json[name]);
            excerpt(&serde_json::from_slice::<String>(quoted).unwrap_or_default(), SHOWN_CHARS_MAX)
        }
    };
    places.iter().map(word).collect::<Vec<_>>().join(".")
}

fn is_exact(number: &str) -> bool {
    let is_whole = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_whole && (number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok()) {
        return true;
    }
    let given = Decimal::of(number);
    if given.digits.len() <= DIGITS_SAFE && given.exponent.abs() <= EXPONENT_SAFE {
        return true;
    }
    // The shortest text that means this double; two texts of the same double differ in their digits.
    number.parse::<f64>().is_ok_and(|double| Decimal::of(&format!("{double:e}")) == given)
}

/// A number as its significant digits and the power of ten of the first one.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn of(number: &str) -> Self {
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('-');
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let Some(first) = all.iter().position(|digit| *digit != b'0') else {
            return Self { digits: Vec::new(), exponent: 0 };
        };
        let last = all.iter().rposition(|digit| *digit != b'0').unwrap_or(first);
        let position = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        // An exponent beyond this has long been refused as out of range, or is nothing.
        let exponent =
            exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
        let exponent = exponent.saturating_add(position(whole.len()) - 1 - position(first));
        Self { digits: all[first..=last].to_vec(), exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Option<&str>) {
        assert_eq!(first_inexact(json.as_bytes()).map(|inexact| inexact.to_string()).as_deref(), expected, "{json}");
    }

    #[test]
    fn numbers_that_keep_their_digits_are_taken() {
        for number in [
            "0",
            "-0",
            "0.0",
            "-0.00",
            "1.50",
            "0.1",
            "1e20",
            "1E+2",
            "100e-2",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "0.30000000000000004",
            "1.7976931348623157e308",
            "5e-324",
            "123456789012345.6",
            "1000000000000000000000000",
            "0.000000000000000000000000001",
        ] {
            check(number, None);
        }
    }

    #[test]
    fn numbers_that_would_be_rounded_are_found() {
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "9007199254740993.0",
            "0.1000000000000000055511151231257827",
            "1e-400",
            "1e400",
            "-1e99999999999999999999",
            "0.12345678901234567890",
            "123456789012345678901234567890",
        ] {
            check(number, Some(&format!(": the number {number} would be rounded; send it as text")));
        }
    }

    #[test]
    fn the_place_is_named() {
        let long = "18446744073709551616";
        let at = |path: &str| format!("{path}: the number {long} would be rounded; send it as text");
        check(&format!(r#"{{"a":[1.5,{{"b":2,"c":{long}}}],"d":0.1}}"#), Some(&at("a.1.c")));
        check(&format!(r#"{{"a\"}}":"[{long}, {{",  "x" : {{ }} ,"e":[[],[ 7 , {long}]]}}"#), Some(&at("e.1.1")));
        check(&format!(r#"{{"text":"{long}"}}"#), None);
    }

    #[test]
    fn a_number_of_any_length_is_shown_in_part() {
        let long = "7".repeat(1_000_000);
        check(&long, Some(&format!(": the number {}… would be rounded; send it as text", "7".repeat(SHOWN_CHARS_MAX))));
        check(&format!("1.{}", "0".repeat(1_000_000)), None);
    }
}
