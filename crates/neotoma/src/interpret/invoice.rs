//! Invoices: labelled values, the heading that carries the number, the letterhead that names the vendor, the items.

use super::effort::Effort;
use super::language::{self, Title};
use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::{self, INVOICE};
use super::{Extracted, Failure, amount, date, items, letter, pairs, party, prose, sums, terms};

/// The invoice that `lines` are.
pub fn read(text: &str, lines: &[Line], effort: &Effort) -> Result<Option<Extracted>, Failure> {
    let (items, rest) = items::of_invoice(lines, effort)?;
    let mut pairs = pairs::pairs(&rest, effort)?;
    effort.spend(text.len() * LOOKS_MAX)?;
    let headings = lines.iter().flat_map(|line| &line.cells).filter_map(|cell| heading(cell));
    pairs.extend(headings.flatten());
    let order = language::order(text);
    pairs.extend(
        lines
            .iter()
            .take(PLACE_LINES_MAX)
            .flat_map(|line| &line.cells)
            .filter_map(|cell| Some(Pair::new("date", &place_and_date(cell, order)?))),
    );
    let hints = Hints { style: amount::style(text), order, ..Hints::default() };
    let hints = Hints { currency: record::one_currency(text, lines, hints), ..hints };
    // The number of an invoice has a digit; what stands below a bare heading often has none.
    let number = INVOICE.terms.first().map(|term| term.field);
    pairs.retain(|pair| {
        let is_number = INVOICE.term(&pair.label).map(|term| term.field) == number;
        !is_number || pair.value.contains(|c: char| c.is_ascii_digit())
    });
    let Some(mut entity) = record::extracted(&INVOICE, &pairs, hints) else { return Ok(None) };
    let fields = &mut entity.fields;
    for name in ["vendor_name", "customer_name"] {
        if let Some(value) = fields.get_mut(name) {
            *value = party::name(value.as_str().unwrap_or_default()).into();
        }
    }
    if !fields.contains_key("date_due")
        && let Some(due) = prose::due_date(text, effort)?
    {
        fields.insert("date_due".to_owned(), due.into());
    }
    if !fields.contains_key("date_due")
        && let Some(day) = fields.get("invoice_date").and_then(|day| day.as_str()).map(str::to_owned)
        && let Some(due) = terms::due(text, &day, effort)?
    {
        fields.insert("date_due".to_owned(), due.into());
    }
    if !fields.contains_key("amount_due")
        && let Some(sum) = only_sum(&pairs, hints)
    {
        fields.insert("amount_due".to_owned(), sum.number.into());
        if let Some(code) = sum.currency.or(hints.currency) {
            fields.insert("currency".to_owned(), code.into());
        }
    }
    if !fields.contains_key("invoice_date")
        && let Some(day) = letter::written(lines, order, effort)?
    {
        fields.insert("invoice_date".to_owned(), day.into());
    }
    sums::complete(fields, lines, &pairs, hints);
    if !items.is_empty() {
        fields.insert("items".to_owned(), items.into());
    }
    record::name_dollar(text, fields);
    Ok((fields.contains_key("invoice_number") || fields.contains_key("amount_due")).then_some(entity))
}

/// The one amount whose label begins with a word for sums: `Montant de la taxe : 214,00 €`.
fn only_sum(pairs: &[Pair], hints: Hints) -> Option<amount::Amount> {
    let is_sum = |pair: &&Pair| {
        let first = pair.label.split(' ').next().unwrap_or_default();
        INVOICE.term(first).is_some_and(|term| term.field == "amount_due") && INVOICE.term(&pair.label).is_none()
    };
    let mut sums = pairs.iter().filter(is_sum).filter_map(|pair| amount::parse(&pair.value, hints.style));
    let first = sums.next()?;
    sums.all(|other| other.number == first.number).then_some(first)
}

/// How often the text is looked at as a whole: headings, style and currency of its amounts, its dollar.
const LOOKS_MAX: usize = 8;

/// How far down a letter says where and when it was written.
const PLACE_LINES_MAX: usize = 20;

/// The day of `Kassel, 14. April 2026`, `Kassel, den 14.04.2026` or `Fait à Lille, le 3 mars 2026`.
pub fn place_and_date(cell: &str, order: Option<date::Order>) -> Option<String> {
    const PLACE_WORDS_MAX: usize = 6;
    let (place, day) = cell.rsplit_once(", ")?;
    let is_letter = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '.' | '\'' | '’');
    let is_place = place.starts_with(char::is_uppercase)
        && place.chars().all(is_letter)
        && place.split_whitespace().count() <= PLACE_WORDS_MAX;
    let words = ["den ", "am ", "le ", "lì ", "li ", "a ", "on ", "op ", "il ", "em ", "the ", "aos "];
    let day = words.iter().find_map(|word| day.strip_prefix(word)).unwrap_or(day);
    is_place.then(|| date::parse(day.trim_end_matches('.'), order)).flatten()
}

/// Number and date of a heading such as `Rechnung Nr. 4711 vom 3. März 2026` or `INVOICE INV-1`.
fn heading(cell: &str) -> Option<Vec<Pair>> {
    let (word, rest) = cell.split_once([' ', '#'])?;
    let title = language::title(&vocabulary::normal(word));
    if !matches!(title, Some(Title::Invoice | Title::CreditNote)) {
        return None;
    }
    let rest = rest.trim();
    let markers = ["number", "no.", "no", "nr.", "nr", "n.º", "n.", "nº", "n°", "#", "nummer", "número", "id", "n"];
    let lower = rest.to_lowercase();
    let marker = markers.iter().find(|marker| {
        lower
            .strip_prefix(**marker)
            .is_some_and(|after| after.starts_with([' ', ':', '#']) || marker.ends_with(['.', '#']))
    });
    let rest = rest.get(marker.map_or(0, |marker| marker.len())..)?.trim_start_matches([':', '#', ' ', '.']);
    let (number, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number.trim_end_matches([',', ';', ':']);
    let is_number = number.contains(|c: char| c.is_ascii_digit()) && date::parse(number, None).is_none();
    if !is_number {
        return None;
    }
    let after = after.trim().trim_start_matches(['-', '–', '·', ',']).trim();
    let dated = ["vom ", "dated ", "of ", "from ", "de ", "du ", "del ", "van "]
        .iter()
        .find_map(|word| after.strip_prefix(word))
        .unwrap_or(after);
    // More words after the number make it a sentence, not a heading.
    let day = date::parse(dated, None);
    if !after.is_empty() && day.is_none() {
        return None;
    }
    let mut pairs = vec![Pair::new("invoice number", number)];
    pairs.extend(day.map(|day| Pair::new("invoice date", &day)));
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_carry_number_and_date() {
        check("INVOICE INV-1", "INV-1");
        check("Invoice #1001", "1001");
        check("Invoice No. 7", "7");
        check("Rechnung Nr. 4711 vom 03.03.2026", "4711 2026-03-03");
        check("Factura nº F-22", "F-22");
        check("Rechnung vom 03.03.2026", "-");
        check("Invoice 7 was paid in full", "-");
        check("Invoice for services", "-");
    }

    #[test]
    fn letters_say_where_and_when() {
        let day = |cell| place_and_date(cell, None);
        assert_eq!(day("Kassel, den 14.04.2026").as_deref(), Some("2026-04-14"));
        assert_eq!(day("Bad Orb, 14. April 2026").as_deref(), Some("2026-04-14"));
        assert_eq!(day("Fait à Saint-Orbin, le 3 mars 2026.").as_deref(), Some("2026-03-03"));
        assert_eq!(day("due, 14.04.2026"), None);
    }

    #[track_caller]
    fn check(cell: &str, expected: &str) {
        let shown = heading(cell)
            .map_or("-".to_owned(), |pairs| pairs.iter().map(|pair| pair.value.clone()).collect::<Vec<_>>().join(" "));
        assert_eq!(shown, expected);
    }
}
