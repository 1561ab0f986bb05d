//! A capability in a box.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::{Capability, Context, Effect, Misfit, NoClient, RequestMeta, Violation, ViolationKind};
use desk::PageTokens;
use ledger::{Change, NewFact, SearchStore, SharedLedger};
use ledger_sqlite::{Options, SqliteLedger};
use scope::{Clock, FixedClock, IdSource, Principal, PrincipalKind, Scope, SequentialIds, TenantId};
use search::Search;
use serde_json::{Map, Value, json};
use transformation::domain::Fact;
use transformation::domain::model::Model;
use transformation::projection::fold;
use transformation::{Config, Transformation};

/// One tenant's view of a capability. Copies share the store.
#[derive(Clone)]
pub struct World {
    pub capability: Arc<Transformation>,
    pub ledger: SharedLedger,
    /// The same database, as search keeps its rows in it.
    pub store: Arc<dyn SearchStore>,
    pub search: Search,
    pub scope: Scope,
    pub principal: Principal,
    clock: Arc<FixedClock>,
    ids: Arc<dyn IdSource>,
    calls: Arc<AtomicU64>,
    _directory: Arc<tempfile::TempDir>,
}

impl World {
    /// A fresh tenant with its default model.
    pub async fn new() -> Self {
        let world = Self::empty();
        world.capability.provision(&world.ctx()).await.unwrap();
        world
    }

    /// A fresh tenant with settings of its own.
    pub async fn with(config: Config) -> Self {
        let world = Self::of(config);
        world.capability.provision(&world.ctx()).await.unwrap();
        world
    }

    /// A tenant without any fact.
    pub fn empty() -> Self {
        Self::of(Config::default())
    }

    /// A fresh tenant whose elements are found so.
    pub async fn searching(options: search::Options) -> Self {
        let world = Self::made(Config::default(), options);
        world.capability.provision(&world.ctx()).await.unwrap();
        world
    }

    fn of(config: Config) -> Self {
        Self::made(config, search::Options::default())
    }

    fn made(config: Config, searching: search::Options) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::at("2026-07-28T10:00:00Z".parse().unwrap()));
        let options = Options { clock: clock.clone(), ..Options::default() };
        let ledger = Arc::new(SqliteLedger::open(directory.path(), options).unwrap());
        let search = Search::new(ledger.clone(), ledger.clone(), searching);
        Self {
            capability: Arc::new(Transformation::new(
                ledger.clone(),
                &search,
                config,
                Arc::new(check),
                PageTokens::new(&[7; 32]),
            )),
            store: ledger.clone(),
            ledger,
            search,
            scope: Scope::local(),
            principal: Principal::local("tester"),
            clock,
            ids: Arc::new(SequentialIds::default()),
            calls: Arc::default(),
            _directory: Arc::new(directory),
        }
    }

    /// The same store under other settings.
    pub fn under(&self, config: Config) -> Self {
        let (ledger, tokens) = (self.ledger.clone(), PageTokens::new(&[7; 32]));
        let capability = Transformation::new(ledger, &self.search, config, Arc::new(check), tokens);
        Self { capability: Arc::new(capability), ..self.clone() }
    }

    /// The same store, seen by another tenant.
    pub async fn other_tenant(&self, tenant: &str) -> Self {
        let scope = Scope { tenant: TenantId::new(tenant).unwrap(), ..self.scope.clone() };
        let other = Self { scope, ..self.clone() };
        other.capability.provision(&other.ctx()).await.unwrap();
        other
    }

    /// The same tenant, used by somebody else.
    pub fn as_principal(&self, subject: &str) -> Self {
        Self { principal: Principal::local(subject), ..self.clone() }
    }

    /// The same tenant, used by a caller of this sort.
    pub fn as_caller(&self, subject: &str, kind: PrincipalKind, roles: &[&str]) -> Self {
        let roles = roles.iter().map(|role| (*role).to_owned()).collect();
        Self { principal: Principal { kind, roles, ..Principal::local(subject) }, ..self.clone() }
    }

    /// The same tenant, used by an agent.
    pub fn as_agent(&self) -> Self {
        self.as_caller("agent", PrincipalKind::Agent, &["service"])
    }

    /// A call's context; a second has passed since the call before.
    pub fn ctx(&self) -> Context {
        self.clock.advance_micros(1_000_000);
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        Context {
            scope: self.scope.clone(),
            principal: self.principal.clone(),
            request: RequestMeta {
                request_id: format!("request-{number}"),
                correlation_id: "correlation".to_owned(),
                traceparent: Some("00-trace-parent-01".to_owned()),
                ..RequestMeta::default()
            },
            now: self.clock.now(),
            ids: self.ids.clone(),
            client: Arc::new(NoClient),
            cancelled: tokio_util::sync::CancellationToken::new(),
            effect: None,
            verdict: contract::Verdict::default(),
            audit: contract::AuditDraft::default(),
        }
    }

    /// The answer of a tool, or its failure in the published shape.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let tool = format!("transformation.{tool}");
        let arguments = arguments.as_object().cloned().unwrap();
        let mut ctx = self.ctx();
        let outcome = match check(&tool, &arguments) {
            Err(misfit) => Err(self.capability.refuse(&ctx, &tool, &misfit).await),
            Ok(arguments) => {
                ctx.effect = effect(&tool, &arguments);
                self.capability.call(&ctx, &tool, arguments).await
            }
        };
        match outcome {
            Ok(answer) => {
                let structured = answer.structured.unwrap().value();
                assert_fits_output_schema(&tool, &structured);
                structured
            }
            Err(error) => self.capability.envelope(&self.ctx().request, &error),
        }
    }

    /// Creates an element and returns its id.
    pub async fn element(&self, r#type: &str, name: &str) -> String {
        let answer = self.call("createElement", json!({"type": r#type, "name": name, "description": "d"})).await;
        answer["element"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Creates a relationship and returns the answer.
    pub async fn relate(&self, r#type: &str, source: &str, target: &str) -> Value {
        self.call("createRelationship", json!({"type": r#type, "source_id": source, "target_id": target})).await
    }

    /// Adds a second model, as an operator would, and returns its key.
    pub async fn second_model(&self) -> &'static str {
        let model = Model {
            id: "00000000-0000-7000-8000-second000000".to_owned(),
            repository_id: self.scope.repository.to_string(),
            key: "second".to_owned(),
            name: "Second model".to_owned(),
            description: None,
        };
        let fact = Fact::ModelCreated(model);
        let new =
            NewFact { kind: fact.kind().to_owned(), subject: fact.subject(), body: fact.body(), meta: "{}".to_owned() };
        let change = Change {
            tenant: self.scope.tenant.clone(),
            at: self.clock.now(),
            idempotency: None,
            expectations: Vec::new(),
            facts: vec![(new, fold::effects(&fact))],
            audit: None,
        };
        self.ledger.commit(change).await.unwrap();
        "second"
    }

    /// How many facts the tenant has.
    pub async fn facts(&self) -> usize {
        self.ledger.facts(&self.scope.tenant, 0, 10_000).await.unwrap().len()
    }
}

/// The code, field and hint of a failure; `ok` otherwise.
pub fn outcome(answer: &Value) -> String {
    match answer.get("error") {
        None => "ok".to_owned(),
        Some(error) => format!("{} {}", error["code"].as_str().unwrap(), error["field"].as_str().unwrap_or("-")),
    }
}

/// The texts at a key of each item of a list.
pub fn column<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap()).collect()
}

/// an answer is valid against the tool's output schema.
#[track_caller]
fn assert_fits_output_schema(tool: &str, answer: &Value) {
    let manifest = contract::generated::transformation::manifest();
    let tool = manifest.tools.into_iter().find(|known| known.name == tool).unwrap();
    let mut schema = tool.output_schema.unwrap();
    schema.insert("additionalProperties".to_owned(), false.into());
    let validator = jsonschema::validator_for(&Value::Object(schema)).unwrap();
    let errors: Vec<String> = validator.iter_errors(answer).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}: {errors:?}", tool.name);
}

fn effect(tool: &str, arguments: &Map<String, Value>) -> Option<Effect> {
    let key = arguments.get("client_request_id")?.as_str()?.to_owned();
    let mut rest = arguments.clone();
    rest.remove("client_request_id");
    Some(Effect { operation: tool.to_owned(), key, request_hash: Value::Object(rest).to_string() })
}

/// What the doors do before a call, as far as these tests need it: required, unknown and enum arguments, and defaults.
fn check(tool: &str, arguments: &Map<String, Value>) -> Result<Map<String, Value>, Misfit> {
    let manifest = contract::generated::transformation::manifest();
    let tool = manifest.tools.iter().find(|known| known.name == tool).unwrap();
    let properties = tool.input_schema["properties"].as_object().unwrap();
    let mut checked = arguments.clone();
    let mut violations = Vec::new();
    for name in arguments.keys().filter(|name| !properties.contains_key(*name)) {
        let known = properties.keys().cloned().collect();
        violations.push(Violation { path: name.clone(), kind: ViolationKind::Unknown { nearest: Vec::new(), known } });
    }
    let required = tool.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in required
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| !arguments.contains_key(*name) && properties[*name].get("default").is_none())
    {
        violations.push(Violation { path: name.to_owned(), kind: ViolationKind::Missing { wanted: String::new() } });
    }
    for (name, schema) in properties {
        match (arguments.get(name), schema.get("enum"), schema.get("default")) {
            (Some(value), Some(words), _) if !words.as_array().unwrap().contains(value) => {
                let value = value.as_str().unwrap_or_default().to_owned();
                let kind = ViolationKind::NotOneOf { value, nearest: Vec::new(), permitted: Vec::new() };
                violations.push(Violation { path: name.clone(), kind });
            }
            (None, _, Some(default)) => {
                checked.insert(name.clone(), default.clone());
            }
            _ => {}
        }
    }
    let open = violations.iter().map(|violation| violation.path.clone()).collect();
    let known = arguments.iter().filter(|(name, _)| properties.contains_key(*name));
    let corrected = known.map(|(name, value)| (name.clone(), value.clone())).collect();
    if violations.is_empty() { Ok(checked) } else { Err(Misfit { violations, corrected, open, ..Misfit::default() }) }
}

/// A small generator with a seed, so that a failure can be repeated.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    pub fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[usize::try_from(self.below(words.len() as u64)).unwrap()]
    }
}
