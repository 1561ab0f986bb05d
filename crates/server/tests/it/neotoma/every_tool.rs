//! A conversation that calls every tool, over both transports.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::client::{Client, Piped, Served};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../neotoma/tests/fixtures");

/// A client that remembers what it called.
struct Remembering<C> {
    client: C,
    called: BTreeSet<String>,
}

impl<C: Client> Client for Remembering<C> {
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.called.extend(params["name"].as_str().map(str::to_owned));
        self.client.ask(method, params).await
    }
}

impl<C: Client> Remembering<C> {
    /// Calls a tool that reads, twice. The answers are the same bytes and name the point that they were read at.
    async fn read(&mut self, tool: &str, arguments: Value) -> Value {
        let first = self.ok(tool, arguments.clone()).await;
        assert!(first["read_point"].as_u64().is_some_and(|point| point > 0), "{tool}: {first}");
        assert_eq!(self.ok(tool, arguments).await.to_string(), first.to_string(), "{tool} answers the same twice");
        first
    }
}

fn text(answer: &Value, path: &str) -> String {
    answer.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("no text at {path} of {answer}")).to_owned()
}

/// Every tool but upload_file, which depends on the transport.
async fn conversation(client: &mut Remembering<impl Client>) {
    let invoice = json!({
        "entity_type": "invoice", "invoice_number": "INV-001", "invoice_date": "2026-03-01", "vendor_name": "Acme Corp",
        "amount": 100, "amount_due": 100, "currency": "EUR",
    });
    let companies = [("Acme Corp", "https://acme.example"), ("Acme Holding", "https://acme-holding.example")];
    let company = |(name, website)| json!({ "entity_type": "company", "name": name, "website": website });
    let sent = json!({ "entities": [invoice, company(companies[0]), company(companies[1])] });
    let stored = client.ok("ingest", sent.clone()).await;
    assert_eq!(stored["interpretation"]["entities_created"], 3, "{stored}");
    let [invoice, acme, holding] = [0, 1, 2].map(|index| text(&stored, &format!("/entities/{index}/id")));

    let again = client.ok("ingest", sent).await;
    assert_eq!((&again["source_id"], &again["content_hash"]), (&stored["source_id"], &stored["content_hash"]));
    retrieve_and_trace(client, &stored, &invoice).await;

    let corrected = json!({ "entity_id": invoice, "entity_type": "invoice", "field": "amount", "value": 120 });
    let same = client.ok("correct", corrected.clone()).await["observation_id"].clone();
    let corrected = client.ok("correct", corrected).await;
    assert_eq!((&corrected["value"], &corrected["observation_id"]), (&json!(120), &same));
    let snapshot = client.read("get_entity_snapshot", json!({ "entity_id": invoice })).await;
    assert_eq!(snapshot["snapshot"]["amount"], 120);
    assert_eq!(snapshot["provenance"]["amount"], corrected["observation_id"]);

    graph(client, &stored, &invoice, &acme).await;

    let merged = client.ok("merge_entities", json!({ "from_entity_id": holding, "to_entity_id": acme })).await;
    assert_eq!(merged["observations_moved"], 1, "{merged}");
    let unmerged = client.ok("unmerge_entities", json!({ "from_entity_id": holding })).await;
    assert_eq!(unmerged["to_entity_id"], *acme);
    client.ok("delete", json!({ "id": holding })).await;
    assert_eq!(
        client.refused("get_entity_snapshot", json!({ "entity_id": holding })).await["code"],
        "ENTITY_NOT_FOUND"
    );
    client.ok("restore", json!({ "id": holding })).await;
    client.read("get_entity_snapshot", json!({ "entity_id": holding })).await;

    let fields = json!({ "title": { "type": "string", "required": true } });
    let registered = json!({ "entity_type": "recipe", "definition": { "fields": fields, "identity": [["title"]] } });
    assert_eq!(client.ok("register_schema", registered).await["schema_version"], "1.0");
    let described = client.read("describe_schema", json!({ "entity_type": "recipe" })).await;
    assert_eq!(described["schema"]["fields"]["title"]["required"], true, "{described}");

    file(client).await;
}

/// What is stored is found, and every value leads back to its source.
async fn retrieve_and_trace(client: &mut Remembering<impl Client>, stored: &Value, invoice: &str) {
    let found = client.read("retrieve_entities", json!({ "entity_type": "invoice" })).await;
    assert_eq!((&found["total"], &found["excluded_merged"]), (&json!(1), &json!(true)));
    assert_eq!(found["entities"][0]["snapshot"]["invoice_number"], "INV-001");
    assert_eq!(found["entities"][0]["snapshot"]["amount"], 100);
    let found = client.read("get_entity_by_identifier", json!({ "identifier": "ACME corp" })).await;
    assert_eq!(found["entities"][0]["canonical_name"], "Acme", "{found}");
    let snapshot = client.read("get_entity_snapshot", json!({ "entity_id": invoice })).await;
    let observations = client.read("list_observations", json!({ "entity_id": invoice })).await;
    assert_eq!(observations["observations"][0]["id"], snapshot["provenance"]["amount"]);
    let provenance = client.read("get_field_provenance", json!({ "entity_id": invoice, "field": "amount" })).await;
    assert_eq!(provenance["source_observation"]["id"], snapshot["provenance"]["amount"]);
    assert_eq!(provenance["source_material"]["id"], stored["source_id"]);
}

async fn graph(client: &mut Remembering<impl Client>, stored: &Value, invoice: &str, company: &str) {
    let related = json!({
        "relationship_type": "REFERS_TO", "source_entity_id": invoice, "target_entity_id": company,
    });
    let made = client.ok("create_relationship", related.clone()).await;
    assert_eq!(client.ok("create_relationship", related).await["id"], made["id"]);
    let found = client.read("list_relationships", json!({ "entity_id": invoice })).await;
    assert_eq!(found["relationships"][0]["id"], made["id"], "{found}");
    let found = client.read("get_related_entities", json!({ "entity_id": invoice })).await;
    assert_eq!((&found["entities"][0]["id"], &found["hops_traversed"]), (&json!(company), &json!(1)));
    let around = client.read("get_graph_neighborhood", json!({ "node_id": invoice })).await;
    assert_eq!(around["entity"]["id"], invoice);
    let source = json!({ "node_id": stored["source_id"], "node_type": "source" });
    assert_eq!(client.read("get_graph_neighborhood", source).await["source_material"]["id"], stored["source_id"]);
    let found = client.read("search", json!({ "query": "Acme" })).await;
    assert!(found["hits"].is_array(), "{found}");
    let events = client.read("list_timeline_events", json!({ "event_type": "InvoiceIssued" })).await;
    assert_eq!(events["events"][0]["entity_ids"], json!([invoice]), "{events}");
}

/// A file is stored, interpreted, interpreted again and linked to.
async fn file(client: &mut Remembering<impl Client>) {
    let note = "VGl0bGU6IEZpcnN0IG5vdGUKClNvbWUgd29yZHMu";
    let stored = json!({ "file_content": note, "mime_type": "text/plain", "original_filename": "note.txt" });
    let stored = client.ok("ingest", stored).await;
    assert_eq!(stored["file_size"], 30);
    let again = json!({ "source_id": stored["source_id"], "interpretation_config": { "code_version": "2" } });
    let run = client.ok("reinterpret", again.clone()).await;
    assert_eq!(run["source_id"], stored["source_id"]);
    assert_eq!(client.ok("reinterpret", again).await["run_id"], run["run_id"]);
    let link = client.ok("get_file_url", json!({ "file_path": stored["file_path"] })).await;
    assert!(link["read_point"].is_u64() && text(&link, "/signed_url").contains("/files/"), "{link}");
}

/// Which tools there are.
fn all() -> BTreeSet<String> {
    contract::generated::neotoma::manifest().tools.into_iter().map(|tool| tool.name).collect()
}

// N-271 (sqlite), N-003, N-005, N-014, N-249, N-268, N-269, R-830 (neotoma)
#[tokio::test]
async fn every_tool_answers_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    let mut client = Remembering { client: served, called: BTreeSet::new() };
    conversation(&mut client).await;
    let refused = client.refused("upload_file", json!({ "file_path": "sample_invoice.pdf" })).await;
    assert_eq!(refused["code"], "VALIDATION_ERROR");
    assert_eq!(client.called, all());
}

// N-271 (sqlite), N-003, N-005, N-014, N-249, N-270
#[tokio::test]
async fn every_tool_answers_over_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let piped = Piped::start(folder.path(), &[&format!("neotoma.upload_roots={FIXTURES}")]).await;
    let mut client = Remembering { client: piped, called: BTreeSet::new() };
    conversation(&mut client).await;
    let stored = client.ok("upload_file", json!({ "file_path": "sample_invoice.pdf" })).await;
    assert_eq!(stored["entity_snapshots"][0]["entity_type"], "invoice", "{stored}");
    assert_eq!(client.called, all());
    let size = std::fs::metadata(Path::new(FIXTURES).join("sample_invoice.pdf")).unwrap().len();
    assert_eq!((&stored["file_size"], &stored["content_type"]), (&json!(size), &json!("application/pdf")));
}
