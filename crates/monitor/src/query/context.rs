//! The context of a scene: canon, narrative and recall, read side by side and cut to a budget of tokens.

use std::collections::{BTreeMap, BTreeSet};

use contract::Context;
use contract::generated::monitor::{
    self as proto, AssembleSceneContextRequest, AssembleSceneContextResponse, CanonicalContext, ContextMetadata,
    NarrativeContext, RecalledContext,
};
use desk::Stored;
use futures::future::try_join_all;
use ledger::{Direction, FieldKey, FieldRange, Find, FindOrder, Traverse};
use serde::Serialize;

use super::Query;
use super::narrative::{last_turns, question, scene_of};
use super::recall::{Asked, result};
use crate::Error;
use crate::domain::context::{self, Part, most};
use crate::domain::memory::Recalled;
use crate::domain::narrative::{Scene, Turn};
use crate::domain::node::{Entity, Fact, Relationship};
use crate::domain::row::{field, kind};
use crate::domain::words::CanonLevel;
use crate::domain::{chunk, limit};
use crate::projection::{Reader, message, read_context, told};
use crate::recall::{Found, SCENES, SNIPPETS, tag};

/// What a context may take when nobody says otherwise.
const TOKENS: usize = 12_000;
const TOKENS_MAX: i32 = 200_000;
/// Characters of the last turns that recall asks with.
const ASKED_CHARS_MAX: usize = 600;
/// How far from the participants the canon is looked at.
const HOPS: u32 = 2;

/// Everything that a context is put together from.
#[derive(Default)]
struct Gathered {
    entities: Vec<Entity>,
    facts: Vec<Fact>,
    relations: Vec<Relationship>,
    turns: Vec<Turn>,
    summary: String,
    scenes: Vec<Found>,
    memories: Vec<Recalled>,
    rules: Vec<Found>,
    warnings: Vec<String>,
}

impl Query {
    pub(super) async fn assembled(
        &self,
        ctx: &Context,
        request: AssembleSceneContextRequest,
    ) -> Result<AssembleSceneContextResponse, Error> {
        let budget = match request.token_budget {
            None => TOKENS,
            Some(tokens) => {
                usize::try_from(tokens).ok().filter(|_| (100..=TOKENS_MAX).contains(&tokens)).ok_or_else(|| {
                    Error::invalid(
                        "token_budget",
                        format!("is {tokens}"),
                        format!("give a number from 100 to {TOKENS_MAX}"),
                    )
                })?
            }
        };
        let asked = request.semantic_query.as_deref().map(|text| question("semantic_query", text)).transpose()?;
        let is_now = request.read_context.is_none();
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let scene = scene_of(&reader, &request.scene_id).await?.into_row();
        let turns = last_turns(&reader, &scene.scene_id, most::TURNS).await?;
        let text = asked.unwrap_or_else(|| asked_by(&scene, &turns));
        let recall = Recalling { ctx, reader: &reader, scene: &scene, text: &text, is_now };
        let (canon, summary, recalled) = futures::join!(
            canonical(&reader, &scene, request.include_canonical),
            summary(&reader, &scene, request.include_narrative),
            self.recalled(recall, request.include_semantic),
        );
        let mut gathered = canon?;
        gathered.summary = summary?;
        gathered.turns = if request.include_narrative { turns } else { Vec::new() };
        Gathered {
            scenes: gathered.scenes,
            memories: gathered.memories,
            rules: gathered.rules,
            warnings: gathered.warnings,
            ..
        } = recalled;
        Ok(answer(ctx, &reader, &scene, gathered, (budget, request.include_narrative, is_now)))
    }

    /// What the scene calls to mind. A part that fails is left out with a warning: recall suggests, it never decides.
    async fn recalled(&self, recall: Recalling<'_>, is_wanted: bool) -> Gathered {
        let mut gathered = Gathered::default();
        if !is_wanted || recall.text.trim().is_empty() {
            return gathered;
        }
        let Recalling { reader, scene, text, .. } = recall;
        let universe = || vec![tag("universe", &scene.universe_id)];
        // Turns of one scene are found together, so more are asked for than scenes are shown.
        let (scenes, rules, memories) = futures::join!(
            self.recall.find(&reader.view, SCENES, text, universe(), most::SCENES * 8),
            self.recall.find(&reader.view, SNIPPETS, text, universe(), most::SNIPPETS),
            self.remembered(&recall),
        );
        let mut noted = |what: &str, found: Result<(Vec<Found>, Vec<String>), Error>| match found {
            Ok((found, notes)) => {
                gathered.warnings.extend(notes);
                found
            }
            Err(error) => {
                gathered.warnings.push(format!("{what} could not be recalled: {error}"));
                Vec::new()
            }
        };
        let scenes = noted("similar_scenes", scenes);
        let rules = noted("rule_excerpts", rules);
        gathered.scenes = others(scenes, &scene.scene_id);
        gathered.rules = rules;
        match memories {
            Ok(memories) => gathered.memories = memories,
            Err(error) => gathered.warnings.push(format!("character_memories could not be recalled: {error}")),
        }
        gathered.warnings.sort();
        gathered.warnings.dedup();
        gathered
    }

    /// What the participants remember, of each at least something.
    async fn remembered(&self, recall: &Recalling<'_>) -> Result<Vec<Recalled>, Error> {
        let Recalling { ctx, reader, scene, text, is_now } = *recall;
        let mut each = Vec::with_capacity(scene.participating_entities.len());
        for group in scene.participating_entities.chunks(8) {
            let found =
                try_join_all(group.iter().map(|entity_id| {
                    self.ranked(ctx, reader, Asked { entity_id, least: None, text: Some(text), is_now })
                }))
                .await?;
            each.extend(found.into_iter().map(|list| list.into_iter().take(most::MEMORIES).collect::<Vec<_>>()));
        }
        let score = |one: &Recalled| one.score(ctx.now).unwrap_or(one.memory.importance);
        let chosen = context::choose(each, most::MEMORIES, most::MEMORIES_EACH, score);
        if is_now {
            let shown = chosen.iter().map(|one| (one.memory.memory_id.clone(), one.memory.entity_id.clone()));
            self.counter.recalled(ctx, shown.collect());
        }
        Ok(chosen)
    }
}

/// What recall asks about.
#[derive(Clone, Copy)]
struct Recalling<'a> {
    ctx: &'a Context,
    reader: &'a Reader<'a>,
    scene: &'a Scene,
    text: &'a str,
    is_now: bool,
}

/// What to ask with where nobody says: the last turns, or else what the scene is about.
fn asked_by(scene: &Scene, turns: &[Turn]) -> String {
    let mut text = turns.iter().rev().take(3).map(|turn| turn.text.as_str()).collect::<Vec<_>>().join(" ");
    if text.trim().is_empty() {
        text = format!("{} {}", scene.title, scene.purpose);
    }
    contract::excerpt(text.trim(), ASKED_CHARS_MAX.min(limit::QUERY_CHARS_MAX))
}

/// The canon around the participants: who they are and know, and what is true of them, newest first.
async fn canonical(reader: &Reader<'_>, scene: &Scene, is_wanted: bool) -> Result<Gathered, Error> {
    if !is_wanted {
        return Ok(Gathered::default());
    }
    let core: Vec<String> = scene.participating_entities.iter().chain(&scene.location_ref).cloned().collect();
    let (near, facts, edges) = futures::join!(
        try_join_all(core.iter().map(|id| neighbours(reader, id))),
        try_join_all(core.iter().map(|id| facts_of(reader, &scene.universe_id, id))),
        try_join_all(core.iter().map(|id| edges_of(reader, id))),
    );
    let mut near: Vec<(u32, String)> = near?.concat();
    near.sort();
    let mut ids: Vec<String> = Vec::with_capacity(most::ENTITIES);
    for id in core.into_iter().chain(near.into_iter().map(|(_, id)| id)) {
        if ids.len() < most::ENTITIES && !ids.contains(&id) {
            ids.push(id);
        }
    }
    let entities = reader.all::<Entity>(kind::ENTITY, &ids).await?.into_iter().flatten().map(Stored::into_row);
    let entities: Vec<Entity> = entities.filter(|entity| entity.canon_level == CanonLevel::Canon).collect();
    let shown: BTreeSet<&str> = entities.iter().map(|entity| entity.entity_id.as_str()).collect();
    let facts: BTreeMap<String, Fact> = facts?.into_iter().flatten().map(|fact| (fact.fact_id.clone(), fact)).collect();
    let mut facts: Vec<Fact> = facts.into_values().collect();
    facts.sort_by(|one, other| (other.created_at, &one.fact_id).cmp(&(one.created_at, &other.fact_id)));
    facts.truncate(most::FACTS);
    let among = |edge: &Relationship| {
        shown.contains(edge.from_entity_id.as_str()) && shown.contains(edge.to_entity_id.as_str())
    };
    let edges: BTreeMap<String, Relationship> =
        edges?.into_iter().flatten().filter(among).map(|edge| (edge.relationship_id.clone(), edge)).collect();
    let relations = edges.into_values().take(most::RELATIONS).collect();
    Ok(Gathered { facts, relations, entities, ..Gathered::default() })
}

/// The entities around one, with how far each is away.
async fn neighbours(reader: &Reader<'_>, id: &str) -> Result<Vec<(u32, String)>, Error> {
    let walk = Traverse {
        from: id.to_owned(),
        kind: kind::RELATIONSHIP.to_owned(),
        types: Vec::new(),
        direction: Direction::Both,
        hops_max: HOPS,
        records_max: most::ENTITIES,
    };
    let walked = reader.view.ledger.traverse(reader.view.tenant, reader.view.at, walk).await?;
    let is_canon = |link: &ledger::Record| link.status.as_deref() == Some(CanonLevel::Canon.as_str());
    let reached = walked.reached.into_iter().filter(|reached| is_canon(&reached.link.record));
    Ok(reached.map(|reached| (reached.hops, reached.id)).collect())
}

async fn facts_of(reader: &Reader<'_>, universe_id: &str, id: &str) -> Result<Vec<Fact>, Error> {
    let find = Find {
        scope: Some(universe_id.to_owned()),
        status: Some(CanonLevel::Canon.to_string()),
        field: Some(FieldRange::equal(field::ENTITY, &FieldKey::text(id))),
        order: FindOrder::FieldDescending,
        ..Find::all(kind::FACT)
    };
    let (facts, _) = reader.some::<Fact>(find, most::FACTS).await?;
    Ok(facts.into_iter().map(Stored::into_row).collect())
}

async fn edges_of(reader: &Reader<'_>, id: &str) -> Result<Vec<Relationship>, Error> {
    let find = Find {
        touching: Some((id.to_owned(), Direction::Both)),
        status: Some(CanonLevel::Canon.to_string()),
        ..Find::all(kind::RELATIONSHIP)
    };
    let (edges, _) = reader.some::<Relationship>(find, most::RELATIONS).await?;
    Ok(edges.into_iter().map(Stored::into_row).collect())
}

/// The summary of the scene, or of the one before it in its story.
async fn summary(reader: &Reader<'_>, scene: &Scene, is_wanted: bool) -> Result<String, Error> {
    if !is_wanted || !scene.summary.is_empty() {
        return Ok(if is_wanted { scene.summary.clone() } else { String::new() });
    }
    let find = Find {
        scope: Some(scene.universe_id.clone()),
        field: Some(FieldRange::equal(field::STORY, &FieldKey::text(&scene.story_id))),
        order: FindOrder::FieldDescending,
        ..Find::all(kind::SCENE)
    };
    // Scenes that are played at the same time have no summary yet, so a few are looked at.
    let (scenes, _) = reader.some::<Scene>(find, 20).await?;
    let before = |other: &&Stored<Scene>| {
        other.scene_id != scene.scene_id && other.created_at <= scene.created_at && !other.summary.is_empty()
    };
    Ok(scenes.iter().find(before).map(|other| other.summary.clone()).unwrap_or_default())
}

/// The best find of each other scene.
fn others(found: Vec<Found>, own: &str) -> Vec<Found> {
    let mut seen = BTreeSet::from([own.to_owned()]);
    let is_new = |one: &Found| seen.insert(one.payload["scene_id"].as_str().unwrap_or_default().to_owned());
    found.into_iter().filter(is_new).take(most::SCENES).collect()
}

fn answer(
    ctx: &Context,
    reader: &Reader<'_>,
    scene: &Scene,
    gathered: Gathered,
    (budget, include_narrative, is_now): (usize, bool, bool),
) -> AssembleSceneContextResponse {
    let mut turns: Vec<proto::Turn> = gathered.turns.iter().map(told::turn).collect();
    // The last ones matter most.
    turns.reverse();
    let mut entities: Vec<proto::Entity> = gathered.entities.iter().map(message::entity).collect();
    let mut facts: Vec<proto::Fact> = gathered.facts.iter().map(message::fact).collect();
    let mut relations: Vec<proto::Relationship> = gathered.relations.iter().map(message::relationship).collect();
    let mut memories: Vec<proto::Memory> =
        gathered.memories.iter().map(|one| told::recalled(one, one.score(ctx.now), is_now)).collect();
    let mut rules: Vec<proto::SearchResult> = gathered.rules.into_iter().map(result).collect();
    let mut scenes: Vec<proto::SearchResult> = gathered.scenes.into_iter().map(result).collect();
    let gm_notes = if include_narrative { scene.gm_notes.clone() } else { String::new() };
    let fixed = chunk::tokens(&gathered.summary) + chunk::tokens(&gm_notes);
    let parts = [
        part(25, &turns),
        part(25, &entities),
        part(20, &facts),
        part(5, &relations),
        part(10, &memories),
        part(10, &rules),
        part(5, &scenes),
    ];
    let kept = context::fit(budget.saturating_sub(fixed), &parts);
    let tokens =
        fixed + parts.iter().zip(&kept).map(|(part, kept)| part.tokens[..*kept].iter().sum::<usize>()).sum::<usize>();
    let truncated = parts.iter().zip(&kept).any(|(part, kept)| *kept < part.tokens.len());
    turns.truncate(kept[0]);
    turns.reverse();
    entities.truncate(kept[1]);
    facts.truncate(kept[2]);
    relations.truncate(kept[3]);
    memories.truncate(kept[4]);
    rules.truncate(kept[5]);
    scenes.truncate(kept[6]);
    AssembleSceneContextResponse {
        canonical: Some(CanonicalContext { entities, facts, relations }),
        narrative: Some(NarrativeContext { prior_turns: turns, scene_summary: gathered.summary, gm_notes }),
        recalled: Some(RecalledContext { similar_scenes: scenes, character_memories: memories, rule_excerpts: rules }),
        metadata: Some(ContextMetadata {
            universe_id: scene.universe_id.clone(),
            story_id: scene.story_id.clone(),
            scene_id: scene.scene_id.clone(),
            timestamp: ctx.now.to_string(),
            warnings: gathered.warnings,
            tokens: i64::try_from(tokens).unwrap_or(i64::MAX),
            truncated,
        }),
        read_context: read_context(reader),
    }
}

/// A list with what each of its items takes.
fn part<T: Serialize>(share: usize, items: &[T]) -> Part {
    let tokens = |item: &T| serde_json::to_string(item).map_or(0, |text| chunk::tokens(&text));
    Part { share, tokens: items.iter().map(tokens).collect() }
}
