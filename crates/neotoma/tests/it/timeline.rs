//! list_timeline_events: moments of current snapshots.

use serde_json::{Value, json};

use crate::desk::Desk;

async fn desk() -> (Desk, Value) {
    let desk = Desk::new();
    let invoices = json!({"entities": [
        {"entity_type": "invoice", "invoice_number": "1", "vendor_name": "V", "invoice_date": "2024-01-01", "date_due": "2024-01-31T18:00:00Z"},
        {"entity_type": "invoice", "invoice_number": "2", "vendor_name": "V", "invoice_date": "2024-01-15"},
    ]});
    let stored = desk.ok("ingest", invoices).await;
    desk.store(json!([{"entity_type": "task", "title": "Ship", "status": "open", "due_date": "2024-01-15"}])).await;
    (desk, stored)
}

/// Types and days of what is listed.
async fn listed(desk: &Desk, arguments: Value) -> Vec<String> {
    let answer = desk.ok("list_timeline_events", arguments).await;
    let show = |event: &Value| {
        format!("{} {}", event["event_type"].as_str().unwrap(), &event["event_timestamp"].as_str().unwrap()[..10])
    };
    answer["events"].as_array().unwrap().iter().map(show).collect()
}

// N-180, N-185, N-187, N-190
#[tokio::test]
async fn events_are_listed_newest_first() {
    let (desk, stored) = desk().await;
    let mut all = listed(&desk, json!({})).await;
    assert_eq!(all.remove(0), "InvoiceDue 2024-01-31");
    assert_eq!(all.pop().unwrap(), "InvoiceIssued 2024-01-01");
    all.sort();
    assert_eq!(all, ["InvoiceIssued 2024-01-15", "TaskDue 2024-01-15"]);
    let answer = desk.ok("list_timeline_events", json!({})).await;
    assert_eq!(answer["total"], 4);
    let event = &answer["events"][0];
    assert_eq!(
        (&event["source_id"], &event["entity_ids"]),
        (&stored["source_id"], &json!([stored["entities"][0]["id"]]))
    );
    assert_eq!(event["event_timestamp"], "2024-01-31T18:00:00.000000Z");
    let properties = json!({"entity_type": "invoice", "field": "date_due", "value": "2024-01-31T18:00:00Z"});
    assert_eq!(event["properties"], properties);
    let same: Vec<&str> = [1, 2].iter().map(|at| answer["events"][*at]["id"].as_str().unwrap()).collect();
    assert!(same[0] < same[1], "equal times are in the order of ids");
}

// N-181, N-182, N-183
#[tokio::test]
async fn each_filter_narrows() {
    let (desk, stored) = desk().await;
    for (arguments, expected) in [
        (json!({"event_type": "InvoiceIssued"}), vec!["InvoiceIssued 2024-01-15", "InvoiceIssued 2024-01-01"]),
        (json!({"event_type": "invoiceissued"}), vec![]),
        (json!({"after_date": "2024-01-16"}), vec!["InvoiceDue 2024-01-31"]),
        (json!({"after_date": "2024-01-31"}), vec!["InvoiceDue 2024-01-31"]),
        (json!({"after_date": "2024-01-31T18:00:01Z"}), vec![]),
        (json!({"before_date": "2024-01-01"}), vec!["InvoiceIssued 2024-01-01"]),
        (json!({"after_date": "2024-01-31", "before_date": "2024-01-31"}), vec!["InvoiceDue 2024-01-31"]),
        (json!({"after_date": "2024-01-31", "before_date": "2024-01-31T00:00:00Z"}), vec![]),
        (json!({"before_date": "2024-01-15T00:00:00Z", "event_type": "TaskDue"}), vec!["TaskDue 2024-01-15"]),
        (
            json!({"source_id": stored["source_id"]}),
            vec!["InvoiceDue 2024-01-31", "InvoiceIssued 2024-01-15", "InvoiceIssued 2024-01-01"],
        ),
        (
            json!({"source_id": stored["source_id"], "event_type": "InvoiceIssued", "before_date": "2024-01-10"}),
            vec!["InvoiceIssued 2024-01-01"],
        ),
    ] {
        assert_eq!(listed(&desk, arguments.clone()).await, expected, "{arguments}");
        let answer = desk.ok("list_timeline_events", arguments.clone()).await;
        assert_eq!(answer["total"], expected.len(), "{arguments}");
    }
}

// N-184, N-006, N-187
#[tokio::test]
async fn pages_have_no_gap_and_no_repeat() {
    let desk = Desk::new();
    // More than are gathered at once, so that both ways to list are walked.
    let many: Vec<Value> = (0..620)
        .map(|number| {
            let due = format!("2024-{:02}-{:02}", 1 + number % 12, 1 + number % 28);
            json!({"entity_type": "task", "title": format!("T{number}"), "status": "open", "due_date": due, "completed_date": "2024-07-01"})
        })
        .collect();
    desk.ok("ingest", json!({"entities": many[..200]})).await;
    for half in [false, true] {
        if half {
            desk.ok("ingest", json!({"entities": many[200..]})).await;
        }
        for filter in [json!({}), json!({"event_type": "TaskDue"}), json!({"after_date": "2024-03-01"})] {
            let ask = async |limit: usize, offset: usize| {
                let mut arguments = json!({"limit": limit, "offset": offset});
                arguments.as_object_mut().unwrap().extend(filter.as_object().unwrap().clone());
                desk.ok("list_timeline_events", arguments).await
            };
            let total = usize::try_from(ask(1, 0).await["total"].as_u64().unwrap()).unwrap();
            let mut found: Vec<(String, String)> = Vec::new();
            for offset in (0..total).step_by(190) {
                let page = ask(190, offset).await;
                let place = |one: &Value| {
                    (one["event_timestamp"].as_str().unwrap().to_owned(), one["id"].as_str().unwrap().to_owned())
                };
                found.extend(page["events"].as_array().unwrap().iter().map(place));
            }
            let mut sorted = found.clone();
            sorted.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
            sorted.dedup();
            assert_eq!((found.len(), found), (total, sorted), "{filter}");
        }
    }
    let first = desk.ok("list_timeline_events", json!({})).await;
    assert_eq!((first["events"].as_array().unwrap().len(), &first["total"]), (100, &json!(1240)));
}

// N-186
#[tokio::test]
async fn arguments_that_mean_nothing_are_refused() {
    let (desk, _) = desk().await;
    for (arguments, code, field) in [
        (json!({"after_date": "soon"}), "VALIDATION_ERROR", "after_date"),
        (json!({"before_date": "2024-13-45"}), "VALIDATION_ERROR", "before_date"),
        (json!({"after_date": "2024-02-01", "before_date": "2024-01-31"}), "VALIDATION_ERROR", "after_date"),
        (json!({"source_id": "x"}), "VALIDATION_ERROR", "source_id"),
        (json!({"source_id": "6f1f8a2e-1111-8222-8333-444455556666"}), "SOURCE_NOT_FOUND", "source_id"),
        (json!({"limit": 0}), "VALIDATION_ERROR", "limit"),
        (json!({"limit": 1001}), "VALIDATION_ERROR", "limit"),
        (json!({"start_date": "2024-01-01"}), "VALIDATION_ERROR", "start_date"),
    ] {
        let refused = desk.refused("list_timeline_events", arguments.clone()).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!(code), &json!(field)), "{arguments}");
    }
}

// N-188
#[tokio::test]
async fn a_changed_date_replaces_its_event_and_its_source() {
    let (desk, _) = desk().await;
    let before = desk.ok("list_timeline_events", json!({"event_type": "TaskDue"})).await;
    let changed =
        json!({"entities": [{"entity_type": "task", "title": "Ship", "status": "open", "due_date": "2025-03-01"}]});
    let stored = desk.ok("ingest", changed).await;
    let after = desk.ok("list_timeline_events", json!({"event_type": "TaskDue"})).await;
    assert_eq!((&after["total"], &after["events"][0]["id"]), (&json!(1), &before["events"][0]["id"]));
    assert_eq!(after["events"][0]["event_timestamp"], "2025-03-01T00:00:00.000000Z");
    assert_eq!(after["events"][0]["source_id"], stored["source_id"]);
}

// N-189
#[tokio::test]
async fn a_type_without_temporal_fields_has_events_of_its_dates() {
    let desk = Desk::new();
    let rocket = json!([{"entity_type": "rocket", "name": "R", "launched": "2024-01-16", "created_at": "2024-01-15"}]);
    desk.store(rocket).await;
    assert_eq!(listed(&desk, json!({})).await, ["Launched 2024-01-16"]);
}
