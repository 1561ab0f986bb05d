//! get_entity_by_identifier: exact matches first, then near ones, each marked.
//!
//! Exact: the identifier, normalised, is a name, an alias or another identifier of the entity; by id. Near: some of its
//! words are, or begin so; by the score of the words, then by likeness of the name, then by id. When no word matches,
//! names that begin alike and differ in a few letters are near. No character is a wildcard.

use std::collections::BTreeSet;

use contract::generated::neotoma::{Entity, GetEntityByIdentifierRequest, GetEntityByIdentifierResponse};
use ledger::{Search, words};

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
    let exact = reader.identified(&identifier, entity_type.as_deref(), MATCHES_MAX).await?;
    let mut entities: Vec<Entity> = exact
        .iter()
        .map(|found| Entity { r#match: Some("exact".to_owned()), ..message::entity(&found.row, true, &[]) })
        .collect();
    let known: BTreeSet<&str> = exact.iter().map(|found| found.row.id.as_str()).collect();
    let near = near(reader, &identifier, entity_type.as_deref()).await?;
    let near = near.into_iter().filter(|found| !known.contains(found.id.as_str()));
    entities.extend(near.map(|found| Entity { r#match: Some("near".to_owned()), ..message::listed(found, true, &[]) }));
    let total = entities.len() as u64;
    entities.truncate(limit);
    Ok(GetEntityByIdentifierResponse { entities, total, read_point: reader.at })
}

/// Entities that are almost identified, best first.
async fn near(reader: &Reader<'_>, identifier: &str, entity_type: Option<&str>) -> Result<Vec<Listed>, Error> {
    let words = words::words(identifier);
    let is_long = |word: &String| word.chars().count() >= PREFIX_CHARS_MIN;
    let by_words = search(reader, identifier, words.last().is_some_and(is_long), entity_type).await?;
    let likeness = |entity: &Listed| {
        let (name, wanted) = (normalise(&entity.entity_type, &entity.name), normalise(&entity.entity_type, identifier));
        strsim::jaro_winkler(&name, &wanted)
    };
    if !by_words.is_empty() {
        return Ok(ranked(by_words.into_iter().map(|(score, entity)| (score, likeness(&entity), entity)).collect()));
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for word in words.iter().filter(|word| is_long(word)).take(WORDS_MAX) {
        let beginning: String = word.chars().take(BEGINNING_CHARS).collect();
        for (_, entity) in search(reader, &beginning, true, entity_type).await? {
            let alike = likeness(&entity);
            if alike >= LIKENESS_MIN && seen.insert(entity.id.clone()) {
                found.push((0.0, alike, entity));
            }
        }
    }
    Ok(ranked(found))
}

/// Sorts by score, likeness and id.
fn ranked(mut found: Vec<(f64, f64, Listed)>) -> Vec<Listed> {
    found.sort_by(|(score, alike, entity), (other_score, other_alike, other)| {
        let by_score = other_score.total_cmp(score);
        by_score.then_with(|| other_alike.total_cmp(alike)).then_with(|| entity.id.cmp(&other.id))
    });
    found.into_iter().map(|(_, _, entity)| entity).collect()
}

/// Live entities of the type whose text holds one of the words.
async fn search(
    reader: &Reader<'_>,
    text: &str,
    prefix: bool,
    entity_type: Option<&str>,
) -> Result<Vec<(f64, Listed)>, Error> {
    let search = Search {
        kind: kind::ENTITY.to_owned(),
        scope: Some(reader.user.to_owned()),
        text: text.to_owned(),
        all_words: false,
        prefix,
        // The ledger weighs candidates of all types; those of one are chosen here.
        limit: if entity_type.is_some() { words::CANDIDATES_MAX } else { MATCHES_MAX },
    };
    let hits = reader.ledger.search(reader.tenant, reader.at, search).await?;
    let of_type = hits.into_iter().filter(|hit| entity_type.is_none_or(|of| hit.version.record.r#type == of));
    let read = |body: &str| Listed::read(body).map_err(|cause| reader.fault(&cause));
    of_type.take(MATCHES_MAX).map(|hit| Ok((hit.score, read(&hit.version.record.body)?))).collect()
}
