//! Recall: search in what was told, and what characters remember.

use contract::Context;
use contract::generated::monitor::{
    self as proto, RetrieveCharacterMemoriesRequest, RetrieveCharacterMemoriesResponse, SearchResult,
    SemanticSearchRequest, SemanticSearchResponse,
};
use ledger::{FieldKey, FieldRange, Find, FindOrder};

use super::Query;
use super::narrative::question;
use crate::Error;
use crate::domain::memory::{self, Recalled};
use crate::domain::narrative::{Access, Memory};
use crate::domain::row::{field, kind};
use crate::projection::message::word;
use crate::projection::{Reader, read_context, told};
use crate::recall::{Found, MEMORIES, SCENES, SNIPPETS, tag};

/// Memories of one character that are ranked.
const RANKED_MAX: usize = 500;
/// Memories that one answer shows.
const MEMORIES_MAX: i32 = 100;
/// Memories that a question finds.
const FOUND_MAX: usize = 100;
const RESULTS_MAX: i32 = 100;

impl Query {
    pub(super) async fn semantic(
        &self,
        ctx: &Context,
        request: SemanticSearchRequest,
    ) -> Result<SemanticSearchResponse, Error> {
        let text = question("query_text", &request.query_text)?;
        let limit = within("limit", request.limit, RESULTS_MAX)?;
        let collection = word::<proto::Collection>(request.collection);
        let tags = tags(collection, request.filters.unwrap_or_default())?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let (found, notes) = self.recall.find(&reader.view, collection, &text, tags, limit).await?;
        let least = request.min_score.unwrap_or(0.0);
        let results = found.into_iter().filter(|found| found.score >= least).map(result).collect();
        for note in notes {
            tracing::info!(note, "a search is answered as well as it can be");
        }
        Ok(SemanticSearchResponse { results, read_context: read_context(&reader) })
    }

    pub(super) async fn memories(
        &self,
        ctx: &Context,
        request: RetrieveCharacterMemoriesRequest,
    ) -> Result<RetrieveCharacterMemoriesResponse, Error> {
        let limit = within("limit", request.limit, MEMORIES_MAX)?;
        let text = request.semantic_query.as_deref().map(|text| question("semantic_query", text)).transpose()?;
        let is_now = request.read_context.is_none();
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let entity = reader.entity("entity_id", &request.entity_id).await?.into_row();
        let asked =
            Asked { entity_id: &entity.entity_id, least: request.min_importance, text: text.as_deref(), is_now };
        let mut found = self.ranked(ctx, &reader, asked).await?;
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        found.truncate(limit);
        if is_now {
            let shown = found.iter().map(|one| (one.memory.memory_id.clone(), one.memory.entity_id.clone()));
            self.counter.recalled(ctx, shown.collect());
        }
        let memories = found.iter().map(|one| told::recalled(one, one.score(ctx.now), is_now)).collect();
        Ok(RetrieveCharacterMemoriesResponse { memories, total, read_context: read_context(&reader) })
    }

    /// The memories of a character, best first.
    pub(super) async fn ranked(
        &self,
        ctx: &Context,
        reader: &Reader<'_>,
        asked: Asked<'_>,
    ) -> Result<Vec<Recalled>, Error> {
        let mut range = FieldRange::of_sort(field::IMPORTANCE, &FieldKey::number(0.0));
        if let Some(least) = asked.least {
            range = range.at_least(&FieldKey::number(least));
        }
        let find = Find {
            scope: Some(asked.entity_id.to_owned()),
            field: Some(range),
            order: FindOrder::FieldDescending,
            ..Find::all(kind::MEMORY)
        };
        let (rows, _) = reader.some::<Memory>(find, RANKED_MAX).await?;
        let mut memories: Vec<Memory> = rows.into_iter().map(desk::Stored::into_row).collect();
        let mut likeness = Vec::new();
        if let Some(text) = asked.text {
            let tags = vec![tag("entity", asked.entity_id)];
            let (found, _) = self.recall.find(&reader.view, MEMORIES, text, tags, FOUND_MAX).await?;
            likeness = found.into_iter().map(|found| (found.id, found.score)).collect();
            let known = |id: &String| memories.iter().any(|memory| memory.memory_id == *id);
            let others: Vec<String> = likeness.iter().map(|(id, _)| id.clone()).filter(|id| !known(id)).collect();
            let others = reader.all::<Memory>(kind::MEMORY, &others).await?.into_iter().flatten();
            let least = asked.least.unwrap_or(0.0);
            memories.extend(others.map(desk::Stored::into_row).filter(|memory| memory.importance >= least));
        }
        let ids: Vec<String> = memories.iter().map(|memory| memory.memory_id.clone()).collect();
        let accesses = match asked.is_now {
            true => reader.all::<Access>(kind::ACCESS, &ids).await?,
            false => ids.iter().map(|_| None).collect(),
        };
        let recalled = |(memory, access): (Memory, Option<desk::Stored<Access>>)| Recalled {
            last_accessed: access.as_ref().map_or(memory.created_at, |access| access.last_accessed),
            access_count: access.map_or(0, |access| access.access_count),
            similarity: asked
                .text
                .map(|_| likeness.iter().find(|(id, _)| *id == memory.memory_id).map_or(0.0, |(_, score)| *score)),
            memory,
        };
        let mut found: Vec<Recalled> = memories.into_iter().zip(accesses).map(recalled).collect();
        memory::rank(&mut found, ctx.now);
        Ok(found)
    }
}

/// Which memories are wanted.
pub(super) struct Asked<'a> {
    pub entity_id: &'a str,
    /// Of this importance at least.
    pub least: Option<f64>,
    /// Ranked by this question, if there is one.
    pub text: Option<&'a str>,
    pub is_now: bool,
}

pub(super) fn result(found: Found) -> SearchResult {
    SearchResult { id: found.id, score: found.score, text: found.text, payload: Some(found.payload.into()) }
}

/// The tags that filters ask for. A filter that a collection does not have is refused.
fn tags(collection: &str, filters: proto::SearchFilters) -> Result<Vec<String>, Error> {
    let all = [
        ("universe", filters.universe_id, &[SCENES, MEMORIES, SNIPPETS][..]),
        ("entity", filters.entity_id, &[SCENES, MEMORIES][..]),
        ("source", filters.source_id, &[SNIPPETS][..]),
    ];
    let mut tags = Vec::new();
    for (name, id, collections) in all {
        let Some(id) = id else { continue };
        if !collections.contains(&collection) {
            let fix = format!("leave it out, or search {}", collections.join(" or "));
            return Err(Error::invalid(format!("filters.{name}_id"), format!("is no filter of {collection}"), fix));
        }
        tags.push(tag(name, &id.to_ascii_lowercase()));
    }
    Ok(tags)
}

fn within(field: &str, given: i32, most: i32) -> Result<usize, Error> {
    let fits = usize::try_from(given).ok().filter(|_| (1..=most).contains(&given));
    fits.ok_or_else(|| Error::invalid(field, format!("is {given}"), format!("give a number from 1 to {most}")))
}
