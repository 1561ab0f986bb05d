//! What characters remember, and how their actions came out.

use contract::Context;
use contract::generated::monitor::{
    self as proto, CreateCharacterMemoryRequest, CreateCharacterMemoryResponse, CreateResolutionRequest,
    CreateResolutionResponse,
};
use desk::Stored;
use ledger::Expectation;
use serde_json::Value;

use super::entity::decision;
use super::scene::{same_universe, scene_of};
use super::{Decision, Write, receipt};
use crate::Error;
use crate::domain::dice::Formula;
use crate::domain::fact::Happening;
use crate::domain::narrative::{Memory, Resolution, Turn};
use crate::domain::node::{Fact, Link};
use crate::domain::row::{Row, kind};
use crate::domain::words::{ActionType, ResolutionType, SuccessLevel};
use crate::domain::{Map, check, limit, scene};
use crate::error::Flaws;
use crate::projection::message::word;
use crate::projection::told;

impl Write {
    pub(super) async fn new_memory(
        &self,
        ctx: &Context,
        request: &CreateCharacterMemoryRequest,
    ) -> Result<Decision<CreateCharacterMemoryResponse>, Error> {
        let mut flaws = Flaws::default();
        let text = flaws.check(check::text("text", &request.text, limit::MEMORY_CHARS_MAX));
        let importance = flaws.check(check::confidence("importance", request.importance));
        let certainty = flaws.check(check::confidence("certainty", request.certainty));
        if !(-1.0..=1.0).contains(&request.emotional_valence) {
            let reason = format!("is {}", request.emotional_valence);
            flaws.push("emotional_valence", reason, "give a number from -1.0 to 1.0");
        }
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let entity = reader.entity("entity_id", &request.entity_id).await?;
        let mut rows = Vec::new();
        let mut memory = Memory {
            memory_id: ctx.ids.next(),
            entity_id: entity.entity_id.clone(),
            universe_id: entity.universe_id.clone(),
            text,
            linked_fact_id: None,
            scene_id: None,
            emotional_valence: request.emotional_valence,
            importance,
            certainty,
            created_at: ctx.now,
        };
        if let Some(id) = &request.linked_fact_id {
            let fact: Stored<Fact> = reader.get(kind::FACT, ("linked_fact_id", "fact"), id).await?;
            elsewhere("linked_fact_id", &fact.universe_id, &entity.universe_id)?;
            rows.push(Row::Link(Link {
                r#type: "REMEMBERS".to_owned(),
                from: memory.memory_id.clone(),
                to: fact.fact_id.clone(),
                universe_id: entity.universe_id.clone(),
            }));
            memory.linked_fact_id = Some(fact.into_row().fact_id);
        }
        if let Some(id) = &request.scene_id {
            let scene = scene_of(&reader, id).await?;
            elsewhere("scene_id", &scene.universe_id, &entity.universe_id)?;
            memory.scene_id = Some(scene.into_row().scene_id);
        }
        let answer = CreateCharacterMemoryResponse {
            memory_id: memory.memory_id.clone(),
            created_at: memory.created_at.to_string(),
            memory: Some(told::memory(&memory)),
            receipt: receipt(),
        };
        rows.insert(0, Row::Memory(memory));
        let expectations = vec![Expectation::Exists { key: entity.key.clone() }];
        Ok(decision(Happening::MemoryCreated, rows, expectations, answer))
    }

    pub(super) async fn new_resolution(
        &self,
        ctx: &Context,
        request: &CreateResolutionRequest,
    ) -> Result<Decision<CreateResolutionResponse>, Error> {
        let mechanics = request.mechanics.clone().unwrap_or_default().0;
        let mut flaws = Flaws::default();
        let action = flaws.check(check::text("action", &request.action, limit::DESCRIPTION_CHARS_MAX));
        if let Err((field, reason, fix)) = check_mechanics(&mechanics) {
            flaws.push(field, reason, fix);
        }
        let chars = serde_json::to_string(&(&mechanics, &request.effects)).map_or(0, |text| text.len());
        if chars > limit::CONTENT_CHARS_MAX {
            let fix = format!("give {} at most, effects included", limit::CONTENT_CHARS_MAX);
            flaws.push("mechanics", format!("has {chars} characters of JSON"), fix);
        }
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let scene = scene_of(&reader, &request.scene_id).await?;
        scene::check_active(&scene)?;
        let actor = reader.entity("actor_id", &request.actor_id).await?;
        same_universe("actor_id", &actor.universe_id, &scene)?;
        let mut turn_id = None;
        if let Some(id) = &request.turn_id {
            let turn: Stored<Turn> = reader.get(kind::TURN, ("turn_id", "turn"), id).await?;
            if turn.scene_id != scene.scene_id {
                let message = "turn_id names a turn of another scene";
                return Err(Error::constraint("turn_id", message, "name a turn of this scene, or leave turn_id out"));
            }
            turn_id = Some(turn.into_row().turn_id);
        }
        let resolution = Resolution {
            resolution_id: ctx.ids.next(),
            turn_id,
            scene_id: scene.scene_id.clone(),
            story_id: scene.story_id.clone(),
            actor_id: actor.into_row().entity_id,
            action,
            action_type: ActionType::of(word::<proto::ActionType>(request.action_type)).unwrap_or_default(),
            resolution_type: ResolutionType::of(word::<proto::ResolutionType>(request.resolution_type))
                .unwrap_or_default(),
            mechanics,
            success_level: SuccessLevel::of(word::<proto::SuccessLevel>(request.success_level)).unwrap_or_default(),
            margin: request.margin,
            effects: request.effects.iter().map(|effect| effect.0.clone()).collect(),
            created_at: ctx.now,
        };
        let answer = CreateResolutionResponse {
            resolution_id: resolution.resolution_id.clone(),
            created_at: resolution.created_at.to_string(),
            resolution: Some(told::resolution(&resolution)),
            receipt: receipt(),
        };
        let expectations = vec![scene.unchanged()];
        Ok(decision(Happening::ResolutionCreated, vec![Row::Resolution(resolution)], expectations, answer))
    }
}

/// A formula must be one, and a roll within what it can come to.
fn check_mechanics(mechanics: &Map) -> Result<(), (&'static str, String, String)> {
    let Some(formula) = mechanics.get("formula") else { return Ok(()) };
    let wrong = |reason: String| {
        let (reason, fix) = reason.split_once("; ").map_or((&*reason, "give a formula"), |parts| parts);
        ("mechanics.formula", reason.to_owned(), fix.to_owned())
    };
    let text = formula.as_str().ok_or_else(|| wrong("is no text; write it as 2d20kh1+5".to_owned()))?;
    let (least, most) = Formula::parse(text).map_err(wrong)?.range();
    match mechanics.get("roll").and_then(|roll| roll.get("total")).and_then(Value::as_i64) {
        Some(total) if !(least..=most).contains(&total) => {
            let reason = format!("is {total}, which {text} cannot come to");
            Err(("mechanics.roll.total", reason, format!("give a number from {least} to {most}")))
        }
        _ => Ok(()),
    }
}

fn elsewhere(field: &str, universe_id: &str, own: &str) -> Result<(), Error> {
    if universe_id == own {
        return Ok(());
    }
    let message = format!("{field} names something of another universe than the character's");
    Err(Error::constraint(field, message, "name something of the character's universe"))
}
