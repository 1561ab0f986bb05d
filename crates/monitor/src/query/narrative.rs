//! Queries of what was told: scenes, proposals, memories and resolutions.

use contract::generated::monitor::{
    self as proto, AssembleSceneContextRequest, AssembleSceneContextResponse, GetPendingProposalsRequest,
    GetPendingProposalsResponse, GetProposedChangeRequest, GetProposedChangeResponse, GetResolutionRequest,
    GetResolutionResponse, GetSceneRequest, GetSceneResponse, NarrativeQueryService, QueryScenesRequest,
    QueryScenesResponse, ReadSceneRequest, RetrieveCharacterMemoriesRequest, RetrieveCharacterMemoriesResponse,
    SemanticSearchRequest, SemanticSearchResponse,
};
use contract::{CallError, Context};
use desk::{Stored, bounds};
use ledger::{FieldKey, FieldRange, Find, FindOrder};

use super::Query;
use super::listing::{self, LIMIT_MAX, Slice};
use crate::Error;
use crate::authority::{Agent, AgentType};
use crate::domain::limit;
use crate::domain::narrative::{Proposal, Resolution, Scene, Turn};
use crate::domain::row::{WORLD, field, kind};
use crate::projection::message::word;
use crate::projection::{Reader, read_context, told};

/// Turns and proposals that one answer shows of a scene.
const SHOWN_MAX: usize = 500;

impl NarrativeQueryService for Query {
    async fn get_scene(&self, ctx: &Context, request: GetSceneRequest) -> Result<GetSceneResponse, CallError> {
        let turns = match (request.include_turns, request.turn_limit) {
            (false, _) => 0,
            (true, None) => SHOWN_MAX,
            (true, Some(limit)) => turn_limit(limit)?,
        };
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let scene = scene_of(&reader, &request.scene_id).await?;
        let mut shown = told::scene(&scene);
        let wanted = usize::try_from(scene.turn_count)
            .unwrap_or(usize::MAX)
            .min(request.turn_limit.map_or(usize::MAX, |_| turns));
        shown.turns = last_turns(&reader, &scene.scene_id, turns).await?.iter().map(told::turn).collect();
        let mut truncated = request.include_turns && cut_turns(&mut shown.turns, wanted);
        if request.include_proposals {
            let agent = Agent::of(ctx, self.config.agent_type)?;
            let (proposals, more) = proposals_of(&reader, &scene.scene_id).await?;
            shown.proposed_changes = proposals.iter().map(|proposal| seen_by(&agent, proposal)).collect();
            truncated |= more;
        }
        let truncated = truncated.then_some(true);
        Ok(GetSceneResponse { scene: Some(shown), truncated, read_context: read_context(&reader) })
    }

    async fn read_scene(&self, ctx: &Context, request: ReadSceneRequest) -> Result<GetSceneResponse, CallError> {
        let request = GetSceneRequest { scene_id: request.scene_id, include_turns: true, ..GetSceneRequest::default() };
        NarrativeQueryService::get_scene(self, ctx, request).await
    }

    async fn query_scenes(&self, ctx: &Context, request: QueryScenesRequest) -> Result<QueryScenesResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let finds = scene_finds(&reader, &request).await?;
        let story = request.story_id.as_ref().map(|id| id.to_ascii_lowercase());
        let listed = match (&story, &request.entity_id) {
            // Only one of the two fields is walked; the other is looked at row by row.
            (Some(story), Some(_)) => {
                listing::page_of(&reader, finds, slice, |scene: &Scene, _| scene.story_id == *story).await?
            }
            _ => listing::page(&reader, finds, slice).await?,
        };
        Ok(QueryScenesResponse {
            scenes: listed.items.iter().map(told::scene).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }

    async fn get_pending_proposals(
        &self,
        ctx: &Context,
        request: GetPendingProposalsRequest,
    ) -> Result<GetPendingProposalsResponse, CallError> {
        let slice = Slice::of(request.limit, 0, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let range = match &request.scene_id {
            Some(id) => FieldRange::equal(field::PENDING, &FieldKey::text(&scene_of(&reader, id).await?.scene_id)),
            None => FieldRange::all(field::PENDING),
        };
        let find = Find {
            scope: Some(WORLD.to_owned()),
            r#type: Some(word::<proto::ProposalType>(request.r#type).to_owned()).filter(|word| !word.is_empty()),
            field: Some(range),
            order: FindOrder::Field,
            ..Find::all(kind::PROPOSAL)
        };
        let listed = listing::page::<Proposal>(&reader, vec![find], slice).await?;
        Ok(GetPendingProposalsResponse {
            proposals: listed.items.iter().map(told::proposal).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }

    async fn get_proposed_change(
        &self,
        ctx: &Context,
        request: GetProposedChangeRequest,
    ) -> Result<GetProposedChangeResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let what = ("proposal_id", "proposal");
        let proposal: Stored<Proposal> = reader.get(kind::PROPOSAL, what, &request.proposal_id).await?;
        let agent = Agent::of(ctx, self.config.agent_type)?;
        Ok(GetProposedChangeResponse {
            proposal: Some(seen_by(&agent, &proposal)),
            read_context: read_context(&reader),
        })
    }

    async fn get_resolution(
        &self,
        ctx: &Context,
        request: GetResolutionRequest,
    ) -> Result<GetResolutionResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let what = ("resolution_id", "resolution");
        let resolution: Stored<Resolution> = reader.get(kind::RESOLUTION, what, &request.resolution_id).await?;
        let resolution = Some(told::resolution(&resolution));
        Ok(GetResolutionResponse { resolution, read_context: read_context(&reader) })
    }

    async fn retrieve_character_memories(
        &self,
        ctx: &Context,
        request: RetrieveCharacterMemoriesRequest,
    ) -> Result<RetrieveCharacterMemoriesResponse, CallError> {
        Ok(self.memories(ctx, request).await?)
    }

    async fn semantic_search(
        &self,
        ctx: &Context,
        request: SemanticSearchRequest,
    ) -> Result<SemanticSearchResponse, CallError> {
        Ok(self.semantic(ctx, request).await?)
    }

    async fn assemble_scene_context(
        &self,
        ctx: &Context,
        request: AssembleSceneContextRequest,
    ) -> Result<AssembleSceneContextResponse, CallError> {
        Ok(self.assembled(ctx, request).await?)
    }
}

/// The scene that `scene_id` names.
pub(crate) async fn scene_of(reader: &Reader<'_>, id: &str) -> Result<Stored<Scene>, Error> {
    reader.get(kind::SCENE, ("scene_id", "scene"), id).await
}

/// The last turns of a scene, in the order of telling.
pub(crate) async fn last_turns(reader: &Reader<'_>, scene_id: &str, most: usize) -> Result<Vec<Turn>, Error> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let find = Find {
        scope: Some(scene_id.to_owned()),
        field: Some(FieldRange::all(field::NUMBER)),
        order: FindOrder::FieldDescending,
        ..Find::all(kind::TURN)
    };
    let (mut turns, _) = reader.some::<Turn>(find, most).await?;
    turns.reverse();
    Ok(turns.into_iter().map(Stored::into_row).collect())
}

/// The proposals of a scene, and whether there are more than are shown.
pub(crate) async fn proposals_of(reader: &Reader<'_>, scene_id: &str) -> Result<(Vec<Proposal>, bool), Error> {
    let find = Find {
        scope: Some(WORLD.to_owned()),
        field: Some(FieldRange::equal(field::SCENE, &FieldKey::text(scene_id))),
        order: FindOrder::Field,
        ..Find::all(kind::PROPOSAL)
    };
    let (proposals, more) = reader.some::<Proposal>(find, SHOWN_MAX).await?;
    Ok((proposals.into_iter().map(Stored::into_row).collect(), more))
}

/// CanonKeeper sees all of a proposal, an agent its own, and of the others that they are there.
fn seen_by(agent: &Agent, proposal: &Proposal) -> proto::Proposal {
    let own = proposal.proposer_id == agent.id && proposal.proposer_type == agent.kind.as_str();
    if own || agent.kind == AgentType::CanonKeeper { told::proposal(proposal) } else { told::outline(proposal) }
}

fn turn_limit(limit: i32) -> Result<usize, Error> {
    usize::try_from(limit).ok().filter(|limit| (1..=SHOWN_MAX).contains(limit)).ok_or_else(|| {
        Error::invalid("turn_limit", format!("is {limit}"), format!("give a number from 1 to {SHOWN_MAX}"))
    })
}

/// Leaves the oldest out until the answer holds the rest. True when not all that were wanted are shown.
fn cut_turns(turns: &mut Vec<proto::Turn>, wanted: usize) -> bool {
    if !turns.is_empty() {
        let fit = bounds::fitting(turns.iter().rev().map(|turn| turn.text.len() + 200));
        turns.drain(..turns.len() - fit);
    }
    turns.len() < wanted
}

/// What to walk for a query of scenes: by participant, by story, or by universe.
async fn scene_finds(reader: &Reader<'_>, request: &QueryScenesRequest) -> Result<Vec<Find>, Error> {
    let mut universe = match &request.universe_id {
        Some(id) => Some(reader.universe("universe_id", id).await?.into_row().universe_id),
        None => None,
    };
    let mut range = None;
    if let Some(id) = &request.story_id {
        let story = reader.story("story_id", id).await?.into_row();
        within("story_id", &story.universe_id, &mut universe)?;
        range = Some(FieldRange::equal(field::STORY, &FieldKey::text(&story.story_id)));
    }
    if let Some(id) = &request.entity_id {
        let entity = reader.entity("entity_id", id).await?.into_row();
        within("entity_id", &entity.universe_id, &mut universe)?;
        range = Some(FieldRange::equal(field::ENTITY, &FieldKey::text(&entity.entity_id)));
    }
    let status = Some(word::<proto::SceneStatus>(request.status).to_owned()).filter(|word| !word.is_empty());
    let order = if range.is_some() { FindOrder::Field } else { FindOrder::Time };
    let find = |scope: String| Find {
        scope: Some(scope),
        status: status.clone(),
        field: range.clone(),
        order,
        ..Find::all(kind::SCENE)
    };
    Ok(listing::scopes(reader, universe.as_deref()).await?.into_iter().map(find).collect())
}

/// Refuses filters that name different universes.
fn within(field: &str, found: &str, universe: &mut Option<String>) -> Result<(), Error> {
    match universe {
        Some(universe) if universe != found => {
            let message = format!("{field} names something of another universe than the other filters");
            Err(Error::constraint(field, message, "name things of one universe"))
        }
        _ => {
            *universe = Some(found.to_owned());
            Ok(())
        }
    }
}

/// A question of 1 to 1000 characters.
pub(super) fn question(field: &str, text: &str) -> Result<String, Error> {
    crate::domain::check::text(field, text, limit::QUERY_CHARS_MAX).map_err(|flaw| Error::Invalid(vec![flaw]))
}
