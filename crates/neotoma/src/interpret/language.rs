//! Languages: what differs between documents of one language and another, as tables.
//!
//! A new language is a file with a [`Language`] in it and a line in [`ALL`]. The labels of all languages are looked up
//! together, since letterheads and forms mix them; the language of a document decides where words mean different things.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod nl;
mod pt;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::date::Order;

/// The words of one language.
#[derive(Debug)]
pub struct Language {
    /// Its ISO 639-1 code.
    pub code: &'static str,
    /// Short words by which it is told from the others.
    pub common: &'static str,
    /// The names of the months, whole and short, those of one month separated by `|`.
    pub months: &'static str,
    pub weekdays: &'static str,
    /// The labels of fields: type and field, and the words, as in `Term::labels`.
    pub labels: &'static [(&'static str, &'static str)],
    /// Labels of what is no field of ours.
    pub others: &'static str,
    /// Titles of papers, in normal form, by kind.
    pub titles: &'static [(Title, &'static str)],
    /// Taxes that are added to prices, and the words around them.
    pub taxes: &'static str,
    pub tax_fillers: &'static str,
    /// "Days" in terms of payment.
    pub days: &'static str,
    /// What stands before a name: titles and forms of address.
    pub honorifics: &'static str,
    /// Legal forms of companies, as written.
    pub legal_forms: &'static str,
    /// First words of the names of organisations that have no legal form.
    pub organisations: &'static str,
    /// How letters end, in normal form.
    pub closings: &'static str,
    /// Offices that people hold, in normal form.
    pub roles: &'static str,
    /// Words before the day on which something begins and ends, in lower case.
    pub begins: &'static str,
    pub ends: &'static str,
    /// How a reply quotes what it answers, in lower case.
    pub quoting: &'static str,
    /// Words of streets; one that begins with `-` ends a word.
    pub streets: &'static str,
    /// Labels of names, in lower case.
    pub name_labels: &'static str,
    /// What stands before a number for value added tax, another number of a tax office, or one of a register.
    pub vat: &'static str,
    pub tax_ids: &'static str,
    pub registers: &'static str,
    /// Words before who acts for an organisation.
    pub represented: &'static str,
    /// Words before and between the parties of a contract.
    pub between: &'static str,
    pub ands: &'static str,
    /// Labels of what a letter is about, and how it begins.
    pub subjects: &'static str,
    pub greetings: &'static str,
    /// Words before the time at which a meeting opened and closed.
    pub opened: &'static str,
    pub closed: &'static str,
    /// Words before the day by which something is to be done.
    pub by: &'static str,
    /// Headings above lists of what is to be done.
    pub actions: &'static str,
    /// Words that say that money was paid.
    pub paid: &'static str,
    /// Words before the place of a meeting.
    pub held: &'static str,
    /// Words for meetings; one that begins with `-` ends a word.
    pub called: &'static str,
}

/// What a paper calls itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Title {
    Invoice,
    CreditNote,
    Reminder,
    Receipt,
    Contract,
    Minutes,
}

/// The languages that are known.
pub const ALL: [&Language; 7] = [&en::EN, &de::DE, &fr::FR, &es::ES, &nl::NL, &it::IT, &pt::PT];

/// The language that most of the common words of a text are of; English when none are.
pub fn detect(text: &str) -> &'static Language {
    const WORDS_MAX: usize = 2_000;
    static COMMON: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
        let mut index: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, language) in ALL.iter().enumerate() {
            language.common.split(' ').for_each(|word| index.entry(word).or_default().push(at));
        }
        index
    });
    let mut counts = [0_usize; ALL.len()];
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(WORDS_MAX) {
        if let Some(languages) = COMMON.get(word.to_lowercase().as_str()) {
            languages.iter().for_each(|at| counts[*at] += 1);
        }
    }
    let best = (0..ALL.len()).max_by_key(|at| (counts[*at], ALL.len() - at)).unwrap_or_default();
    ALL[best]
}

/// The order in which a text writes dates such as `03/04/2026`: only in English it is open.
pub fn order(text: &str) -> Option<Order> {
    (detect(text).code != ALL[0].code).then_some(Order::DayFirst)
}

/// Whether `word` is in a list whose words are separated by `mark`.
pub fn among(list: &str, mark: char, word: &str) -> bool {
    list.split(mark).any(|known| known == word)
}

/// Whether any language has `word` in a list of theirs.
pub fn any(list: fn(&Language) -> &'static str, word: &str) -> bool {
    ALL.iter().any(|language| among(list(language), '|', word))
}

/// What a title in normal form calls the paper: the longest words that it has.
pub fn title(normal: &str) -> Option<Title> {
    let padded = format!(" {} ", normal.replace(['\'', '’', '-'], " "));
    let known = ALL
        .iter()
        .flat_map(|language| language.titles)
        .flat_map(|(title, words)| words.split('|').map(move |words| (*title, words)));
    known
        .filter(|(_, words)| padded.contains(&format!(" {} ", words.replace('\'', " "))))
        .max_by_key(|(_, words)| words.len())
        .map(|(title, _)| title)
}

/// The number of a month by its name in any language.
pub fn month(name: &str) -> Option<u16> {
    static MONTHS: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
        let names = |language: &&'static Language| {
            let months = language.months.split('|').zip(1_u16..);
            months.flat_map(|(names, number)| names.split(' ').map(move |name| (name, number))).collect::<Vec<_>>()
        };
        ALL.iter().flat_map(names).collect()
    });
    MONTHS.get(name.to_lowercase().as_str()).copied()
}

pub fn is_weekday(word: &str) -> bool {
    let word = word.to_lowercase();
    ALL.iter().any(|language| among(language.weekdays, ' ', &word))
}

/// Whether a word is in a list in which words that begin with `-` are ends of words.
pub fn ends_like(list: &str, word: &str) -> bool {
    list.split('|').any(|known| match known.strip_prefix('-') {
        Some(end) => word.len() > end.len() && word.ends_with(end),
        None => word == known,
    })
}

/// `name` without titles and forms of address before it, and whether there were any.
pub fn without_honorifics(name: &str) -> (&str, bool) {
    let mut rest = name.trim();
    let mut had = false;
    loop {
        let (first, after) = rest.split_once([' ', '\u{a0}']).unwrap_or((rest, ""));
        let plain = first.trim_end_matches(',').to_lowercase();
        let article = matches!(plain.as_str(), "de" | "la" | "der" | "dem" | "the" | "il" | "al" | "el" | "o" | "a");
        let next = after.split([' ', '\u{a0}']).next().unwrap_or_default().to_lowercase();
        if article && after.contains(' ') && any(|language| language.honorifics, &next) {
            (rest, had) = (after.trim_start(), true);
            continue;
        }
        let joins = had && matches!(plain.as_str(), "et" | "und" | "and" | "e" | "y" | "en" | "&");
        if !after.is_empty() && (joins || any(|language| language.honorifics, &plain)) {
            (rest, had) = (after.trim_start(), true);
        } else {
            return (rest, had);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_what_most_common_words_are_of() {
        for (text, code) in [
            ("Please pay the amount within 30 days of the date of this invoice", "en"),
            ("Bitte überweisen Sie den Betrag auf das Konto der Firma und nicht auf ein anderes", "de"),
            ("Veuillez régler la facture dans les trente jours sur le compte de la société", "fr"),
            ("El importe de la factura se cargará en la cuenta que nos ha indicado", "es"),
            ("Wij verzoeken u het bedrag binnen dertig dagen over te maken op de rekening van", "nl"),
            ("Il pagamento della fattura deve essere effettuato entro trenta giorni con bonifico", "it"),
            ("O pagamento da fatura deve ser feito no prazo de trinta dias por transferência para a conta", "pt"),
            ("4711", "en"),
        ] {
            assert_eq!(detect(text).code, code, "{text}");
        }
    }

    #[test]
    fn names_lose_their_forms_of_address() {
        assert_eq!(without_honorifics("Frau Dr. Sabine Todt"), ("Sabine Todt", true));
        assert_eq!(without_honorifics("Sabine Todt"), ("Sabine Todt", false));
    }

    #[test]
    fn the_longest_title_decides() {
        assert_eq!(title("factura simplificada t04"), Some(Title::Receipt));
        assert_eq!(title("factura no 4"), Some(Title::Invoice));
        assert_eq!(title("lieber paul"), None);
    }
}
