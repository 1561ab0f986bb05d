//! Codes that further specifications brought: each has a line in docs/errors.md, and a call that meets it.

use std::sync::Arc;

use contract::{Answer, Blob, CallError, Capability, Context, Manifest, RequestMeta};
use futures::future::{BoxFuture, join3};
use serde_json::{Map, Value, json};
use server::config::Role;
use server::platform::{Platform, mount_all, open_ledger};
use spine::admission::Door;

use crate::world::{World, config};

const PUBLISHED: &str = include_str!("../../../../docs/errors.md");
const CODES: [&str; 10] = [
    "IDEMPOTENCY_KEY_REUSED",
    "IDEMPOTENCY_IN_PROGRESS",
    "VERSION_CONFLICT",
    "RELATIONSHIPS_EXIST",
    "PERMISSION_DENIED",
    "NO_PUBLISHED_BASELINE",
    "PRECONDITION_FAILED",
    "TIMEOUT",
    "SERVICE_UNAVAILABLE",
    "INTERNAL",
];

//
#[tokio::test]
async fn the_further_codes_are_explained_and_can_be_met() {
    let world = frail_world().await;
    let mut met = met_in_transformation(&world).await;
    met.extend(Box::pin(met_at_the_doors(&world)).await);
    for code in CODES {
        assert!(met.iter().any(|seen| seen == code), "{code} was not met: {met:?}");
        assert!(PUBLISHED.contains(&format!("\n| `{code}` | ")), "{code} is not explained");
    }
    assert_eq!(met.len(), CODES.len());
}

/// What the capability refuses.
async fn met_in_transformation(world: &World) -> Vec<String> {
    for element in ["a", "b"] {
        world.call("createElement", json!({ "type": "Node", "name": element, "client_request_id": element })).await;
    }
    world.call("createRelationship", json!({ "type": "Flow", "source_id": "a", "target_id": "b" })).await;
    let goal = |text: &str| {
        json!({
            "product_id": "shop",
            "operation": "setProductGoal",
            "set_product_goal": { "description": text },
        })
    };
    world.call("submitScrumIntent", goal("One")).await;
    let mut met = Vec::new();
    for (tool, arguments) in [
        ("createElement", json!({ "type": "Node", "name": "c", "client_request_id": "a" })),
        ("updateElement", json!({ "id": "a", "name": "c", "expected_version": 7 })),
        ("deleteElement", json!({ "id": "a", "cascade": false })),
        ("listElements", json!({ "model_id": "default", "read_context": { "selector": "published" } })),
        ("submitScrumIntent", goal("Another")),
    ] {
        met.push(code(&world.call(tool, arguments).await));
    }
    let committing = json!({ "type": "Node", "name": "c", "commit_mode": "commit" });
    met.push(code(&world.call_through(Door::Stdio, "createElement", committing).await));
    met
}

/// What the doors refuse, whatever the capability does.
async fn met_at_the_doors(world: &World) -> Vec<String> {
    let create =
        |name: &str| world.call("createElement", json!({ "type": "Node", "name": name, "client_request_id": name }));
    let broken = create(BREAKS).await;
    // From here on nothing reaches the store, so that the clock may jump.
    tokio::time::pause();
    let (first, second, third) = Box::pin(join3(create(NEVER_ENDS), create(NEVER_ENDS), create("one too many"))).await;
    [broken, first, second, third].iter().map(code).collect()
}

#[track_caller]
fn code(refusal: &Value) -> String {
    refusal["error"]["code"].as_str().unwrap_or_else(|| panic!("{refusal}")).to_owned()
}

/// Two calls at once are all it takes, callers over stdio are agents, and some names are the end of a call.
pub async fn frail_world() -> World {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let mut config = config(folder.path());
    config.role = Role::Agent;
    config.spine.limits.calls_max = 2;
    let ledger = open_ledger(&config, server::MODULES).unwrap();
    let mut mounts = mount_all(&config, &ledger, server::MODULES).await.unwrap();
    for mount in &mut mounts {
        mount.capability = Arc::new(Frail(mount.capability.clone()));
    }
    World { platform: Platform::with(&config, ledger, mounts).unwrap(), folder }
}

pub const BREAKS: &str = "breaks";
pub const NEVER_ENDS: &str = "never ends";

/// A capability that misbehaves over certain names.
struct Frail(Arc<dyn Capability>);

impl Capability for Frail {
    fn manifest(&self) -> &Manifest {
        self.0.manifest()
    }

    fn call<'a>(
        &'a self,
        ctx: &'a Context,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        let name = arguments.get("name").or_else(|| arguments.get("original_filename"));
        match name.and_then(Value::as_str) {
            Some(BREAKS) => panic!("asked to panic"),
            Some(NEVER_ENDS) => Box::pin(std::future::pending()),
            _ => self.0.call(ctx, tool, arguments),
        }
    }

    fn read<'a>(&'a self, ctx: &'a Context, uri: &'a str) -> BoxFuture<'a, Result<Blob, CallError>> {
        self.0.read(ctx, uri)
    }

    fn envelope(&self, request: &RequestMeta, error: &CallError) -> Value {
        self.0.envelope(request, error)
    }
}
