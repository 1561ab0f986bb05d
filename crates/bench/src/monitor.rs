//! Monitor: the context of a scene, what must not grow with the world, and what a cache of results could save.

mod world;

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use anyhow::Context as _;
use contract::{Answer, Context, RequestMeta};
use serde_json::{Value, json};
use server::Platform;

use crate::load::{Request, Running, cpu_s};
use crate::report::{Report, median};
use crate::{governance, growth, seed, subject};
use world::{Ids, Size};

/// A context is assembled within this, in the median.
const CONTEXT_MS_MAX: f64 = 20.0;
/// From here on a cache of results would be worth its risks.
const SAVED_MAX: f64 = 0.25;
/// Entities and scenes are picked in steps of this, so that neighbours in the store are not asked one after the other.
const STEP: usize = 7919;

pub async fn run(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    contexts(report, quick).await?;
    reads(report, quick).await
}

/// The context of scenes in a large world, one caller after the other.
async fn contexts(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let part = if quick { 10 } else { 1 };
    let size = Size { entities: 10_000 / part, facts: 50_000 / part, scenes: 2000 / part };
    let (server, ids, _folder) = served(size).await?;
    let request = |call: usize| assemble(&ids, call);
    let mut connection = server.connect().await?;
    // The first call waits until everything is indexed.
    connection.call(&request(0)).await?;
    let (mut waits, before) = (Vec::new(), server.cpu_s());
    let calls = if quick { 100 } else { 500 };
    for call in 1..=calls {
        let (request, begin) = (request(call), Instant::now());
        connection.call(&request).await?;
        waits.push(begin.elapsed().as_secs_f64() * 1000.0);
    }
    let cpu_us = (server.cpu_s() - before) * 1e6 / f64::from(u32::try_from(calls)?);
    waits.sort_by(f64::total_cmp);
    let (p50, p99) = (median(waits.clone()), waits[waits.len() * 99 / 100]);
    let what = format!("context of a scene: {} entities, {} facts, {} scenes", size.entities, size.facts, size.scenes);
    let measured = format!("p50 {p50:.1} ms, p99 {p99:.1} ms, {cpu_us:.0} us CPU");
    report.judged(&what, measured, String::new(), "p50 under 20 ms", p50 < CONTEXT_MS_MAX);
    Ok(())
}

/// Gets and queries in a small and a large world, and in the small one what they cost beside a cache.
async fn reads(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let sizes = [1000, if quick { 10_000 } else { 100_000 }];
    let of = |count: usize| served(Size { entities: count, facts: count, scenes: count / 50 });
    let (small, large) = (of(sizes[0]).await?, of(sizes[1]).await?);
    let servers = [(&small.0, &small.1), (&large.0, &large.1)];
    for (server, ids) in servers {
        server.connect().await?.call(&assemble(ids, 0)).await?;
    }
    for question in QUESTIONS {
        growth::judge_each(report, &format!("monitor {}", question.what), servers, sizes, |ids: &Ids, call| {
            Request::tool_as(question.agent_type, question.tool, &(question.arguments)(ids, call))
        })
        .await?;
    }
    drop(large);
    caches(report, quick, small).await
}

/// A read that is measured.
struct Question {
    what: &'static str,
    agent_type: &'static str,
    tool: &'static str,
    arguments: fn(&Ids, usize) -> Value,
}

const fn asked(what: &'static str, tool: &'static str, arguments: fn(&Ids, usize) -> Value) -> Question {
    Question { what, agent_type: "CanonKeeper", tool, arguments }
}

const GET_ENTITY: Question =
    asked("get_entity", "neo4j_get_entity", |ids, call| json!({ "entity_id": pick(&ids.entities, call) }));
const BY_TYPE: Question = asked(
    "query_entities by type",
    "neo4j_query_entities",
    |ids, _| json!({ "universe_id": ids.universe, "entity_type": "character", "limit": 20 }),
);
const GET_SCENE: Question = asked(
    "get_scene with turns",
    "mongodb_get_scene",
    |ids, call| json!({ "scene_id": pick(&ids.scenes, call), "include_turns": true }),
);

const QUESTIONS: &[Question] = &[
    GET_ENTITY,
    asked("get_entity with relationships and history", "neo4j_get_entity", |ids, call| {
        let id = pick(&ids.entities, call);
        json!({ "entity_id": id, "include_relationships": true, "include_state_history": true })
    }),
    BY_TYPE,
    asked(
        "query_entities by tag",
        "neo4j_query_entities",
        |ids, _| json!({ "universe_id": ids.universe, "state_tags": { "all_of": ["wounded"] }, "limit": 20 }),
    ),
    asked(
        "query_entities by name",
        "neo4j_query_entities",
        |ids, _| json!({ "universe_id": ids.universe, "name_pattern": "raven of salt*", "limit": 5 }),
    ),
    asked("get_fact", "neo4j_get_fact", |ids, call| json!({ "fact_id": pick(&ids.facts, call) })),
    asked(
        "query_facts of an entity",
        "neo4j_query_facts",
        |ids, call| json!({ "entity_id": pick(&ids.entities, call) }),
    ),
    asked(
        "query_facts by level and authority",
        "neo4j_query_facts",
        |ids, _| json!({ "universe_id": ids.universe, "canon_level": "canon", "authority": "gm", "limit": 20 }),
    ),
    asked(
        "query_relationships of an entity",
        "neo4j_query_relationships",
        |ids, call| json!({ "entity_id": pick(&ids.entities, call) }),
    ),
    GET_SCENE,
    asked(
        "get_scene with proposals",
        "mongodb_get_scene",
        |ids, call| json!({ "scene_id": pick(&ids.scenes, call), "include_proposals": true }),
    ),
    asked(
        "query_scenes of a story",
        "mongodb_query_scenes",
        |ids, call| json!({ "story_id": pick(&ids.stories, call) }),
    ),
    asked(
        "get_proposed_change",
        "mongodb_get_proposed_change",
        |ids, call| json!({ "proposal_id": pick(&ids.proposals, call) }),
    ),
    asked(
        "get_pending_proposals of a scene",
        "mongodb_get_pending_proposals",
        |ids, call| json!({ "scene_id": pick(&ids.scenes, call) }),
    ),
    Question {
        what: "retrieve_character_memories",
        agent_type: "ContextAssembly",
        tool: "mongodb_retrieve_character_memories",
        arguments: |ids, call| json!({ "entity_id": pick(&ids.entities, call) }),
    },
];

fn pick(ids: &[String], call: usize) -> &str {
    &ids[call * STEP % ids.len()]
}

fn assemble(ids: &Ids, call: usize) -> Request {
    let arguments = json!({ "scene_id": pick(&ids.scenes, call) });
    Request::tool_as("ContextAssembly", "composite_assemble_scene_context", &arguments)
}

/// A server with a universe of this size.
async fn served(size: Size) -> anyhow::Result<(Running, Ids, tempfile::TempDir)> {
    let (folder, begin) = (tempfile::tempdir()?, Instant::now());
    let ids = world::seed(folder.path(), size).await?;
    println!("seeded a universe of {} entities in {:.0} s", size.entities, begin.elapsed().as_secs_f64());
    Ok((subject::monitor(folder.path()).await?, ids, folder))
}

/// The three reads that the specification lets a server keep: what the whole call costs, what the capability does for it,
/// and what a hit in a cache would do in its place.
async fn caches(
    report: &mut Report,
    quick: bool,
    (server, ids, folder): (Running, Ids, tempfile::TempDir),
) -> anyhow::Result<()> {
    let calls = if quick { 1000 } else { 4000 };
    let mut whole = Vec::new();
    for Question { tool, arguments, .. } in [GET_ENTITY, BY_TYPE, GET_SCENE] {
        let request = |call: usize| Request::tool_as("CanonKeeper", tool, &arguments(&ids, call));
        let mut costs = Vec::new();
        for _round in 0..5 {
            costs.push(server.load(4, calls, request).await?.cpu_us);
        }
        whole.push(median(costs));
    }
    drop(server);
    let platform = Platform::open(&seed::config(folder.path())).await?;
    let is_monitor = |one: &&std::sync::Arc<spine::Endpoint>| one.capability.manifest().name == "monitor";
    let endpoint = platform.endpoints.iter().find(is_monitor).context("monitor is mounted")?;
    let request = RequestMeta { agent_type: Some("CanonKeeper".to_owned()), ..RequestMeta::default() };
    let ctx = Context { request, ..governance::context("bench") };
    for (Question { what, tool, arguments, .. }, whole) in [GET_ENTITY, BY_TYPE, GET_SCENE].into_iter().zip(whole) {
        let (mut reads, mut hits) = (Vec::new(), Vec::new());
        let mut kept: HashMap<String, Answer> = HashMap::new();
        for _round in 0..5 {
            let asked: Vec<_> =
                (0..calls).map(|call| arguments(&ids, call).as_object().cloned().unwrap_or_default()).collect();
            let before = cpu_s(std::process::id());
            let mut answers = Vec::with_capacity(calls);
            for arguments in asked.clone() {
                answers.push(endpoint.capability.call(&ctx, tool, arguments).await.map_err(anyhow::Error::msg)?);
            }
            let read = cpu_s(std::process::id()) - before;
            let key = |arguments| serde_json::to_string(arguments);
            for (arguments, answer) in asked.iter().zip(answers) {
                kept.insert(key(arguments)?, answer);
            }
            let before = cpu_s(std::process::id());
            for arguments in &asked {
                black_box(kept.get(&key(arguments)?).cloned());
            }
            let hit = cpu_s(std::process::id()) - before;
            let each = |seconds: f64| seconds * 1e6 / f64::from(u32::try_from(calls).unwrap_or(u32::MAX));
            reads.push(each(read));
            hits.push(each(hit));
        }
        let (read, hit) = (median(reads), median(hits));
        let saved = (read - hit) / whole;
        let measured = format!("{read:.0} us of {whole:.0} us CPU, a hit {hit:.1} us");
        report.judged(
            &format!("monitor {what}: a cache would save"),
            measured,
            format!("{saved:.2}"),
            "at most 0.25",
            saved <= SAVED_MAX,
        );
    }
    Ok(())
}
