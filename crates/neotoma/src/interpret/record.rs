//! Records: labelled values that belong together, from key-value lines, table rows or JSON objects, read as one entity.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use contract::Object;
use serde_json::Value;

use super::amount::{self, Amount, Style};
use super::date::{self, Order};
use super::lines::Line;
use super::vocabulary::{self, Reading, Term, Vocabulary};
use super::{Extracted, party, tax};

/// A value with the label it stood under, in normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub label: String,
    pub value: String,
    /// The currency that the label named, as in "Amount (EUR)".
    pub label_currency: Option<&'static str>,
    /// The rate that the label of a tax line named, as written.
    pub rate: Option<String>,
}

impl Pair {
    pub fn new(label: &str, value: &str) -> Self {
        let named = label.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ':'));
        let label_currency = named.filter(|word| !word.is_empty()).find_map(amount::currency);
        let normal = vocabulary::normal(label);
        let rate = if tax::is_line(&normal) { tax::percentage(label) } else { None };
        Self { label: normal, value: value.trim().to_owned(), label_currency, rate }
    }
}

/// What the surroundings of a record show about how it is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    pub style: Option<Style>,
    pub order: Option<Order>,
    /// The currency of amounts that name none.
    pub currency: Option<&'static str>,
}

/// The one type that these labels clearly name: the one with the most fields named and, among equals, with the more telling
/// words. Where that does not decide either, there is none.
pub fn type_of<'a>(labels: impl Iterator<Item = &'a str> + Clone) -> Option<&'static Vocabulary> {
    let mut best: Option<(&'static Vocabulary, (usize, Reverse<usize>))> = None;
    let mut tied = false;
    for vocabulary in vocabulary::ALL.iter().copied() {
        let Some(fit) = fit(vocabulary, labels.clone()) else { continue };
        match best {
            Some((_, most)) if fit < most => {}
            // Cards of people and companies name the same things; see `extracted`.
            Some((first, most)) if fit == most => tied |= first.entity_type != "person",
            _ => (best, tied) = (Some((vocabulary, fit)), false),
        }
    }
    best.filter(|_| !tied).map(|(vocabulary, _)| vocabulary)
}

/// How many fields the labels name and how telling they are; nothing when one that the type needs is not named.
fn fit<'a>(vocabulary: &Vocabulary, labels: impl Iterator<Item = &'a str>) -> Option<(usize, Reverse<usize>)> {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for (label, term) in labels.filter_map(|label| Some((label, vocabulary.term(label)?))) {
        let rank = term.rank(label)?;
        named.entry(term.field).and_modify(|best| *best = rank.min(*best)).or_insert(rank);
    }
    let fits = vocabulary.needs.iter().all(|group| group.split(' ').any(|field| named.contains_key(field)));
    fits.then(|| (named.len(), Reverse(named.values().sum())))
}

/// The fields of `vocabulary` that `pairs` give. What cannot be read as its type is left out.
pub fn fields(vocabulary: &Vocabulary, pairs: &[Pair], hints: Hints) -> Object {
    read(vocabulary, pairs, hints).0
}

/// The entity of a record whose labels clearly name a type.
pub fn entity(pairs: &[Pair], hints: Hints) -> Option<Extracted> {
    let vocabulary = type_of(pairs.iter().map(|pair| pair.label.as_str()))?;
    extracted(vocabulary, pairs, hints)
}

/// The entity of a record of a known type, unless nothing of it can be read.
pub fn extracted(vocabulary: &Vocabulary, pairs: &[Pair], hints: Hints) -> Option<Extracted> {
    Some(whole(vocabulary, pairs, hints)?.0)
}

/// Like [`extracted`], with the positions of the pairs that no field took.
pub fn whole(vocabulary: &Vocabulary, pairs: &[Pair], hints: Hints) -> Option<(Extracted, Vec<usize>)> {
    let name = pairs.iter().find(|pair| pair.label == "name" || pair.label == "full name");
    let company = vocabulary.entity_type == "person" && name.is_some_and(|name| party::is_company(&name.value));
    let vocabulary = if company { &vocabulary::COMPANY } else { vocabulary };
    let (fields, left) = read(vocabulary, pairs, hints);
    (!fields.is_empty()).then(|| (Extracted { entity_type: vocabulary.entity_type.to_owned(), fields }, left))
}

/// The name of the field that keeps what stands under a label of its own.
pub fn field_name(label: &str) -> Option<String> {
    const CHARS_MAX: usize = 64;
    let words = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("_").chars().take(CHARS_MAX).collect();
    (!name.is_empty()).then_some(name)
}

/// The fields that `pairs` give, and the positions of the pairs with a value that none of them took.
fn read(vocabulary: &Vocabulary, pairs: &[Pair], hints: Hints) -> (Object, Vec<usize>) {
    let mut found = Object::default();
    let mut currency = None;
    let mut is_out = false;
    let mut taken = vec![false; pairs.len()];
    for term in vocabulary.terms {
        match term.reading {
            Reading::Text => {
                if let Some(at) = best(term, pairs) {
                    found.insert(term.field.to_owned(), pairs[at].value.clone().into());
                    taken[at] = true;
                }
            }
            Reading::Date => {
                if let Some((at, date)) = best_date(term, pairs, hints) {
                    found.insert(term.field.to_owned(), date.into());
                    taken[at] = true;
                }
            }
            Reading::Currency => {
                let named = best(term, pairs).and_then(|at| Some((at, amount::currency(&pairs[at].value)?)));
                if let Some((at, code)) = named {
                    currency = Some(code);
                    taken[at] = true;
                }
            }
            Reading::Sign => {
                if let Some(at) = best(term, pairs).filter(|at| pairs[*at].value.chars().count() <= SIGN_CHARS_MAX) {
                    taken[at] = true;
                    is_out = is_money_out(&pairs[at].value);
                }
            }
            Reading::Amount | Reading::Debit | Reading::Credit => {
                if let Some((at, read)) = best_amount(term, pairs, hints)
                    && let Some(number) = signed(term.reading, read.number)
                    && !found.contains_key(term.field)
                {
                    found.insert(term.field.to_owned(), number.into());
                    currency = currency.or(read.currency);
                    taken[at] = true;
                }
            }
        }
    }
    if is_out
        && let Some(Value::Number(number)) = found.get("amount").cloned()
        && let Some(number) = signed(Reading::Debit, number)
    {
        found.insert("amount".to_owned(), number.into());
    }
    if vocabulary.entity_type == "invoice"
        && !found.contains_key("tax_rate")
        && let Some(rate) = tax::rate(pairs)
    {
        found.insert("tax_rate".to_owned(), rate.into());
    }
    let has_currency = vocabulary.terms.iter().any(|term| term.reading == Reading::Currency);
    let has_amount = found.values().any(Value::is_number);
    if has_currency && let Some(code) = currency.or(hints.currency.filter(|_| has_amount)) {
        found.insert("currency".to_owned(), code.into());
    }
    let left = (0..pairs.len()).filter(|at| !taken[*at] && !pairs[*at].value.is_empty());
    (found, left.collect())
}

/// Where the most telling pair of a term stands; the first one where several are alike.
fn best(term: &Term, pairs: &[Pair]) -> Option<usize> {
    let ranked = pairs.iter().enumerate().filter(|(_, pair)| !pair.value.is_empty());
    ranked.filter_map(|(at, pair)| Some((term.rank(&pair.label)?, at))).min_by_key(|(rank, _)| *rank).map(|(_, at)| at)
}

fn best_date(term: &Term, pairs: &[Pair], hints: Hints) -> Option<(usize, String)> {
    let dates = pairs.iter().enumerate().filter_map(|(at, pair)| {
        let rank = term.rank(&pair.label)?;
        let day = date::parse(&pair.value, hints.order).or_else(|| sentence_day(&pair.value));
        Some((rank, (at, day?)))
    });
    dates.min_by_key(|(rank, _)| *rank).map(|(_, found)| found)
}

/// The day that a sentence behind a label begins with: `15/07/2026. Payment by card.`
fn sentence_day(value: &str) -> Option<String> {
    let (first, _) = value.split_once(". ")?;
    date::parse(first, None)
}

/// The amount under the most telling label that has one, and where it stands. Two different amounts under equally telling
/// labels are no answer.
fn best_amount(term: &Term, pairs: &[Pair], hints: Hints) -> Option<(usize, Amount)> {
    let rank = |pair: &Pair| match tax::is_line(&pair.label) {
        true if term.field == "tax_amount" => Some(term.rank(&pair.label).unwrap_or(1)),
        _ => term.rank(&pair.label),
    };
    let amounts: Vec<(usize, usize, Amount)> = pairs
        .iter()
        .enumerate()
        .filter_map(|(at, pair)| {
            let rank = rank(pair)?;
            let mut read = amount::parse(remark_removed(&pair.value), hints.style)?;
            read.currency = read.currency.or(pair.label_currency);
            Some((rank, at, read))
        })
        .collect();
    let first = amounts.iter().map(|(rank, ..)| *rank).min()?;
    let mut equals = amounts.into_iter().filter(|(rank, ..)| *rank == first).map(|(_, at, read)| (at, read));
    let (at, mut answer) = equals.next()?;
    for (_, other) in equals {
        if other.number != answer.number {
            return None;
        }
        answer.currency = answer.currency.or(other.currency);
    }
    Some((at, answer))
}

/// `120.00 EUR (incl. VAT)` is an amount with a remark.
fn remark_removed(value: &str) -> &str {
    match value.find('(') {
        Some(at) if at > 0 && value.ends_with(')') => value[..at].trim_end(),
        _ => value,
    }
}

/// The longest word of a column of signs.
const SIGN_CHARS_MAX: usize = 8;

/// Whether the word of a column tells that money left the account.
fn is_money_out(word: &str) -> bool {
    let word = word.trim().to_lowercase();
    matches!(word.as_str(), "s" | "soll" | "d" | "af" | "debit" | "debet" | "dare" | "dr" | "débit" | "débito" | "-")
}

/// Money out is negative, however the column writes it.
fn signed(reading: Reading, number: serde_json::Number) -> Option<serde_json::Number> {
    if reading != Reading::Debit || number.to_string().starts_with('-') {
        return Some(number);
    }
    match number.as_i64() {
        Some(whole) => Some((-whole).into()),
        None => serde_json::Number::from_f64(-number.as_f64()?),
    }
}

/// The currency of all amounts that name one, when it is the same everywhere.
pub fn one_currency(text: &str, lines: &[Line], hints: Hints) -> Option<&'static str> {
    let cells = lines.iter().flat_map(|line| &line.cells);
    let tails = cells.flat_map(|cell| [cell.as_str(), cell.rsplit(": ").next().unwrap_or_default()]);
    let mut found = None;
    for code in tails.filter_map(|cell| amount::parse(cell, hints.style)?.currency) {
        if found.is_some_and(|found| found != code) {
            return None;
        }
        found = Some(code);
    }
    // Without any currency beside an amount, a single code in the text says what the amounts are in.
    found.or_else(|| {
        let mut codes = text.split(|c: char| !c.is_alphanumeric() && c != '€' && c != '£').filter_map(amount::currency);
        let first = codes.next()?;
        codes.all(|code| code == first).then_some(first)
    })
}

/// `$` alone is the dollar that the text names, if it names another one than that of the United States.
pub fn name_dollar(text: &str, fields: &mut Object) {
    if fields.get("currency").and_then(Value::as_str) != Some("USD") {
        return;
    }
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '$');
    let mut others: Vec<&str> =
        words().filter(|word| matches!(*word, "CAD" | "AUD" | "NZD" | "SGD" | "HKD" | "MXN")).collect();
    others.sort_unstable();
    others.dedup();
    if words().any(|word| word == "USD" || word.starts_with("US$")) || others.is_empty() {
        return;
    }
    match others[..] {
        [other] => fields.insert("currency".to_owned(), other.into()),
        _ => fields.remove("currency"),
    };
}
