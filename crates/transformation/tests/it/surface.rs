//! What is published, as a whole: names, hints, caps, and what every answer carries.

use contract::generated::transformation::{
    DefinitionKind, DefinitionWriteService, ScrumDomainIntent, TransformationArchitectureDomainIntent,
    UpsertDefinitionRequest, manifest,
};
use contract::{Blob, Capability, Object, RiskTier, Side};
use scope::PrincipalKind;
use serde_json::{Map, Value, json};
use transformation::write::DefinitionWrite;

use crate::world::{World, outcome};

// the tools of both specifications, compareStates and applyChanges.
#[test]
fn the_tools_are_those_of_the_specifications() {
    let named = |side: Side| {
        let mut names: Vec<String> = manifest()
            .tools
            .into_iter()
            .filter(|tool| tool.side == side)
            .map(|tool| tool.name.trim_start_matches("transformation.").to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        named(Side::Command),
        [
            "addComponentToCapability",
            "applyChanges",
            "createBaseline",
            "createCapability",
            "createCapabilityStructure",
            "createElement",
            "createRelationship",
            "deleteElement",
            "promoteBaseline",
            "submitArchitectureIntent",
            "submitScrumIntent",
            "updateElement",
        ]
    );
    assert_eq!(
        named(Side::Query),
        [
            "compareStates",
            "getArchimateModel",
            "getBaseline",
            "getContext",
            "getElementTypes",
            "getProposal",
            "getRelationshipTypes",
            "getView",
            "getWriteSchema",
            "listDefinitions",
            "listElements",
            "listModels",
            "listProposals",
            "listRelationships",
            "searchCapabilities",
            "semanticSearch",
            "validateWrite",
        ]
    );
}

#[test]
fn the_whole_list_is_under_40_000_bytes() {
    let listed: usize = manifest()
        .tools
        .iter()
        .map(|tool| {
            // As it is listed: an empty title and what says nothing about a query are left out.
            let mut listed = json!({
                "name": tool.name, "title": tool.title, "description": tool.description,
                "inputSchema": tool.input_schema, "outputSchema": tool.output_schema,
                "annotations": tool.hints,
            });
            if tool.title.is_empty() {
                listed.as_object_mut().unwrap().remove("title");
            }
            if tool.hints.read_only {
                listed["annotations"].as_object_mut().unwrap().remove("idempotentHint");
            }
            listed.to_string().len() + 1
        })
        .sum();
    assert!(listed < 40_000, "{listed} bytes");
}

//
#[test]
fn an_intent_is_destructive_and_not_idempotent() {
    let tool = manifest().tools.into_iter().find(|tool| tool.name.ends_with("submitArchitectureIntent")).unwrap();
    assert_eq!((tool.hints.read_only, tool.hints.destructive, tool.hints.idempotent), (false, true, false));
}

// the methods that the specification names.
#[test]
fn tools_and_resources_reach_the_methods_of_the_specification() {
    let manifest = manifest();
    let architecture = "TransformationArchitectureWriteService.SubmitIntent";
    for (tool, rpc) in [
        ("getArchimateModel", "ArchiMateQueryService.GetArchimateModel"),
        ("listElements", "ArchiMateQueryService.ListArchimateElements"),
        ("listRelationships", "ArchiMateQueryService.ListArchimateRelationships"),
        ("getView", "ArchiMateQueryService.GetArchimateView"),
        ("searchCapabilities", "ArchiMateQueryService.SearchElements"),
        ("submitArchitectureIntent", architecture),
        ("submitScrumIntent", "ScrumWriteService.SubmitIntent"),
    ] {
        let tool = manifest.tools.iter().find(|known| known.name == format!("transformation.{tool}")).unwrap();
        assert_eq!(tool.rpc, rpc);
    }
    for (pattern, rpc) in [
        ("model/{model_id}", "ArchiMateQueryService.GetArchimateModel"),
        ("element/{element_id}", "ArchiMateQueryService.GetElement"),
        ("view/{view_id}", "ArchiMateQueryService.GetArchimateView"),
        ("baseline/{baseline_id}", "BaselineQueryService.GetBaseline"),
    ] {
        let template = manifest.resources.iter().find(|known| known.pattern == pattern).unwrap();
        assert_eq!(template.rpc, rpc);
    }
    // The requests of both intents have the names of the specification.
    let _: (TransformationArchitectureDomainIntent, ScrumDomainIntent) = Default::default();
}

//
#[test]
fn a_capability_is_described_by_its_schema() {
    let tool = manifest().tools.into_iter().find(|tool| tool.name.ends_with("createCapability")).unwrap();
    let properties = &tool.input_schema["properties"];
    assert_eq!(properties["description"]["type"], "string");
    assert_eq!(tool.input_schema["required"], json!(["name", "profile"]));
    assert_eq!(properties["profile"]["required"], json!(["owner", "criticality", "lifecycle"]));
    assert_eq!(properties["profile"]["properties"]["criticality"]["enum"], json!(["Low", "Medium", "High"]));
}

//
#[test]
fn every_list_that_a_caller_gives_has_a_cap() {
    fn walk(path: &str, schema: &Map<String, Value>) {
        if schema.get("type").is_some_and(|of| of == "array") {
            let most = schema.get("maxItems").unwrap_or_else(|| panic!("{path} has no cap"));
            let said = schema["description"].as_str().unwrap_or_default();
            assert!(said.ends_with(&format!("At most {most}.")), "{path} does not publish its cap: {said}");
        }
        let inner = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, property) in inner {
            walk(&format!("{path}.{name}"), property.as_object().unwrap());
        }
        if let Some(items) = schema.get("items").and_then(Value::as_object) {
            walk(&format!("{path}[]"), items);
        }
    }
    for tool in manifest().tools {
        walk(&tool.name, &tool.checked_schema());
    }
}

// the policy goes by the risk that the contract states, whatever a client makes of the hints.
#[tokio::test]
async fn the_stated_risk_decides_what_an_architect_commits() {
    let world = World::new().await;
    let architect = world.as_caller("architect", PrincipalKind::User, &["architect"]);
    for tool in manifest().tools.into_iter().filter(|tool| tool.side == Side::Command && tool.toolset != "scrum") {
        let ctx = architect.ctx();
        // An intent is as risky as its operation, a set as its changes; the tool states the highest.
        let example = match tool.name.as_str() {
            "transformation.submitArchitectureIntent" => {
                json!({"operation": "deleteElement", "delete_element": {"id": "OrderService"}})
            }
            "transformation.applyChanges" => json!({"changes": [{"op": "delete", "id": "OrderService"}]}),
            _ => tool.examples[0].input.clone(),
        };
        let arguments = example.as_object().cloned().unwrap();
        let _ = world.capability.call(&ctx, &tool.name, arguments).await;
        let verdict = ctx.verdict.get().unwrap_or_else(|| panic!("{} said no verdict", tool.name)).to_owned();
        let expected = if tool.risk <= RiskTier::Medium { "commit:" } else { "propose:" };
        assert!(verdict.starts_with(expected), "{} ({:?}): {verdict}", tool.name, tool.risk);
    }
}

// one list of tools for people and agents; only governance differs.
#[tokio::test]
async fn the_same_tools_serve_people_and_agents() {
    let world = World::new().await;
    let viewer = world.as_caller("viewer", PrincipalKind::User, &["viewer"]);
    for caller in [&world.as_agent(), &viewer] {
        let listed = caller.call("listElements", json!({"model_id": "default"})).await;
        assert_eq!(outcome(&listed), "ok");
    }
    let element = json!({"type": "Node", "name": "Host"});
    assert_eq!(world.as_agent().call("createElement", element.clone()).await["outcome"], "proposed");
    assert_eq!(outcome(&viewer.call("createElement", element.clone()).await), "PERMISSION_DENIED commit_mode");
    assert_eq!(world.call("createElement", element).await["outcome"], "committed");
}

// R-830 (transformation): every query answer says what it was read at, every item which version it is.
#[tokio::test]
async fn every_query_answer_carries_its_citation() {
    let world = World::new().await;
    let cited = cited_world(&world).await;
    let model = json!({"model_id": "default"});
    let answers = [
        ("listModels", json!({}), "/models/0"),
        ("getArchimateModel", model.clone(), "/model"),
        ("getArchimateModel", model.clone(), "/views/0"),
        ("listElements", model.clone(), "/elements/0"),
        ("listRelationships", model.clone(), "/relationships/0"),
        ("getView", json!({"view_id": "V"}), "/view"),
        ("getView", json!({"view_id": "V"}), "/elements/0"),
        ("searchCapabilities", json!({"query": "*"}), "/elements/0"),
        ("semanticSearch", json!({"query": "orders"}), "/results/0"),
        ("getContext", json!({"query": "orders"}), "/sources/0"),
        ("listProposals", json!({}), "/proposals/0"),
        ("getProposal", json!({"proposal_id": cited["proposal"]}), "/proposal"),
        ("getBaseline", json!({"baseline_id": cited["baseline"]}), "/baseline"),
        ("getBaseline", json!({"baseline_id": cited["baseline"]}), "/items/0"),
        ("listDefinitions", json!({}), "/definitions/0"),
    ];
    for (tool, arguments, item) in &answers {
        let answer = world.call(tool, arguments.clone()).await;
        assert!(names_a_point(&answer["read_context"]), "{tool}: {answer}");
        let item = answer.pointer(item).unwrap_or_else(|| panic!("{tool} {item}: {answer}"));
        for field in ["repository_id", "element_id", "version_id"] {
            assert!(item[field].is_string(), "{tool} has no {field}: {item}");
        }
    }
    // What discovery and a dry run say is no state of the repository, so that there is nothing to cite.
    let others = manifest().tools.into_iter().filter(|tool| tool.side == Side::Query);
    for tool in others.filter(|tool| !tool.rpc.starts_with("WriteGuideQueryService.")) {
        let shown = |known: &str| tool.name == format!("transformation.{known}");
        assert!(shown("compareStates") || answers.iter().any(|(known, ..)| shown(known)), "{} is not shown", tool.name);
    }
}

// R-830 (transformation): a comparison was read at two points, and cites the version at each of them where there is one.
#[tokio::test]
async fn a_comparison_cites_both_states() {
    let world = World::new().await;
    let cited = cited_world(&world).await;
    world.element("Node", "Host").await;
    world.call("updateElement", json!({"id": "App", "name": "Application"})).await;
    let since = json!({"from": {"baseline_id": cited["baseline"]}});
    let answer = world.call("compareStates", since).await;
    assert!(names_a_point(&answer["from"]) && names_a_point(&answer["to"]), "{answer}");
    let cites = |change: &Value| {
        assert!(change["repository_id"].is_string() && change["element_id"].is_string(), "{change}");
        let version = |field: &str| change[field].is_string();
        (change["change"].as_str().unwrap().to_owned(), version("from_version_id"), version("to_version_id"))
    };
    let cited: Vec<_> = answer["changes"].as_array().unwrap().iter().map(cites).collect();
    assert_eq!(cited, [("changed".to_owned(), true, true), ("added".to_owned(), false, true)]);
}

// R-120, R-830 (transformation): what is read as a resource is an answer too.
#[tokio::test]
async fn every_resource_carries_its_citation() {
    let world = World::new().await;
    let cited = cited_world(&world).await;
    for template in manifest().resources {
        let kind = template.pattern.split('/').next().unwrap();
        let id = cited[kind].as_str().unwrap_or_else(|| panic!("{kind} is not shown"));
        let read = world.capability.read(&world.ctx(), &format!("transformation://{kind}/{id}")).await.unwrap();
        let Blob::Text { mime, text } = read else { panic!("a resource is text") };
        assert_eq!(mime, "application/json", "{kind}");
        let body: Value = serde_json::from_str(&text).unwrap();
        assert!(names_a_point(&body["read_context"]), "{kind}: {body}");
        let version = if kind == "product" { "version" } else { "version_id" };
        assert!(body[kind]["id"] == id && !body[kind][version].is_null(), "{kind}: {body}");
    }
}

// R-830 (transformation): discovery answers from the contract and the metamodel, whose version it names, and not from what is stored.
#[tokio::test]
async fn discovery_has_no_state_to_cite() {
    let world = World::new().await;
    let pair = json!({"source_type": "Node", "target_type": "Device"});
    let asked = [
        ("getElementTypes", json!({})),
        ("getRelationshipTypes", pair),
        ("getWriteSchema", json!({"operation": "createElement"})),
    ];
    let mut before = Vec::new();
    for (tool, arguments) in &asked {
        before.push(world.call(tool, arguments.clone()).await);
    }
    assert!(before[..2].iter().all(|answer| answer["metamodel_version"].is_string()), "{before:?}");
    cited_world(&world).await;
    for ((tool, arguments), before) in asked.into_iter().zip(before) {
        assert_eq!(world.call(tool, arguments).await, before, "{tool}");
    }
}

/// Makes one thing of every kind, and returns their ids by kind.
async fn cited_world(world: &World) -> Value {
    let profile = json!({"owner": "a", "criticality": "Low", "lifecycle": "Active"});
    world.call("createCapability", json!({"name": "Orders", "profile": profile})).await;
    let element = world.element("ApplicationComponent", "App").await;
    let related = world.relate("Realization", "App", "Orders").await;
    let view = json!({"operation": "createView", "create_view": {"name": "V", "nodes": [{"element_id": "App"}]}});
    let view = world.call("submitArchitectureIntent", view).await;
    let filed = world.as_agent().call("updateElement", json!({"id": "App", "description": "x"})).await;
    let baseline = world.call("createBaseline", json!({"name": "B"})).await;
    let goal = json!({"description": "Customers pay"});
    let goal = json!({"operation": "setProductGoal", "product_id": "shop", "set_product_goal": goal});
    let product = world.call("submitScrumIntent", goal).await;
    let definition = UpsertDefinitionRequest {
        kind: DefinitionKind::DefinitionProcess.into(),
        name: "Review".to_owned(),
        payload: Some(Object::default()),
        ..Default::default()
    };
    let definition = DefinitionWrite::new(world.ledger.clone()).upsert_definition(&world.ctx(), definition).await;
    json!({
        "model": world.call("listModels", json!({})).await["models"][0]["id"],
        "element": element,
        "relationship": related["relationship"]["id"],
        "view": view["view"]["id"],
        "proposal": filed["proposal"]["id"],
        "baseline": baseline["baseline"]["id"],
        "product": product["product"]["id"],
        "definition": definition.unwrap().definition.unwrap().id,
    })
}

/// An effective read_context: how the point was chosen, and which one it is.
fn names_a_point(context: &Value) -> bool {
    context["selector"].is_string() && context["sequence"].is_u64()
}

// reading a resource leaves no fact, and none takes more than its id.
#[tokio::test]
async fn resources_are_read_only() {
    let world = World::new().await;
    let id = world.element("Node", "Host").await;
    let before = world.facts().await;
    for template in manifest().resources {
        assert_eq!(template.pattern.matches('{').count(), 1, "{}", template.pattern);
        let kind = template.pattern.split('/').next().unwrap();
        let _ = world.capability.read(&world.ctx(), &format!("transformation://{kind}/{id}")).await;
    }
    assert_eq!(world.facts().await, before);
}

// templates and validation are recommended, and low-level calls stay allowed.
#[tokio::test]
async fn the_instructions_point_to_templates_and_validation() {
    let instructions = manifest().instructions;
    for name in ["validateWrite", "createCapabilityStructure", "addComponentToCapability", "outcome"] {
        assert!(instructions.contains(name), "{name}");
    }
    let world = World::new().await;
    let whole = world.element("Capability", "Fulfillment").await;
    let part = json!({"type": "Capability", "name": "Picking", "parent_id": whole});
    assert_eq!(world.call("createElement", part).await["relationship"]["type"], "Composition");
}

#[tokio::test]
async fn no_answer_is_longer_than_a_model_can_read_and_none_is_lost() {
    let world = World::new().await;
    let mut nodes = Vec::new();
    for number in 0..24 {
        let long = "word ".repeat(3_900);
        let name = format!("Long {number:02}");
        world.call("createElement", json!({"type": "Node", "name": name, "description": long})).await;
        nodes.push(json!({"element_id": name}));
    }
    let view = json!({"operation": "createView", "create_view": {"name": "V", "nodes": nodes}});
    world.call("submitArchitectureIntent", view).await;
    for (tool, arguments, list) in [
        ("listElements", json!({"model_id": "default", "page_size": 200}), "elements"),
        ("searchCapabilities", json!({"query": "*", "layer": "technology", "page_size": 200}), "elements"),
        ("searchCapabilities", json!({"query": "long", "layer": "technology", "page_size": 200}), "elements"),
        ("getView", json!({"view_id": "V", "page_size": 200}), "elements"),
    ] {
        let (mut seen, mut token) = (0, Value::Null);
        loop {
            let mut arguments = arguments.clone();
            if token.is_string() {
                arguments["page_token"] = token;
            }
            let page = world.call(tool, arguments).await;
            assert!(page.to_string().len() < 100_000, "{tool}: {} characters", page.to_string().len());
            seen += page[list].as_array().unwrap_or_else(|| panic!("{tool}: {page}")).len();
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        assert_eq!(seen, 24, "{tool}");
    }
}
