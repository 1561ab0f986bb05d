//! retrieve_entities: listings, pages, filters and sort.

use serde_json::{Value, json};

use crate::desk::Desk;

/// Stores numbered tasks and answers with their ids: in the order of creation, then of ids.
async fn tasks(desk: &Desk, count: usize) -> Vec<String> {
    let entities: Vec<Value> = (0..count)
        .map(|number| json!({"entity_type": "task", "title": format!("Task {number}"), "status": "open", "effort": number}))
        .collect();
    let mut ids: Vec<String> = Vec::new();
    for some in entities.chunks(100) {
        let mut stored = self::ids(&desk.ok("ingest", json!({"entities": some})).await["entities"]);
        stored.sort();
        ids.extend(stored);
    }
    ids
}

fn ids(entities: &Value) -> Vec<String> {
    entities.as_array().unwrap().iter().map(|entity| entity["id"].as_str().unwrap().to_owned()).collect()
}

fn field(answer: &Value, name: &str) -> Vec<Value> {
    answer["entities"].as_array().unwrap().iter().map(|entity| entity["snapshot"][name].clone()).collect()
}

// N-135, N-136, N-138, N-139, N-141, N-142
#[tokio::test]
async fn entities_are_listed_as_they_came_with_what_they_are() {
    let desk = Desk::new();
    let all = tasks(&desk, 3).await;
    desk.store(json!([{"entity_type": "company", "name": "Acme"}])).await;
    let listed = desk.ok("retrieve_entities", json!({"entity_type": "task"})).await;
    assert_eq!(ids(&listed["entities"]), all);
    assert_eq!((&listed["total"], &listed["excluded_merged"]), (&json!(3), &json!(true)));
    let first = &listed["entities"][0];
    assert_eq!((&first["entity_type"], &first["observation_count"]), (&json!("task"), &json!(1)));
    assert_eq!(first["canonical_name"], first["snapshot"]["title"]);
    assert!(first["last_observation_at"].as_str().unwrap().starts_with("2027-01-15T08:00:00"));
    assert_eq!(desk.ok("retrieve_entities", json!({})).await["total"], 4);
    let bare = desk.ok("retrieve_entities", json!({"include_snapshots": false})).await;
    assert!(bare["entities"].as_array().unwrap().iter().all(|entity| entity.get("snapshot").is_none()));
    assert_eq!(bare["entities"].as_array().unwrap().len(), 4);
    let merged = desk.ok("retrieve_entities", json!({"include_merged": true})).await;
    assert_eq!((&merged["total"], &merged["excluded_merged"]), (&json!(4), &json!(false)));
}

// N-136
#[tokio::test]
async fn a_type_is_meant_in_whatever_case_and_number() {
    let desk = Desk::new();
    desk.store(json!([{"entity_type": "task", "title": "A", "status": "open"}])).await;
    desk.store(json!([{"entity_type": "recipe", "title": "Soup"}])).await;
    for (given, total) in [("Tasks", 1), ("recipe", 1), ("Recipes", 1), ("invoice", 0), ("nothing_like_it", 0)] {
        let listed = desk.ok("retrieve_entities", json!({"entity_type": given})).await;
        assert_eq!(listed["total"], total, "{given}");
    }
    let refused = desk.refused("retrieve_entities", json!({"entity_type": "../../etc"})).await;
    assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("entity_type")));
}

// N-138, N-006
#[tokio::test]
async fn limit_and_offset_cut_a_page_out() {
    let desk = Desk::new();
    let all = tasks(&desk, 120).await;
    let listed = desk.ok("retrieve_entities", json!({})).await;
    assert_eq!(ids(&listed["entities"]), all[..100]);
    for (limit, offset) in [(10, 0), (7, 3), (1, 119), (50, 100), (5, 120), (5, 4_000_000_000_u32 as usize)] {
        let listed = desk.ok("retrieve_entities", json!({"limit": limit, "offset": offset})).await;
        let expected: Vec<String> = all.iter().skip(offset).take(limit).cloned().collect();
        assert_eq!((ids(&listed["entities"]), &listed["total"]), (expected, &json!(120)), "{limit} {offset}");
        assert_eq!(listed.get("next_cursor").is_some(), offset + limit < 120);
    }
    for (name, value) in [("limit", json!(0)), ("limit", json!(1001)), ("offset", json!(-1)), ("limit", json!("x"))] {
        let refused = desk.refused("retrieve_entities", json!({name: value})).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!(name)));
    }
}

/// Follows cursors to the end and lets something happen after each page.
async fn pages(desk: &Desk, arguments: Value, between: impl AsyncFn()) -> (Vec<String>, Vec<Value>) {
    let mut arguments = arguments;
    let (mut found, mut totals) = (Vec::new(), Vec::new());
    loop {
        let page = desk.ok("retrieve_entities", arguments.clone()).await;
        found.extend(ids(&page["entities"]));
        totals.push(page["total"].clone());
        match page.get("next_cursor") {
            None => return (found, totals),
            Some(next) => arguments["cursor"] = next.clone(),
        }
        between().await;
    }
}

// N-145
#[tokio::test]
async fn cursors_neither_repeat_nor_skip_while_others_write() {
    let desk = Desk::new();
    let all = tasks(&desk, 23).await;
    let disturb = async || {
        tasks(&desk, 40).await;
        desk.store(json!([{"entity_type": "task", "title": "Task 3", "status": "done", "effort": 99}])).await;
    };
    for arguments in [
        json!({"limit": 5}),
        json!({"limit": 5, "entity_type": "task"}),
        json!({"limit": 5, "include_merged": true}),
        json!({"limit": 5, "filters": [{"field": "effort", "op": "gte", "value": 0}]}),
        json!({"limit": 5, "entity_type": "task", "filters": [{"field": "effort", "op": "gte", "value": 0}]}),
        json!({"limit": 5, "entity_type": "task", "include_merged": true, "filters": [{"field": "effort", "op": "gt", "value": -1}]}),
    ] {
        let at = json!(desk.ok("retrieve_entities", json!({})).await["read_point"].to_string());
        let listed = desk.ok("retrieve_entities", json!({"limit": 1000, "at_ingested": at})).await;
        let (found, totals) = pages(&desk, arguments.clone(), disturb).await;
        assert_eq!(found, ids(&listed["entities"]), "{arguments}");
        assert!(totals.iter().all(|total| *total == listed["total"]), "{arguments} {totals:?}");
    }
    assert!(all.len() == 23);
    let sorted = json!({"limit": 4, "sort": "-effort", "offset": 3});
    let whole = desk.ok("retrieve_entities", json!({"limit": 1000, "sort": "-effort"})).await;
    assert_eq!(pages(&desk, sorted, disturb).await.0, ids(&whole["entities"])[3..]);
    let offset = json!({"limit": 5, "offset": 4, "filters": [{"field": "status", "value": "open"}]});
    let whole = desk.ok("retrieve_entities", json!({"filters": [{"field": "status", "value": "open"}]})).await;
    assert_eq!(pages(&desk, offset, disturb).await.0, ids(&whole["entities"])[4..]);
}

/// A text that is written like a number is not one where the type does not say so, and an entity of many fields is in no index.
#[tokio::test]
async fn a_range_shows_and_counts_matches_only() {
    let desk = Desk::new();
    tasks(&desk, 23).await;
    let over = json!({"entity_type": "task", "limit": 4, "offset": 2, "filters": [{"field": "effort", "op": "gt", "value": 9}]});
    let check = async |total: usize| {
        let (found, totals) = pages(&desk, over.clone(), async || {}).await;
        let distinct: std::collections::BTreeSet<&String> = found.iter().collect();
        assert_eq!((found.len(), distinct.len()), (total - 2, total - 2));
        assert!(totals.iter().all(|one| *one == json!(total)), "{totals:?}");
    };
    check(13).await;
    desk.store(json!([{"entity_type": "task", "title": "In words", "effort": "20"}])).await;
    check(13).await;
    let mut wide = json!({"entity_type": "task", "title": "Wide", "effort": 20});
    wide.as_object_mut().unwrap().extend((0..40).map(|number| (format!("f{number}"), json!(number))));
    desk.store(json!([wide])).await;
    check(14).await;
}

// N-145
#[tokio::test]
async fn a_cursor_belongs_to_its_arguments() {
    let desk = Desk::new();
    tasks(&desk, 5).await;
    let page = desk.ok("retrieve_entities", json!({"limit": 2, "entity_type": "task"})).await;
    let cursor = page["next_cursor"].clone();
    desk.ok("retrieve_entities", json!({"limit": 3, "entity_type": "task", "cursor": cursor})).await;
    for arguments in [
        json!({"cursor": cursor}),
        json!({"entity_type": "company", "cursor": cursor}),
        json!({"entity_type": "task", "include_merged": true, "cursor": cursor}),
        json!({"entity_type": "task", "sort": "title", "cursor": cursor}),
        json!({"entity_type": "task", "filters": [{"field": "title", "value": "x"}], "cursor": cursor}),
        json!({"entity_type": "task", "cursor": "nonsense"}),
        json!({"entity_type": "task", "cursor": "a.b.c.d.e"}),
        json!({"entity_type": "task", "cursor": format!("{}.x", cursor.as_str().unwrap())}),
        json!({"entity_type": "task", "cursor": forged(cursor.as_str().unwrap())}),
        json!({"entity_type": "task", "cursor": ""}),
    ] {
        let refused = desk.refused("retrieve_entities", arguments.clone()).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!("cursor")),
            "{arguments}"
        );
        assert!(refused["details"]["fix"].as_str().unwrap().contains("leave"), "{refused}");
    }
}

/// A cursor with one letter of another, in the middle, where it says where to go on.
fn forged(cursor: &str) -> String {
    let middle = cursor.len() / 2;
    let other = if &cursor[middle..=middle] == "A" { "B" } else { "A" };
    format!("{}{other}{}", &cursor[..middle], &cursor[middle + 1..])
}

// N-146, N-338
#[tokio::test]
async fn filters_and_sort_compare_by_the_declared_type() {
    let desk = Desk::new();
    let invoice = |number: usize, amount: Value, due: &str| {
        json!({"entity_type": "invoice", "invoice_number": format!("I-{number}"), "vendor_name": "V",
               "invoice_date": "2024-01-01", "amount": amount, "date_due": due})
    };
    desk.store(json!([
        invoice(1, json!(100), "2 February 2024"),
        invoice(2, json!(9), "2024-01-15"),
        invoice(3, json!("10"), "2023-12-31"),
        invoice(4, json!(2), "2024-10-01"),
        json!({"entity_type": "invoice", "invoice_number": "I-5", "vendor_name": "V", "invoice_date": "2024-01-01"}),
    ]))
    .await;
    let listed = async |filters: Value, sort: &str| {
        let arguments = json!({"entity_type": "invoice", "filters": filters, "sort": sort, "fields": ["amount"]});
        json!(field(&desk.ok("retrieve_entities", arguments).await, "amount"))
    };
    let none = json!([]);
    assert_eq!(listed(none.clone(), "amount").await, json!([2, 9, "10", 100, null]));
    assert_eq!(listed(none.clone(), "-amount").await, json!([100, "10", 9, 2, null]));
    assert_eq!(listed(none, "date_due").await, json!(["10", 9, 100, 2, null]));
    let over = json!([{"field": "amount", "op": "gt", "value": 9}]);
    assert_eq!(listed(over.clone(), "amount").await, json!(["10", 100]));
    let soon =
        json!([{"field": "date_due", "op": "lt", "value": "2024-02-10"}, {"field": "amount", "op": "gt", "value": 9}]);
    assert_eq!(listed(soon, "amount").await, json!(["10", 100]));
    assert_eq!(listed(json!([{"field": "amount", "op": "exists", "value": false}]), "amount").await, json!([null]));
    let unsorted = desk.ok("retrieve_entities", json!({"filters": over})).await;
    assert_eq!((unsorted["total"].clone(), unsorted["entities"].as_array().unwrap().len()), (json!(2), 2));
}

// N-145
#[tokio::test]
async fn fields_choose_what_is_shown() {
    let desk = Desk::new();
    tasks(&desk, 2).await;
    for arguments in [json!({"fields": ["title", "none"]}), json!({"fields": ["title"], "sort": "effort"})] {
        let listed = desk.ok("retrieve_entities", arguments).await;
        for entity in listed["entities"].as_array().unwrap() {
            assert_eq!(entity["snapshot"].as_object().unwrap().keys().collect::<Vec<_>>(), ["title"]);
        }
    }
}

// N-143
#[tokio::test]
async fn filters_and_sort_that_mean_nothing_are_refused() {
    let desk = Desk::new();
    for (arguments, field) in [
        (json!({"sort": ""}), "sort"),
        (json!({"sort": "-"}), "sort"),
        (json!({"filters": [{"field": "", "value": 1}]}), "filters.0.field"),
        (json!({"filters": [{"field": "a", "op": "gt"}]}), "filters.0.value"),
        (json!({"filters": vec![json!({"field": "a", "value": 1}); 33]}), "filters"),
        (json!({"user_id": "6f1f8a2e-1111-8222-8333-444455556666"}), "user_id"),
        (json!({"at_ingested": "yesterday"}), "at_ingested"),
        (json!({"at_ingested": "999999"}), "at_ingested"),
    ] {
        let refused = desk.refused("retrieve_entities", arguments.clone()).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!(field)),
            "{arguments}"
        );
    }
    let refused =
        desk.refused("retrieve_entities", json!({"filters": [{"field": "a", "op": "like", "value": 1}]})).await;
    assert_eq!(refused["code"], "VALIDATION_ERROR");
}

#[tokio::test]
async fn the_own_user_id_is_accepted() {
    let desk = Desk::new();
    tasks(&desk, 1).await;
    assert_eq!(desk.ok("retrieve_entities", json!({"user_id": "ann"})).await["total"], 1);
}

#[tokio::test]
async fn a_long_answer_is_cut_and_goes_on() {
    let desk = Desk::new();
    let entities: Vec<Value> = (0..10)
        .map(|number| json!({"entity_type": "note", "title": format!("N{number}"), "content": "x".repeat(30_000)}))
        .collect();
    desk.ok("ingest", json!({"entities": entities})).await;
    for arguments in [json!({}), json!({"sort": "title"}), json!({"filters": [{"field": "title", "op": "exists"}]})] {
        let page = desk.ok("retrieve_entities", arguments.clone()).await;
        assert_eq!((page["entities"].as_array().unwrap().len(), &page["total"]), (2, &json!(10)), "{arguments}");
        let (found, _) = pages(&desk, arguments, async || {}).await;
        let distinct: std::collections::BTreeSet<&String> = found.iter().collect();
        assert_eq!((found.len(), distinct.len()), (10, 10));
    }
    let brief = desk.ok("retrieve_entities", json!({"fields": ["title"]})).await;
    assert_eq!(brief["entities"].as_array().unwrap().len(), 10);
}

// N-014
#[tokio::test]
async fn a_read_at_its_point_gives_the_same_bytes_later() {
    let desk = Desk::new();
    let company = desk.store(json!([{"entity_type": "company", "name": "Acme", "founded_on": "2001-02-03"}])).await;
    let person = desk.store(json!([{"entity_type": "person", "name": "Jo Doe", "email": "jo@acme.test"}])).await;
    let edge = json!({"relationship_type": "REFERS_TO", "source_entity_id": person, "target_entity_id": company});
    desk.ok("create_relationship", edge).await;
    let calls = [
        ("retrieve_entities", json!({})),
        ("get_entity_snapshot", json!({"entity_id": company})),
        ("get_entity_by_identifier", json!({"identifier": "acme"})),
        ("get_related_entities", json!({"entity_id": company})),
        ("get_graph_neighborhood", json!({"node_id": company, "include_observations": true})),
        ("list_observations", json!({"entity_id": company})),
        ("get_field_provenance", json!({"entity_id": company, "field": "name"})),
        ("list_relationships", json!({"entity_id": company})),
        ("list_timeline_events", json!({})),
    ];
    let mut before = Vec::new();
    for (tool, arguments) in &calls {
        before.push(desk.ok(tool, arguments.clone()).await.to_string());
    }
    let say = json!([{"entity_type": "company", "name": "Acme", "founded_on": "2020-02-03", "name_note": "x"}]);
    desk.store(say).await;
    desk.store(json!([{"entity_type": "company", "name": "Acme Two", "founded_on": "1999-01-01"}])).await;
    let back = json!({"relationship_type": "REFERS_TO", "source_entity_id": company, "target_entity_id": person});
    desk.ok("create_relationship", back).await;
    for ((tool, arguments), before) in calls.iter().zip(before) {
        let point = serde_json::from_str::<Value>(&before).unwrap()["read_point"].to_string();
        let mut then = arguments.clone();
        then["at_ingested"] = json!(point);
        assert_eq!(desk.ok(tool, then).await.to_string(), before, "{tool}");
        assert_ne!(desk.ok(tool, arguments.clone()).await.to_string(), before, "{tool} shows what was stored since");
    }
}

// N-249, N-111, N-131, N-144, N-153, N-166, N-178, N-187, N-248
#[tokio::test]
async fn a_call_made_twice_gives_the_same_bytes() {
    let desk = Desk::new();
    let all = tasks(&desk, 12).await;
    let stored = desk
        .ok(
            "ingest",
            json!({"entities": [
                {"entity_type": "task", "title": "Task 1", "status": "done", "due_date": "2024-05-01"},
                {"entity_type": "task", "title": "Task 2", "status": "done", "due_date": "2024-05-01"},
            ]}),
        )
        .await;
    for pair in all.windows(2) {
        let edge = json!({"relationship_type": "REFERS_TO", "source_entity_id": pair[0], "target_entity_id": pair[1]});
        desk.ok("create_relationship", edge).await;
    }
    let source = stored["source_id"].clone();
    for (tool, arguments) in [
        ("retrieve_entities", json!({"sort": "status"})),
        ("retrieve_entities", json!({"limit": 5, "offset": 2})),
        ("get_entity_snapshot", json!({"entity_id": all[3]})),
        ("get_entity_by_identifier", json!({"identifier": "task"})),
        ("get_related_entities", json!({"entity_id": all[3], "max_hops": 3})),
        ("get_graph_neighborhood", json!({"node_id": all[3], "include_observations": true})),
        ("get_graph_neighborhood", json!({"node_id": source, "node_type": "source", "include_observations": true})),
        ("list_observations", json!({"entity_id": "Task 1"})),
        ("get_field_provenance", json!({"entity_id": "Task 1", "field": "status"})),
        ("list_relationships", json!({"entity_id": all[3]})),
        ("list_timeline_events", json!({})),
        ("describe_schema", json!({})),
        ("describe_schema", json!({"entity_type": "task"})),
    ] {
        let first = desk.ok(tool, arguments.clone()).await.to_string();
        assert_eq!(desk.ok(tool, arguments.clone()).await.to_string(), first, "{tool} {arguments}");
    }
}

/// Beyond what one call looks at: an index serves values, ranges and sort, and what none serves says that it is incomplete.
// N-006, N-142
#[tokio::test]
async fn filters_and_sort_go_on_beyond_ten_thousand() {
    let desk = Desk::new();
    for batch in 0..3 {
        let entities: Vec<Value> = (0..3400)
            .map(|number| {
                let n = batch * 3400 + number;
                json!({"entity_type": "dot", "name": format!("d{n:05}"), "n": n % 1700, "even": n % 2 == 0})
            })
            .collect();
        desk.ok("ingest", json!({"entities": entities})).await;
    }
    desk.store(json!([{"entity_type": "dot", "name": "the last one"}])).await;
    let dots = |more: Value| {
        let mut arguments = json!({"entity_type": "dot"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let listed = desk.ok("retrieve_entities", dots(json!({"limit": 1}))).await;
    assert_eq!(listed["total"], 10_201);
    for (filters, total) in [
        (json!([{"field": "n", "value": 7}]), 6),
        (json!([{"field": "n", "op": "lt", "value": 2}]), 12),
        (json!([{"field": "n", "op": "gte", "value": 1699}, {"field": "name", "op": "contains", "value": "d1"}]), 1),
        (json!([{"field": "even", "value": true}, {"field": "name", "value": "d10199"}]), 0),
        (json!([{"field": "name", "value": "d10199"}]), 1),
    ] {
        let (found, totals) = pages(&desk, dots(json!({"limit": 4, "filters": filters})), async || {}).await;
        let distinct: std::collections::BTreeSet<&String> = found.iter().collect();
        assert_eq!((found.len(), distinct.len(), totals.last()), (total, total, Some(&json!(total))), "{filters}");
        let whole = desk.ok("retrieve_entities", dots(json!({"filters": filters}))).await;
        assert_eq!((&whole["incomplete"], &whole["total"]), (&json!(null), &json!(total)), "{filters}");
    }
    // No index serves this; the only match is the last entity.
    let unserved = dots(json!({"filters": [{"field": "name", "op": "contains", "value": "LAST"}]}));
    let first = desk.ok("retrieve_entities", unserved.clone()).await;
    assert_eq!((&first["entities"], &first["total"], &first["incomplete"]), (&json!([]), &json!(0), &json!(true)));
    assert!(first["hint"].as_str().unwrap().contains("next_cursor"), "{first}");
    let (found, totals) = pages(&desk, unserved, async || {}).await;
    assert_eq!((found.len(), totals.last()), (1, Some(&json!(1))));
    let plain = desk.ok("retrieve_entities", dots(json!({"limit": 3}))).await;
    for (sort, first) in
        [("n", json!([0, 0, 0])), ("-n", json!([1699, 1699, 1699])), ("missing", json!(field(&plain, "n")))]
    {
        let page = desk.ok("retrieve_entities", dots(json!({"sort": sort, "limit": 3}))).await;
        assert_eq!((json!(field(&page, "n")), &page["total"]), (first, &json!(10_201)), "{sort}");
    }
}

/// Whether sorted by the index or by hand, and page by page or at once, the order is one.
#[tokio::test]
async fn every_way_to_sort_gives_the_same_order() {
    let desk = Desk::new();
    let values = [
        json!(100),
        json!("10"),
        json!(9),
        json!("many"),
        json!("Few"),
        json!(true),
        json!(["x"]),
        json!("2024-01-15"),
        json!(9),
        json!("few"),
        json!(-1),
        json!(null),
        json!({"a": 1}),
        json!(false),
        json!("9"),
    ];
    for (number, value) in values.iter().enumerate() {
        let invoice = json!({"entity_type": "invoice", "invoice_number": format!("I-{number}"), "vendor_name": "V",
                             "invoice_date": "2024-01-01", "amount": value, "date_due": value, "notes": value});
        desk.store(json!([invoice])).await;
    }
    for field_name in ["amount", "date_due", "notes", "nothing"] {
        for sort in [field_name.to_owned(), format!("-{field_name}")] {
            for of in [json!({"entity_type": "invoice"}), json!({})] {
                let with = |more: Value| {
                    let mut arguments = of.clone();
                    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                    arguments["sort"] = json!(sort);
                    arguments
                };
                let by_index = desk.ok("retrieve_entities", with(json!({}))).await;
                let every = json!([{"field": "vendor_name", "value": "V"}]);
                let by_hand = desk.ok("retrieve_entities", with(json!({"filters": every}))).await;
                let whole = ids(&by_index["entities"]);
                assert_eq!(whole.len(), values.len(), "{sort} {of}");
                assert_eq!(whole, ids(&by_hand["entities"]), "{sort} {of}");
                for limit in [1, 4] {
                    let (found, _) = pages(&desk, with(json!({"limit": limit})), async || {}).await;
                    assert_eq!(found, whole, "{sort} {of} by {limit}");
                    let (found, _) = pages(&desk, with(json!({"limit": limit, "offset": 5})), async || {}).await;
                    assert_eq!(found, whole[5..], "{sort} {of} by {limit} from 5");
                }
            }
        }
    }
}

/// An entity of very many fields is found and sorted by them all the same.
#[tokio::test]
async fn entities_of_many_fields_are_found_by_them() {
    let desk = Desk::new();
    let wide = |name: &str, value: i64| {
        let mut fields: serde_json::Map<String, Value> =
            (0..60).map(|number| (format!("f{number:02}"), json!(number + value))).collect();
        fields.extend([("entity_type".to_owned(), json!("sheet")), ("name".to_owned(), json!(name))]);
        Value::Object(fields)
    };
    desk.store(json!([wide("one", 0), wide("two", 100), {"entity_type": "sheet", "name": "three", "f07": 8}])).await;
    let names = async |arguments: Value| {
        let listed = desk.ok("retrieve_entities", arguments).await;
        let mut names: Vec<Value> = field(&listed, "name");
        names.sort_by_key(Value::to_string);
        json!(names)
    };
    let seven = json!([{"field": "f07", "value": 7}]);
    assert_eq!(names(json!({"entity_type": "sheet", "filters": seven})).await, json!(["one"]));
    let eight = json!([{"field": "f07", "op": "lte", "value": 8}]);
    assert_eq!(names(json!({"entity_type": "sheet", "filters": eight})).await, json!(["one", "three"]));
    let large = json!([{"field": "f59", "op": "gt", "value": 100}]);
    assert_eq!(names(json!({"filters": large})).await, json!(["two"]));
    let sorted = desk.ok("retrieve_entities", json!({"entity_type": "sheet", "sort": "-f07"})).await;
    assert_eq!(json!(field(&sorted, "name")), json!(["two", "three", "one"]));
}
