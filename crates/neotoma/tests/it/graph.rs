//! Relationships read back: lists, walks and neighborhoods.

use serde_json::{Value, json};

use crate::desk::Desk;

/// Companies with these names; their ids.
async fn companies(desk: &Desk, names: &[&str]) -> Vec<String> {
    let entities: Vec<Value> = names.iter().map(|name| json!({"entity_type": "company", "name": name})).collect();
    let stored = desk.ok("ingest", json!({"entities": entities})).await;
    stored["entities"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

async fn relate(desk: &Desk, of: &str, source: &str, target: &str) -> Value {
    let edge = json!({"relationship_type": of, "source_entity_id": source, "target_entity_id": target});
    desk.ok("create_relationship", edge).await["id"].clone()
}

fn ids(items: &Value) -> Vec<Value> {
    items.as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
}

fn names(entities: &Value) -> Vec<&str> {
    entities.as_array().unwrap().iter().map(|one| one["canonical_name"].as_str().unwrap()).collect()
}

fn sorted(mut ids: Vec<Value>) -> Vec<Value> {
    ids.sort_by_key(Value::to_string);
    ids
}

// N-239, N-240, N-241, N-242, N-243, N-245
#[tokio::test]
async fn relationships_are_listed_newest_first() {
    let desk = Desk::new();
    companies(&desk, &["a", "b", "c"]).await;
    let metadata = json!({"relationship_type": "PART_OF", "source_entity_id": "a", "target_entity_id": "b", "metadata": {"since": 2020}});
    let part = desk.ok("create_relationship", metadata).await;
    let refers = relate(&desk, "REFERS_TO", "c", "a").await;
    let back = relate(&desk, "REFERS_TO", "a", "c").await;
    relate(&desk, "REFERS_TO", "b", "c").await;
    let list = async |more: Value| {
        let mut arguments = json!({"entity_id": "a"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        desk.ok("list_relationships", arguments).await
    };
    let whole = list(json!({})).await;
    assert_eq!(ids(&whole["relationships"]), [back.clone(), refers.clone(), part["id"].clone()]);
    assert_eq!((&whole["total"], &whole["limit"], &whole["offset"]), (&json!(3), &json!(100), &json!(0)));
    let oldest = &whole["relationships"][2];
    for name in ["relationship_type", "source_entity_id", "target_entity_id", "metadata", "created_at"] {
        assert_eq!(oldest[name], part[name], "{name}");
    }
    assert_eq!(ids(&list(json!({"direction": "inbound"})).await["relationships"]), std::slice::from_ref(&refers));
    assert_eq!(ids(&list(json!({"direction": "outbound"})).await["relationships"]), [back.clone(), part["id"].clone()]);
    let typed = list(json!({"relationship_type": "REFERS_TO"})).await;
    assert_eq!((ids(&typed["relationships"]), &typed["total"]), (vec![back.clone(), refers.clone()], &json!(2)));
    let page = list(json!({"limit": 1, "offset": 1})).await;
    assert_eq!((ids(&page["relationships"]), &page["total"]), (vec![refers], &json!(3)));
    assert_eq!((&page["limit"], &page["offset"]), (&json!(1), &json!(1)));
    desk.requires("list_relationships", &json!({"entity_id": "a"}), &["entity_id"]).await;
    assert_eq!(ids(&list(json!({"offset": 3})).await["relationships"]), [""; 0]);
}

// N-245
#[tokio::test]
async fn relationships_of_one_moment_are_listed_by_id() {
    let desk = Desk::new();
    let contact = |name: &str| json!({"entity_type": "contact", "name": name, "organization": "Acme"});
    desk.store(json!([contact("One"), contact("Two"), contact("Three"), contact("Four")])).await;
    let listed = desk.ok("list_relationships", json!({"entity_id": "Acme"})).await["relationships"].clone();
    let edges = listed.as_array().unwrap();
    assert!(edges.len() == 4 && edges.iter().all(|edge| edge["created_at"] == edges[0]["created_at"]), "{listed}");
    assert_eq!(ids(&listed), sorted(ids(&listed)));
}

// N-244, N-165, N-006
#[tokio::test]
async fn arguments_that_mean_nothing_are_refused() {
    let desk = Desk::new();
    companies(&desk, &["a"]).await;
    for (tool, more, code) in [
        ("list_relationships", json!({"direction": "sideways"}), "VALIDATION_ERROR"),
        ("list_relationships", json!({"relationship_type": "KNOWS"}), "INVALID_RELATIONSHIP_TYPE"),
        ("list_relationships", json!({"limit": 0}), "VALIDATION_ERROR"),
        ("list_relationships", json!({"limit": 1001}), "VALIDATION_ERROR"),
        ("get_related_entities", json!({"max_hops": 0}), "VALIDATION_ERROR"),
        ("get_related_entities", json!({"max_hops": 6}), "VALIDATION_ERROR"),
        ("get_related_entities", json!({"direction": "up"}), "VALIDATION_ERROR"),
        ("get_related_entities", json!({"relationship_types": ["PART_OF", "KNOWS"]}), "INVALID_RELATIONSHIP_TYPE"),
        ("get_related_entities", json!({"relationship_types": "PART_OF; DROP"}), "VALIDATION_ERROR"),
    ] {
        let mut arguments = json!({"entity_id": "a"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(desk.refused(tool, arguments).await["code"], code, "{tool} {more}");
    }
    let refused = desk.refused("list_relationships", json!({"entity_id": "a", "relationship_type": "KNOWS"})).await;
    assert!(refused["details"]["valid_values"].as_array().unwrap().contains(&json!("PART_OF")));
}

// N-156, N-157, N-158, N-159, N-160, N-161, N-162, N-163, N-164, N-168
#[tokio::test]
async fn related_entities_come_by_hop_and_each_edge_once() {
    let desk = Desk::new();
    let all = companies(&desk, &["hub", "a", "b", "c", "far"]).await;
    // A cycle, so that both ends of edges are visited.
    let edges = [
        relate(&desk, "REFERS_TO", "hub", "a").await,
        relate(&desk, "REFERS_TO", "b", "hub").await,
        relate(&desk, "REFERS_TO", "a", "b").await,
        relate(&desk, "SETTLES", "b", "c").await,
        relate(&desk, "REFERS_TO", "c", "far").await,
        relate(&desk, "REFERS_TO", "a", "hub").await,
    ];
    let get = async |more: Value| {
        let mut arguments = json!({"entity_id": "hub"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        desk.ok("get_related_entities", arguments).await
    };
    let by_id = |first: &str, second: &str| {
        let place = |name: &str| ["hub", "a", "b", "c", "far"].iter().position(|one| *one == name).unwrap();
        if all[place(first)] < all[place(second)] {
            vec![first.to_owned(), second.to_owned()]
        } else {
            vec![second.to_owned(), first.to_owned()]
        }
    };
    let one = get(json!({})).await;
    assert_eq!(names(&one["entities"]), by_id("a", "b"));
    for entity in one["entities"].as_array().unwrap() {
        let name = entity["canonical_name"].as_str().unwrap();
        let place = ["hub", "a", "b", "c", "far"].iter().position(|one| *one == name).unwrap();
        assert_eq!((&entity["id"], &entity["entity_type"]), (&json!(all[place]), &json!("company")));
        assert_eq!(entity["snapshot"], json!({"name": name}));
    }
    assert_eq!(sorted(ids(&one["relationships"])), sorted(vec![edges[0].clone(), edges[1].clone(), edges[5].clone()]));
    assert_eq!((&one["hops_traversed"], &one["truncated"]), (&json!(1), &json!(false)));
    let far = get(json!({"max_hops": 5})).await;
    assert_eq!(names(&far["entities"])[2..], ["c", "far"]);
    assert_eq!(sorted(ids(&far["relationships"])), sorted(edges.to_vec()));
    assert_eq!(
        (&far["total_entities"], &far["total_relationships"], &far["hops_traversed"]),
        (&json!(4), &json!(6), &json!(3))
    );
    assert_eq!(far["entities"][0]["snapshot"]["name"], far["entities"][0]["canonical_name"]);
    let edge = &far["relationships"][0];
    assert!(["relationship_type", "source_entity_id", "target_entity_id"].iter().all(|name| edge[*name].is_string()));
    assert_eq!(names(&get(json!({"direction": "outbound"})).await["entities"]), ["a"]);
    assert_eq!(names(&get(json!({"direction": "outbound", "max_hops": 2})).await["entities"]), ["a", "b"]);
    assert_eq!(names(&get(json!({"direction": "inbound"})).await["entities"]), by_id("a", "b"));
    assert_eq!(names(&get(json!({"relationship_types": ["SETTLES"], "max_hops": 5})).await["entities"]), [""; 0]);
    let both = get(json!({"relationship_types": ["SETTLES", "REFERS_TO"], "max_hops": 2})).await;
    assert_eq!(names(&both["entities"])[2..], ["c"]);
    let none = get(json!({"relationship_types": ["PART_OF"]})).await;
    assert_eq!((&none["total_entities"], &none["hops_traversed"]), (&json!(0), &json!(0)));
    let bare = get(json!({"include_entities": false})).await;
    assert!(bare["entities"].as_array().unwrap().iter().all(|one| one.get("snapshot").is_none()));
    assert_eq!(bare["total_entities"], 2);
    desk.requires("get_related_entities", &json!({"entity_id": "hub"}), &["entity_id"]).await;
}

// N-167, N-179
#[tokio::test]
async fn a_walk_is_capped_and_says_so() {
    let desk = Desk::new();
    companies(&desk, &["hub"]).await;
    let names: Vec<String> = (0..203).map(|number| format!("spoke {number}")).collect();
    companies(&desk, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    for spoke in &names[..200] {
        relate(&desk, "REFERS_TO", "hub", spoke).await;
    }
    let whole = desk.ok("get_related_entities", json!({"entity_id": "hub", "include_entities": false})).await;
    assert_eq!((&whole["total_entities"], &whole["truncated"]), (&json!(200), &json!(false)));
    for spoke in &names[200..] {
        relate(&desk, "REFERS_TO", spoke, "hub").await;
    }
    for more in [json!({}), json!({"relationship_types": ["REFERS_TO", "PART_OF"]})] {
        let mut arguments = json!({"entity_id": "hub", "include_entities": false});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let cut = desk.ok("get_related_entities", arguments).await;
        assert_eq!(
            (&cut["total_entities"], &cut["total_relationships"], &cut["truncated"]),
            (&json!(200), &json!(200), &json!(true))
        );
    }
    let around = desk.ok("get_graph_neighborhood", json!({"node_id": "hub"})).await;
    assert_eq!(around["relationships"].as_array().unwrap().len(), 100);
    assert_eq!(around["truncated"], json!(["relationships", "related_entities"]));
}

// N-169, N-170, N-171, N-172, N-173, N-174, N-175, N-176
#[tokio::test]
async fn the_neighborhood_of_an_entity_has_what_is_asked_for() {
    let desk = Desk::new();
    let first = desk
        .ok(
            "ingest",
            json!({"entities": [{"entity_type": "task", "title": "Ship", "status": "open", "due_date": "2024-05-01"}]}),
        )
        .await;
    let second =
        desk.ok("ingest", json!({"entities": [{"entity_type": "task", "title": "Ship", "status": "done"}]})).await;
    let id = first["entities"][0]["id"].clone();
    companies(&desk, &["Acme"]).await;
    let edge = relate(&desk, "REFERS_TO", "Ship", "Acme").await;
    let all = desk.ok("get_graph_neighborhood", json!({"node_id": "Ship", "include_observations": true})).await;
    assert_eq!((&all["node_id"], &all["node_type"]), (&id, &json!("entity")));
    assert_eq!((&all["entity"]["id"], &all["entity"]["canonical_name"]), (&id, &json!("Ship")));
    assert_eq!(
        all["entity_snapshot"],
        json!({"title": "Ship", "status": "done", "due_date": "2024-05-01"})
            .as_object()
            .map(|fields| {
                let mut fields = fields.clone();
                fields.sort_keys();
                Value::Object(fields)
            })
            .unwrap()
    );
    assert_eq!(ids(&all["relationships"]), [edge]);
    assert_eq!(names(&all["related_entities"]), ["Acme"]);
    assert_eq!(
        sorted(ids(&all["related_sources"])),
        sorted(vec![first["source_id"].clone(), second["source_id"].clone()])
    );
    assert_eq!(all["timeline_events"][0]["event_type"], "TaskDue");
    assert_eq!(all["timeline_events"], desk.ok("list_timeline_events", json!({})).await["events"]);
    assert_eq!(all["observations"], desk.ok("list_observations", json!({"entity_id": "Ship"})).await["observations"]);
    assert_eq!(
        all["relationships"],
        desk.ok("list_relationships", json!({"entity_id": "Ship"})).await["relationships"]
    );
    assert_eq!(all["truncated"], json!([]));
    assert!(all.get("source_material").is_none());
    let plain = desk.ok("get_graph_neighborhood", json!({"node_id": "Ship", "node_type": "entity"})).await;
    assert!(plain.get("observations").is_none() && plain.get("related_sources").is_some());
    let off =
        json!({"node_id": "Ship", "include_relationships": false, "include_sources": false, "include_events": false});
    let bare = desk.ok("get_graph_neighborhood", off).await;
    let absent = ["relationships", "related_entities", "related_sources", "timeline_events", "observations"];
    assert!(absent.iter().all(|part| bare.get(*part).is_none()) && bare.get("entity_snapshot").is_some());
    desk.requires("get_graph_neighborhood", &json!({"node_id": "Ship"}), &["node_id"]).await;
}

// N-170, N-171, N-175, N-176
#[tokio::test]
async fn the_neighborhood_of_a_source_has_what_it_speaks_about() {
    let desk = Desk::new();
    let stored = desk
        .ok(
            "ingest",
            json!({"entities": [
                {"entity_type": "task", "title": "Ship", "status": "open", "due_date": "2024-05-01"},
                {"entity_type": "company", "name": "Acme"},
            ]}),
        )
        .await;
    let other =
        desk.ok("ingest", json!({"entities": [{"entity_type": "company", "name": "Acme", "country": "DE"}]})).await;
    desk.store(json!([{"entity_type": "task", "title": "Rest", "status": "open", "due_date": "2024-06-01"}])).await;
    let edge = relate(&desk, "REFERS_TO", "Ship", "Acme").await;
    let arguments = json!({"node_id": stored["source_id"], "node_type": "source", "include_observations": true});
    let all = desk.ok("get_graph_neighborhood", arguments).await;
    assert_eq!((&all["node_id"], &all["node_type"]), (&stored["source_id"], &json!("source")));
    assert_eq!(
        (&all["source_material"]["id"], &all["source_material"]["kind"]),
        (&stored["source_id"], &json!("structured"))
    );
    assert!(all.get("entity").is_none() && all.get("entity_snapshot").is_none());
    assert_eq!(sorted(ids(&all["related_entities"])), sorted(ids(&stored["entities"])));
    assert_eq!(ids(&all["relationships"]), [edge]);
    assert_eq!(ids(&all["related_sources"]), [other["source_id"].clone()]);
    assert_eq!(all["timeline_events"].as_array().unwrap().len(), 1);
    let observed: Vec<Value> = all["observations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    let told = stored["entities"].as_array().unwrap().iter().map(|one| one["observation_id"].clone()).collect();
    assert_eq!(sorted(observed), sorted(told));
}

// N-177
#[tokio::test]
async fn unknown_nodes_are_refused_by_what_they_would_be() {
    let desk = Desk::new();
    for (node_id, node_type, code) in [
        ("ent_0123456789abcdef01234567", "entity", "ENTITY_NOT_FOUND"),
        ("Nobody", "entity", "ENTITY_NOT_FOUND"),
        ("ent_1", "entity", "VALIDATION_ERROR"),
        ("6f1f8a2e-1111-8222-8333-444455556666", "source", "SOURCE_NOT_FOUND"),
        ("Nobody", "source", "VALIDATION_ERROR"),
        ("ent_0123456789abcdef01234567", "source", "VALIDATION_ERROR"),
        ("Nobody", "planet", "VALIDATION_ERROR"),
    ] {
        let refused = desk.refused("get_graph_neighborhood", json!({"node_id": node_id, "node_type": node_type})).await;
        assert_eq!(refused["code"], code, "{node_id} {node_type}");
    }
}

// N-118, N-179
#[tokio::test]
async fn every_part_of_a_neighborhood_is_capped() {
    let desk = Desk::new();
    for number in 0..101 {
        desk.store(json!([{"entity_type": "task", "title": "Ship", "status": format!("s{number}")}])).await;
    }
    let around = desk.ok("get_graph_neighborhood", json!({"node_id": "Ship", "include_observations": true})).await;
    assert_eq!(around["observations"].as_array().unwrap().len(), 100);
    let listed = desk.ok("list_observations", json!({"entity_id": "Ship"})).await;
    assert_eq!((listed["observations"].as_array().unwrap().len(), &listed["total"]), (100, &json!(101)));
    assert_eq!(around["related_sources"].as_array().unwrap().len(), 100);
    assert_eq!(around["truncated"], json!(["related_sources", "observations"]));
    let many: Vec<Value> = (0..101)
        .map(|number| json!({"entity_type": "task", "title": format!("T{number}"), "status": "open", "due_date": "2024-05-01"}))
        .collect();
    let stored = desk.ok("ingest", json!({"entities": many})).await;
    let arguments = json!({"node_id": stored["source_id"], "node_type": "source", "include_observations": true, "include_sources": false});
    let around = desk.ok("get_graph_neighborhood", arguments).await;
    assert_eq!(around["truncated"], json!(["related_entities", "timeline_events", "observations"]));
    for part in ["related_entities", "timeline_events", "observations"] {
        assert_eq!(around[part].as_array().unwrap().len(), 100, "{part}");
    }
}
