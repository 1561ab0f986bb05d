//! Amounts: `1,234.56`, `1.234,56`, `1 234,56`, with a currency before or after.
//!
//! A mark followed by exactly three digits can group or divide. It is read only when the rest of the document shows which
//! mark divides ([`Style`]); otherwise the amount is unreadable, never guessed.

use serde_json::Number;

/// A number with the currency that stood beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    pub number: Number,
    /// Its ISO code.
    pub currency: Option<&'static str>,
}

/// Which mark divides the whole from the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Point,
    Comma,
}

/// Reads `text`, all of which must be one amount.
pub fn parse(text: &str, style: Option<Style>) -> Option<Amount> {
    let mut rest = text.trim();
    let mut negative = false;
    if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (rest, negative) = (inner.trim(), true);
    }
    let mut currency = None;
    // A sign and a currency may stand on either side in either order.
    for _ in 0..2 {
        if let Some(unsigned) = rest.strip_prefix(['-', '−', '–']).or_else(|| rest.strip_suffix(['-', '−'])) {
            // "50,-" is a way to write a whole amount, not a negative one.
            let whole = unsigned.strip_suffix(',').filter(|_| !rest.starts_with(['-', '−', '–']));
            if whole.is_none() && negative {
                return None;
            }
            negative |= whole.is_none();
            rest = whole.unwrap_or(unsigned).trim();
        }
        if let Some(positive) = rest.strip_prefix('+') {
            rest = positive.trim();
        }
        if currency.is_none()
            && let Some((code, without)) = strip_currency(rest)
        {
            (currency, rest) = (Some(code), without.trim());
        }
    }
    let plain = plain(rest, style)?;
    let number = number(&plain, negative)?;
    Some(Amount { number, currency: currency.flatten() })
}

/// The mark that divides in `text`, when every amount there that shows it shows the same one.
pub fn style(text: &str) -> Option<Style> {
    let mut found = None;
    for token in text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')) {
        let token = token.trim_matches(['.', ',']);
        let Some(at) = token.rfind(['.', ',']) else { continue };
        // Two digits after the last mark are cents; dates such as 03.04.2026 and times are not of this shape.
        let marks = token.matches(['.', ',']).count();
        let groups = token[..at].split(['.', ',']).skip(1).all(|group| group.len() == 3);
        if token.len() - at - 1 != 2 || !groups || (marks > 1 && token[..at].contains(&token[at..=at])) {
            continue;
        }
        let style = if &token[at..=at] == "." { Style::Point } else { Style::Comma };
        if found.is_some_and(|found| found != style) {
            return None;
        }
        found = Some(style);
    }
    found
}

/// The ISO code of a currency's code, symbol or name. `$` is the dollar of the United States unless it says otherwise.
pub fn currency(text: &str) -> Option<&'static str> {
    let text = text.trim();
    SYMBOLS
        .iter()
        .find(|(symbol, _)| *symbol == text)
        .map(|(_, code)| *code)
        .or_else(|| CODES.iter().find(|code| **code == text).copied())
}

const CODES: &[&str] = &[
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON",
    "BGN", "TRY", "INR", "BRL", "MXN", "ZAR", "SGD", "HKD", "KRW", "THB", "AED", "ILS", "SAR", "ARS", "CLP", "COP",
    "PEN",
];

/// Longer symbols first, so that `US$` is not read as `$`.
const SYMBOLS: &[(&str, &str)] = &[
    ("US$", "USD"),
    ("CA$", "CAD"),
    ("C$", "CAD"),
    ("AU$", "AUD"),
    ("A$", "AUD"),
    ("NZ$", "NZD"),
    ("HK$", "HKD"),
    ("S$", "SGD"),
    ("R$", "BRL"),
    ("Euro", "EUR"),
    ("euros", "EUR"),
    ("Euros", "EUR"),
    ("euro", "EUR"),
    ("EURO", "EUR"),
    ("Fr.", "CHF"),
    ("zł", "PLN"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("$", "USD"),
];

/// Symbols that more than one currency uses: the number is read, the currency stays open.
const SHARED: &[&str] = &["¥", "kr"];

fn strip_currency(text: &str) -> Option<(Option<&'static str>, &str)> {
    let strip = |mark: &str| {
        text.strip_prefix(mark)
            .filter(|rest| mark.ends_with(['$', '€', '£', '¥', '.']) || !rest.starts_with(char::is_alphabetic))
            .or_else(|| {
                let rest = text.strip_suffix(mark)?;
                (!rest.ends_with(char::is_alphabetic)).then_some(rest)
            })
    };
    let symbol = SYMBOLS.iter().find_map(|(symbol, code)| Some((Some(*code), strip(symbol)?)));
    let code = || CODES.iter().find_map(|code| Some((Some(*code), strip(code)?)));
    symbol.or_else(code).or_else(|| SHARED.iter().find_map(|symbol| Some((None, strip(symbol)?))))
}

/// The digits of `text` with a point before the fraction.
fn plain(text: &str, style: Option<Style>) -> Option<String> {
    let is_space = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    let text: String = text
        .chars()
        .map(|c| match c {
            '’' => '\'',
            c if is_space(c) => ' ',
            c => c,
        })
        .collect();
    if !text.starts_with(|c: char| c.is_ascii_digit()) || !text.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let marks: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !c.is_ascii_digit()).collect();
    let Some(&(at, last)) = marks.last() else { return Some(text) };
    if marks.iter().any(|(_, mark)| !matches!(mark, '.' | ',' | '\'' | ' ')) {
        return None;
    }
    let after = text.len() - at - 1;
    let alone = marks.len() == 1;
    let once = marks.iter().filter(|(_, mark)| *mark == last).count() == 1;
    let divides = match last {
        '.' | ',' if !once => false,
        '.' | ',' if after != 3 || !alone => true,
        '.' | ',' => three_digits_divide(&text[..at], last, style)?,
        _ => false,
    };
    let (whole, fraction) = if divides { (&text[..at], Some(&text[at + 1..])) } else { (text.as_str(), None) };
    let mut groups = whole.split(['.', ',', '\'', ' ']);
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let mut separators = whole.chars().filter(|c| !c.is_ascii_digit());
    let separator = separators.next();
    let one_separator = separators.all(|next| Some(next) == separator) && (!divides || separator != Some(last));
    let grouped = rest.is_empty() || (first.len() <= 3 && rest.iter().all(|group| group.len() == 3));
    if !grouped || !one_separator {
        return None;
    }
    let whole = format!("{first}{}", rest.concat());
    Some(match fraction {
        Some(fraction) => format!("{whole}.{fraction}"),
        None => whole,
    })
}

/// Whether a lone mark before exactly three digits divides; nothing when that is open.
fn three_digits_divide(whole: &str, mark: char, style: Option<Style>) -> Option<bool> {
    if whole.len() > 3 || whole.starts_with('0') {
        return Some(true);
    }
    match (style?, mark) {
        (Style::Point, ',') | (Style::Comma, '.') => Some(false),
        _ => None,
    }
}

/// Digits beyond what a JSON number keeps exactly make the amount unreadable rather than rounded.
fn number(plain: &str, negative: bool) -> Option<Number> {
    if plain.chars().filter(char::is_ascii_digit).count() > 15 {
        return None;
    }
    let signed = format!("{}{plain}", if negative { "-" } else { "" });
    if plain.contains('.') { Number::from_f64(signed.parse().ok()?) } else { Some(signed.parse::<i64>().ok()?.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_can_only_be_read_one_way_are_read() {
        check("1,234.56", None, "1234.56");
        check("1.234,56", None, "1234.56");
        check("1 234,56", None, "1234.56");
        check("1'234.50", None, "1234.5");
        check("12,345,678", None, "12345678");
        check("0,500", None, "0.5");
        check("10.12345", None, "10.12345");
        check("42", None, "42");
    }

    #[test]
    fn a_lone_mark_before_three_digits_needs_the_documents_style() {
        check("1,234", None, "-");
        check("1.234", None, "-");
        check("1,234", Some(Style::Point), "1234");
        check("1.234", Some(Style::Comma), "1234");
        check("1.234", Some(Style::Point), "-");
    }

    #[test]
    fn currencies_stand_on_either_side() {
        check("€ 12.50", None, "12.5 EUR");
        check("12,50€", None, "12.5 EUR");
        check("EUR 1.190,00", None, "1190.0 EUR");
        check("CHF 1'200.00", None, "1200.0 CHF");
        check("US$99", None, "99 USD");
        check("99.00 CAD", None, "99.0 CAD");
        check("¥ 5000", None, "5000");
        check("50,- €", None, "50 EUR");
    }

    #[test]
    fn negatives_are_written_in_several_ways() {
        check("-12.50", None, "-12.5");
        check("12,50-", None, "-12.5");
        check("(12.50)", None, "-12.5");
        check("−12,50 €", None, "-12.5 EUR");
        check("-€12.50", None, "-12.5 EUR");
    }

    #[test]
    fn what_is_not_one_amount_is_unreadable() {
        for text in
            ["", "abc", "12 Mai", "1.2.3", "03.03.2026", "1,23,456.7", "+49 30 123", "12.50 EUROS", "1234567890123456"]
        {
            check(text, None, "-");
        }
    }

    #[test]
    fn the_style_is_what_all_amounts_show() {
        assert_eq!(style("Total 1,234.50 on 03.04.2026"), Some(Style::Point));
        assert_eq!(style("Summe 1.234,50"), Some(Style::Comma));
        assert_eq!(style("1.50 and 1,50"), None);
        assert_eq!(style("no amounts"), None);
    }

    #[track_caller]
    fn check(text: &str, style: Option<Style>, expected: &str) {
        let shown = parse(text, style).map_or("-".to_owned(), |amount| {
            format!("{} {}", amount.number, amount.currency.unwrap_or_default()).trim().to_owned()
        });
        assert_eq!(shown, expected, "{text}");
    }
}
