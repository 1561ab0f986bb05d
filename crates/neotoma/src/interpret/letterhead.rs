//! Who a paper is from and whom it is addressed to, from where names stand on it.
//!
//! Every block of lines is a candidate. What stands in it and around it gives points, and a name counts only above a
//! threshold; a label such as "Bill to" outweighs any place.

use serde_json::Value;

use super::effort::Effort;
use super::layout::{self, Block, Cell};
use super::vocabulary::{self, INVOICE};
use super::{Failure, address, amount, date, identifier, language, parties, party, signature};

/// Somebody that a paper names, and the block in which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    pub name: String,
    pub is_person: bool,
    /// Who is to read it there.
    pub contact: Option<String>,
    block: Option<Block>,
}

/// The two sides of a paper.
#[derive(Debug, Default)]
pub struct Sides {
    pub issuer: Option<Party>,
    pub addressee: Option<Party>,
    lines: Vec<Vec<Cell>>,
}

/// What a label says about who stands below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Issuer,
    Addressee,
}

/// Points that a name needs.
const ISSUER_MIN: i32 = 4;
const ADDRESSEE_MIN: i32 = 4;
/// Blocks that are looked at from the top, and lines at the end that may be a footer.
const BLOCKS_MAX: usize = 40;
const FOOTER_LINES: usize = 10;
/// How often the text is looked at: as cells, for numbers, addresses and repeated names.
const LOOKS_MAX: usize = 24;

/// Finds both sides. What labels named before is kept, and its block is found.
pub fn find(text: &str, issuer: Option<&Value>, addressee: Option<&Value>, effort: &Effort) -> Result<Sides, Failure> {
    effort.spend(text.len().saturating_mul(LOOKS_MAX))?;
    let lines = layout::cells(text, effort)?;
    let blocks = layout::blocks(&lines);
    let about = About::of(text, &lines);
    let candidates: Vec<Candidate> = blocks.iter().take(BLOCKS_MAX).filter_map(Candidate::of).collect();
    let named = |value: Option<&Value>| value.and_then(Value::as_str).map(|name| labelled(name, &blocks));
    let addressee = named(addressee).or_else(|| best(&candidates, ADDRESSEE_MIN, |one| one.as_addressee(&about)));
    let is_other = |one: &Candidate| {
        addressee.as_ref().is_none_or(|other| {
            party::key(&other.name) != party::key(&one.party.name) && other.block.as_ref() != one.party.block.as_ref()
        })
    };
    let others: Vec<Candidate> = candidates.iter().filter(|one| is_other(one)).cloned().collect();
    let issuer = named(issuer).or_else(|| best(&others, ISSUER_MIN, |one| one.as_issuer(&about)));
    Ok(Sides { issuer, addressee, lines })
}

impl Sides {
    /// Whether what stands at a place of the text, in bytes, is said of the addressee.
    pub fn is_of_addressee(&self, text: &str, at: usize) -> bool {
        let before = &text[..at];
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let holds = |block: &Block| {
            // Numbers often stand right below the lines of an address.
            block.holds(line, column)
                || (line > block.last_line()
                    && line <= block.last_line() + 1
                    && block.first().start.abs_diff(column) <= 12)
        };
        self.addressee.as_ref().and_then(|party| party.block.as_ref()).is_some_and(holds)
    }

    /// The lines of the letterhead and of the end of the paper, where people are named with their offices.
    pub fn edges(&self) -> Vec<&Cell> {
        let last = self.lines.len();
        let head = self.issuer.as_ref().and_then(|party| party.block.as_ref());
        let (first, end) = head.map_or((0, 0), |block| (block.first().line, block.last_line() + 1));
        let cells = self.lines.iter().flatten();
        cells.filter(|cell| (first..end).contains(&cell.line) || cell.line + FOOTER_LINES >= last).collect()
    }
}

/// What the whole text shows.
struct About {
    lines: usize,
    /// Its letters and digits in lower case, to see which names come again.
    plain: String,
    emails: Vec<String>,
    title_line: Option<usize>,
}

impl About {
    fn of(text: &str, lines: &[Vec<Cell>]) -> Self {
        let emails = identifier::emails(text).into_iter().map(str::to_owned).take(20).collect();
        let is_title = |cell: &&Cell| cell.text.split_whitespace().count() <= 6 && is_title(&cell.text);
        let title_line = lines.iter().flatten().find(is_title).map(|cell| cell.line);
        let plain = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Self { lines: lines.len(), plain, emails, title_line }
    }

    /// Whether a name stands on the paper more than once.
    fn comes_again(&self, name: &str) -> bool {
        let key = party::key(name);
        key.chars().count() >= 6 && self.plain.matches(&key).nth(1).is_some()
    }
}

#[derive(Debug, Clone)]
struct Candidate {
    party: Party,
    side: Option<Side>,
    is_addressed: bool,
    first_line: usize,
    start: usize,
    rows: usize,
    has_town: bool,
    has_street: bool,
    has_contact: bool,
}

impl Candidate {
    fn of(block: &Block) -> Option<Self> {
        let mut side = None;
        let mut is_addressed = false;
        let mut named = None;
        for (at, cell) in block.cells.iter().enumerate().take(6) {
            let text = cell.text.trim_matches(['*', '=', '-', ' ']);
            if let Some(found) = side_of(text) {
                side = Some(found);
                continue;
            }
            if is_form_of_address(text) {
                is_addressed = true;
                continue;
            }
            let value = after_name_label(text).unwrap_or(text);
            if is_name(value) {
                named = Some((at, value.to_owned()));
                break;
            }
            // A line with the address behind the name: `Nordwind GmbH · Hafenstr. 3 · 20457 Hamburg`.
            let first = party::name(value);
            if first.len() < value.len() && is_name(&first) && (party::is_organisation(&first) || value.contains('·'))
            {
                named = Some((at, first));
                break;
            }
            // Below a heading of its own the name is the first line; elsewhere only titles and dates may stand above it.
            if !(is_title(text) || date::parse(text, None).is_some() || is_paging(text)) {
                break;
            }
        }
        let (at, text) = named?;
        let (name, honoured) = language::without_honorifics(&text);
        let (name, is_firm) = party::without_lead(name);
        let name = party::name(name);
        let owned = block.cells[at + 1..].iter().take(2).any(|cell| is_owner_of(&cell.text, &name));
        let is_organisation = is_firm || owned || party::is_organisation(&name);
        let is_person = !is_organisation && (honoured || signature::is_person(&name));
        let rest = &block.cells[at + 1..];
        let contact = if is_person { None } else { rest.iter().take(2).find_map(|cell| contact(&cell.text)) };
        let any = |is: fn(&str) -> bool| {
            let parts = block.cells[at].text.split(['·', '•', ',']).map(str::trim).skip(1);
            rest.iter().take(6).map(|cell| cell.text.as_str()).chain(parts).any(is)
        };
        let first = &block.cells[at];
        let party = Party { name, is_person, contact, block: Some(block.clone()) };
        // A single word in the middle of a paper is more often a heading.
        if !party.name.contains(' ') && first.line > 3 && !honoured {
            return None;
        }
        Some(Self {
            party,
            side,
            is_addressed: is_addressed || honoured || is_firm,
            first_line: first.line,
            start: first.start,
            rows: rest.len() + 1,
            has_town: any(address::is_town),
            has_street: any(address::is_street),
            has_contact: any(address::is_contact),
        })
    }

    fn as_addressee(&self, about: &About) -> i32 {
        let mut points = match self.side {
            Some(Side::Addressee) => 6,
            Some(Side::Issuer) => -9,
            None => 0,
        };
        points += if self.is_addressed { 4 } else { 0 };
        points += if self.has_town { 2 } else { 0 };
        points += if self.has_street { 1 } else { 0 };
        points += i32::from(self.party.is_person || party::is_organisation(&self.party.name));
        points -= if self.has_contact && self.side.is_none() { 3 } else { 0 };
        points -= if self.first_line < 2 && self.start < 20 && self.side.is_none() { 3 } else { 0 };
        points -= if self.first_line * 2 > about.lines && self.side.is_none() { 3 } else { 0 };
        points -= if about.emails.iter().any(|email| party::is_domain_of(&self.party.name, email)) { 3 } else { 0 };
        points -= if self.side.is_none() && about.comes_again(&self.party.name) { 2 } else { 0 };
        if self.rows < 2 && !self.is_addressed && self.side.is_none() { 0 } else { points }
    }

    fn as_issuer(&self, about: &About) -> i32 {
        let mut points = match self.side {
            Some(Side::Issuer) => 6,
            Some(Side::Addressee) => -9,
            None => 0,
        };
        let above_title = about.title_line.is_some_and(|title| self.first_line <= title);
        points += if self.first_line < 2 { 3 } else { i32::from(self.first_line < 6) };
        points += i32::from(above_title);
        points += if self.has_contact { 2 } else { 0 };
        points += i32::from(self.has_street || self.has_town);
        points += if party::is_organisation(&self.party.name) { 2 } else { 0 };
        points += if about.emails.iter().any(|email| party::is_domain_of(&self.party.name, email)) { 2 } else { 0 };
        points += i32::from(about.comes_again(&self.party.name));
        points -= if self.is_addressed && self.side.is_none() { 4 } else { 0 };
        points -= if self.first_line * 2 > about.lines && self.side.is_none() { 2 } else { 0 };
        points
    }
}

/// The candidate with the most points, the first among equals.
fn best(candidates: &[Candidate], min: i32, points: impl Fn(&Candidate) -> i32) -> Option<Party> {
    let scored = candidates.iter().enumerate().map(|(at, one)| (points(one), std::cmp::Reverse(at), one));
    let (most, _, one) = scored.max_by_key(|(points, at, _)| (*points, *at))?;
    (most >= min).then(|| one.party.clone())
}

/// A party that a label named, with the block in which its name stands.
fn labelled(name: &str, blocks: &[Block]) -> Party {
    let (plain, honoured) = language::without_honorifics(name);
    let (plain, is_firm) = party::without_lead(plain);
    let is_person = !is_firm && !party::is_organisation(plain) && (honoured || signature::is_person(plain));
    let key = party::key(plain);
    let holds = |block: &&Block| block.cells.iter().any(|cell| party::key(&cell.text).contains(&key));
    let block = blocks.iter().find(holds);
    let below = block.into_iter().flat_map(|block| {
        let at = block.cells.iter().position(|cell| party::key(&cell.text).contains(&key)).unwrap_or_default();
        block.cells[at + 1..].iter().take(2)
    });
    let contact = if is_person { None } else { { below }.find_map(|cell| contact(&cell.text)) };
    Party { name: plain.to_owned(), is_person, contact, block: block.cloned() }
}

/// Whether a line below the name of a business names who has it: `Inh. Maike Ohlsen`, or `Tjalling Wieringa` below
/// `Schrijfwerk Wieringa`.
pub fn is_owner_of(line: &str, business: &str) -> bool {
    let has_word_of = |name: &str| {
        let words = business.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
        party::key(name) != party::key(business)
            && name.split_whitespace().any(|word| word.chars().count() > 3 && words.contains(&word.to_lowercase()))
    };
    let (name, _) = language::without_honorifics(line);
    !parties::with_office(line).is_empty() || (signature::is_person(name) && has_word_of(name))
}

fn side_of(text: &str) -> Option<Side> {
    let normal = vocabulary::normal(text.trim_end_matches(':'));
    match INVOICE.term(&normal)?.field {
        "vendor_name" => Some(Side::Issuer),
        "customer_name" => Some(Side::Addressee),
        _ => None,
    }
}

/// Whether a line has nothing but forms of address: `Herrn`, `Gent.ma Sig.ra`, `Spett.le`.
fn is_form_of_address(text: &str) -> bool {
    let words: Vec<String> =
        text.split_whitespace().map(|word| word.trim_end_matches([',', ':']).to_lowercase()).collect();
    let is_form = |word: &String| {
        let plain = word.replace("(a)", "").replace("(as)", "");
        language::any(|language| language.honorifics, &plain) || party::is_lead(&plain)
    };
    !words.is_empty() && words.len() <= 4 && words.iter().all(is_form)
}

/// The name behind `Nome/Razão Social:` and the like.
fn after_name_label(text: &str) -> Option<&str> {
    let (label, value) = text.split_once(':')?;
    let label = label.trim().to_lowercase();
    language::any(|language| language.name_labels, &label).then(|| value.trim()).filter(|value| !value.is_empty())
}

/// `Frau Sabine Todt` or `Attn: Ada Linde` below the name of a company.
fn contact(text: &str) -> Option<String> {
    const BEFORE: [&str; 9] = ["attn", "attn.", "fao", "t.a.v.", "z.hd.", "z. hd.", "à l'attention de", "c.a.", "a/c"];
    let lower = text.to_lowercase();
    let rest = BEFORE.iter().find_map(|before| lower.strip_prefix(before).map(|_| &text[before.len()..]));
    let rest_text = rest.map_or(text, |rest| rest.trim_start_matches([':', ' ']));
    let (name, honoured) = language::without_honorifics(rest_text);
    ((honoured || rest.is_some()) && signature::is_person(name)).then(|| name.to_owned())
}

fn is_title(text: &str) -> bool {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.len() <= 8 && !words.is_empty() && language::title(&words[..words.len().min(3)].join(" ")).is_some()
}

fn is_paging(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["page ", "seite ", "página ", "pagina ", "pag. ", "blatt "].iter().any(|word| lower.starts_with(word))
        || matches!(lower.as_str(), "original" | "copy" | "kopie" | "duplicado" | "copie" | "copia" | "duplicata")
}

/// Whether a line may be the name of somebody.
fn is_name(text: &str) -> bool {
    const WORDS_MAX: usize = 9;
    let words = text.split_whitespace().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let normal = vocabulary::normal(text);
    let ends_well = !text.ends_with(['.', '!', '?', ';', ',', ':'])
        || text.split_whitespace().last().is_some_and(party::is_legal_form);
    words <= WORDS_MAX
        && letters >= 3
        && digits <= 6.min(letters)
        && ends_well
        && text.starts_with(|c: char| c.is_uppercase() || c == '"' || c == '«')
        && !text.contains([':', '@', '€', '£', '$', '%', '='])
        && !address::is_town(text)
        && !address::is_street(text)
        && !is_title(text)
        && !is_paging(text)
        && !vocabulary::is_label(&normal)
        && date::parse(text, None).is_none()
        && amount::parse(text, None).is_none()
        && !language::any(|language| language.greetings, normal.split(' ').next().unwrap_or_default())
        && identifier::numbers(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn the_letterhead_and_the_address_are_the_two_sides() {
        check(
            "Nordwind GmbH\nHafenstr. 3, 20457 Hamburg\nTel. 040 1234\n\nFrau\nAda Linde\nWaldweg 2\n04999 Torfheide\n\nRechnung Nr. 4\n",
            "Nordwind GmbH > Ada Linde (person)",
        );
        check(
            "ROWING CLUB CARRIG\nThe Slip\n\nMs Aoife Tarrant\n7 Quay View\n\nDear Aoife,\n",
            "ROWING CLUB CARRIG > Aoife Tarrant (person)",
        );
    }

    #[test]
    fn labels_outweigh_places() {
        check(
            "Invoice\n\nBill To\nBeta Supplies Ltd\n1 Long Road\n\nSeller\nAlpha Works Ltd\n2 Short Road\n",
            "Alpha Works Ltd > Beta Supplies Ltd",
        );
    }

    #[test]
    fn without_a_sign_nobody_is_named() {
        check("We met on the bridge and talked\nabout many things.\n", "- > -");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let sides = find(text, None, None, &ample()).unwrap();
        let shown = |party: Option<Party>| match party {
            Some(party) if party.is_person => format!("{} (person)", party.name),
            Some(party) => party.name,
            None => "-".to_owned(),
        };
        assert_eq!(format!("{} > {}", shown(sides.issuer), shown(sides.addressee)), expected);
    }
}
