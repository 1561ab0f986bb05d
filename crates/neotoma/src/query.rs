//! Queries: read at a point, word the answer. One file for each group of tools.

mod snapshot;

use contract::generated::neotoma::{
    DescribeSchemaRequest, DescribeSchemaResponse, GetEntityByIdentifierRequest, GetEntityByIdentifierResponse,
    GetEntitySnapshotRequest, GetEntitySnapshotResponse, GetFieldProvenanceRequest, GetFieldProvenanceResponse,
    GetFileUrlRequest, GetFileUrlResponse, GetGraphNeighborhoodRequest, GetGraphNeighborhoodResponse,
    GetRelatedEntitiesRequest, GetRelatedEntitiesResponse, ListObservationsRequest, ListObservationsResponse,
    ListRelationshipsRequest, ListRelationshipsResponse, ListTimelineEventsRequest, ListTimelineEventsResponse,
    NeotomaQueryService, ReadEntityRequest, ReadSourceRequest, ReadSourceResponse, RetrieveEntitiesRequest,
    RetrieveEntitiesResponse,
};
use contract::{CallError, Context};
use ledger::Ledger;

use crate::capability::Parts;
use crate::projection::Reader;
use crate::{Error, user};

/// The read side.
pub struct Query {
    parts: Parts,
}

impl Query {
    pub fn new(parts: Parts) -> Self {
        Self { parts }
    }

    fn ledger(&self) -> &dyn Ledger {
        self.parts.ledger.as_ref()
    }
}

impl NeotomaQueryService for Query {
    async fn get_file_url(&self, _ctx: &Context, _request: GetFileUrlRequest) -> Result<GetFileUrlResponse, CallError> {
        Err(CallError::absent("get_file_url"))
    }

    async fn get_entity_snapshot(
        &self,
        ctx: &Context,
        request: GetEntitySnapshotRequest,
    ) -> Result<GetEntitySnapshotResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, request.at_ingested.as_deref()).await?;
        Ok(snapshot::get(&reader, &request).await?)
    }

    async fn retrieve_entities(
        &self,
        _ctx: &Context,
        _request: RetrieveEntitiesRequest,
    ) -> Result<RetrieveEntitiesResponse, CallError> {
        Err(CallError::absent("retrieve_entities"))
    }

    async fn get_entity_by_identifier(
        &self,
        _ctx: &Context,
        _request: GetEntityByIdentifierRequest,
    ) -> Result<GetEntityByIdentifierResponse, CallError> {
        Err(CallError::absent("get_entity_by_identifier"))
    }

    async fn get_related_entities(
        &self,
        _ctx: &Context,
        _request: GetRelatedEntitiesRequest,
    ) -> Result<GetRelatedEntitiesResponse, CallError> {
        Err(CallError::absent("get_related_entities"))
    }

    async fn get_graph_neighborhood(
        &self,
        _ctx: &Context,
        _request: GetGraphNeighborhoodRequest,
    ) -> Result<GetGraphNeighborhoodResponse, CallError> {
        Err(CallError::absent("get_graph_neighborhood"))
    }

    async fn list_observations(
        &self,
        _ctx: &Context,
        _request: ListObservationsRequest,
    ) -> Result<ListObservationsResponse, CallError> {
        Err(CallError::absent("list_observations"))
    }

    async fn get_field_provenance(
        &self,
        _ctx: &Context,
        _request: GetFieldProvenanceRequest,
    ) -> Result<GetFieldProvenanceResponse, CallError> {
        Err(CallError::absent("get_field_provenance"))
    }

    async fn list_relationships(
        &self,
        _ctx: &Context,
        _request: ListRelationshipsRequest,
    ) -> Result<ListRelationshipsResponse, CallError> {
        Err(CallError::absent("list_relationships"))
    }

    async fn list_timeline_events(
        &self,
        _ctx: &Context,
        _request: ListTimelineEventsRequest,
    ) -> Result<ListTimelineEventsResponse, CallError> {
        Err(CallError::absent("list_timeline_events"))
    }

    async fn describe_schema(
        &self,
        _ctx: &Context,
        _request: DescribeSchemaRequest,
    ) -> Result<DescribeSchemaResponse, CallError> {
        Err(CallError::absent("describe_schema"))
    }

    async fn read_entity(
        &self,
        ctx: &Context,
        request: ReadEntityRequest,
    ) -> Result<GetEntitySnapshotResponse, CallError> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::at(self.ledger(), ctx, &user, None).await?;
        let asked = GetEntitySnapshotRequest { entity_id: request.entity_id, ..GetEntitySnapshotRequest::default() };
        snapshot::get(&reader, &asked).await.map_err(|error| match error {
            Error::NoSuchEntity { .. } | Error::MalformedId { .. } => Error::NoSuchResource.into(),
            other => other.into(),
        })
    }

    async fn read_source(&self, _ctx: &Context, _request: ReadSourceRequest) -> Result<ReadSourceResponse, CallError> {
        Err(CallError::absent("read_source"))
    }
}
