//! Sums of invoices: what is not labelled follows from the amounts that are there, and only where they add up.

use std::collections::BTreeSet;

use contract::Object;
use serde_json::{Number, Value};

use super::lines::Line;
use super::record::{Hints, Pair};
use super::vocabulary::INVOICE;
use super::{amount, tax};

/// Completes the sums of an invoice, and keeps which of them hold.
pub fn complete(fields: &mut Object, lines: &[Line], pairs: &[Pair], hints: Hints) {
    let present: BTreeSet<i64> = lines
        .iter()
        .flat_map(|line| &line.cells)
        .filter_map(|cell| cents(&amount::parse(tail(cell), hints.style)?.number))
        .collect();
    let totals: Vec<i64> = pairs
        .iter()
        .filter(|pair| INVOICE.term(&pair.label).is_some_and(|term| term.field == "amount_due"))
        .filter_map(|pair| cents(&amount::parse(tail(&pair.value), hints.style)?.number))
        .collect();
    let of = |fields: &Object, name: &str| fields.get(name).and_then(Value::as_number).and_then(cents);
    if !fields.contains_key("tax_amount")
        && let Some(taxes) = taxes(pairs, hints)
    {
        let holds = match of(fields, "subtotal") {
            Some(net) => present.contains(&(net + taxes)),
            None => totals.iter().any(|total| present.contains(&(total - taxes))),
        };
        if holds {
            put(fields, "tax_amount", taxes);
        }
    }
    if let (None, Some(tax)) = (of(fields, "subtotal"), of(fields, "tax_amount")) {
        let net = totals.iter().map(|total| total - tax).find(|net| *net != 0 && present.contains(net));
        if let Some(net) = net.filter(|_| tax != 0) {
            put(fields, "subtotal", net);
        }
    }
    if let (Some(net), Some(tax)) = (of(fields, "subtotal"), of(fields, "tax_amount"))
        && present.contains(&(net + tax))
    {
        fields.insert("checks".to_owned(), vec![Value::from("subtotal + tax_amount = total")].into());
    }
}

/// The sum of tax lines of different rates, each counted once.
fn taxes(pairs: &[Pair], hints: Hints) -> Option<i64> {
    let mut rates: Vec<&String> = Vec::new();
    let mut sum = 0;
    for pair in pairs.iter().filter(|pair| tax::is_line(&pair.label)) {
        let Some(rate) = pair.rate.as_ref().filter(|rate| !rates.contains(rate)) else { continue };
        let Some(part) = amount::parse(tail(&pair.value), hints.style).and_then(|read| cents(&read.number)) else {
            continue;
        };
        rates.push(rate);
        sum += part;
    }
    (rates.len() >= 2).then_some(sum)
}

/// An amount in whole cents.
pub fn cents(number: &Number) -> Option<i64> {
    let value = number.as_f64()? * 100.0;
    (value.abs() < 1e15).then(|| value.round() as i64)
}

fn put(fields: &mut Object, name: &str, cents: i64) {
    if let Some(number) = Number::from_f64(cents as f64 / 100.0) {
        fields.insert(name.to_owned(), number.into());
    }
}

/// What stands behind the last colon: `IVA 6 %: 55,44 €`.
fn tail(cell: &str) -> &str {
    cell.rsplit(": ").next().unwrap_or(cell).trim()
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::{lines, pairs};
    use super::*;

    #[test]
    fn taxes_of_several_rates_add_up() {
        check(
            "Total HT  1 685,00\nTVA 10 %  159,00\nTVA 20 %  19,00\nTotal TTC  1 863,00",
            r#"{"tax_amount":178.0,"subtotal":1685.0,"checks":["subtotal + tax_amount = total"]}"#,
        );
    }

    #[test]
    fn what_does_not_add_up_is_left_out() {
        check("Total HT  1 685,00\nTVA 10 %  150,00\nTVA 20 %  19,00\nTotal TTC  1 863,00", "{}");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let lines = lines::lines(text, &ample()).unwrap();
        let mut fields = Object::default();
        let hints = Hints { style: amount::style(text), ..Hints::default() };
        complete(&mut fields, &lines, &pairs::pairs(&lines, &ample()).unwrap(), hints);
        assert_eq!(serde_json::to_string(&fields).unwrap(), expected);
    }
}
