//! Receipts: the merchant on top, items, the sum, and how it was paid.

use super::effort::Effort;
use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::{self, RECEIPT};
use super::{Extracted, Failure, amount, date, items, language, pairs, party};

/// Words that begin a line which says how much was paid by what.
const PAYMENTS: &[&str] = &[
    "visa",
    "mastercard",
    "maestro",
    "american express",
    "amex",
    "girocard",
    "ec-karte",
    "ec karte",
    "cash",
    "bar",
    "bargeld",
    "barzahlung",
    "credit card",
    "debit card",
    "card",
    "kreditkarte",
    "kartenzahlung",
    "apple pay",
    "google pay",
    "paypal",
    "contactless",
    "efectivo",
    "tarjeta",
    "cb",
    "carte bancaire",
    "espèces",
    "pin",
    "contant",
    "bancontact",
    "pagamento elettronico",
    "pagamento contante",
    "carta di credito",
    "contanti",
    "mb way",
    "multibanco",
    "numerário",
    "dinheiro",
    "visa debit",
    "debit mastercard",
    "tarjeta visa",
    "tarjeta mastercard",
    "discover",
    "pix",
    "carte",
];

/// The receipt that `lines` are.
pub fn read(text: &str, lines: &[Line], effort: &Effort) -> Result<Option<Extracted>, Failure> {
    let mut pairs = pairs::pairs(lines, effort)?;
    effort.spend(text.len() * LOOKS_MAX)?;
    let hints = Hints { style: amount::style(text), order: language::order(text), ..Hints::default() };
    let hints = Hints { currency: record::one_currency(text, lines, hints), ..hints };
    let paid = lines.iter().find_map(payment);
    pairs.extend(paid.map(|paid| Pair::new("payment method", &paid)));
    let Some(mut entity) = record::extracted(&RECEIPT, &pairs, hints) else { return Ok(None) };
    let fields = &mut entity.fields;
    if !fields.contains_key("merchant_name")
        && let Some(merchant) = merchant(lines, effort)?
    {
        fields.insert("merchant_name".to_owned(), merchant.into());
    }
    if !fields.contains_key("date_purchased") {
        let mut dates: Vec<String> =
            date::find_in(text, hints.order, effort)?.into_iter().map(|(_, day)| day).collect();
        dates.sort();
        dates.dedup();
        // Only one date on the paper can be the date of purchase; of several none is chosen.
        if let [day] = &dates[..] {
            fields.insert("date_purchased".to_owned(), day.clone().into());
        }
    }
    let items = items::of_receipt(lines, effort)?;
    if !items.is_empty() {
        fields.insert("items".to_owned(), items.into());
    }
    record::name_dollar(text, fields);
    Ok(fields.contains_key("amount_total").then_some(entity))
}

/// How often the text is looked at as a whole: style and currency of its amounts, how it was paid, its dollar.
const LOOKS_MAX: usize = 8;

/// Whether a line says how the sum was paid.
pub fn is_paid(lines: &[Line]) -> bool {
    lines.iter().any(|line| payment(line).is_some())
}

/// The words of a line such as `VISA ****1234  12.30` before the amount.
fn payment(line: &Line) -> Option<String> {
    let lower = line.text.to_lowercase();
    if lower.len() != line.text.len() {
        return None;
    }
    let tendered = ["gegeben ", "given ", "tendered ", "rendu ", "entregado ", "bezahlt mit ", "paid by ", "paid "];
    let skipped = tendered.iter().find(|word| lower.starts_with(**word)).map_or(0, |word| word.len());
    let (lower, text) = (&lower[skipped..], &line.text[skipped..]);
    let known = PAYMENTS
        .iter()
        .filter(|word| lower.strip_prefix(**word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':'])));
    let known = known.max_by_key(|word| word.len())?;
    let rest = text.get(known.len()..)?;
    let mut amounts = rest.split([' ', ':']).filter_map(|word| amount::parse(word, None));
    // What was not paid that way stands there as zero; a card shows the end of its number.
    let is_paid = amounts.any(|read| read.number.is_f64() && read.number.as_f64() != Some(0.0));
    (is_paid || rest.contains("***")).then(|| text[..known.len()].to_owned())
}

/// Lines on top that do not name the merchant.
const NOT_MERCHANTS: &str = "receipt|quittung|kassenbon|kassenbeleg|beleg|bon|recibo|sales receipt|payment receipt|kundenbeleg|\
    customer copy|merchant copy|händlerbeleg|duplicate|copy|kopie|welcome|willkommen|barquittung|cash receipt|official receipt|\
    store copy|kassenzettel|kaufbeleg|thank you";

fn merchant(lines: &[Line], effort: &Effort) -> Result<Option<String>, Failure> {
    let candidates = lines.iter().filter(|line| !line.is_blank()).take(5);
    for top in candidates {
        if !may_be_merchant(top, effort)? {
            continue;
        }
        let Some(cell) = top.cells.first() else { return Ok(None) };
        // A label on top means that the paper is laid out otherwise.
        let is_pair = !pairs::pairs(std::slice::from_ref(top), effort)?.is_empty();
        return Ok((!is_pair).then(|| party::name(cell.trim_matches(['*', '=', ' ']))));
    }
    Ok(None)
}

fn may_be_merchant(line: &Line, effort: &Effort) -> Result<bool, Failure> {
    let normal = vocabulary::normal(&line.text);
    let is_title = NOT_MERCHANTS.split('|').any(|title| title == normal)
        || normal.starts_with("page ")
        || normal.starts_with("seite ");
    let letters = line.text.chars().filter(|c| c.is_alphabetic()).count();
    Ok(!is_title && letters >= 3 && date::find(&line.text, effort)?.is_empty())
}
