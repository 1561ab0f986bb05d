//! What a caller said about people never comes back in a refusal, and never reaches the log.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::client::{Client, Piped, Served, refusal};

/// Stands in every value that could be about a person.
const MARK: &str = "zyxmark";
const NAME: &str = "Zyxmark Person";

/// Every tool, refused in as many ways as it refuses, with marked values in each argument.
fn refused_calls() -> Vec<(&'static str, Value)> {
    let email = format!("{MARK}@example.org");
    let nul = format!("{MARK}\u{0}");
    let content = |bytes: &[u8]| STANDARD.encode(bytes);
    let broken_pdf = format!("%PDF-1.4 {MARK} and nothing else");
    let long = MARK.repeat(60);
    let note = |title: &str| json!([{ "entity_type": "note", "title": title, "content": email }]);
    let claimed = |at: &str, kind: &str| json!({ "extracted_at": at, "extractor_version": MARK, "kind": kind });
    let file = |content: String, of: &str, name: &str| json!({ "file_content": content, "mime_type": of, "original_filename": name });
    let named = format!("{MARK}.pdf");
    let mut calls = vec![
        ("ingest", json!({ "entities": [{ "entity_type": format!("{MARK}/../etc"), "name": NAME }] })),
        ("ingest", json!({ "entities": [{ "name": NAME, "email": email }] })),
        ("ingest", json!({ "entities": [{ "entity_type": 7, "name": NAME }] })),
        ("ingest", json!({ "entities": [NAME] })),
        ("ingest", json!({ "entities": NAME })),
        ("ingest", json!({ "entities": note(&nul) })),
        ("ingest", json!({ "entities": note(NAME), "user_id": email })),
        ("ingest", json!({ "entities": note(NAME), "file_content": content(NAME.as_bytes()) })),
        ("ingest", json!({ "entities": note(NAME), "source_priority": 5000 })),
        ("ingest", json!({ "entities": note(NAME), "source_priority": NAME })),
        ("ingest", json!({ "entities": note(NAME), "provenance": claimed(MARK, "human") })),
        ("ingest", json!({ "entities": note(NAME), "provenance": claimed("2026-01-01T00:00:00Z", MARK) })),
        ("ingest", json!({ "entities": note(NAME), "provenance": NAME })),
        ("ingest", json!({ "entities": note(NAME), "interpret": NAME })),
        ("ingest", json!({ "entities": note(NAME), "client_request_id": long })),
        ("ingest", json!({ "entities": [{ "entity_type": "contact", "name": "Gone Zyxmark", "email": email }] })),
        ("ingest", file(format!("{MARK}***"), "text/plain", &named)),
        ("ingest", file(content(NAME.as_bytes()), MARK, &named)),
        ("ingest", file(content(NAME.as_bytes()), "application/pdf", &named)),
        ("ingest", file(content(NAME.as_bytes()), "text/plain", &nul)),
        ("ingest", file(content(NAME.as_bytes()), "text/plain", &named)),
        ("ingest", file(content(broken_pdf.as_bytes()), "application/pdf", &named)),
        ("ingest", file(content(b""), "text/plain", &named)),
        ("upload_file", json!({ "file_path": format!("/home/{MARK}/{named}") })),
        ("upload_file", json!({ "file_path": named, "properties": NAME })),
        ("upload_file", json!({ "file_path": named, "source_material_id": MARK })),
        ("get_file_url", json!({ "file_path": format!("files/{MARK}/{named}") })),
        ("get_file_url", json!({ "file_path": named, "expires_in": MARK })),
        ("retrieve_entities", json!({ "entity_type": format!("{MARK}/..") })),
        ("retrieve_entities", json!({ "user_id": email })),
        ("retrieve_entities", json!({ "cursor": MARK })),
        ("retrieve_entities", json!({ "at_ingested": MARK })),
        ("retrieve_entities", json!({ "filters": [{ "field": "name", "op": MARK, "value": NAME }] })),
        ("retrieve_entities", json!({ "limit": MARK })),
        ("get_entity_by_identifier", json!({ "identifier": nul })),
        ("get_entity_by_identifier", json!({ "identifier": NAME, "entity_type": format!("{MARK}/..") })),
        ("get_related_entities", json!({ "entity_id": "Twin Zyxmark", "direction": MARK })),
        ("get_related_entities", json!({ "entity_id": "Twin Zyxmark", "relationship_types": [MARK] })),
        ("get_graph_neighborhood", json!({ "node_id": email })),
        ("get_graph_neighborhood", json!({ "node_id": MARK, "node_type": "source" })),
        ("get_graph_neighborhood", json!({ "node_id": MARK, "node_type": MARK })),
        ("get_field_provenance", json!({ "entity_id": "One Zyxmark", "field": MARK })),
        ("list_relationships", json!({ "entity_id": "Twin Zyxmark", "direction": MARK })),
        ("list_timeline_events", json!({ "after_date": MARK })),
        ("list_timeline_events", json!({ "source_id": MARK })),
        ("correct", json!({ "entity_id": "One Zyxmark", "entity_type": MARK, "field": "name", "value": NAME })),
        ("correct", json!({ "entity_id": "One Zyxmark", "entity_type": "contact", "field": "name", "value": nul })),
        ("correct", json!({ "entity_id": email, "entity_type": "contact", "field": "name", "value": NAME })),
        ("reinterpret", json!({ "source_id": MARK, "interpretation_config": {} })),
        ("reinterpret", json!({ "source_id": MARK, "interpretation_config": NAME })),
        ("merge_entities", json!({ "from_entity_id": "One Zyxmark", "to_entity_id": "One Zyxmark" })),
        ("merge_entities", json!({ "from_entity_id": "One Zyxmark", "to_entity_id": "Firm Zyxmark" })),
        ("merge_entities", json!({ "from_entity_id": "One Zyxmark", "to_entity_id": NAME, "merge_reason": NAME })),
        ("unmerge_entities", json!({ "from_entity_id": "One Zyxmark" })),
        ("create_relationship", related(MARK, "One Zyxmark", "Firm Zyxmark")),
        ("create_relationship", related("PART_OF", "One Zyxmark", "One Zyxmark")),
        ("create_relationship", related("PART_OF", "Firm Zyxmark", "One Zyxmark")),
        ("create_relationship", related("PART_OF", "Twin Zyxmark", "One Zyxmark")),
        ("delete", json!({ "id": email })),
        ("restore", json!({ "id": email })),
        ("describe_schema", json!({ "entity_type": format!("{MARK}/..") })),
        ("register_schema", json!({ "entity_type": format!("{MARK}/.."), "definition": {} })),
        ("register_schema", json!({ "entity_type": "recipe", "definition": { "fields": { "a": { "type": MARK } } } })),
        ("register_schema", json!({ "relationship_type": format!("{MARK}/..") })),
    ];
    for (tool, argument) in [
        ("get_entity_snapshot", "entity_id"),
        ("list_observations", "entity_id"),
        ("get_related_entities", "entity_id"),
        ("list_relationships", "entity_id"),
    ] {
        // Unknown, malformed, ambiguous, and of the wrong type.
        for reference in [json!(email), json!(format!("ent_{MARK}")), json!("Twin Zyxmark"), json!([NAME])] {
            calls.push((tool, json!({ argument: reference })));
        }
    }
    calls.push(("get_entity_snapshot", json!({ "entity_id": "One Zyxmark", "at": MARK })));
    calls
}

fn related(of: &str, source: &str, target: &str) -> Value {
    json!({
        "relationship_type": of, "source_entity_id": source, "target_entity_id": target, "metadata": { "by": NAME },
    })
}

/// What the refusals are about.
async fn prepare(client: &mut impl Client) {
    let person = |of: &str, name: &str| json!({ "entity_type": of, "name": name });
    let entities = json!([
        person("contact", "One Zyxmark"),
        person("company", "Firm Zyxmark"),
        person("contact", "Twin Zyxmark"),
        person("gadget", "Twin Zyxmark"),
        person("contact", "Gone Zyxmark"),
    ]);
    client.ok("ingest", json!({ "entities": entities })).await;
    client.ok("create_relationship", related("PART_OF", "One Zyxmark", "Firm Zyxmark")).await;
    client.ok("delete", json!({ "id": "Gone Zyxmark" })).await;
}

async fn check(client: &mut impl Client) {
    prepare(client).await;
    for (tool, arguments) in refused_calls() {
        let shown = arguments.to_string();
        let result = client.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool} {shown}: {result}");
        let error = refusal(tool, &result).to_string();
        assert!(!error.to_lowercase().contains(MARK), "{tool} {shown}: {error}");
    }
}

// N-024
#[tokio::test]
async fn no_refusal_and_no_log_line_repeats_what_was_said_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &["log=trace", "limits.tools=ingest=0,upload_file=0"]).await;
    check(&mut served).await;
    let log = served.log();
    assert!(!log.to_lowercase().contains(MARK), "{}", told(&log));
}

// N-024
#[tokio::test]
async fn no_refusal_repeats_what_was_said_over_stdio() {
    let (folder, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(root.path().join(format!("{MARK}.pdf")), "only text").unwrap();
    let mut piped = Piped::start(folder.path(), &[&format!("neotoma.upload_roots={}", root.path().display())]).await;
    check(&mut piped).await;
    let error = piped.refused("upload_file", json!({ "file_path": format!("{MARK}.pdf") })).await;
    assert_eq!(error["code"], "UNSUPPORTED_FILE_TYPE");
    assert!(!error.to_string().contains(MARK), "{error}");
}

/// The lines of a log that say too much.
fn told(log: &str) -> String {
    log.lines().filter(|line| line.to_lowercase().contains(MARK)).take(5).collect::<Vec<_>>().join("\n")
}
