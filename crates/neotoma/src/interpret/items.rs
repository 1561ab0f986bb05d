//! Items of invoices and receipts: the words of each line that has a price, as written.

use super::effort::Effort;
use super::lines::Line;
use super::{Failure, amount, vocabulary};

const NAMES: &str = "description|item|items|beschreibung|bezeichnung|artikel|leistung|service|product|details|concepto|\
    descripción|désignation|libellé|article|prestation|articolo|descrizione|prestazione|omschrijving|dienst|descrição|artigo|\
    designação|serviço|artículo|detalle|producto|servicio|prestations|concept|work|tätigkeit|artikelbezeichnung|produkt|item description";
const NUMBERS: &str = "amount|total|price|unit price|qty|quantity|menge|anzahl|preis|einzelpreis|gesamt|betrag|gesamtpreis|\
    montant|montant ht|total ht|prix|p u ht|pu ht|pu ttc|prix ht|qté|quantité|importo|prezzo|q tà|qtà|quantità|prezzo unitario|bedrag|aantal|\
    tarief|prijs|valor|preço|qtd|quant|pr unit|preço unit|net|einzel|hoeveelheid|precio unitario|cant|betrag|prix unitaire|value|stückpreis|\
    importe|cantidad|precio|rate|hours|stunden|summe|line total|e preis|g preis|std|unit|einheit";
/// Lines without a price in the middle of a list, such as the second line of a description.
const REMARKS_MAX: usize = 2;
/// How often a line is looked at: as a header, for each beginning that may be the label of a sum, and as an item.
const LOOKS_MAX: usize = 6;

/// The items below a header such as "Description  Qty  Amount", and the lines without them.
pub fn of_invoice(lines: &[Line], effort: &Effort) -> Result<(Vec<String>, Vec<Line>), Failure> {
    effort.spend(LOOKS_MAX * text_bytes(lines))?;
    let Some((at, column)) = lines.iter().enumerate().find_map(|(at, line)| Some((at, header(line)?))) else {
        return Ok((without_header(lines), lines.to_vec()));
    };
    let mut items = Vec::new();
    let mut taken = vec![false; lines.len()];
    taken[at] = true;
    let mut remarks = 0;
    for (number, line) in lines.iter().enumerate().skip(at + 1) {
        if line.is_blank() {
            continue;
        }
        if ends_list(line) {
            break;
        }
        match item(line, lines[at].cells.len(), column) {
            Some(item) => {
                items.push(item);
                taken[number] = true;
                remarks = 0;
            }
            None if remarks < REMARKS_MAX => remarks += 1,
            None => break,
        }
    }
    let rest = lines.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(line, _)| line.clone());
    Ok((items, rest.collect()))
}

fn text_bytes(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.text.len() + 1).sum()
}

/// The lines of a till receipt that have a price, above the first sum.
pub fn of_receipt(lines: &[Line], effort: &Effort) -> Result<Vec<String>, Failure> {
    effort.spend(LOOKS_MAX * text_bytes(lines))?;
    let mut items = Vec::new();
    for line in lines.iter().filter(|line| !line.is_blank()) {
        if ends_list(line) {
            break;
        }
        items.extend(priced(line));
    }
    Ok(items)
}

/// The lines of cells with a price above the first sum, where no header says that they are items.
fn without_header(lines: &[Line]) -> Vec<String> {
    let Some(end) = lines.iter().position(ends_list) else { return Vec::new() };
    let is_item = |line: &&Line| {
        let first = line.cells.first().map(|cell| vocabulary::normal(cell)).unwrap_or_default();
        line.cells.len() >= 2 && !vocabulary::is_label(&first)
    };
    lines[..end].iter().filter(is_item).filter_map(priced).collect()
}

fn header(line: &Line) -> Option<usize> {
    let labels: Vec<String> = line.cells.iter().map(|cell| vocabulary::normal(cell)).collect();
    let among = |list: &str, label: &str| list.split('|').any(|known| known == label);
    let name = labels.iter().position(|label| among(NAMES, label))?;
    let others: Vec<&String> = labels.iter().filter(|label| among(NUMBERS, label)).collect();
    // A single pair such as "Description  Amount" of key and value has no number among its labels.
    (!others.is_empty()).then_some(name)
}

fn item(line: &Line, cells: usize, column: usize) -> Option<String> {
    amount::parse(line.cells.last()?, Some(amount::Style::Point))?;
    let name = if line.cells.len() == cells {
        line.cells.get(column)
    } else {
        line.cells.iter().find(|cell| cell.chars().filter(|c| c.is_alphabetic()).count() >= 3)
    };
    name.filter(|name| name.contains(char::is_alphabetic) && line.cells.len() >= 2).cloned()
}

/// Whether the line is a sum, a tax or another known label.
fn ends_list(line: &Line) -> bool {
    let Some(first) = line.cells.first() else { return false };
    let sums = |label: &str| {
        let label = vocabulary::normal(label);
        super::tax::is_line(&label)
            || ["amount_due", "subtotal", "tax_amount"].iter().any(|field| {
                vocabulary::INVOICE.terms.iter().any(|term| term.field == *field && term.rank(&label).is_some())
            })
            || label == "rabatt"
            || label == "discount"
    };
    let words: Vec<&str> = first.split([' ', ':']).collect();
    (1..=words.len().min(4)).any(|count| sums(&words[..count].join(" ")))
}

/// The words before the price of a line, whose tax class may follow: `Brot 3,49 A`. What lowers the sum is no item.
fn priced(line: &Line) -> Option<String> {
    let mut words: Vec<&str> = line.text.split(' ').collect();
    if words.last().is_some_and(|word| word.len() == 1 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '*')) {
        words.pop();
    }
    if words.last().is_some_and(|word| amount::currency(word).is_some()) {
        words.pop();
    }
    let price = words.pop()?;
    amount::parse(price, None).filter(|read| read.number.is_f64() && read.number.as_f64() >= Some(0.0))?;
    if words.last().is_some_and(|word| amount::currency(word).is_some()) {
        words.pop();
    }
    let name = words.join(" ");
    let is_name = name.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !name.contains(':');
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::*;

    #[test]
    fn items_stand_between_their_header_and_the_sums() {
        let text = "Pos  Bezeichnung  Menge  Preis\n1  Beratung  2 Std.  160,00\n2  Fahrt  1  30,00\nSumme  190,00";
        let (items, rest) = of_invoice(&lines(text, &ample()).unwrap(), &ample()).unwrap();
        assert_eq!(items, ["Beratung", "Fahrt"]);
        assert_eq!(rest.len(), 1);
    }

    #[test]
    fn receipt_items_have_a_price() {
        let text = "Markt am Tor\nTel 030 1234\nBrot 3,49 A\nMilch  1,19\nSUMME 4,68\nBar 5,00";
        assert_eq!(of_receipt(&lines(text, &ample()).unwrap(), &ample()).unwrap(), ["Brot", "Milch"]);
    }
}
