//! What is published, as a whole: names, hints, caps, and what every answer carries.

use contract::generated::transformation::manifest;
use contract::{Capability, RiskTier, Side};
use scope::PrincipalKind;
use serde_json::{Map, Value, json};

use crate::world::{World, outcome};

// the tools of both specifications, and compareStates.
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
fn the_whole_list_is_under_40_kilobytes() {
    let listed: usize = manifest()
        .tools
        .iter()
        .map(|tool| {
            let schemas = json!({
                "name": tool.name, "title": tool.title, "description": tool.description,
                "inputSchema": tool.input_schema, "outputSchema": tool.output_schema,
                "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
            });
            schemas.to_string().len()
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

//
#[test]
fn a_capability_is_described_by_its_schema() {
    let tool = manifest().tools.into_iter().find(|tool| tool.name.ends_with("createCapability")).unwrap();
    let properties = &tool.input_schema["properties"];
    assert_eq!(properties["description"]["type"], "string");
    assert_eq!(properties["profile"]["properties"]["criticality"]["enum"], json!(["Low", "Medium", "High"]));
}

//
#[test]
fn every_list_that_a_caller_gives_has_a_cap() {
    fn walk(path: &str, schema: &Map<String, Value>) {
        if schema.get("type").is_some_and(|of| of == "array") {
            assert!(schema.contains_key("maxItems"), "{path}");
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
        walk(&tool.name, &tool.input_schema);
    }
}

// the policy goes by the risk that the contract states, whatever a client makes of the hints.
#[tokio::test]
async fn the_stated_risk_decides_what_an_architect_commits() {
    let world = World::new().await;
    let architect = world.as_caller("architect", PrincipalKind::User, &["architect"]);
    for tool in manifest().tools.into_iter().filter(|tool| tool.side == Side::Command && tool.toolset != "scrum") {
        let ctx = architect.ctx();
        let arguments = tool.examples[0].input.as_object().cloned().unwrap();
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

// every answer about the model says what it was read at, every item which version it is.
#[tokio::test]
async fn every_query_answer_carries_its_citation() {
    let world = World::new().await;
    world
        .call(
            "createCapability",
            json!({"name": "Orders", "profile": {"owner": "a", "criticality": "Low", "lifecycle": "Active"}}),
        )
        .await;
    world.element("ApplicationComponent", "App").await;
    world.relate("Realization", "App", "Orders").await;
    let view = json!({"operation": "createView", "create_view": {"name": "V", "nodes": [{"element_id": "App"}]}});
    world.call("submitArchitectureIntent", view).await;
    let filed = world.as_agent().call("updateElement", json!({"id": "App", "description": "x"})).await;
    let baseline = world.call("createBaseline", json!({"name": "B"})).await;
    let model = json!({"model_id": "default"});
    for (tool, arguments, item) in [
        ("listModels", json!({}), "/models/0"),
        ("getArchimateModel", model.clone(), "/model"),
        ("listElements", model.clone(), "/elements/0"),
        ("listRelationships", model.clone(), "/relationships/0"),
        ("getView", json!({"view_id": "V"}), "/view"),
        ("getView", json!({"view_id": "V"}), "/elements/0"),
        ("searchCapabilities", json!({"query": "*"}), "/elements/0"),
        ("semanticSearch", json!({"query": "orders"}), "/results/0"),
        ("getContext", json!({"query": "orders"}), "/sources/0"),
        ("listProposals", json!({}), "/proposals/0"),
        ("getProposal", json!({"proposal_id": filed["proposal"]["id"]}), "/proposal"),
        ("getBaseline", json!({"baseline_id": baseline["baseline"]["id"]}), "/items/0"),
    ] {
        let answer = world.call(tool, arguments).await;
        assert!(answer["read_context"]["selector"].is_string(), "{tool}: {answer}");
        let item = answer.pointer(item).unwrap_or_else(|| panic!("{tool} {item}: {answer}"));
        for field in ["repository_id", "element_id", "version_id"] {
            assert!(item[field].is_string(), "{tool} has no {field}: {item}");
        }
    }
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
