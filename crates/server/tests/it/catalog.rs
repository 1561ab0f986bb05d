//! What is mounted is what was generated and committed.

use serde_json::Value;
use server::{Config, Platform};

use crate::world::World;

async fn platform(toolsets: &[&str]) -> (Platform, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config { data: folder.path().to_owned(), ..Config::default() };
    config.spine.toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
    (Platform::open(&config).await.unwrap(), folder)
}

//
#[tokio::test]
async fn the_mounted_tools_are_the_committed_catalog() {
    let committed: Value = serde_json::from_str(include_str!("../../../../gen/mcp/mcp-tool-catalog.json")).unwrap();
    let (platform, _folder) = platform(&[]).await;
    let listed = committed["capabilities"].as_array().unwrap();
    assert_eq!(platform.endpoints.len(), listed.len());
    for endpoint in &platform.endpoints {
        let name = &endpoint.capability.manifest().name;
        let listed =
            listed.iter().find(|capability| capability["name"] == **name).unwrap()["tools"].as_array().unwrap();
        let mounted: Vec<&str> = endpoint.tools().iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(mounted, listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>());
        for (tool, entry) in endpoint.tools().iter().zip(listed) {
            assert_eq!(entry["inputSchema"], Value::Object(tool.input_schema.clone()), "{}", tool.name);
        }
    }
}

// R-408 (form), R-409, R-411, R-412, R-413, R-474, R-480
#[tokio::test]
async fn every_served_catalog_fits_its_published_schema() {
    let schema = serde_json::from_str(include_str!("../../../../gen/mcp/mcp-tool-catalog.v1.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let committed: Value = serde_json::from_str(include_str!("../../../../gen/mcp/mcp-tool-catalog.json")).unwrap();
    let world = World::new().await;
    for name in ["mcp-tools.json", "mcp-tools.v1.json", "mcp-tools.dev.json"] {
        let served: Value = serde_json::from_str(&world.get(&format!("/.well-known/{name}")).await).unwrap();
        let errors = validator.iter_errors(&served).map(|error| format!("{}: {error}", error.instance_path()));
        assert_eq!(errors.collect::<Vec<_>>(), [""; 0], "{name}");
        assert_eq!((&served["version"], &served["git_sha"]), (&committed["version"], &committed["git_sha"]), "{name}");
        // Whatever order they are mounted in, they are the committed ones.
        for capability in committed["capabilities"].as_array().unwrap() {
            let found = served["capabilities"].as_array().unwrap().iter().find(|it| it["name"] == capability["name"]);
            assert_eq!(found.unwrap(), capability, "{name}");
        }
    }
}

// Discovery and dry runs aside, whose answers are no state; a comparison has two points. Neotoma's answers name
// their read point without listing it in the schema; `neotoma::every_tool` looks at the answers themselves.
#[tokio::test]
async fn every_query_of_every_capability_says_what_it_was_read_at() {
    let (platform, _folder) = platform(&[]).await;
    let endpoint = platform.endpoint("transformation").unwrap();
    let queries = endpoint.tools().iter().filter(|tool| tool.side == contract::Side::Query);
    for tool in queries.filter(|tool| !tool.rpc.starts_with("WriteGuideQueryService.")) {
        let answer = &tool.output_schema.as_ref().unwrap()["properties"];
        let points: &[&str] = if tool.name.ends_with(".compareStates") { &["from", "to"] } else { &["read_context"] };
        assert!(points.iter().all(|point| answer.get(point).is_some()), "{}: {answer}", tool.name);
    }
}

#[tokio::test]
async fn the_served_catalog_can_be_filtered_by_side() {
    let (platform, _folder) = platform(&[]).await;
    let catalog: Value = serde_json::from_str(&platform.catalog()).unwrap();
    let tools = catalog["capabilities"][0]["tools"].as_array().unwrap();
    let commands: Vec<&str> =
        tools.iter().filter(|tool| tool["cqrs_side"] == "command").map(|tool| tool["name"].as_str().unwrap()).collect();
    let manifest = contract::generated::transformation::manifest();
    let expected = manifest.tools.iter().filter(|tool| tool.side == contract::Side::Command);
    assert_eq!(commands, expected.map(|tool| tool.name.as_str()).collect::<Vec<_>>());
    assert!(commands.contains(&"transformation.createElement") && commands.len() < tools.len());
}

//
#[tokio::test]
async fn a_toolset_that_is_not_mounted_is_not_there() {
    let (platform, folder) = platform(&["read"]).await;
    let endpoint = &platform.endpoints[0];
    assert!(endpoint.tool("transformation.listElements").is_some());
    assert!(endpoint.tool("transformation.createElement").is_none());
    assert!(endpoint.tools().iter().all(|tool| tool.hints.read_only));
    let world = World { platform, folder: std::sync::Arc::new(folder) };
    let absent = world.call("createElement", serde_json::json!({ "type": "Node", "name": "n" })).await;
    assert_eq!(absent, serde_json::json!({ "unknown": "transformation.createElement" }));
}

// The tools of 536: discovery, validation, the four writes and the templates; and several of those writes in one.
#[tokio::test]
async fn an_operator_can_mount_the_write_core_alone() {
    let (platform, _folder) = platform(&["write"]).await;
    let mut names: Vec<&str> =
        platform.endpoints[0].tools().iter().map(|tool| tool.name.trim_start_matches("transformation.")).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "addComponentToCapability",
            "applyChanges",
            "createCapability",
            "createCapabilityStructure",
            "createElement",
            "createRelationship",
            "deleteElement",
            "getElementTypes",
            "getRelationshipTypes",
            "getWriteSchema",
            "updateElement",
            "validateWrite",
        ]
    );
}
