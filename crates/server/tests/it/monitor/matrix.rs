//! Every tool and every type of agent, over the wire.

use contract::generated::monitor::manifest;
use monitor::authority::AgentType;
use serde_json::{Value, json};

use super::wire::{Table, outcome};

/// The matrix, as the specification and the decisions about it have it: who may call what. Written out, so that it says what the
/// code must do and not what it does.
const EXPECTED: &[(&str, &str)] = &[
    ("neo4j_create_entity", "CanonKeeper"),
    ("neo4j_create_fact", "CanonKeeper"),
    ("neo4j_create_event", "CanonKeeper"),
    ("neo4j_create_source", "CanonKeeper"),
    ("neo4j_create_multiverse", "CanonKeeper"),
    ("neo4j_create_universe", "CanonKeeper"),
    ("neo4j_create_axiom", "CanonKeeper"),
    ("neo4j_create_relationship", "CanonKeeper"),
    ("neo4j_create_story", "CanonKeeper Orchestrator"),
    ("neo4j_update_entity_state", "CanonKeeper"),
    ("neo4j_update_fact_canon_level", "CanonKeeper"),
    ("neo4j_update_story", "CanonKeeper"),
    ("neo4j_get_entity", "*"),
    ("neo4j_get_universe", "*"),
    ("neo4j_get_story", "*"),
    ("neo4j_get_source", "*"),
    ("neo4j_get_fact", "*"),
    ("neo4j_get_event", "*"),
    ("neo4j_query_entities", "*"),
    ("neo4j_query_facts", "*"),
    ("neo4j_query_universes", "*"),
    ("neo4j_query_stories", "*"),
    ("neo4j_query_sources", "*"),
    ("neo4j_query_axioms", "*"),
    ("neo4j_query_events", "*"),
    ("neo4j_query_relationships", "*"),
    ("mongodb_create_scene", "Orchestrator"),
    ("mongodb_append_turn", "Narrator Orchestrator"),
    ("mongodb_get_scene", "*"),
    ("mongodb_query_scenes", "*"),
    ("mongodb_finalize_scene", "CanonKeeper"),
    ("mongodb_create_proposed_change", "*"),
    ("mongodb_get_proposed_change", "*"),
    ("mongodb_evaluate_proposal", "CanonKeeper"),
    ("mongodb_get_pending_proposals", "CanonKeeper"),
    ("mongodb_create_character_memory", "MemoryManager"),
    ("mongodb_retrieve_character_memories", "ContextAssembly MemoryManager"),
    ("mongodb_create_resolution", "Resolver"),
    ("mongodb_get_resolution", "*"),
    ("mongodb_create_document", "Indexer"),
    ("mongodb_create_snippet", "Indexer"),
    ("qdrant_semantic_search", "*"),
    ("composite_assemble_scene_context", "ContextAssembly"),
    ("composite_canonize_scene", "CanonKeeper"),
    ("composite_batch_call", "*"),
];

fn is_allowed(row: &str, agent: &str) -> bool {
    row == "*" || row.split(' ').any(|name| name == agent)
}

//
// R-713 (who may call), R-722, R-723, R-724, R-725, R-726, R-727, R-728, R-729, R-730, R-731, R-732, R-733
//
#[tokio::test]
async fn every_cell_of_the_matrix_holds_over_the_wire() {
    let table = Table::new().await;
    let tools = manifest().tools;
    assert_eq!((tools.len(), EXPECTED.len()), (45, 45));
    let mut cells = 0;
    for tool in &tools {
        let (_, row) = EXPECTED.iter().find(|(name, _)| *name == tool.name).unwrap_or_else(|| panic!("{}", tool.name));
        for agent in AgentType::ALL.iter().map(|kind| kind.as_str()) {
            let called = table.call(agent, &tool.name, tool.examples[0].input.clone()).await;
            let refused = called.as_ref().err().filter(|error| error["name"] == "UNAUTHORIZED");
            assert_eq!(refused.is_none(), is_allowed(row, agent), "{agent} calls {}: {called:?}", tool.name);
            if let Some(error) = refused {
                assert_eq!(error["code"], -32001);
                let message = format!("Agent type '{agent}' is not authorized to call '{}'", tool.name);
                assert_eq!(error["message"], message);
                let allowed = error["data"]["allowed_types"].as_array().unwrap();
                let mut allowed: Vec<&str> = allowed.iter().map(|name| name.as_str().unwrap()).collect();
                allowed.sort_unstable();
                assert_eq!(allowed.join(" "), *row, "{agent} calls {}", tool.name);
                assert_eq!((&error["data"]["tool"], &error["data"]["agent_type"]), (&json!(tool.name), &json!(agent)));
            }
            cells += 1;
        }
    }
    assert_eq!(cells, 45 * 7);
}

#[tokio::test]
async fn each_agent_is_shown_what_it_may_call() {
    let table = Table::new().await;
    for agent in AgentType::ALL.iter().map(|kind| kind.as_str()) {
        let mut expected: Vec<&str> =
            EXPECTED.iter().filter(|(_, row)| is_allowed(row, agent)).map(|(name, _)| *name).collect();
        expected.sort_unstable();
        for (holder, claim) in [(agent, None), ("all", Some(agent))] {
            let mut listed = table.listed(holder, claim).await;
            listed.sort_unstable();
            assert_eq!(listed, expected, "{agent}");
        }
    }
    // Who is yet to choose sees what there is to choose from.
    assert_eq!(table.listed("all", None).await.len(), 45);
    assert_eq!(table.listed("none", None).await.len(), 0);
}

//
#[tokio::test]
async fn the_credential_says_which_types_there_are_to_choose_from() {
    let table = Table::new().await;
    let call = || json!({ "name": "neo4j_query_universes", "arguments": {} });
    let said = |message: Value| match outcome(&message) {
        Ok(_) => "answered".to_owned(),
        Err(error) => {
            assert_eq!((&error["code"], &error["name"]), (&json!(-32001), &json!("UNAUTHORIZED")));
            assert!(error["data"]["fix"].is_string() && error["data"]["allowed_types"].is_array(), "{error}");
            error["message"].as_str().unwrap().to_owned()
        }
    };
    let ask = async |holder: &str, claim: Option<&str>| said(table.ask(holder, claim, "tools/call", call()).await);
    assert_eq!(ask("Narrator", None).await, "answered");
    assert_eq!(ask("Narrator", Some("Narrator")).await, "answered");
    assert_eq!(ask("Narrator", Some("CanonKeeper")).await, "Your credential does not allow agent type 'CanonKeeper'");
    assert_eq!(ask("Narrator", Some("narrator")).await, "There is no agent type 'narrator'");
    assert_eq!(ask("all", None).await, "No agent type was chosen");
    for agent in AgentType::ALL.iter().map(|kind| kind.as_str()) {
        assert_eq!(ask("all", Some(agent)).await, "answered");
    }
    assert_eq!(ask("none", None).await, "Your credential allows no agent type");
    assert_eq!(ask("none", Some("Narrator")).await, "Your credential does not allow agent type 'Narrator'");
    // A header chooses likewise, and no more.
    let by_header =
        async |holder: &str, claim: &str| said(table.ask_by_header(holder, claim, "tools/call", call()).await);
    assert_eq!(by_header("all", "Indexer").await, "answered");
    assert_eq!(by_header("Narrator", "CanonKeeper").await, "Your credential does not allow agent type 'CanonKeeper'");
    // The type is known before anything else is looked at, also where the arguments are wrong.
    let wrong = json!({ "name": "neo4j_create_entity", "arguments": { "nonsense": 1 } });
    assert!(said(table.ask("Narrator", None, "tools/call", wrong).await).starts_with("Agent type 'Narrator'"));
}

// a name that is no tool is an error of the protocol, for everybody.
#[tokio::test]
async fn what_is_no_tool_cannot_be_called() {
    let table = Table::new().await;
    let params = json!({ "name": "neo4j_delete_entity", "arguments": {} });
    let message = table.ask("CanonKeeper", None, "tools/call", params).await;
    assert_eq!(message["error"]["code"], -32602, "{message}");
}
