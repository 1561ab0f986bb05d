//! get_entity_by_identifier: exact matches first, then near ones, each marked.
//!
//! Exact: the identifier, normalised, is a name, an alias or another identifier of the entity; by id. Near, beside exact
//! ones: names that begin with it and go on; by likeness, then by id. Near, when nothing matches exactly: these, then those that
//! hold all of the words, then some; by the score of the words, then by likeness of the name, then by id. When there are
//! none: the last word may go on. When there are none either: names that begin alike and differ in a few letters. No character is a
//! wildcard.
//!
//! Each of these steps looks at a bounded number of entities by an index, however many are stored.

use std::collections::{BTreeMap, BTreeSet};

use contract::generated::neotoma::{Entity, GetEntityByIdentifierRequest, GetEntityByIdentifierResponse};
use ledger::{Find, FindOrder, RecordVersion, Search, words};

use crate::Error;
use crate::domain::identity::{clean, normalise};
use crate::projection::listed::Listed;
use crate::projection::reader::{Belongs as _, forms};
use crate::projection::row::kind;
use crate::projection::{Reader, message};

const LIMIT_DEFAULT: u32 = 20;
const LIMIT_MAX: u32 = 100;
const IDENTIFIER_CHARS_MAX: usize = 1000;
/// Exact matches that are looked at, and so the most that a total counts.
const EXACT_MAX: usize = 200;
/// Near matches of each sort that are looked at.
const NEAR_MAX: usize = 50;
/// Entities with the words that are weighed against each other, the newest.
const WEIGHED_MAX: usize = 300;
/// Names that are less alike are not near, when no word matches.
const LIKENESS_MIN: f64 = 0.85;
/// Letters in which a misspelt word has to begin like the right one.
const BEGINNING_CHARS: usize = 2;
/// A shorter word stands for itself and not for words that start with it.
const PREFIX_CHARS_MIN: usize = 3;
const WORDS_MAX: usize = 4;

/// Answers get_entity_by_identifier.
pub async fn find(
    reader: &Reader<'_>,
    request: &GetEntityByIdentifierRequest,
) -> Result<GetEntityByIdentifierResponse, Error> {
    let identifier = clean(&request.identifier);
    if identifier.is_empty() {
        return Err(Error::invalid("identifier", "is empty", "give a name, an e-mail address or another identifier"));
    }
    if identifier.chars().count() > IDENTIFIER_CHARS_MAX || identifier.contains(char::is_control) {
        return Err(Error::invalid("identifier", "cannot be an identifier", "give at most 1000 printable characters"));
    }
    let entity_type = match &request.entity_type {
        Some(given) => Some(reader.meant_type("entity_type", given).await?),
        None => None,
    };
    let limit = request.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX) as usize;
    let exact = reader.identified_listed(&identifier, entity_type.as_deref(), EXACT_MAX).await?;
    let known: BTreeSet<&str> = exact.iter().map(|found| found.key.id.as_str()).collect();
    let mut near = match exact.is_empty() {
        true => by_words(reader, &identifier, entity_type.as_deref()).await?,
        false => longer_names(reader, &identifier, entity_type.as_deref()).await?,
    };
    near.retain(|found| !known.contains(found.record.key.id.as_str()));
    let total = (exact.len() + near.len()) as u64;
    let mut entities: Vec<Entity> =
        exact.into_iter().take(limit).map(|found| marked("exact", message::entity(found.row, true, &[]))).collect();
    // Only what is shown is read.
    for found in near.into_iter().take(limit - entities.len()) {
        let found = Listed::read(&found.record.body).map_err(|cause| reader.fault(&cause))?;
        entities.push(marked("near", message::entity(found, true, &[])));
    }
    Ok(GetEntityByIdentifierResponse { entities, total, read_point: reader.at })
}

fn marked(how: &str, entity: Entity) -> Entity {
    Entity { r#match: Some(how.to_owned()), ..entity }
}

/// Entities whose names begin with the identifier and go on, best first. They are found by the index of names, so that
/// beside an exact match no text is searched.
async fn longer_names(
    reader: &Reader<'_>,
    identifier: &str,
    entity_type: Option<&str>,
) -> Result<Vec<RecordVersion>, Error> {
    let mut likeness = Likeness::new(identifier);
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for form in forms(identifier, entity_type) {
        let is_long = form.chars().count() >= PREFIX_CHARS_MIN;
        let beginning = if is_long { form } else { form + " " };
        let page = reader.page(beginning_with(reader, beginning, entity_type, NEAR_MAX)).await?;
        let fresh = page.items.into_iter().filter(|longer| seen.insert(longer.record.key.id.clone()));
        found.extend(fresh.map(|longer| (0.0, likeness.of(&longer), longer)));
    }
    let mut found = ranked(found);
    found.truncate(NEAR_MAX);
    Ok(found)
}

/// Live entities of the type whose names begin so, in the order of names.
fn beginning_with(reader: &Reader<'_>, beginning: String, entity_type: Option<&str>, limit: usize) -> Find {
    Find {
        scope: Some(reader.user.to_owned()),
        r#type: entity_type.map(str::to_owned),
        name_prefix: Some(beginning),
        order: FindOrder::Name,
        limit,
        ..Find::all(kind::ENTITY)
    }
}

/// Entities that are near when none matches exactly, best first.
async fn by_words(
    reader: &Reader<'_>,
    identifier: &str,
    entity_type: Option<&str>,
) -> Result<Vec<RecordVersion>, Error> {
    let words = words::words(identifier);
    let search = Search {
        kind: kind::ENTITY.to_owned(),
        scope: Some(reader.user.to_owned()),
        r#type: entity_type.map(str::to_owned),
        text: identifier.to_owned(),
        all_words: false,
        prefix: false,
        weighed_max: WEIGHED_MAX,
        limit: NEAR_MAX,
    };
    let mut found = longer_names(reader, identifier, entity_type).await?;
    if words.len() > 1 {
        found.extend(searched(reader, identifier, Search { all_words: true, ..search.clone() }).await?);
    }
    found.extend(searched(reader, identifier, search.clone()).await?);
    let is_long = |word: &String| word.chars().count() >= PREFIX_CHARS_MIN;
    if found.is_empty() && words.last().is_some_and(is_long) {
        // The index gathers all that begins so, which is for words that nobody uses whole.
        found = searched(reader, identifier, Search { prefix: true, ..search.clone() }).await?;
    }
    let mut seen = BTreeSet::new();
    found.retain(|found| seen.insert(found.record.key.id.clone()));
    if !found.is_empty() || !words.iter().any(is_long) {
        return Ok(found);
    }
    let found = alike(identifier, nearest_names(reader, identifier, entity_type).await?);
    if !found.is_empty() {
        return Ok(found);
    }
    let mut candidates = Vec::new();
    for word in words.iter().filter(|word| is_long(word)).take(WORDS_MAX) {
        let beginning = word.chars().take(BEGINNING_CHARS).collect();
        candidates
            .extend(searched(reader, identifier, Search { text: beginning, prefix: true, ..search.clone() }).await?);
    }
    Ok(alike(identifier, candidates))
}

/// Entities whose names share the longest beginning with the identifier that any name shares.
async fn nearest_names(
    reader: &Reader<'_>,
    identifier: &str,
    entity_type: Option<&str>,
) -> Result<Vec<RecordVersion>, Error> {
    let mut found = Vec::new();
    for form in forms(identifier, entity_type) {
        let beginning = |chars: usize| form.chars().take(chars).collect::<String>();
        // What begins with more letters also begins with fewer, so the longest is found by halving.
        let (mut shared, mut beyond) = (0, form.chars().count() + 1);
        while shared + 1 < beyond {
            let middle = usize::midpoint(shared, beyond);
            let page = reader.page(beginning_with(reader, beginning(middle), entity_type, 1)).await?;
            if page.items.is_empty() { beyond = middle } else { shared = middle }
        }
        if shared >= BEGINNING_CHARS {
            found.extend(reader.page(beginning_with(reader, beginning(shared), entity_type, NEAR_MAX)).await?.items);
        }
    }
    Ok(found)
}

/// Those with a name that is almost the identifier, best first, each once.
fn alike(identifier: &str, candidates: Vec<RecordVersion>) -> Vec<RecordVersion> {
    let (mut likeness, mut seen) = (Likeness::new(identifier), BTreeSet::new());
    let fresh = candidates.into_iter().filter(|found| seen.insert(found.record.key.id.clone()));
    let weighed = fresh.map(|found| (0.0, likeness.of(&found), found));
    ranked(weighed.filter(|(_, alike, _)| *alike >= LIKENESS_MIN).collect())
}

/// How much names are like what was asked for. A record holds its name as its type normalises it.
struct Likeness<'a> {
    identifier: &'a str,
    /// The identifier as each type normalises it.
    wanted: BTreeMap<String, String>,
}

impl<'a> Likeness<'a> {
    fn new(identifier: &'a str) -> Self {
        Self { identifier, wanted: BTreeMap::new() }
    }

    fn of(&mut self, RecordVersion { record, .. }: &RecordVersion) -> f64 {
        let name = record.name.as_deref().unwrap_or_default();
        if let Some(wanted) = self.wanted.get(&record.r#type) {
            return strsim::jaro_winkler(name, wanted);
        }
        let wanted = normalise(&record.r#type, self.identifier);
        let alike = strsim::jaro_winkler(name, &wanted);
        self.wanted.insert(record.r#type.clone(), wanted);
        alike
    }
}

/// Sorts by score, likeness and id.
fn ranked(mut found: Vec<(f64, f64, RecordVersion)>) -> Vec<RecordVersion> {
    found.sort_by(|(score, alike, one), (other_score, other_alike, other)| {
        let by_score = other_score.total_cmp(score);
        by_score.then_with(|| other_alike.total_cmp(alike)).then_with(|| one.record.key.id.cmp(&other.record.key.id))
    });
    found.into_iter().map(|(_, _, found)| found).collect()
}

/// Entities whose text holds the words, best first.
async fn searched(reader: &Reader<'_>, identifier: &str, search: Search) -> Result<Vec<RecordVersion>, Error> {
    let hits = reader.ledger.search(reader.tenant, reader.at, search).await?;
    let mut likeness = Likeness::new(identifier);
    Ok(ranked(hits.into_iter().map(|hit| (hit.score, likeness.of(&hit.version), hit.version)).collect()))
}
