//! Near misses: what a caller probably meant, among what exists and is theirs.

use ledger::{Find, FindOrder};

use crate::Error;
use crate::projection::Reader;
use crate::projection::row::kind;

/// Suggestions of one refusal.
const NEAR_MAX: usize = 3;
/// Ids that are compared with a misspelt one: those that begin alike, and the first ones.
const IDS_MAX: usize = 200;
/// How much of an id has to be right for it to be looked up by its beginning: `ent_` and four digits.
const BEGINNING_CHARS: usize = 8;
/// Letters that may be lost, swapped or mistaken.
const SLIPS_MAX: usize = 2;
/// Words that are less alike are not near.
const ALIKE_MIN: f64 = 0.75;
/// A longer word is not compared with others.
const WORD_CHARS_MAX: usize = 128;

/// Other words for relationship types, in the form that [`folded`] gives them.
const RELATION_WORDS: [(&str, &str); 22] = [
    ("belongsto", "PART_OF"),
    ("memberof", "PART_OF"),
    ("fixes", "CORRECTS"),
    ("amends", "CORRECTS"),
    ("correctionof", "CORRECTS"),
    ("references", "REFERS_TO"),
    ("refers", "REFERS_TO"),
    ("mentions", "REFERS_TO"),
    ("about", "REFERS_TO"),
    ("relatedto", "REFERS_TO"),
    ("linksto", "REFERS_TO"),
    ("pays", "SETTLES"),
    ("paysfor", "SETTLES"),
    ("paymentfor", "SETTLES"),
    ("duplicates", "DUPLICATE_OF"),
    ("sameas", "DUPLICATE_OF"),
    ("copyof", "DUPLICATE_OF"),
    ("requires", "DEPENDS_ON"),
    ("needs", "DEPENDS_ON"),
    ("blockedby", "DEPENDS_ON"),
    ("replaces", "SUPERSEDES"),
    ("obsoletes", "SUPERSEDES"),
];

/// The caller's entities whose ids are almost `reference`.
pub async fn entity_ids(reader: &Reader<'_>, reference: &str) -> Result<Vec<String>, Error> {
    if reference.len() > WORD_CHARS_MAX || !reference.is_ascii() {
        return Ok(Vec::new());
    }
    let beginning = &reference[..BEGINNING_CHARS.min(reference.len())];
    let alike = Find { after: Some(beginning.to_owned()), limit: IDS_MAX, ..Find::all(kind::ENTITY) };
    let scope = Some(reader.user.to_owned());
    let first = Find { scope, order: FindOrder::Time, limit: IDS_MAX, ..Find::all(kind::ENTITY) };
    let mut found = Vec::new();
    for find in [alike, first] {
        let page = reader.page(find).await?;
        // In the order of ids those of others stand between, and what was observed.
        let own = page.items.into_iter().filter(|item| item.record.scope == reader.user);
        found.extend(own.map(|item| item.record.key.id));
    }
    found.sort_unstable();
    found.dedup();
    let mut near: Vec<(usize, String)> =
        found.into_iter().map(|id| (strsim::osa_distance(reference, &id), id)).collect();
    near.retain(|(slips, _)| *slips <= SLIPS_MAX);
    near.sort_unstable();
    Ok(near.into_iter().take(NEAR_MAX).map(|(_, id)| id).collect())
}

/// The relationship types that `given` may stand for: one that it is another word or spelling for, or those alike.
pub fn relation_types(given: &str, valid: &[String]) -> Vec<String> {
    let plain = folded(given);
    let known = RELATION_WORDS.iter().find(|(word, _)| *word == plain).map(|(_, meant)| (*meant).to_owned());
    let spelt = || valid.iter().find(|name| folded(name) == plain).cloned();
    match known.or_else(spelt) {
        Some(meant) => vec![meant],
        None => words(given, valid.iter().map(String::as_str)),
    }
}

/// The words that are most alike, best first.
pub fn words<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    if given.chars().count() > WORD_CHARS_MAX {
        return Vec::new();
    }
    let given = folded(given);
    let mut found: Vec<(f64, &str)> = known.map(|word| (strsim::jaro_winkler(&given, &folded(word)), word)).collect();
    found.retain(|(alike, _)| *alike >= ALIKE_MIN);
    found.sort_by(|(one, word), (other, other_word)| other.total_cmp(one).then_with(|| word.cmp(other_word)));
    found.into_iter().take(NEAR_MAX).map(|(_, word)| word.to_owned()).collect()
}

/// A word without case, blanks and marks.
fn folded(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).take(WORD_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relationship_types_are_known_by_other_words_and_spellings() {
        let valid = ["PART_OF", "REFERS_TO", "SETTLES", "MENTORS"].map(str::to_owned);
        for (given, expected) in [
            ("partOf", "PART_OF"),
            ("part of", "PART_OF"),
            ("belongs-to", "PART_OF"),
            ("Mentions", "REFERS_TO"),
            ("mentors", "MENTORS"),
            ("SETTELS", "SETTLES"),
            ("zzz", ""),
        ] {
            assert_eq!(relation_types(given, &valid).first().map_or("", String::as_str), expected, "{given}");
        }
    }
}
