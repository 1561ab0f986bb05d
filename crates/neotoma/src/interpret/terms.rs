//! Terms of payment: "30 Tage netto", "à 30 jours", "Net 15".

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::effort::Effort;
use super::{Failure, language};

/// What a line about paying has in it, in any language.
const PAYING: &str = "pay|zahl|überweis|règlement|régler|paiement|pago|pagar|betal|voldoen|overmaken|pagament|terms|netto|fällig|vencimiento|\
    conditions|condiciones|rimessa|bonifico|liquid|cond. pag";
const DAYS_MAX: i64 = 180;

/// The day by which to pay, when the text gives days from the day of the invoice and no other number of them.
pub fn due(text: &str, invoiced: &str, effort: &Effort) -> Result<Option<String>, Failure> {
    effort.spend(text.len().saturating_mul(PAYING.split('|').count()))?;
    let mut found: Vec<i64> = Vec::new();
    for line in text.lines() {
        let lower = line.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let net = words.windows(2).filter(|pair| pair[0] == "net").filter_map(|pair| pair[1].parse::<i64>().ok());
        found.extend(net);
        if !PAYING.split('|').any(|word| lower.contains(word)) {
            continue;
        }
        let days = words.windows(2).filter(|pair| is_days(pair[1])).filter_map(|pair| pair[0].parse::<i64>().ok());
        found.extend(days);
    }
    found.sort_unstable();
    found.dedup();
    let [days] = found[..] else { return Ok(None) };
    let day: Option<Date> = invoiced.parse().ok();
    let due = day.filter(|_| (1..=DAYS_MAX).contains(&days)).and_then(|day| day.checked_add(days.days()).ok());
    Ok(due.map(|due| due.to_string()))
}

fn is_days(word: &str) -> bool {
    language::any(|language| language.days, word)
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn terms_become_days() {
        check("Zahlbar 30 Tage netto ohne Abzug", "2026-04-04");
        check("Conditions de règlement : à 30 jours date de facture", "2026-04-04");
        check("Terms: Net 15", "2026-03-20");
        check("Pagamento: bonifico 30 gg d.f.", "2026-04-04");
    }

    #[test]
    fn other_days_and_two_terms_are_no_answer() {
        check("Umtausch binnen 30 Tagen", "-");
        check("Zahlbar in 10 Tagen mit 2 % Skonto, in 30 Tagen netto zahlbar", "-");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(due(text, "2026-03-05", &ample()).unwrap().as_deref().unwrap_or("-"), expected);
    }
}
