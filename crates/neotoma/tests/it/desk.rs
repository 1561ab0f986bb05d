//! A desk to call the tools from: one store, any number of users, a clock that the test moves.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use contract::{Blob, CallError, Capability as _, Context, Effect, Manifest, NoClient, RequestMeta};
use ledger::SharedLedger;
use ledger_sqlite::SqliteLedger;
use neotoma::domain::ids;
use neotoma::interpret::{Document, Failure, Interpreter, Understood};
use neotoma::projection::row::kind;
use neotoma::{Config, Neotoma, Parts};
use scope::{IdSource as _, Principal, PrincipalKind, Scope, SequentialIds, TenantId, Timestamp};
use serde_json::{Map, Value};
use spine::arguments::Checkers;

/// Where the clock of a desk starts: 2027-01-15T08:00:00Z.
pub const START: i64 = 1_800_000_000_000_000;

pub struct Desk {
    pub ledger: SharedLedger,
    pub neotoma: Neotoma,
    checkers: Checkers,
    manifest: Manifest,
    now: AtomicI64,
    ids: Arc<SequentialIds>,
    _folder: tempfile::TempDir,
}

/// Who calls.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    pub tenant: &'a str,
    pub user: &'a str,
}

pub const ANN: Caller<'static> = Caller { tenant: "local", user: "ann" };

impl Desk {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger: SharedLedger =
            Arc::new(SqliteLedger::open(folder.path(), ledger_sqlite::Options::default()).unwrap());
        Self::on(ledger, folder)
    }

    /// A desk on a ledger of the test's own.
    pub fn on(ledger: SharedLedger, folder: tempfile::TempDir) -> Self {
        let parts = Self::parts(ledger, &folder);
        Self::with(parts, folder)
    }

    /// A desk whose parts the test changes first; it may put files into the folder.
    pub fn having(change: impl FnOnce(&mut Parts, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger = SqliteLedger::open(folder.path(), ledger_sqlite::Options::default()).unwrap();
        let mut parts = Self::parts(Arc::new(ledger), &folder);
        change(&mut parts, folder.path());
        Self::with(parts, folder)
    }

    fn parts(ledger: SharedLedger, folder: &tempfile::TempDir) -> Parts {
        Parts {
            search: search::Search::in_memory(ledger.clone()),
            ledger,
            config: Config { local_files: true, ..Config::default() },
            interpreter: Arc::new(Silent),
            blobs: Arc::new(blobs::FileBlobs::open(folder.path().join("blobs")).unwrap()),
            links: blobs::sign::Links::new(&[7; 32], "http://127.0.0.1:7400"),
            tokens: ::desk::PageTokens::new(&[7; 32]),
            roots: Arc::new(blobs::jail::Roots::open(&[]).unwrap()),
        }
    }

    /// A desk with parts of the test's own.
    pub fn with(parts: Parts, folder: tempfile::TempDir) -> Self {
        let ledger = parts.ledger.clone();
        let neotoma = Neotoma::new(parts);
        let manifest = neotoma.manifest().clone();
        Self {
            ledger,
            neotoma,
            checkers: Checkers::new(&manifest).unwrap(),
            manifest,
            now: AtomicI64::new(START),
            ids: Arc::default(),
            _folder: folder,
        }
    }

    /// Moves the clock.
    pub fn tick(&self, micros: i64) {
        self.now.fetch_add(micros, Ordering::Relaxed);
    }

    pub fn context(&self, caller: Caller<'_>, effect: Option<Effect>) -> Context {
        let request_id = self.ids.next();
        Context {
            scope: Scope { tenant: TenantId::new(caller.tenant).unwrap(), ..Scope::local() },
            principal: principal(caller.user),
            request: RequestMeta { correlation_id: request_id.clone(), request_id, ..RequestMeta::default() },
            // Every call has its own moment.
            now: Timestamp(self.now.fetch_add(1000, Ordering::Relaxed)),
            ids: self.ids.clone(),
            client: Arc::new(NoClient),
            cancelled: tokio_util::sync::CancellationToken::new(),
            effect,
            verdict: contract::Verdict::default(),
            audit: contract::AuditDraft::default(),
        }
    }

    /// Calls a tool as a caller; the answer has passed the tool's output schema.
    pub async fn call_as(&self, caller: Caller<'_>, tool: &str, arguments: Value) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let key = arguments.get("client_request_id").and_then(Value::as_str).map(str::to_owned);
        let effect = key.map(|key| Effect {
            operation: tool.to_owned(),
            key,
            request_hash: ids::content_hash(ids::canonical(&Value::Object(arguments.clone()))),
        });
        let ctx = self.context(caller, effect);
        let checked = match self.checkers.check(tool, arguments) {
            Ok(checked) => checked.arguments,
            Err(misfit) => return Err(self.neotoma.refuse(&ctx, tool, &misfit).await),
        };
        let answer = self.neotoma.call(&ctx, tool, checked).await?.structured.unwrap().value();
        let listed = self.manifest.tools.iter().find(|listed| listed.name == tool).unwrap();
        let mut schema: Map<String, Value> = listed.output_schema.clone().unwrap();
        schema.insert("additionalProperties".to_owned(), false.into());
        let found: Vec<String> = jsonschema::validator_for(&Value::Object(schema))
            .unwrap()
            .iter_errors(&answer)
            .map(|error| error.to_string())
            .collect();
        assert!(found.is_empty(), "{tool} answers against its schema: {found:?}");
        Ok(answer)
    }

    /// Calls a tool as a caller who has given up already.
    pub async fn cancelled_as(&self, caller: Caller<'_>, tool: &str, arguments: Value) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let ctx = self.context(caller, None);
        ctx.cancelled.cancel();
        Ok(self.neotoma.call(&ctx, tool, arguments).await?.structured.unwrap().value())
    }

    /// Calls a tool with a client of the test's own, which may end the call by the token that it is given.
    pub async fn call_with(
        &self,
        client: impl FnOnce(tokio_util::sync::CancellationToken) -> Arc<dyn contract::Client>,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, CallError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let mut ctx = self.context(ANN, None);
        ctx.client = client(ctx.cancelled.clone());
        let call = self.neotoma.call(&ctx, tool, arguments);
        // As the doors do it: a call that has ended is dropped.
        tokio::select! {
            biased;
            () = ctx.cancelled.cancelled() => Err(CallError::invalid("it was cancelled")),
            answer = call => Ok(answer?.structured.unwrap().value()),
        }
    }

    /// Reads a resource as a caller.
    pub async fn read_as(&self, caller: Caller<'_>, uri: &str) -> Result<Blob, CallError> {
        self.neotoma.read(&self.context(caller, None), uri).await
    }

    /// Calls a tool, which has to succeed.
    #[track_caller]
    pub fn ok(&self, tool: &str, arguments: Value) -> impl Future<Output = Value> {
        let caller = std::panic::Location::caller();
        async move {
            match self.call_as(ANN, tool, arguments).await {
                Ok(answer) => answer,
                Err(error) => panic!("{caller}: {tool} was refused: {error:?}"),
            }
        }
    }

    /// Calls a tool, which has to refuse; the envelope of the refusal.
    #[track_caller]
    pub fn refused(&self, tool: &str, arguments: Value) -> impl Future<Output = Value> {
        let caller = std::panic::Location::caller();
        async move {
            match self.call_as(ANN, tool, arguments).await {
                Ok(answer) => panic!("{caller}: {tool} answered {answer}"),
                Err(error) => self.envelope(&error),
            }
        }
    }

    /// Calls a tool as a caller, who has to be refused; the envelope of the refusal.
    pub async fn refused_as(&self, caller: Caller<'_>, tool: &str, arguments: Value) -> Value {
        match self.call_as(caller, tool, arguments).await {
            Ok(answer) => panic!("{tool} answered {answer}"),
            Err(error) => self.envelope(&error),
        }
    }

    /// Every record of a kind that ANN's tenant has, as it is stored.
    pub async fn records(&self, kind: &str) -> Vec<Value> {
        let find = ledger::Find { limit: 10_000, ..ledger::Find::all(kind) };
        let page = self.ledger.find(&TenantId::new(ANN.tenant).unwrap(), ledger::LIVE, find).await.unwrap();
        page.items.iter().map(|found| serde_json::from_str(&found.record.body).unwrap()).collect()
    }

    /// The observations of ANN's tenant.
    pub async fn observations(&self) -> Vec<Value> {
        let mut rows = self.records(kind::ENTITY).await;
        rows.retain(|row| row.get("observation").is_some());
        rows
    }

    /// How many facts ANN's tenant has.
    pub async fn head(&self) -> u64 {
        self.ledger.point(&TenantId::new(ANN.tenant).unwrap(), ledger::At::Head).await.unwrap()
    }

    /// The snapshot that get_entity_snapshot answers with.
    pub async fn snapshot(&self, id: &str) -> Value {
        self.ok("get_entity_snapshot", serde_json::json!({ "entity_id": id })).await
    }

    /// How often something was committed.
    pub async fn commits(&self) -> usize {
        self.ledger.facts(&TenantId::new(ANN.tenant).unwrap(), 0, usize::MAX >> 33).await.unwrap().len()
    }

    /// Asserts that replaying the facts gives the records that are stored.
    pub async fn verify(&self) {
        let folds = ledger::Folds::from([("neotoma".to_owned(), Neotoma::fold())]);
        assert_eq!(self.ledger.verify(&folds).await.unwrap().differences, Vec::<String>::new());
    }

    /// What a caller sees of a refusal.
    pub fn envelope(&self, error: &CallError) -> Value {
        self.neotoma.envelope(&RequestMeta::default(), error)["error"].clone()
    }

    /// Asserts that a call without one of these arguments, or with a number for it, is refused with its name; `whole` is a
    /// call that goes well.
    pub async fn requires(&self, tool: &str, whole: &Value, arguments: &[&str]) {
        for argument in arguments {
            let mut without = whole.clone();
            without.as_object_mut().unwrap().shift_remove(*argument);
            let mut numbered = whole.clone();
            numbered[*argument] = serde_json::json!(7);
            for wrong in [without, numbered] {
                let refused = self.refused(tool, wrong.clone()).await;
                assert_eq!(refused["code"], "VALIDATION_ERROR", "{tool} {wrong}");
                assert_eq!(refused["details"]["field"], *argument, "{tool} {wrong}");
            }
        }
        self.ok(tool, whole.clone()).await;
    }

    /// Stores entities and answers with the id of the first.
    pub async fn store(&self, entities: Value) -> String {
        let answer = self.ok("ingest", serde_json::json!({ "entities": entities })).await;
        answer["entities"][0]["id"].as_str().unwrap().to_owned()
    }
}

/// A person, or the agent of one: `ann/agent` is ANN's.
fn principal(user: &str) -> Principal {
    let local = Principal::local(user);
    match user.ends_with("/agent") {
        true => Principal { kind: PrincipalKind::Agent, roles: ["service".to_owned()].into_iter().collect(), ..local },
        false => local,
    }
}

/// An interpreter that finds nothing.
struct Silent;

impl Interpreter for Silent {
    fn is_metered(&self) -> bool {
        false
    }

    fn version(&self) -> String {
        "silent/1".to_owned()
    }

    fn interpret<'a>(
        &'a self,
        _document: Document<'a>,
        _config: &'a contract::Object,
    ) -> futures::future::BoxFuture<'a, Result<Understood, Failure>> {
        Box::pin(std::future::ready(Ok(Understood::default())))
    }
}
