//! Invoices: labelled values, the heading that carries the number, the letterhead that names the vendor, the items.

use super::effort::Effort;
use super::language::{self, Title};
use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::{self, INVOICE};
use super::{Extracted, Failure, amount, date, items, pairs, party, prose, terms};

/// The invoice that `lines` are.
pub fn read(text: &str, lines: &[Line], effort: &Effort) -> Result<Option<Extracted>, Failure> {
    let (items, rest) = items::of_invoice(lines, effort)?;
    let mut pairs = pairs::pairs(&rest, effort)?;
    effort.spend(text.len() * LOOKS_MAX)?;
    let headings = lines.iter().flat_map(|line| &line.cells).filter_map(|cell| heading(cell));
    pairs.extend(headings.flatten());
    pairs.extend(
        lines.iter().take(PLACE_LINES_MAX).flat_map(|line| &line.cells).filter_map(|cell| place_and_date(cell)),
    );
    let hints = Hints { style: amount::style(text), order: language::order(text), ..Hints::default() };
    let hints = Hints { currency: record::one_currency(text, lines, hints), ..hints };
    // The number of an invoice has a digit; what stands below a bare heading often has none.
    let number = INVOICE.terms.first().map(|term| term.field);
    pairs.retain(|pair| {
        let is_number = INVOICE.term(&pair.label).map(|term| term.field) == number;
        !is_number || pair.value.contains(|c: char| c.is_ascii_digit())
    });
    let Some(mut entity) = record::extracted(&INVOICE, &pairs, hints) else { return Ok(None) };
    let fields = &mut entity.fields;
    if !fields.contains_key("vendor_name")
        && let Some(vendor) = party::letterhead(lines)
    {
        fields.insert("vendor_name".to_owned(), vendor.into());
    }
    if !fields.contains_key("customer_name")
        && let Some(customer) = party::addressee(lines)
    {
        fields.insert("customer_name".to_owned(), customer.into());
    }
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
    if !items.is_empty() {
        fields.insert("items".to_owned(), items.into());
    }
    record::name_dollar(text, fields);
    Ok((fields.contains_key("invoice_number") || fields.contains_key("amount_due")).then_some(entity))
}

/// How often the text is looked at as a whole: headings, style and currency of its amounts, its dollar.
const LOOKS_MAX: usize = 8;

/// How far down a letter says where and when it was written.
const PLACE_LINES_MAX: usize = 20;

/// The date of `Kassel, 14. April 2026` or `Kassel, den 14.04.2026`.
fn place_and_date(cell: &str) -> Option<Pair> {
    let (place, day) = cell.split_once(", ")?;
    let is_place =
        place.starts_with(char::is_uppercase) && place.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '-');
    let day = date::parse(day.strip_prefix("den ").unwrap_or(day), None)?;
    is_place.then(|| Pair::new("date", &day))
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
        let day = |cell| place_and_date(cell).map(|pair| pair.value);
        assert_eq!(day("Kassel, den 14.04.2026").as_deref(), Some("2026-04-14"));
        assert_eq!(day("Bad Orb, 14. April 2026").as_deref(), Some("2026-04-14"));
        assert_eq!(day("due, 14.04.2026"), None);
    }

    #[track_caller]
    fn check(cell: &str, expected: &str) {
        let shown = heading(cell)
            .map_or("-".to_owned(), |pairs| pairs.iter().map(|pair| pair.value.clone()).collect::<Vec<_>>().join(" "));
        assert_eq!(shown, expected);
    }
}
