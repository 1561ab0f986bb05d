//! Baselines: made, changed, approved, published, taken back, and read through.

use contract::generated::transformation::{
    ApproveBaselineRequest, BaselineQueryService, BaselineWriteResponse, BaselineWriteService,
    ChangeBaselineDraftRequest, ListBaselinesRequest, RejectBaselineRequest, RollbackBaselineRequest,
    SubmitBaselineRequest,
};
use contract::{Blob, CallError, Capability, Changed};
use scope::{Principal, PrincipalKind};
use serde_json::{Value, json};

use crate::world::{World, column, outcome};

/// Steps that no tool offers.
impl World {
    pub async fn submit(&self, id: &str) -> Value {
        let request = SubmitBaselineRequest { baseline_id: id.to_owned() };
        self.shown(self.capability.services().baseline_write.submit_baseline(&self.ctx(), request).await)
    }

    pub async fn approve(&self, id: &str) -> Value {
        let request = ApproveBaselineRequest { baseline_id: id.to_owned(), rationale: None };
        self.shown(self.capability.services().baseline_write.approve_baseline(&self.ctx(), request).await)
    }

    pub async fn reject(&self, id: &str, rationale: &str) -> Value {
        let request = RejectBaselineRequest { baseline_id: id.to_owned(), rationale: rationale.to_owned() };
        self.shown(self.capability.services().baseline_write.reject_baseline(&self.ctx(), request).await)
    }

    pub async fn roll_back(&self, id: &str) -> Value {
        let request = RollbackBaselineRequest { baseline_id: id.to_owned(), ..Default::default() };
        self.shown(self.capability.services().baseline_write.rollback_baseline(&self.ctx(), request).await)
    }

    pub async fn redraft(&self, id: &str, add: &[&str], remove: &[&str]) -> Value {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let request = ChangeBaselineDraftRequest {
            baseline_id: id.to_owned(),
            add_element_ids: texts(add),
            remove_element_ids: texts(remove),
        };
        self.shown(self.capability.services().baseline_write.change_baseline_draft(&self.ctx(), request).await)
    }

    fn shown(&self, outcome: Result<BaselineWriteResponse, CallError>) -> Value {
        match outcome {
            Ok(answer) => serde_json::to_value(answer).unwrap(),
            Err(error) => self.capability.envelope(&self.ctx().request, &error),
        }
    }

    /// Creates a baseline and returns its id.
    pub async fn baseline(&self, name: &str) -> String {
        let answer = self.call("createBaseline", json!({"name": name})).await;
        answer["baseline"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    pub async fn promote(&self, id: &str) -> Value {
        self.call("promoteBaseline", json!({"baseline_id": id})).await
    }

    /// The elements of the default model that a read_context shows.
    pub async fn elements_at(&self, context: Value) -> Value {
        self.call("listElements", json!({"model_id": "default", "read_context": context})).await
    }

    fn agent(&self) -> Self {
        let mut agent = self.clone();
        agent.principal = Principal { kind: PrincipalKind::Agent, ..Principal::local("agent") };
        agent
    }
}

fn status(answer: &Value) -> &str {
    answer["baseline"]["status"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

//
#[tokio::test]
async fn a_baseline_shows_what_was_there_whatever_happens_later() {
    let world = World::new().await;
    let (a, b) = (world.element("Node", "a").await, world.element("Node", "b").await);
    world.relate("Flow", "a", "b").await;
    let (elements, relationships) = (
        world.call("listElements", json!({"model_id": "default"})).await,
        world.call("listRelationships", json!({"model_id": "default"})).await,
    );
    let created = world
        .call(
            "createBaseline",
            json!({"name": "Release 1", "key": "rel-1", "description": "first", "client_request_id": "k"}),
        )
        .await;
    let baseline = &created["baseline"];
    assert_eq!(
        (&created["success"], &created["outcome"], status(&created)),
        (&json!(true), &json!("committed"), "draft")
    );
    assert_eq!(baseline["sequence"], elements["read_context"]["sequence"]);
    let id = baseline["id"].as_str().unwrap();
    world.promote(id).await;
    world.call("updateElement", json!({"id": a, "name": "renamed"})).await;
    world.call("deleteElement", json!({"id": b, "even_if_published": true})).await;
    world.element("Node", "c").await;
    for reference in [id, "rel-1", "release 1"] {
        let shown = world.elements_at(json!({"baseline_id": reference})).await;
        assert_eq!(shown["elements"], elements["elements"], "{reference}");
        let echo = json!({"selector": "baseline_id", "baseline_id": id, "sequence": baseline["sequence"]});
        assert_eq!(shown["read_context"], echo);
    }
    let context = json!({"model_id": "default", "read_context": {"baseline_id": id}});
    let shown = world.call("listRelationships", context.clone()).await;
    assert_eq!(shown["relationships"], relationships["relationships"]);
    let model = world.call("getArchimateModel", context).await;
    assert_eq!(
        model["layers"].as_array().unwrap().iter().map(|layer| layer["elements"].as_u64().unwrap()).sum::<u64>(),
        2
    );
    let again = world
        .call(
            "createBaseline",
            json!({"name": "Release 1", "key": "rel-1", "description": "first", "client_request_id": "k"}),
        )
        .await;
    assert_eq!((&again["idempotent_replay"], &again["baseline"]), (&json!(true), baseline));
}

//
#[tokio::test]
async fn what_is_published_moves_and_an_echo_stays() {
    let world = World::new().await;
    let a = world.element("Node", "a").await;
    let published = json!({"selector": "published"});
    let nothing = world.elements_at(published.clone()).await;
    assert_eq!(outcome(&nothing), "NO_PUBLISHED_BASELINE read_context.selector");
    let first = world.baseline("first").await;
    let promoted = world.promote(&first).await;
    assert_eq!((status(&promoted), &promoted["outcome"]), ("promoted", &json!("committed")));
    let (submitted, version) = (&promoted["baseline"]["submitted_at"], &promoted["baseline"]["version"]);
    assert!(submitted.is_string() && promoted["baseline"]["approvals"][0]["by"] == "local|tester", "{promoted}");
    assert_eq!(version, 4);
    let before = world.elements_at(published.clone()).await;
    assert_eq!(before["read_context"]["baseline_id"], json!(first));
    assert_eq!(before["read_context"]["selector"], "published");

    world.call("updateElement", json!({"id": a, "name": "renamed"})).await;
    let second = world.baseline("second").await;
    assert_eq!(world.promote(&second).await["baseline"]["supersedes"], json!(first));
    let after = world.elements_at(published).await;
    assert_eq!((&after["elements"][0]["name"], &after["elements"][0]["version"]), (&json!("renamed"), &json!(2)));
    assert_eq!(world.elements_at(before["read_context"].clone()).await.to_string(), before.to_string());
    let superseded = world.call("getBaseline", json!({"baseline_id": first})).await;
    assert_eq!((status(&superseded), &superseded["published"]), ("superseded", &json!(false)));
    // What a write answered is what a later read shows.
    let read = world.call("getBaseline", json!({"baseline_id": second})).await;
    assert_eq!((read["published"].as_bool(), status(&read)), (Some(true), "promoted"));
}

//
#[tokio::test]
async fn each_step_has_its_place() {
    let world = World::new().await;
    world.element("Node", "a").await;
    let id = world.baseline("b").await;
    assert_eq!(outcome(&world.approve(&id).await), "BASELINE_STATE baseline_id");
    assert_eq!(outcome(&world.reject(&id, "no").await), "BASELINE_STATE baseline_id");
    assert_eq!(outcome(&world.roll_back(&id).await), "BASELINE_STATE baseline_id");
    let submitted = world.submit(&id).await;
    assert_eq!((status(&submitted), &submitted["outcome"]), ("submitted", &json!("pending_approval")));
    assert_eq!(outcome(&world.submit(&id).await), "BASELINE_STATE baseline_id");
    assert_eq!(outcome(&world.redraft(&id, &[], &["a"]).await), "BASELINE_STATE baseline_id");
    assert_eq!(outcome(&world.approve(&id).await), "PERMISSION_DENIED baseline_id", "it is their own");
    assert_eq!(world.promote(&id).await["outcome"], "pending_approval", "it asked for approval");
    let reviewer = world.as_principal("reviewer");
    assert_eq!(status(&reviewer.approve(&id).await), "approved");
    assert_eq!(outcome(&reviewer.approve(&id).await), "BASELINE_STATE baseline_id");
    assert_eq!(status(&world.promote(&id).await), "promoted");
    let facts = world.facts().await;
    let twice = world.promote(&id).await;
    assert_eq!(outcome(&twice), "BASELINE_STATE baseline_id");
    assert_eq!(twice["error"]["message"], "Baseline 'b' cannot be promoted: it is promoted");
    assert!(twice["error"]["suggestions"]["hint"].as_str().unwrap().contains("published already"));
    let other = world.baseline("other").await;
    world.submit(&other).await;
    assert_eq!(outcome(&world.reject(&other, " ").await), "VALIDATION_ERROR rationale");
    let rejected = world.reject(&other, "too early").await;
    assert_eq!((status(&rejected), &rejected["baseline"]["rationale"]), ("rejected", &json!("too early")));
    assert_eq!(outcome(&world.promote(&other).await), "BASELINE_STATE baseline_id");
    assert_eq!(world.facts().await, facts + 3, "only what was permitted is recorded");
}

//
#[tokio::test]
async fn an_agent_asks_and_a_person_decides() {
    let world = World::new().await;
    world.element("Node", "a").await;
    let agent = world.agent();
    let id = agent.baseline("b").await;
    let asked = agent.promote(&id).await;
    assert_eq!((status(&asked), &asked["outcome"]), ("submitted", &json!("pending_approval")));
    let again = agent.promote(&id).await;
    assert_eq!((&again["baseline"], &again["outcome"]), (&asked["baseline"], &asked["outcome"]));
    for refused in [agent.approve(&id).await, agent.reject(&id, "no").await] {
        assert_eq!(outcome(&refused), "PERMISSION_DENIED baseline_id");
    }
    world.approve(&id).await;
    assert_eq!(agent.promote(&id).await["outcome"], "pending_approval");
    assert_eq!(status(&world.promote(&id).await), "promoted");
    let next = world.baseline("next").await;
    world.promote(&next).await;
    assert_eq!(outcome(&agent.roll_back(&id).await), "PERMISSION_DENIED baseline_id");
}

// promotion records decisions and creates no element version.
#[tokio::test]
async fn a_whole_model_is_pinned_by_one_fact_and_published_without_a_copy() {
    let world = World::new().await;
    for number in 0..30 {
        world.element("Node", &format!("n{number}")).await;
    }
    let before = world.facts().await;
    let id = world.baseline("b").await;
    assert_eq!(world.facts().await, before + 1);
    world.promote(&id).await;
    let facts = world.ledger.facts(&world.scope.tenant, before as u64, 100).await.unwrap();
    let kinds: Vec<&str> = facts.iter().map(|fact| fact.kind.trim_start_matches("transformation.")).collect();
    let expected = [
        "BaselineDraftCreated",
        "BaselineSubmittedForApproval",
        "BaselineApproved",
        "BaselinePromoted",
        "RepositoryPublished",
    ];
    assert_eq!(kinds, expected);
    let shown = world.elements_at(json!({"selector": "published"})).await;
    assert!(shown["elements"].as_array().unwrap().iter().all(|element| element["version"] == 1));
}

#[tokio::test]
async fn an_earlier_baseline_is_published_again_as_a_new_one() {
    let world = World::new().await;
    world.element("Node", "a").await;
    let first = world.baseline("first").await;
    world.promote(&first).await;
    let then = world.elements_at(json!({"selector": "published"})).await;
    assert_eq!(outcome(&world.roll_back(&first).await), "BASELINE_STATE baseline_id");
    world.element("Node", "b").await;
    let chosen = json!({"name": "second", "element_ids": ["b"]});
    let second = world.call("createBaseline", chosen).await["baseline"]["id"].as_str().unwrap().to_owned();
    world.promote(&second).await;
    let back = world.roll_back(&first).await;
    assert_eq!((status(&back), &back["baseline"]["rollback_of"]), ("promoted", &json!(first)));
    assert!(back["baseline"]["name"].as_str().unwrap().starts_with("Rollback to first at 2026-"));
    let now = world.elements_at(json!({"selector": "published"})).await;
    assert_eq!(now["elements"], then["elements"]);
    assert_eq!(now["read_context"]["baseline_id"], back["baseline"]["id"]);
    // A chosen part comes back as the same part.
    let again = world.roll_back(&second).await;
    assert_eq!(again["baseline"]["chosen_elements"], 1);
    let part = world.elements_at(json!({"selector": "published"})).await;
    assert_eq!(column(&part["elements"], "name"), ["b"]);
}

//
#[tokio::test]
async fn a_chosen_part_shows_its_elements_and_what_joins_them() {
    let world = World::new().await;
    world.call("createElement", json!({"type": "Node", "name": "Alpha", "key": "alpha-key"})).await;
    let beta = world.element("Device", "Beta").await;
    world.element("Capability", "Gamma").await;
    world.element("Node", "Outside").await;
    world.relate("Association", "Alpha", "Beta").await;
    world.relate("Association", "Beta", "Gamma").await;
    world.relate("Association", "Alpha", "Outside").await;
    let created =
        world.call("createBaseline", json!({"name": "part", "element_ids": ["alpha-key", beta, "gamma"]})).await;
    let baseline = &created["baseline"];
    assert_eq!((&baseline["chosen_elements"], &baseline["chosen_relationships"]), (&json!(3), &json!(2)));
    let context = json!({"baseline_id": baseline["id"]});
    let names = async |more: Value| {
        let mut arguments = json!({"model_id": "default", "read_context": context});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = world.call("listElements", arguments).await;
        column(&answer["elements"], "name").join(" ")
    };
    world.call("updateElement", json!({"id": "Alpha", "name": "Later"})).await;
    assert_eq!(names(json!({})).await, "Alpha Beta Gamma");
    assert_eq!(names(json!({"layer": "technology"})).await, "Alpha Beta");
    assert_eq!(names(json!({"element_type": "Node"})).await, "Alpha");
    assert_eq!(names(json!({"name": "b"})).await, "Beta");
    assert_eq!(names(json!({"layer": "strategy", "name": "g"})).await, "Gamma");
    let links = async |element: &str| {
        let arguments = json!({"model_id": "default", "element_id": element, "read_context": context});
        let answer = world.call("listRelationships", arguments).await;
        match answer.get("error") {
            None => column(&answer["relationships"], "source_name").join(" "),
            Some(_) => outcome(&answer),
        }
    };
    assert_eq!(links("Beta").await, "Alpha Beta");
    assert_eq!(links("alpha-key").await, "Alpha");
    assert_eq!(links("Outside").await, "ELEMENT_NOT_FOUND element_id");
    let all = world.call("listRelationships", json!({"model_id": "default", "read_context": context})).await;
    assert_eq!(all["relationships"].as_array().unwrap().len(), 2);
    assert_eq!(all["relationships"][0]["source_name"], "Alpha");
    let model = world.call("getArchimateModel", json!({"model_id": "default", "read_context": context})).await;
    assert_eq!(
        model["layers"].as_array().unwrap().iter().map(|layer| layer["elements"].as_u64().unwrap()).sum::<u64>(),
        3
    );
    // What is left out is not suggested either.
    let missing = world
        .call("listRelationships", json!({"model_id": "default", "element_id": "Outsid", "read_context": context}))
        .await;
    assert_eq!(missing["error"]["suggestions"]["similar_elements"], json!([]));
    // Another baseline made from this one holds the same part.
    let copy = world.call("createBaseline", json!({"name": "copy", "read_context": context})).await;
    assert_eq!(copy["baseline"]["chosen_elements"], 3);
    assert_eq!(copy["baseline"]["sequence"], baseline["sequence"]);
}

// a draft may change, and what was read through it can be read again.
#[tokio::test]
async fn a_draft_changes_and_its_earlier_states_stay_readable() {
    let world = World::new().await;
    for name in ["a", "b", "c"] {
        world.element("Node", name).await;
    }
    world.relate("Flow", "a", "b").await;
    world.relate("Flow", "b", "c").await;
    let id = world.baseline("draft").await;
    let read = async || {
        let answer = world.elements_at(json!({"baseline_id": id})).await;
        (column(&answer["elements"], "name").join(" "), answer)
    };
    let mut kept = vec![read().await];
    world.element("Node", "late").await;
    let part = world.redraft(&id, &[], &["b"]).await;
    assert_eq!(
        (&part["baseline"]["chosen_elements"], &part["baseline"]["chosen_relationships"]),
        (&json!(2), &json!(0))
    );
    kept.push(read().await);
    let more = world.redraft(&id, &["b"], &["a"]).await;
    assert_eq!(
        (&more["baseline"]["chosen_elements"], &more["baseline"]["chosen_relationships"]),
        (&json!(2), &json!(1))
    );
    kept.push(read().await);
    let names: Vec<&str> = kept.iter().map(|(names, _)| names.as_str()).collect();
    assert_eq!(names, ["a b c", "a c", "b c"]);
    for (refused, field) in [
        (world.redraft(&id, &["late"], &[]).await, "ELEMENT_NOT_FOUND add_element_ids"),
        (world.redraft(&id, &[], &["a"]).await, "ELEMENT_NOT_FOUND remove_element_ids"),
        (world.redraft(&id, &["b"], &[]).await, "VALIDATION_ERROR add_element_ids"),
        (world.redraft(&id, &[], &["b", "c"]).await, "VALIDATION_ERROR remove_element_ids"),
    ] {
        assert_eq!(outcome(&refused), field);
    }
    world.promote(&id).await;
    for (names, answer) in &kept {
        let again = world.elements_at(answer["read_context"].clone()).await;
        assert_eq!(again.to_string(), answer.to_string(), "{names}");
    }
    let frozen = read().await;
    assert_eq!((frozen.0.as_str(), &frozen.1["read_context"]["baseline_id"]), ("b c", &json!(id)));
    let never = world.elements_at(json!({"baseline_id": format!("{id}@99")})).await;
    assert_eq!(outcome(&never), "BASELINE_NOT_FOUND read_context.baseline_id");
}

#[tokio::test]
async fn an_element_that_a_baseline_needs_is_not_deleted() {
    let world = World::new().await;
    for name in ["a", "b"] {
        world.element("Node", name).await;
    }
    let draft = world.baseline("draft").await;
    world.element("Node", "late").await;
    let delete = async |name: &str| outcome(&world.call("deleteElement", json!({"id": name})).await);
    let even =
        async |name: &str| outcome(&world.call("deleteElement", json!({"id": name, "even_if_published": true})).await);
    let refused = world.call("deleteElement", json!({"id": "a"})).await;
    assert_eq!(outcome(&refused), "PINNED_BY_BASELINE id");
    let held = json!([{"id": draft, "name": "draft", "status": "draft"}]);
    assert_eq!(refused["error"]["details"]["baselines"], held);
    assert!(refused["error"]["suggestions"]["hint"].as_str().unwrap().contains("out of the draft"));
    let dry = world.call("validateWrite", json!({"operation": "deleteElement", "payload": {"id": "a"}})).await;
    assert_eq!(column(&dry["errors"], "code"), ["PINNED_BY_BASELINE"]);
    assert_eq!(even("a").await, "PINNED_BY_BASELINE id", "only the published one gives way");
    assert_eq!(delete("late").await, "ok");
    world.redraft(&draft, &[], &["a"]).await;
    assert_eq!(delete("a").await, "ok");
    world.promote(&draft).await;
    assert_eq!(delete("b").await, "PINNED_BY_BASELINE id");
    assert_eq!(even("b").await, "ok");
    let shown = world.elements_at(json!({"selector": "published"})).await;
    assert_eq!(column(&shown["elements"], "name"), ["b"]);
    // What was rejected or superseded holds nothing.
    world.element("Node", "c").await;
    let rejected = world.baseline("rejected").await;
    world.submit(&rejected).await;
    assert_eq!(delete("c").await, "PINNED_BY_BASELINE id");
    world.reject(&rejected, "no").await;
    assert_eq!(delete("c").await, "ok");
}

//
#[tokio::test]
async fn a_read_context_that_makes_no_sense_is_refused() {
    let world = World::new().await;
    world.element("Node", "a").await;
    let id = world.baseline("b").await;
    let sequence = 3;
    for (context, expected) in [
        (json!({"baseline_id": "nothing"}), "BASELINE_NOT_FOUND read_context.baseline_id"),
        (json!({"baseline_id": format!("{id}@0")}), "BASELINE_NOT_FOUND read_context.baseline_id"),
        (json!({"baseline_id": ""}), "BASELINE_NOT_FOUND read_context.baseline_id"),
        (json!({"selector": "published"}), "NO_PUBLISHED_BASELINE read_context.selector"),
        (json!({"selector": "published", "baseline_id": id}), "INVALID_ARGUMENT read_context.baseline_id"),
        (json!({"baseline_id": id, "sequence": 1}), "INVALID_ARGUMENT read_context.sequence"),
        (json!({"selector": "baseline_id"}), "INVALID_ARGUMENT read_context.baseline_id"),
        (json!({"selector": "head", "baseline_id": id}), "INVALID_ARGUMENT read_context.baseline_id"),
        (json!({"baseline_id": id, "sequence": sequence}), "ok"),
    ] {
        assert_eq!(outcome(&world.elements_at(context.clone()).await), expected, "{context}");
    }
    let unknown = world.elements_at(json!({"baseline_id": "nothing"})).await;
    let known = json!([{"id": id, "name": "b", "status": "draft"}]);
    assert_eq!(unknown["error"]["suggestions"]["baselines"], known);
    // Another tenant's baseline does not exist.
    let other = world.other_tenant("other").await;
    let foreign = other.elements_at(json!({"baseline_id": id})).await;
    assert_eq!(outcome(&foreign), "BASELINE_NOT_FOUND read_context.baseline_id");
    assert_eq!(foreign["error"]["suggestions"]["baselines"], json!([]));
    assert_eq!(outcome(&other.promote(&id).await), "BASELINE_NOT_FOUND baseline_id");
}

#[tokio::test]
async fn a_baseline_that_cannot_be_is_refused() {
    let world = World::new().await;
    let a = world.element("Node", "a").await;
    world.call("createBaseline", json!({"name": "Taken", "key": "taken"})).await;
    let facts = world.facts().await;
    for (arguments, expected) in [
        (json!({"name": "taken"}), "DUPLICATE_NAME name"),
        (json!({"name": "free", "key": "taken"}), "DUPLICATE_NAME key"),
        (json!({"name": "x".repeat(10_000)}), "VALIDATION_ERROR name"),
        (json!({"name": " "}), "VALIDATION_ERROR name"),
        (json!({"name": "x", "key": "no blanks"}), "VALIDATION_ERROR key"),
        (json!({"name": "x", "element_ids": [a, "missing"]}), "ELEMENT_NOT_FOUND element_ids"),
        (json!({"name": "x", "model_id": "none"}), "MODEL_NOT_FOUND model_id"),
        (
            json!({"name": "x", "read_context": {"selector": "published"}}),
            "NO_PUBLISHED_BASELINE read_context.selector",
        ),
        (json!({}), "VALIDATION_ERROR name"),
    ] {
        let answer = world.call("createBaseline", arguments.clone()).await;
        assert_eq!(outcome(&answer), expected, "{arguments}");
        assert!(answer["error"]["suggestions"]["hint"].is_string());
    }
    assert_eq!(outcome(&world.promote("nothing").await), "BASELINE_NOT_FOUND baseline_id");
    assert_eq!(world.facts().await, facts);
    // A point of the past can be pinned too: then the model was empty.
    let past = world.call("createBaseline", json!({"name": "past", "read_context": {"sequence": 2}})).await;
    let shown = world.elements_at(json!({"baseline_id": past["baseline"]["id"]})).await;
    assert_eq!((&past["baseline"]["sequence"], &shown["elements"]), (&json!(2), &json!([])));
}

//
#[tokio::test]
async fn a_baseline_is_listed_with_what_it_pins() {
    let world = World::new().await;
    let ids = [world.element("Node", "a").await, world.element("Node", "b").await, world.element("Node", "c").await];
    world.call("updateElement", json!({"id": ids[1], "description": "new"})).await;
    let id = world.baseline("b").await;
    world.call("updateElement", json!({"id": ids[0], "description": "newer"})).await;
    let first = world.call("getBaseline", json!({"baseline_id": "b", "page_size": 2})).await;
    let token = &first["next_page_token"];
    let second = world.call("getBaseline", json!({"baseline_id": "b", "page_size": 2, "page_token": token})).await;
    let pinned = [column(&first["items"], "version_id"), column(&second["items"], "version_id")].concat();
    assert_eq!(pinned, [format!("{}@1", ids[0]), format!("{}@2", ids[1]), format!("{}@1", ids[2])]);
    // Asked again with its echo, it answers as it did.
    world.promote(&id).await;
    let again = json!({"baseline_id": "b", "page_size": 2, "read_context": first["read_context"]});
    assert_eq!(world.call("getBaseline", again).await.to_string(), first.to_string());
    let uri = format!("transformation://baseline/{id}");
    let Blob::Text { text, .. } = world.capability.read(&world.ctx(), &uri).await.unwrap() else { panic!("text") };
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((read["baseline"]["id"].as_str(), status(&read)), (Some(id.as_str()), "promoted"));
    assert_eq!(read["items"].as_array().unwrap().len(), 3);
    let missing = world.capability.read(&world.ctx(), "transformation://baseline/none").await.unwrap_err();
    assert_eq!(missing.kind, contract::ErrorKind::NotFound);
    world.baseline("another").await;
    let request = ListBaselinesRequest { status: 1, ..Default::default() };
    let drafts = world.capability.services().baseline_query.list_baselines(&world.ctx(), request).await.unwrap();
    let names: Vec<&str> = drafts.baselines.iter().map(|baseline| baseline.name.as_str()).collect();
    assert_eq!((names, drafts.published_baseline_id), (vec!["another"], Some(id)));
}

//
#[tokio::test]
async fn a_page_token_keeps_to_its_baseline() {
    let world = World::new().await;
    for name in ["a", "b", "c"] {
        world.element("Node", name).await;
    }
    let (one, other) = (world.baseline("one").await, world.baseline("other").await);
    world.promote(&one).await;
    let page = |context: Value, token: &Value| json!({"model_id": "default", "page_size": 2, "read_context": context, "page_token": token});
    let list = async |context: Value| {
        let arguments = json!({"model_id": "default", "page_size": 2, "read_context": context});
        world.call("listElements", arguments).await
    };
    let first = list(json!({"selector": "published"})).await;
    let token = &first["next_page_token"];
    world.promote(&other).await;
    for context in [json!({"selector": "published"}), first["read_context"].clone()] {
        let second = world.call("listElements", page(context, token)).await;
        assert_eq!(column(&second["elements"], "name"), ["c"]);
        assert_eq!(second["read_context"], first["read_context"], "the pages stay where they began");
    }
    for context in [json!({}), json!({"baseline_id": one}), json!({"baseline_id": other}), json!({"sequence": 3})] {
        let refused = world.call("listElements", page(context.clone(), token)).await;
        assert_eq!(outcome(&refused), "INVALID_ARGUMENT page_token", "{context}");
    }
    let tenant = world.other_tenant("other").await;
    let foreign = tenant.call("listElements", page(first["read_context"].clone(), token)).await;
    assert_eq!(outcome(&foreign), "INVALID_ARGUMENT page_token");
    let by_name = list(json!({"baseline_id": "one"})).await;
    let second = world.call("listElements", page(json!({"baseline_id": "one"}), &by_name["next_page_token"])).await;
    assert_eq!(column(&second["elements"], "name"), ["c"]);
}

#[tokio::test]
async fn a_model_that_the_baseline_leaves_out_is_refused() {
    let world = World::new().await;
    world.element("Node", "a").await;
    let second = world.second_model().await;
    let context = json!({"baseline_id": world.baseline("b").await});
    let models = world.call("listModels", json!({"read_context": context})).await;
    assert_eq!(column(&models["models"], "key"), ["default"]);
    for tool in ["listElements", "listRelationships", "getArchimateModel"] {
        let refused = world.call(tool, json!({"model_id": second, "read_context": context})).await;
        assert_eq!(outcome(&refused), "OUTSIDE_BASELINE model_id", "{tool}");
        assert_eq!(refused["error"]["suggestions"]["model_id"], models["models"][0]["id"]);
    }
}

#[tokio::test]
async fn subscribers_learn_of_every_step() {
    let world = World::new().await;
    let mut changes = world.capability.changes().unwrap();
    let id = world.baseline("b").await;
    world.submit(&id).await;
    for _ in 0..2 {
        let Changed::Resource { uri, .. } = changes.recv().await.unwrap() else { panic!("a resource changed") };
        assert_eq!(uri, format!("transformation://baseline/{id}"));
    }
}

// two people publish at once; one takes the place of the other, and no pointer is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn publications_at_once_follow_each_other() {
    let world = World::new().await;
    let ids = [world.baseline("one").await, world.baseline("two").await, world.baseline("three").await];
    let calls = ids.clone().map(|id| {
        let world = world.clone();
        tokio::spawn(async move { outcome(&world.promote(&id).await) })
    });
    for call in calls {
        assert_eq!(call.await.unwrap(), "ok");
    }
    let mut statuses = Vec::new();
    for id in &ids {
        statuses.push(status(&world.call("getBaseline", json!({"baseline_id": id})).await).to_owned());
    }
    statuses.sort();
    assert_eq!(statuses, ["promoted", "superseded", "superseded"]);
}
