//! Scenes are opened, told in turns, and ended.

use contract::Context;
use contract::generated::monitor::{
    self as proto, AppendTurnRequest, AppendTurnResponse, CreateSceneRequest, CreateSceneResponse,
    FinalizeSceneRequest, FinalizeSceneResponse,
};
use desk::Stored;
use ledger::{Expectation, FieldKey, FieldRange, Find, FindOrder, RecordKey};

use super::entity::decision;
use super::{Decision, Write, receipt};
use crate::Error;
use crate::domain::fact::Happening;
use crate::domain::narrative::{Proposal, Resolution, Scene};
use crate::domain::node::Entity;
use crate::domain::row::{Row, WORLD, field, kind};
use crate::domain::scene::{self, Said};
use crate::domain::words::{SceneStatus, Speaker};
use crate::domain::{check, limit};
use crate::error::Flaws;
use crate::projection::message::{number, word};
use crate::projection::{Reader, told};

impl Write {
    pub(super) async fn new_scene(
        &self,
        ctx: &Context,
        request: &CreateSceneRequest,
    ) -> Result<Decision<CreateSceneResponse>, Error> {
        let mut flaws = Flaws::default();
        let title = flaws.check(check::name("title", &request.title));
        let purpose = request.purpose.as_deref();
        let purpose = flaws.check(check::optional("purpose", purpose, limit::DESCRIPTION_CHARS_MAX));
        let gm_notes = flaws.check(check::optional("gm_notes", request.gm_notes.as_deref(), limit::NOTES_CHARS_MAX));
        let cast = flaws.check(check::ids("participating_entities", &request.participating_entities));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let universe_id = reader.universe("universe_id", &request.universe_id).await?.into_row().universe_id;
        let story = reader.story("story_id", &request.story_id).await?;
        let location = match &request.location_ref {
            Some(id) => Some(reader.entity("location_ref", id).await?),
            None => None,
        };
        let found = reader.all::<Entity>(kind::ENTITY, &cast).await?;
        let participants: Vec<_> = cast.iter().zip(found.iter().map(|found| found.as_deref())).collect();
        scene::check_cast(&story, &universe_id, location.as_deref(), &participants)?;
        let scene = Scene {
            scene_id: ctx.ids.next(),
            story_id: story.story_id.clone(),
            universe_id,
            title,
            purpose,
            status: SceneStatus::Active,
            order: request.order.map(i64::from),
            location_ref: location.map(|place| place.into_row().entity_id),
            participating_entities: cast,
            canonical_outcomes: Vec::new(),
            summary: String::new(),
            gm_notes,
            turn_count: 0,
            last_turn_at: None,
            proposal_count: 0,
            canonization: None,
            created_at: ctx.now,
            updated_at: ctx.now,
            completed_at: None,
        };
        let answer = CreateSceneResponse {
            scene_id: scene.scene_id.clone(),
            status: number::<proto::SceneStatus>(scene.status.as_str()),
            created_at: scene.created_at.to_string(),
            scene: Some(told::scene(&scene)),
            receipt: receipt(),
        };
        let expectations = vec![Expectation::Exists { key: story.key.clone() }];
        Ok(decision(Happening::SceneCreated, vec![Row::Scene(scene)], expectations, answer))
    }

    pub(super) async fn new_turn(
        &self,
        ctx: &Context,
        request: &AppendTurnRequest,
    ) -> Result<Decision<AppendTurnResponse>, Error> {
        let mut flaws = Flaws::default();
        let text = flaws.check(check::text("text", &request.text, limit::TURN_CHARS_MAX));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let scene = scene_of(&reader, &request.scene_id).await?;
        let said = Said {
            turn_id: ctx.ids.next(),
            speaker: Speaker::of(word::<proto::Speaker>(request.speaker)).unwrap_or_default(),
            entity_id: request.entity_id.as_ref().map(|id| id.to_ascii_lowercase()),
            text,
            resolution_ref: request.resolution_ref.as_ref().map(|id| id.to_ascii_lowercase()),
        };
        let (speaks, resolved) = (said.entity_id.clone(), said.resolution_ref.clone());
        let (after, turn) = scene::append(&scene, said, ctx.now)?;
        if let Some(id) = speaks {
            let entity = reader.entity("entity_id", &id).await?;
            same_universe("entity_id", &entity.universe_id, &scene)?;
        }
        if let Some(id) = resolved {
            let what = ("resolution_ref", "resolution");
            let resolution: Stored<Resolution> = reader.get(kind::RESOLUTION, what, &id).await?;
            if resolution.scene_id != scene.scene_id {
                let message = "resolution_ref names a resolution of another scene";
                return Err(Error::constraint("resolution_ref", message, "name a resolution of this scene"));
            }
        }
        let answer = AppendTurnResponse {
            turn_id: turn.turn_id.clone(),
            timestamp: turn.timestamp.to_string(),
            turn: Some(told::turn(&turn)),
            receipt: receipt(),
        };
        let rows = vec![Row::Turn(turn), Row::Scene(after)];
        Ok(decision(Happening::TurnAppended, rows, vec![scene.unchanged()], answer))
    }

    pub(super) async fn finalized(
        &self,
        ctx: &Context,
        request: &FinalizeSceneRequest,
    ) -> Result<Decision<FinalizeSceneResponse>, Error> {
        let mut flaws = Flaws::default();
        let summary = flaws.check(check::text("summary", &request.summary, limit::SUMMARY_CHARS_MAX));
        let outcomes = flaws.check(check::ids("canonical_outcome_ids", &request.canonical_outcome_ids));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let scene = scene_of(&reader, &request.scene_id).await?;
        scene::check_active(&scene)?;
        scene::check_decided(&proposals_of(&reader, &scene.scene_id).await?)?;
        for (place, id) in outcomes.iter().enumerate() {
            let field = format!("canonical_outcome_ids[{place}]");
            let kinds = [kind::FACT, kind::EVENT, kind::ENTITY];
            let universe = universe_of(&reader, &kinds, id).await?;
            let universe = universe.ok_or_else(|| Error::not_found(&field, "fact or event", id))?;
            same_universe(&field, &universe, &scene)?;
        }
        let after = scene::complete(&scene, outcomes, summary, ctx.now);
        let answer = FinalizeSceneResponse {
            scene_id: after.scene_id.clone(),
            status: number::<proto::SceneStatus>(after.status.as_str()),
            completed_at: ctx.now.to_string(),
            scene: Some(told::scene(&after)),
            receipt: receipt(),
        };
        Ok(decision(Happening::SceneFinalized, vec![Row::Scene(after)], vec![scene.unchanged()], answer))
    }
}

/// The scene that `scene_id` names.
pub(super) async fn scene_of(reader: &Reader<'_>, id: &str) -> Result<Stored<Scene>, Error> {
    reader.get(kind::SCENE, ("scene_id", "scene"), id).await
}

/// All proposals of a scene, in the order of filing.
pub(super) async fn stored_proposals(reader: &Reader<'_>, scene_id: &str) -> Result<Vec<Stored<Proposal>>, Error> {
    let find = Find {
        scope: Some(WORLD.to_owned()),
        field: Some(FieldRange::equal(field::SCENE, &FieldKey::text(scene_id))),
        order: FindOrder::Field,
        ..Find::all(kind::PROPOSAL)
    };
    Ok(reader.some(find, limit::PROPOSALS_MAX).await?.0)
}

pub(super) async fn proposals_of(reader: &Reader<'_>, scene_id: &str) -> Result<Vec<Proposal>, Error> {
    Ok(stored_proposals(reader, scene_id).await?.into_iter().map(Stored::into_row).collect())
}

/// The universe of whatever of these kinds has the id.
pub(super) async fn universe_of(reader: &Reader<'_>, kinds: &[&str], id: &str) -> Result<Option<String>, Error> {
    #[derive(serde::Deserialize)]
    struct Placed {
        universe_id: String,
    }
    let keys: Vec<RecordKey> = kinds.iter().map(|kind| RecordKey::new(*kind, id.to_ascii_lowercase())).collect();
    let found = reader.view.versions(&keys).await?.into_iter().flatten().next();
    let read = found.map(|found| Stored::<Placed>::read(found, reader.view.error_id)).transpose()?;
    Ok(read.map(|placed| placed.into_row().universe_id))
}

/// Refuses what belongs to another universe than the scene.
pub(super) fn same_universe(field: &str, universe_id: &str, scene: &Scene) -> Result<(), Error> {
    if universe_id == scene.universe_id {
        return Ok(());
    }
    let message = format!("{field} names something of another universe than the scene's");
    Err(Error::constraint(field, message, "name something of the scene's universe"))
}
