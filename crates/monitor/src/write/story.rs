//! Writes of stories.

use contract::generated::monitor::{
    self as proto, CreateStoryRequest, CreateStoryResponse, StoryWriteService, UpdateStoryRequest, UpdateStoryResponse,
};
use contract::{CallError, Context};
use ledger::Expectation;

use super::entity::decision;
use super::{Decision, Write, receipt};
use crate::Error;
use crate::domain::fact::Happening;
use crate::domain::node::Story;
use crate::domain::row::Row;
use crate::domain::words::{StoryStatus, StoryType};
use crate::domain::{check, limit, story};
use crate::error::Flaws;
use crate::projection::message::{self, number, word};

impl StoryWriteService for Write {
    async fn create_story(&self, ctx: &Context, request: CreateStoryRequest) -> Result<CreateStoryResponse, CallError> {
        let decide = || self.new_story(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn update_story(&self, ctx: &Context, request: UpdateStoryRequest) -> Result<UpdateStoryResponse, CallError> {
        let decide = || self.changed_story(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }
}

impl Write {
    async fn new_story(
        &self,
        ctx: &Context,
        request: &CreateStoryRequest,
    ) -> Result<Decision<CreateStoryResponse>, Error> {
        let mut flaws = Flaws::default();
        let title = flaws.check(check::name("title", &request.title));
        let theme = flaws.check(check::optional("theme", request.theme.as_deref(), limit::NAME_CHARS_MAX));
        let premise = flaws.check(check::optional("premise", request.premise.as_deref(), limit::DESCRIPTION_CHARS_MAX));
        let start_time_ref = flaws.check(check::moment("start_time_ref", request.start_time_ref.as_deref()));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let universe = reader.universe("universe_id", &request.universe_id).await?;
        let story_type = StoryType::of(word::<proto::StoryType>(request.story_type)).unwrap_or_default();
        let mut expectations = vec![Expectation::Exists { key: universe.key.clone() }];
        let mut parent_story_id = None;
        if let Some(id) = &request.parent_story_id {
            let parent = reader.story("parent_story_id", id).await?;
            story::can_hold(&parent, &universe.universe_id, story_type)?;
            expectations.push(Expectation::Exists { key: parent.key.clone() });
            parent_story_id = Some(parent.into_row().story_id);
        }
        let story = Story {
            story_id: ctx.ids.next(),
            universe_id: universe.into_row().universe_id,
            title,
            story_type,
            theme,
            premise,
            parent_story_id,
            status: StoryStatus::Active,
            start_time_ref,
            end_time_ref: None,
            created_at: ctx.now,
            completed_at: None,
        };
        let answer = CreateStoryResponse {
            story_id: story.story_id.clone(),
            status: number::<proto::StoryStatus>(story.status.as_str()),
            created_at: story.created_at.to_string(),
            story: Some(message::story(&story)),
            receipt: receipt(),
        };
        Ok(decision(Happening::StoryCreated, vec![Row::Story(story)], expectations, answer))
    }

    async fn changed_story(
        &self,
        ctx: &Context,
        request: &UpdateStoryRequest,
    ) -> Result<Decision<UpdateStoryResponse>, Error> {
        let mut flaws = Flaws::default();
        let end_time_ref = flaws.check(check::moment("end_time_ref", request.end_time_ref.as_deref()));
        let status = StoryStatus::of(word::<proto::StoryStatus>(request.status));
        if status.is_none() && end_time_ref.is_none() {
            flaws.push("status", "is absent, and so is end_time_ref", "give at least one of them");
        }
        flaws.refuse()?;
        let story = self.reader(ctx).story("story_id", &request.story_id).await?;
        let changed = story::update(&story, status, end_time_ref, ctx.now)?;
        let answer = UpdateStoryResponse {
            story_id: changed.story_id.clone(),
            status: number::<proto::StoryStatus>(changed.status.as_str()),
            completed_at: message::moment(changed.completed_at),
            story: Some(message::story(&changed)),
            receipt: receipt(),
        };
        Ok(decision(Happening::StoryUpdated, vec![Row::Story(changed)], vec![story.unchanged()], answer))
    }
}
