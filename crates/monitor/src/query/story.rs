//! Queries of stories.

use contract::generated::monitor::{
    self as proto, GetStoryRequest, GetStoryResponse, QueryStoriesRequest, QueryStoriesResponse, ReadStoryRequest,
    StoryQueryService,
};
use contract::{CallError, Context};
use ledger::{FieldKey, FieldRange, Find, FindOrder};

use super::Query;
use super::listing::{self, LIMIT_MAX, Slice};
use crate::domain::node::Story;
use crate::domain::row::{field, kind};
use crate::projection::message::{self, word};
use crate::projection::read_context;

impl StoryQueryService for Query {
    async fn get_story(&self, ctx: &Context, request: GetStoryRequest) -> Result<GetStoryResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let story = reader.story("story_id", &request.story_id).await?;
        Ok(GetStoryResponse { story: Some(message::story(&story)), read_context: read_context(&reader) })
    }

    async fn read_story(&self, ctx: &Context, request: ReadStoryRequest) -> Result<GetStoryResponse, CallError> {
        self.get_story(ctx, GetStoryRequest { story_id: request.story_id, read_context: None }).await
    }

    async fn query_stories(
        &self,
        ctx: &Context,
        request: QueryStoriesRequest,
    ) -> Result<QueryStoriesResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let scopes = listing::scopes(&reader, request.universe_id.as_deref()).await?;
        let parent = request.parent_story_id.as_ref().map(|id| id.to_ascii_lowercase());
        let named = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        let find = |scope: String| {
            let all = Find {
                scope: Some(scope),
                r#type: named(word::<proto::StoryType>(request.story_type)),
                status: named(word::<proto::StoryStatus>(request.status)),
                ..Find::all(kind::STORY)
            };
            let range = parent.as_ref().map(|id| FieldRange::equal(field::PARENT, &FieldKey::text(id)));
            let order = if range.is_some() { FindOrder::Field } else { FindOrder::Id };
            Find { field: range, order, ..all }
        };
        let finds = scopes.into_iter().map(find).collect();
        let listed = listing::page::<Story>(&reader, finds, slice).await?;
        Ok(QueryStoriesResponse {
            stories: listed.items.iter().map(message::story).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }
}
