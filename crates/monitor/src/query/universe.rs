//! Queries of universes, of what they are taken from, and of their laws.

use contract::generated::monitor::{
    self as proto, GetSourceRequest, GetSourceResponse, GetUniverseRequest, GetUniverseResponse, QueryAxiomsRequest,
    QueryAxiomsResponse, QuerySourcesRequest, QuerySourcesResponse, QueryUniversesRequest, QueryUniversesResponse,
    ReadUniverseRequest, UniverseCounts, UniverseQueryService,
};
use contract::{CallError, Context};
use desk::Stored;
use ledger::{FieldKey, FieldRange, Find, FindOrder};

use super::Query;
use super::listing::{self, LIMIT_MAX, Slice};
use crate::Error;
use crate::domain::node::{Axiom, Source, Universe};
use crate::domain::pattern::Pattern;
use crate::domain::row::{WORLD, field, kind};
use crate::projection::message::{self, word};
use crate::projection::{Reader, read_context};

impl UniverseQueryService for Query {
    async fn get_universe(&self, ctx: &Context, request: GetUniverseRequest) -> Result<GetUniverseResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let universe = reader.universe("universe_id", &request.universe_id).await?;
        let counts = Some(counts(&reader, &universe.universe_id).await?);
        let universe = Some(message::universe(&universe));
        Ok(GetUniverseResponse { universe, counts, read_context: read_context(&reader) })
    }

    async fn read_universe(
        &self,
        ctx: &Context,
        request: ReadUniverseRequest,
    ) -> Result<GetUniverseResponse, CallError> {
        self.get_universe(ctx, GetUniverseRequest { universe_id: request.universe_id, read_context: None }).await
    }

    async fn query_universes(
        &self,
        ctx: &Context,
        request: QueryUniversesRequest,
    ) -> Result<QueryUniversesResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let all = Find { scope: Some(WORLD.to_owned()), ..Find::all(kind::UNIVERSE) };
        let find = match &request.multiverse_id {
            Some(id) => {
                let key = FieldKey::text(&id.to_ascii_lowercase());
                Find { field: Some(FieldRange::equal(field::MULTIVERSE, &key)), order: FindOrder::Field, ..all }
            }
            None => all,
        };
        let pattern = request.name_pattern.as_deref().map(Pattern::of);
        let listed = match &pattern {
            None => listing::page::<Universe>(&reader, vec![find], slice).await?,
            Some(pattern) => {
                let keeps = |universe: &Universe, _: usize| pattern.matches(&universe.name);
                listing::page_of(&reader, vec![find], slice, keeps).await?
            }
        };
        Ok(QueryUniversesResponse {
            universes: listed.items.iter().map(message::universe).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }

    async fn get_source(&self, ctx: &Context, request: GetSourceRequest) -> Result<GetSourceResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let source: Stored<Source> = reader.get(kind::SOURCE, ("source_id", "source"), &request.source_id).await?;
        Ok(GetSourceResponse { source: Some(message::source(&source)), read_context: read_context(&reader) })
    }

    async fn query_sources(
        &self,
        ctx: &Context,
        request: QuerySourcesRequest,
    ) -> Result<QuerySourcesResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let scopes = listing::scopes(&reader, request.universe_id.as_deref()).await?;
        let find = |scope: String| Find {
            scope: Some(scope),
            r#type: named(word::<proto::SourceType>(request.source_type)),
            status: named(word::<proto::SourceCanonLevel>(request.canon_level)),
            ..Find::all(kind::SOURCE)
        };
        let finds = scopes.into_iter().map(find).collect();
        let listed = match &request.doc_id {
            None => listing::page::<Source>(&reader, finds, slice).await?,
            Some(doc_id) => listing::page_of(&reader, finds, slice, |row: &Source, _| row.doc_id == *doc_id).await?,
        };
        Ok(QuerySourcesResponse {
            sources: listed.items.iter().map(message::source).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }

    async fn query_axioms(&self, ctx: &Context, request: QueryAxiomsRequest) -> Result<QueryAxiomsResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let scopes = listing::scopes(&reader, request.universe_id.as_deref()).await?;
        let domain = request.domain.as_ref().map(|domain| FieldKey::text(&domain.trim().to_lowercase()));
        let find = |scope: String| {
            let range = domain.as_ref().map(|key| FieldRange::equal(field::DOMAIN, key));
            let order = if range.is_some() { FindOrder::Field } else { FindOrder::Id };
            let status = named(word::<proto::CanonLevel>(request.canon_level));
            Find { scope: Some(scope), status, field: range, order, ..Find::all(kind::AXIOM) }
        };
        let listed = listing::page::<Axiom>(&reader, scopes.into_iter().map(find).collect(), slice).await?;
        Ok(QueryAxiomsResponse {
            axioms: listed.items.iter().map(message::axiom).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }
}

fn named(word: &str) -> Option<String> {
    (!word.is_empty()).then(|| word.to_owned())
}

/// How much a universe holds, as the ledger counts it.
async fn counts(reader: &Reader<'_>, universe_id: &str) -> Result<UniverseCounts, Error> {
    let count = async |kind: &'static str| -> Result<i64, Error> {
        let view = reader.view;
        let counts = view.ledger.counts(view.tenant, view.at, kind, universe_id).await?;
        let sum: u64 = counts.iter().map(|(_, count)| count).sum();
        Ok(i64::try_from(sum).unwrap_or(i64::MAX))
    };
    Ok(UniverseCounts {
        entities: count(kind::ENTITY).await?,
        facts: count(kind::FACT).await?,
        events: count(kind::EVENT).await?,
        stories: count(kind::STORY).await?,
        sources: count(kind::SOURCE).await?,
        axioms: count(kind::AXIOM).await?,
    })
}
