//! A table to play at: one store, agents of every type, a clock that moves with each call.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use blobs::FileBlobs;
use contract::generated::monitor::manifest;
use contract::{Blob, Capability as _, Context, Effect, Manifest, NoClient, RequestMeta};
use ledger::SharedLedger;
use ledger_sqlite::SqliteLedger;
use monitor::{Config, Monitor, Parts, Recall};
use scope::{IdSource as _, Principal, RandomIds, Scope, SequentialIds, TenantId, Timestamp, Words};
use serde_json::{Map, Value, json};
use spine::arguments::Checkers;

/// Where the clock starts: 2027-01-15T08:00:00Z.
const START: i64 = 1_800_000_000_000_000;

pub struct Table {
    pub ledger: SharedLedger,
    pub monitor: Monitor,
    checkers: Checkers,
    manifest: Manifest,
    now: AtomicI64,
    requests: SequentialIds,
    folder: tempfile::TempDir,
}

/// The capability on a store, with files beside it.
pub fn build(ledger: SharedLedger, folder: &Path) -> Monitor {
    let checkers = Checkers::new(&manifest()).unwrap();
    let recall = Recall::new(&search::Search::in_memory(ledger.clone()), ledger.clone());
    Monitor::new(Parts {
        ledger,
        config: Config::default(),
        blobs: Arc::new(FileBlobs::open(folder.join("blobs")).unwrap()),
        recall,
        check: Arc::new(move |tool, arguments| {
            checkers.check(tool, arguments.clone()).map(|checked| checked.arguments)
        }),
    })
}

/// Who calls: a type of agent in a tenant.
#[derive(Clone, Copy)]
pub struct Player<'a> {
    pub tenant: &'a str,
    pub agent: &'a str,
    pub roles: &'a [&'a str],
}

pub fn player(agent: &str) -> Player<'_> {
    Player { tenant: "local", agent, roles: &["service"] }
}

impl Table {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger: SharedLedger =
            Arc::new(SqliteLedger::open(folder.path(), ledger_sqlite::Options::default()).unwrap());
        let monitor = build(ledger.clone(), folder.path());
        let manifest = monitor.manifest().clone();
        let checkers = Checkers::new(&manifest).unwrap();
        let now = AtomicI64::new(START);
        Self { ledger, monitor, checkers, manifest, now, requests: SequentialIds::default(), folder }
    }

    /// The same store under a capability that starts anew.
    pub fn anew(&self) -> Self {
        let monitor = build(self.ledger.clone(), self.folder.path());
        let (ledger, folder) = (self.ledger.clone(), tempfile::tempdir().unwrap());
        let now = AtomicI64::new(self.now.load(Ordering::Relaxed) + 1_000_000_000);
        let checkers = Checkers::new(&self.manifest).unwrap();
        let manifest = self.manifest.clone();
        Self { ledger, monitor, checkers, manifest, now, requests: SequentialIds::default(), folder }
    }

    pub fn context(&self, player: Player<'_>, effect: Option<Effect>) -> Context {
        let request_id = self.requests.next();
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Words>();
        Context {
            scope: Scope { tenant: TenantId::new(player.tenant).unwrap(), ..Scope::local() },
            principal: Principal {
                issuer: "token".to_owned(),
                agents: words(&[player.agent]),
                roles: words(player.roles),
                ..Principal::local("table")
            },
            request: RequestMeta { correlation_id: request_id.clone(), request_id, ..RequestMeta::default() },
            now: Timestamp(self.now.fetch_add(1_000_000, Ordering::Relaxed)),
            ids: Arc::new(RandomIds),
            client: Arc::new(NoClient),
            cancelled: tokio_util::sync::CancellationToken::new(),
            effect,
            verdict: contract::Verdict::default(),
            audit: contract::AuditDraft::default(),
        }
    }

    /// Calls a tool as a door does: authority, schema, call. The answer has passed its output schema; a refusal is what stands
    /// under `error`.
    pub async fn call_as(&self, player: Player<'_>, tool: &str, arguments: Value) -> Result<Value, Value> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let key = arguments.get("client_request_id").and_then(Value::as_str).map(str::to_owned);
        let request_hash = Value::Object(arguments.clone()).to_string();
        let effect = key.map(|key| Effect { operation: tool.to_owned(), key, request_hash });
        let ctx = self.context(player, effect);
        let outcome = async {
            self.monitor.grants(&ctx).unwrap().await?.judge(tool)?;
            let checked = match self.checkers.check(tool, arguments) {
                Ok(checked) => checked.arguments,
                Err(misfit) => return Err(self.monitor.refuse(&ctx, tool, &misfit).await),
            };
            self.monitor.call(&ctx, tool, checked).await
        };
        match outcome.await {
            Ok(answer) => Ok(self.fitting(tool, answer.structured.unwrap().value())),
            Err(error) => Err(self.monitor.envelope(&ctx.request, &error)["error"].clone()),
        }
    }

    pub async fn call(&self, agent: &str, tool: &str, arguments: Value) -> Result<Value, Value> {
        self.call_as(player(agent), tool, arguments).await
    }

    /// The answer of a call that has to go well.
    pub async fn ok(&self, agent: &str, tool: &str, arguments: Value) -> Value {
        self.call(agent, tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    /// As CanonKeeper.
    pub async fn keep(&self, tool: &str, arguments: Value) -> Value {
        self.ok("CanonKeeper", tool, arguments).await
    }

    /// The refusal of a call, in one line: name, field and message.
    pub async fn refused(&self, agent: &str, tool: &str, arguments: Value) -> String {
        let error = self.call(agent, tool, arguments.clone()).await.expect_err(&format!("{tool} {arguments}"));
        shown(&error)
    }

    /// Reads a resource.
    pub async fn read(&self, agent: &str, uri: &str) -> Result<Value, Value> {
        let ctx = self.context(player(agent), None);
        match self.monitor.read(&ctx, uri).await {
            Ok(Blob::Text { text, .. }) => Ok(serde_json::from_str(&text).unwrap()),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(self.monitor.envelope(&ctx.request, &error)["error"].clone()),
        }
    }

    fn fitting(&self, tool: &str, answer: Value) -> Value {
        let listed = self.manifest.tools.iter().find(|listed| listed.name == tool).unwrap();
        let mut schema: Map<String, Value> = listed.output_schema.clone().unwrap();
        schema.insert("additionalProperties".to_owned(), false.into());
        let validator = jsonschema::validator_for(&Value::Object(schema)).unwrap();
        let found: Vec<String> = validator.iter_errors(&answer).map(|error| error.to_string()).collect();
        assert!(found.is_empty(), "{tool} answers against its schema: {found:?}");
        answer
    }

    /// A universe; its id.
    pub async fn universe(&self, name: &str) -> String {
        let answer = self.keep("neo4j_create_universe", json!({ "name": name, "authority": "source" })).await;
        id(&answer, "universe_id")
    }

    /// A source of a universe, as a reference.
    pub async fn source(&self, universe: &str) -> String {
        let arguments = json!({
            "universe_id": universe, "doc_id": "d1", "title": "The book", "source_type": "lore",
            "canon_level": "authoritative",
        });
        format!("source:{}", id(&self.keep("neo4j_create_source", arguments).await, "source_id"))
    }

    /// A world with a source: the ids of the universe and the reference of the source.
    pub async fn world(&self) -> (String, String) {
        let universe = self.universe("Middle-earth").await;
        let source = self.source(&universe).await;
        (universe, source)
    }

    /// An instance; its id.
    pub async fn entity(&self, (universe, source): (&str, &str), name: &str, kind: &str, tags: &[&str]) -> String {
        let mut arguments = new_entity(universe, source);
        arguments["name"] = json!(name);
        arguments["entity_type"] = json!(kind);
        arguments["state_tags"] = json!(tags);
        id(&self.keep("neo4j_create_entity", arguments).await, "entity_id")
    }

    /// A fact; its id.
    pub async fn fact(&self, (universe, source): (&str, &str), statement: &str, entities: &[&str]) -> String {
        let mut arguments = new_fact(universe, source);
        arguments["statement"] = json!(statement);
        arguments["involved_entity_ids"] = json!(entities);
        id(&self.keep("neo4j_create_fact", arguments).await, "fact_id")
    }
}

/// Good arguments of an instance.
pub fn new_entity(universe: &str, source: &str) -> Value {
    json!({
        "entity_class": "EntityConcreta", "universe_id": universe, "name": "Frodo", "entity_type": "character",
        "description": "A hobbit", "properties": { "role": "PC" }, "confidence": 1.0, "authority": "source",
        "evidence_refs": [source],
    })
}

/// Good arguments of a fact about nobody.
pub fn new_fact(universe: &str, source: &str) -> Value {
    json!({
        "universe_id": universe, "statement": "The Ring is lost", "involved_entity_ids": [], "confidence": 1.0,
        "authority": "source", "evidence_refs": [source],
    })
}

/// Good arguments of an event.
pub fn new_event(universe: &str, source: &str) -> Value {
    json!({
        "universe_id": universe, "title": "The council", "description": "They meet", "involved_entity_ids": [],
        "confidence": 1.0, "authority": "source", "evidence_refs": [source],
    })
}

pub fn id(answer: &Value, name: &str) -> String {
    answer[name].as_str().unwrap_or_else(|| panic!("{name} in {answer}")).to_owned()
}

/// A refusal in one line: its name, the field at fault and the message.
pub fn shown(error: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    assert!(error["data"]["fix"].is_string(), "{error}");
    format!("{} {}: {}", text(&error["name"]), text(&error["data"]["field"]), text(&error["message"]))
}

/// A scene and those who play in it.
#[derive(Clone)]
pub struct Stage {
    pub universe: String,
    pub source: String,
    pub story: String,
    pub frodo: String,
    pub sam: String,
    pub shire: String,
}

impl Table {
    /// A world with two characters, a place and a story.
    pub async fn stage(&self) -> Stage {
        let (universe, source) = self.world().await;
        let of = (universe.as_str(), source.as_str());
        let frodo = self.entity(of, "Frodo", "character", &["alive"]).await;
        let sam = self.entity(of, "Sam", "character", &["alive"]).await;
        let shire = self.entity(of, "The Shire", "location", &[]).await;
        let story = json!({ "universe_id": universe, "title": "There and back", "story_type": "campaign" });
        let story = id(&self.keep("neo4j_create_story", story).await, "story_id");
        Stage { universe, source, story, frodo, sam, shire }
    }

    /// An active scene of the stage; its id.
    pub async fn scene(&self, stage: &Stage, title: &str) -> String {
        let arguments = json!({
            "story_id": stage.story, "universe_id": stage.universe, "title": title, "location_ref": stage.shire,
            "participating_entities": [stage.frodo, stage.sam],
        });
        id(&self.ok("Orchestrator", "mongodb_create_scene", arguments).await, "scene_id")
    }

    /// A turn; its id.
    pub async fn turn(&self, scene: &str, speaker: &str, text: &str) -> String {
        let arguments = json!({ "scene_id": scene, "speaker": speaker, "text": text });
        id(&self.ok("Narrator", "mongodb_append_turn", arguments).await, "turn_id")
    }

    /// A proposal with a turn as evidence; its id.
    pub async fn propose(
        &self,
        scene: &str,
        turn: &str,
        (kind, authority, confidence): (&str, &str, f64),
        content: Value,
    ) -> String {
        let arguments = json!({
            "scene_id": scene, "type": kind, "content": content, "confidence": confidence, "authority": authority,
            "evidence": [{ "type": "turn", "ref_id": turn }],
        });
        id(&self.ok("Narrator", "mongodb_create_proposed_change", arguments).await, "proposal_id")
    }

    pub async fn canonize(&self, scene: &str) -> Value {
        self.keep("composite_canonize_scene", json!({ "scene_id": scene })).await
    }
}

pub const NOWHERE: &str = "550e8400-e29b-41d4-a716-44665544ffff";
