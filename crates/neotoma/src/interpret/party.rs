//! Names of companies and people on papers: in letterheads, address blocks and after labels.

use super::lines::Line;

const LEGAL_FORMS: &[&str] = &[
    "GmbH", "mbH", "AG", "KG", "OHG", "UG", "e.K.", "eK", "GbR", "e.V.", "Ltd", "Ltd.", "Limited", "LLC", "Inc",
    "Inc.", "Corp", "Corp.", "plc", "PLC", "LLP", "S.L.", "SL", "S.A.", "SA", "B.V.", "BV", "SE", "eG", "PartG", "Pty",
    "Oy", "AB",
];
/// How far down a letterhead may stand.
const LETTERHEAD_LINES_MAX: usize = 6;

/// The first line near the top that names a company by its legal form.
pub fn letterhead(lines: &[Line]) -> Option<String> {
    let top = lines.iter().filter(|line| !line.is_blank()).take(LETTERHEAD_LINES_MAX);
    top.flat_map(|line| line.cells.first())
        .filter(|cell| !cell.contains(':'))
        .map(|cell| name(cell))
        .find(|name| is_company(name))
}

/// Whether the last word of `name` is a legal form.
pub fn is_company(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.len() >= 2 && words.len() <= 8 && words.last().is_some_and(|last| LEGAL_FORMS.contains(last))
}

/// The name below `Herrn`, `Frau` or `Firma` in an address block.
pub fn addressee(lines: &[Line]) -> Option<String> {
    let is_salutation = |line: &Line| {
        let first = line.cells.first().map(String::as_str);
        matches!(first, Some("Herrn" | "Herr" | "Frau" | "Firma" | "An" | "An die"))
    };
    let at = lines.iter().position(is_salutation)?;
    lines.get(at + 1).and_then(|line| line.cells.first()).cloned()
}

/// A name without the address that follows it on the same line.
pub fn name(text: &str) -> String {
    let cut = text.split(['·', '•', '|']).next().unwrap_or(text);
    let cut = [" – ", " — ", " - "].iter().fold(cut, |cut, dash| cut.split(dash).next().unwrap_or(cut)).trim();
    // In "Acme, Inc." the comma belongs to the name; in "Acme GmbH, Hafenstr. 3" it ends it.
    match cut.split_once(',') {
        Some((before, after)) => {
            let first = after.split_whitespace().next().unwrap_or_default();
            if LEGAL_FORMS.contains(&first.trim_end_matches(',')) {
                match after.split_once(',') {
                    Some((form, _)) => format!("{before},{form}"),
                    None => cut.to_owned(),
                }
            } else {
                before.trim().to_owned()
            }
        }
        None => cut.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::*;

    #[test]
    fn names_end_where_the_address_begins() {
        for (text, expected) in [
            ("Nordwind GmbH · Hafenstr. 3 · 20457 Hamburg", "Nordwind GmbH"),
            ("Nordwind GmbH, Hafenstr. 3", "Nordwind GmbH"),
            ("Acme, Inc.", "Acme, Inc."),
            ("Acme, Inc., 1 Main Street", "Acme, Inc."),
            ("Hofladen Birke", "Hofladen Birke"),
        ] {
            assert_eq!(name(text), expected);
        }
    }

    #[test]
    fn the_letterhead_is_a_company_near_the_top() {
        let top = |text| letterhead(&lines(text, &ample()).unwrap());
        assert_eq!(top("Page 1\nNordwind GmbH\nRechnung").as_deref(), Some("Nordwind GmbH"));
        assert_eq!(top("Invoice\nfor our friends"), None);
    }
}
