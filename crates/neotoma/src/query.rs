//! Queries: read at a point, word the answer. One file for each group of tools.

mod entities;
mod file_url;
mod hints;
mod identifier;
mod interleaved;
mod neighborhood;
mod newest;
mod observations;
mod provenance;
mod related;
pub(crate) mod relationships;
mod schema;
mod search;
mod snapshot;
mod source;
mod timeline;
mod window;

use std::sync::Arc;

use contract::generated::neotoma::{
    DescribeSchemaRequest, DescribeSchemaResponse, GetEntityByIdentifierRequest, GetEntityByIdentifierResponse,
    GetEntitySnapshotRequest, GetEntitySnapshotResponse, GetFieldProvenanceRequest, GetFieldProvenanceResponse,
    GetFileUrlRequest, GetFileUrlResponse, GetGraphNeighborhoodRequest, GetGraphNeighborhoodResponse,
    GetRelatedEntitiesRequest, GetRelatedEntitiesResponse, ListObservationsRequest, ListObservationsResponse,
    ListRelationshipsRequest, ListRelationshipsResponse, ListTimelineEventsRequest, ListTimelineEventsResponse,
    NeotomaQueryService, ReadEntityRequest, ReadSourceRequest, ReadSourceResponse, RetrieveEntitiesRequest,
    RetrieveEntitiesResponse, SearchRequest, SearchResponse,
};
use contract::{CallError, Context};
use desk::Place;
use ledger::{At, Ledger};

use crate::capability::Parts;
use crate::domain::ids;
use crate::interpret::Quotes;
use crate::projection::{Reader, message};
use crate::retrieval::Records;
use crate::{Error, user};
use entities::Cursor;

/// The read side.
pub struct Query {
    parts: Parts,
    quotes: Quotes,
    search: search::Search,
}

impl Query {
    pub fn new(parts: Parts) -> Self {
        let (ledger, blobs, quotes) = (parts.ledger.clone(), parts.blobs.clone(), Quotes::default());
        let records = Arc::new(Records { ledger, blobs, quotes: quotes.clone() });
        let search = search::Search { finder: parts.search.attach(records.clone()), records };
        Self { parts, quotes, search }
    }

    fn ledger(&self) -> &dyn Ledger {
        self.parts.ledger.as_ref()
    }

    /// A reader for [`newest`]: of what is live for an id, and at a point for a name, which may lead elsewhere at another.
    async fn reader_of<'a>(
        &'a self,
        ctx: &'a Context,
        user: &'a str,
        entity_id: &str,
        at_ingested: Option<&str>,
    ) -> Result<Reader<'a>, Error> {
        match at_ingested {
            None if ids::is_entity_id(entity_id) => Ok(Reader::live(self.ledger(), ctx, user)),
            _ => Reader::at(self.ledger(), ctx, user, at_ingested).await,
        }
    }
}

impl NeotomaQueryService for Query {
    async fn get_file_url(&self, ctx: &Context, request: GetFileUrlRequest) -> Result<GetFileUrlResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        Ok(file_url::get(&self.parts, ctx, &user, &request).await?)
    }

    async fn get_entity_snapshot(
        &self,
        ctx: &Context,
        request: GetEntitySnapshotRequest,
    ) -> Result<GetEntitySnapshotResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = match request.at {
            None => self.reader_of(ctx, &user, &request.entity_id, request.at_ingested.as_deref()).await?,
            // It is recomputed by the schema of now.
            Some(_) => Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?,
        };
        Ok(snapshot::get(reader, &request).await?)
    }

    async fn retrieve_entities(
        &self,
        ctx: &Context,
        request: RetrieveEntitiesRequest,
    ) -> Result<RetrieveEntitiesResponse, CallError> {
        let user = user::of_caller(ctx, request.user_id.as_deref())?;
        let query = entities::query(&self.parts.tokens, ctx, &user, &request);
        let (reader, start) = match request.cursor.as_deref() {
            None => {
                let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
                (reader, Cursor::start(request.offset))
            }
            Some(token) => {
                let Place { at, after } = query.open(entities::FIELD, token).map_err(Error::from)?;
                (Reader::at_point(self.ledger(), ctx, &user, entities::FIELD, At::Seq(at)).await?, after)
            }
        };
        let (entity_type, filters) = (request.entity_type.clone(), request.filters.clone());
        let mut found = entities::retrieve(&reader, request, &query, start).await?;
        if found.entities.is_empty() && !filters.is_empty() {
            found.warnings = hints::about_filters(&reader, entity_type.as_deref(), &filters).await?;
        }
        Ok(found)
    }

    async fn get_entity_by_identifier(
        &self,
        ctx: &Context,
        request: GetEntityByIdentifierRequest,
    ) -> Result<GetEntityByIdentifierResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        let mut found = identifier::find(&reader, &request).await?;
        message::snapshots_within(&mut found.entities);
        Ok(found)
    }

    async fn search(&self, ctx: &Context, request: SearchRequest) -> Result<SearchResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        Ok(self.search.search(&reader, request).await?)
    }

    async fn get_related_entities(
        &self,
        ctx: &Context,
        request: GetRelatedEntitiesRequest,
    ) -> Result<GetRelatedEntitiesResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        Ok(related::get(&reader, &request).await?)
    }

    async fn get_graph_neighborhood(
        &self,
        ctx: &Context,
        request: GetGraphNeighborhoodRequest,
    ) -> Result<GetGraphNeighborhoodResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        Ok(neighborhood::get(&reader, &request).await?)
    }

    async fn list_observations(
        &self,
        ctx: &Context,
        request: ListObservationsRequest,
    ) -> Result<ListObservationsResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        Ok(observations::list(&reader, &request).await?)
    }

    async fn get_field_provenance(
        &self,
        ctx: &Context,
        request: GetFieldProvenanceRequest,
    ) -> Result<GetFieldProvenanceResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = self.reader_of(ctx, &user, &request.entity_id, request.at_ingested.as_deref()).await?;
        let mut found = provenance::get(reader, &request).await?;
        found.quote = provenance::quote(&self.parts, &self.quotes, ctx, &found).await;
        Ok(found)
    }

    async fn list_relationships(
        &self,
        ctx: &Context,
        request: ListRelationshipsRequest,
    ) -> Result<ListRelationshipsResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        Ok(relationships::list(&reader, &request).await?)
    }

    async fn list_timeline_events(
        &self,
        ctx: &Context,
        request: ListTimelineEventsRequest,
    ) -> Result<ListTimelineEventsResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        Ok(timeline::list(&reader, &request).await?)
    }

    async fn describe_schema(
        &self,
        ctx: &Context,
        request: DescribeSchemaRequest,
    ) -> Result<DescribeSchemaResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, None).await?;
        Ok(schema::describe(&reader, &request).await?)
    }

    async fn read_entity(
        &self,
        ctx: &Context,
        request: ReadEntityRequest,
    ) -> Result<GetEntitySnapshotResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, None).await?;
        let asked = GetEntitySnapshotRequest { entity_id: request.entity_id, ..GetEntitySnapshotRequest::default() };
        snapshot::get(reader, &asked).await.map_err(|error| match error {
            Error::NoSuchEntity { .. } | Error::MalformedId { .. } | Error::MisspeltId { .. } => {
                Error::NoSuchResource.into()
            }
            other => other.into(),
        })
    }

    async fn read_source(&self, ctx: &Context, request: ReadSourceRequest) -> Result<ReadSourceResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, None).await?;
        Ok(source::read(&reader, &request).await?)
    }
}
