//! get_entity_by_identifier: exact matches first, then near ones, each marked.
//!
//! Exact: the identifier, normalised, is a name, an alias or another identifier of the entity; by id. Near: some of its
//! words are, or begin so; by the score of the words, then by likeness of the name, then by id. When something matches
//! exactly, only what holds all the words is near: the rest would be noise beside it. When no word matches, names that
//! begin alike and differ in a few letters are near. No character is a wildcard.

use std::collections::{BTreeMap, BTreeSet};

use contract::generated::neotoma::{Entity, GetEntityByIdentifierRequest, GetEntityByIdentifierResponse};
use ledger::{Search, SearchHit, words};

use crate::Error;
use crate::domain::identity::{clean, normalise};
use crate::projection::listed::Listed;
use crate::projection::reader::Belongs as _;
use crate::projection::row::kind;
use crate::projection::{Reader, message};

const LIMIT_DEFAULT: u32 = 20;
const LIMIT_MAX: u32 = 100;
const IDENTIFIER_CHARS_MAX: usize = 1000;
/// Matches of each sort that are looked at, and so the most that a total counts.
const MATCHES_MAX: usize = 200;
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
    let exact = reader.identified_listed(&identifier, entity_type.as_deref(), MATCHES_MAX).await?;
    let known: BTreeSet<&str> = exact.iter().map(|found| found.key.id.as_str()).collect();
    let mut near = near(reader, &identifier, entity_type.as_deref(), !exact.is_empty()).await?;
    near.retain(|hit| !known.contains(hit.version.record.key.id.as_str()));
    let total = (exact.len() + near.len()) as u64;
    let mut entities: Vec<Entity> =
        exact.into_iter().take(limit).map(|found| marked("exact", message::listed(found.row, true, &[]))).collect();
    // Only what is shown is read.
    for hit in near.into_iter().take(limit - entities.len()) {
        let found = Listed::read(&hit.version.record.body).map_err(|cause| reader.fault(&cause))?;
        entities.push(marked("near", message::listed(found, true, &[])));
    }
    Ok(GetEntityByIdentifierResponse { entities, total, read_point: reader.at })
}

fn marked(how: &str, entity: Entity) -> Entity {
    Entity { r#match: Some(how.to_owned()), ..entity }
}

/// Entities that are almost identified, best first. Beside exact matches they hold all the words.
async fn near(
    reader: &Reader<'_>,
    identifier: &str,
    entity_type: Option<&str>,
    beside_exact: bool,
) -> Result<Vec<SearchHit>, Error> {
    let words = words::words(identifier);
    let is_long = |word: &String| word.chars().count() >= PREFIX_CHARS_MIN;
    let asked = Asked { text: identifier, all_words: beside_exact, prefix: words.last().is_some_and(is_long) };
    let by_words = search(reader, asked, entity_type).await?;
    let mut likeness = Likeness::new(identifier);
    if beside_exact || !by_words.is_empty() {
        return Ok(ranked(by_words.into_iter().map(|hit| (hit.score, likeness.of(&hit), hit)).collect()));
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for word in words.iter().filter(|word| is_long(word)).take(WORDS_MAX) {
        let beginning: String = word.chars().take(BEGINNING_CHARS).collect();
        let asked = Asked { text: &beginning, all_words: false, prefix: true };
        for hit in search(reader, asked, entity_type).await? {
            let alike = likeness.of(&hit);
            if alike >= LIKENESS_MIN && seen.insert(hit.version.record.key.id.clone()) {
                found.push((0.0, alike, hit));
            }
        }
    }
    Ok(ranked(found))
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

    fn of(&mut self, hit: &SearchHit) -> f64 {
        let record = &hit.version.record;
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
fn ranked(mut found: Vec<(f64, f64, SearchHit)>) -> Vec<SearchHit> {
    found.sort_by(|(score, alike, hit), (other_score, other_alike, other)| {
        let by_score = other_score.total_cmp(score);
        let by_id = || hit.version.record.key.id.cmp(&other.version.record.key.id);
        by_score.then_with(|| other_alike.total_cmp(alike)).then_with(by_id)
    });
    found.into_iter().map(|(_, _, hit)| hit).collect()
}

/// What is looked for in the texts of entities.
struct Asked<'a> {
    text: &'a str,
    all_words: bool,
    prefix: bool,
}

/// Live entities of the type whose text holds the words.
async fn search(reader: &Reader<'_>, asked: Asked<'_>, entity_type: Option<&str>) -> Result<Vec<SearchHit>, Error> {
    let search = Search {
        kind: kind::ENTITY.to_owned(),
        scope: Some(reader.user.to_owned()),
        text: asked.text.to_owned(),
        all_words: asked.all_words,
        prefix: asked.prefix,
        // The ledger weighs candidates of all types; those of one are chosen here.
        limit: if entity_type.is_some() { words::CANDIDATES_MAX } else { MATCHES_MAX },
    };
    let hits = reader.ledger.search(reader.tenant, reader.at, search).await?;
    let of_type = hits.into_iter().filter(|hit| entity_type.is_none_or(|of| hit.version.record.r#type == of));
    Ok(of_type.take(MATCHES_MAX).collect())
}
