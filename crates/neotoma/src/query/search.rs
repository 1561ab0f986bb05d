//! search: what answers a question, in entities and in files.

use std::collections::BTreeMap;

use contract::generated::neotoma::{SearchHit, SearchRequest, SearchResponse};
use desk::points;
use scope::Timestamp;
use search::{Filter, Finder, Hit, Placed, Question, SearchError, Source as _};

use crate::Error;
use crate::domain::ids::is_entity_id;
use crate::projection::Reader;
use crate::retrieval::{Records, SOURCE};

const LIMIT_DEFAULT: u32 = 10;
const LIMIT_MAX: u32 = 50;
const SNIPPET_CHARS_MAX: usize = 300;
const QUERY_CHARS_MAX: usize = 10_000;

/// Finds in a memory.
#[derive(Clone)]
pub struct Search {
    pub finder: Finder,
    pub records: std::sync::Arc<Records>,
}

impl Search {
    /// Answers search.
    pub async fn search(&self, reader: &Reader<'_>, request: SearchRequest) -> Result<SearchResponse, Error> {
        let question = question(reader, &request).await?;
        let found = self.finder.find(reader.tenant, reader.user, reader.at, &question).await.map_err(failed)?;
        let mut hits = Vec::with_capacity(found.hits.len());
        let ids: Vec<String> = found.hits.iter().map(|hit| hit.document.clone()).collect();
        let documents = self
            .records
            .documents(reader.tenant, reader.at, &ids)
            .await
            .map_err(|cause| reader.fault(&cause.to_string()))?;
        let entities: Vec<String> = ids.iter().filter(|id| is_entity_id(id)).cloned().collect();
        let rows = reader.entities(&entities).await?;
        let rows: BTreeMap<String, _> =
            rows.into_iter().flatten().map(|stored| (stored.row.id.clone(), stored.row)).collect();
        for (hit, placed) in found.hits.iter().zip(documents) {
            // What is gone since the index was read is not shown.
            let Some(placed) = placed else { continue };
            let mut shown = shown(hit, &placed, &request.query);
            if let Some(entity) = rows.get(&hit.document) {
                let winner = shown.field.as_deref().and_then(|field| entity.state.winner(field));
                shown.source_id = winner.map(|winner| winner.source_id.clone());
                shown.name = Some(entity.name.clone());
            }
            hits.push(shown);
        }
        Ok(SearchResponse { hits, notes: found.notes, read_point: reader.at })
    }
}

async fn question(reader: &Reader<'_>, request: &SearchRequest) -> Result<Question, Error> {
    if request.query.trim().is_empty() {
        return Err(Error::invalid("query", "is empty", "say in words what you look for"));
    }
    if request.query.chars().count() > QUERY_CHARS_MAX {
        return Err(Error::invalid("query", "is too long", "give at most 10000 characters"));
    }
    let mut types = Vec::new();
    for given in &request.types {
        types.push(if given == SOURCE { SOURCE.to_owned() } else { reader.meant_type("types", given).await? });
    }
    let moment = |field: &str, given: &Option<String>| match given {
        Some(text) => points::moment(field, text).map(Some),
        None => Ok(None),
    };
    let (from, to) = (moment("from", &request.from)?, moment("to", &request.to)?);
    let time = (from.is_some() || to.is_some())
        .then(|| (from.unwrap_or(Timestamp(i64::MIN)), to.unwrap_or(Timestamp(i64::MAX))));
    let limit = request.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX) as usize;
    let filter = Filter { types, time, ..Filter::default() };
    Ok(Question { text: request.query.clone(), filter, limit, ..Question::default() })
}

fn shown(hit: &Hit, placed: &Placed, query: &str) -> SearchHit {
    let is_source = placed.document.r#type == SOURCE;
    let passage = placed.document.passages.get(hit.passage as usize);
    let text = passage.map(|passage| passage.text.as_str()).unwrap_or_default();
    let place = passage.and_then(|passage| passage.place.clone());
    let snippet = search::snippet(text, query, SNIPPET_CHARS_MAX);
    let first =
        |place: &str| place.trim_start_matches(|letter: char| !letter.is_ascii_digit()).split('-').next()?.parse().ok();
    let line = place.as_deref().filter(|_| is_source).and_then(first).map(|first: u64| first + snippet.line as u64);
    // A line of fields begins with the name of its own.
    let field = match (is_source, place) {
        (true, _) => None,
        (false, Some(field)) => Some(field),
        (false, None) => snippet.text.split_once(": ").map(|(field, _)| field.replace(' ', "_")),
    };
    let (id, is_entity) = (hit.document.clone(), !is_source);
    SearchHit {
        entity_id: is_entity.then(|| id.clone()),
        source_id: is_source.then_some(id),
        r#type: placed.document.r#type.clone(),
        name: placed.document.names.first().cloned(),
        score: (hit.score * 10_000.0).round() / 10_000.0,
        snippet: snippet.text,
        field,
        line,
        author: passage.and_then(|passage| passage.author.clone()),
        time: passage.and_then(|passage| passage.time).map(|time| time.to_string()),
    }
}

fn failed(error: SearchError) -> Error {
    match error {
        SearchError::Read(error) => error.into(),
        error => {
            let cause = format!("{error}: {:?}", std::error::Error::source(&error));
            desk::Failure::Internal { error_id: "search".to_owned(), cause }.into()
        }
    }
}
