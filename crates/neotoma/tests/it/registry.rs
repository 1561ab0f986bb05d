//! Types that a user registers.

use serde_json::{Value, json};

use crate::desk::{Caller, Desk};

async fn register(desk: &Desk, definition: Value) -> Value {
    desk.ok("register_schema", json!({"entity_type": "recipe", "definition": definition})).await
}

// N-296, N-297, N-322
#[tokio::test]
async fn a_definition_is_kept_as_it_was_written() {
    let desk = Desk::new();
    desk.ok("register_schema", json!({"relationship_type": "FROM_BOOK"})).await;
    let definition = json!({
        "fields": {
            "title": {"type": "string", "required": true, "description": "What it is called", "sensitivity": "low"},
            "portions": {"type": "number", "min": 1.0, "max": 12.0},
            "course": {"type": "string", "enum": ["main", "dessert"]},
            "code": {"type": "string", "pattern": "^R-"},
            "cooked_on": {"type": "date"}, "vegan": {"type": "boolean"},
            "steps": {"type": "array"}, "nutrition": {"type": "object"}, "book": {"type": "string"},
        },
        "identity": [["code"], ["title", "book"]],
        "strict": true,
        "temporal_fields": [{"field": "cooked_on", "event_type": "Cooked"}],
        "reference_fields": [{"field": "book", "relationship_type": "FROM_BOOK", "target_type": "book"}],
        "aliases": ["dish", "receta"],
        "reducers": {"steps": {"strategy": "merge_array"}, "title": {"strategy": "highest_priority", "tie_breaker": "source_priority"}},
        "metadata": {"owner": "kitchen"},
    });
    let answer = register(&desk, definition.clone()).await;
    assert_eq!((&answer["entity_type"], &answer["schema_version"]), (&json!("recipe"), &json!("1.0")));
    let described = desk.ok("describe_schema", json!({"entity_type": "recipe"})).await["schema"].clone();
    assert_eq!((&described["scope"], &described["active"]), (&json!("user"), &json!(true)));
    for (key, said) in definition.as_object().unwrap() {
        assert_eq!(&described[key], said, "{key}");
    }
    // What a description shows can be registered, and changes nothing.
    let commits = desk.commits().await;
    assert_eq!(register(&desk, described).await["schema_version"], "1.0");
    assert_eq!(desk.commits().await, commits);
    let soup = json!([{"entity_type": "Recetas", "code": "R-1", "cooked_on": "2027-01-02", "book": "Basics"}]);
    let id = desk.store(soup).await;
    assert_eq!(desk.snapshot(&id).await["entity_type"], "recipe");
    assert_eq!(desk.ok("list_timeline_events", json!({})).await["events"][0]["event_type"], "Cooked");
    let edges = desk.ok("list_relationships", json!({"entity_id": id})).await;
    assert_eq!(edges["relationships"][0]["relationship_type"], "FROM_BOOK");
    let nameless = desk.refused("ingest", json!({"entities": [{"entity_type": "recipe", "vegan": true}]})).await;
    assert_eq!(nameless["code"], "VALIDATION_ERROR");
    desk.verify().await;
}

// N-298
#[tokio::test]
async fn what_changed_decides_the_version() {
    let desk = Desk::new();
    let say = async |definition: Value| register(&desk, definition).await["schema_version"].clone();
    let title = json!({"type": "string"});
    assert_eq!(say(json!({"fields": {"title": title}})).await, "1.0");
    let id = desk.store(json!([{"entity_type": "recipe", "title": "Soup"}])).await;
    assert_eq!(say(json!({"fields": {"title": title, "portions": {"type": "number"}}})).await, "1.1");
    assert_eq!(say(json!({"fields": {"title": title, "portions": {"type": "number"}}})).await, "1.1");
    assert_eq!(say(json!({"fields": {"title": title}})).await, "2.0");
    assert_eq!(say(json!({"fields": {"title": title}, "identity": [["title"]]})).await, "3.0");
    // Observations keep the version they were written under; the snapshot has the active one.
    let observations = desk.ok("list_observations", json!({"entity_id": id})).await;
    assert_eq!(observations["observations"][0]["schema_version"], "1.0");
    assert_eq!(desk.snapshot(&id).await["schema_version"], "3.0");
}

// N-296
#[tokio::test]
async fn a_users_schema_wins_over_the_built_in_one_for_that_user_only() {
    let desk = Desk::new();
    let definition = json!({"fields": {"title": {}, "status": {"type": "number"}}, "identity": [["title"]]});
    let answer = desk.ok("register_schema", json!({"entity_type": "task", "definition": definition})).await;
    assert_eq!(answer["schema_version"], "2.0");
    let task = json!({"entities": [{"entity_type": "task", "title": "Ship", "status": "open"}]});
    let own = desk.ok("ingest", task.clone()).await;
    assert_eq!(own["warnings"][0]["field"], "status");
    let bob = Caller { tenant: "local", user: "bob" };
    let others = desk.call_as(bob, "ingest", task).await.unwrap();
    assert_eq!(others.get("warnings").cloned().unwrap_or(json!([])), json!([]));
}

// N-303, N-301
#[tokio::test]
async fn promoting_a_field_changes_no_value_and_is_seen_at_once() {
    let desk = Desk::new();
    register(&desk, json!({"fields": {"title": {}}})).await;
    let soup = json!({"entity_type": "recipe", "title": "Soup", "cooked": "2027-01-02", "tags": ["a"]});
    let id = desk.store(json!([soup])).await;
    desk.store(json!([{"entity_type": "recipe", "title": "Soup", "tags": ["b"]}])).await;
    let gone = desk.store(json!([{"entity_type": "recipe", "title": "Gone", "tags": ["c"]}])).await;
    desk.ok("delete", json!({"id": gone})).await;
    let before = desk.snapshot(&id).await;
    assert_eq!(before["unvalidated"], json!(["cooked", "tags"]));
    let answer =
        register(&desk, json!({"fields": {"title": {}, "cooked": {"type": "date"}, "tags": {"type": "array"}}})).await;
    assert_eq!(answer["entities_recomputed"], 2);
    let after = desk.snapshot(&id).await;
    assert_eq!((&after["snapshot"], &after["provenance"]), (&before["snapshot"], &before["provenance"]));
    assert!(after.get("unvalidated").is_none_or(|left| *left == json!([])));
    // Another reducer gives other values from the same observations.
    let fields = json!({"title": {}, "cooked": {"type": "date"}, "tags": {"type": "array"}});
    register(
        &desk,
        json!({
            "fields": fields,
            "reducers": {"tags": {"strategy": "merge_array"}},
            "temporal_fields": [{"field": "cooked", "event_type": "Cooked"}],
        }),
    )
    .await;
    assert_eq!(desk.snapshot(&id).await["snapshot"]["tags"], json!(["a", "b"]));
    let events = desk.ok("list_timeline_events", json!({})).await;
    assert_eq!((&events["total"], &events["events"][0]["event_type"]), (&json!(1), &json!("Cooked")));
    let observations = desk.ok("list_observations", json!({"entity_id": id})).await;
    assert_eq!(observations["total"], 2);
    desk.ok("restore", json!({"id": gone})).await;
    assert_eq!(desk.snapshot(&gone).await["snapshot"]["tags"], json!(["c"]));
    desk.verify().await;
}

// N-299
#[tokio::test]
async fn type_names_are_plain_words() {
    let desk = Desk::new();
    for name in ["Recipe", "1a", "", "a-b", "../etc", "__proto__", "receta día", &"a".repeat(65)] {
        let arguments = json!({"entity_type": name, "definition": {"fields": {}}});
        let refused = desk.refused("register_schema", arguments).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!("entity_type"))
        );
    }
    for name in ["invoices", "bill", "people"] {
        let refused = desk.refused("register_schema", json!({"entity_type": name, "definition": {"fields": {}}})).await;
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{name} means another type");
    }
    desk.ok("register_schema", json!({"entity_type": "a".repeat(64), "definition": {"fields": {}}})).await;
}

// N-297, N-322
#[tokio::test]
async fn a_definition_that_says_something_else_is_refused_by_its_path() {
    let desk = Desk::new();
    desk.ok("register_schema", json!({"entity_type": "book", "definition": {"fields": {}, "aliases": ["volume"]}}))
        .await;
    let commits = desk.commits().await;
    let cases = [
        (json!({"fields": {}, "SECRET_KEY": 1}), "definition.SECRET_KEY"),
        (json!({"fields": []}), "definition.fields"),
        (json!({"fields": {"a": "SECRET"}}), "definition.fields.a"),
        (json!({"fields": {"a": {"type": "SECRET"}}}), "definition.fields.a.type"),
        (json!({"fields": {"a": {"type": "string", "size": 3}}}), "definition.fields.a.size"),
        (json!({"fields": {"a": {"required": "SECRET"}}}), "definition.fields.a.required"),
        (json!({"fields": {"a": {"min": 2, "max": 1}}}), "definition.fields.a"),
        (json!({"fields": {"a": {"pattern": "(SECRET"}}}), "definition.fields.a"),
        (json!({"fields": {}, "identity": ["a"]}), "definition.identity[0]"),
        (json!({"fields": {}, "identity": [[]]}), "definition.identity"),
        (json!({"fields": {}, "identity": [["b"]]}), "definition.fields.b"),
        (json!({"fields": {}, "strict": "SECRET"}), "definition.strict"),
        (json!({"fields": {}, "strict": true}), "definition.strict"),
        (json!({"fields": {"a": {}}, "temporal_fields": [{"field": "a"}]}), "definition.temporal_fields[0].event_type"),
        (
            json!({"fields": {"a": {}}, "temporal_fields": [{"field": "a", "event_type": "x", "y": 1}]}),
            "definition.temporal_fields[0].y",
        ),
        (
            json!({"fields": {"a": {}}, "reference_fields": [{"field": "a", "relationship_type": "NOPE", "target_type": "b"}]}),
            "definition.reference_fields[0].relationship_type",
        ),
        (
            json!({"fields": {"a": {}}, "reference_fields": [{"field": "a", "relationship_type": "PART_OF", "target_type": "B SECRET"}]}),
            "definition.reference_fields[0].target_type",
        ),
        (json!({"fields": {"a": {}}, "reducers": {"a": {"strategy": "SECRET"}}}), "definition.reducers.a.strategy"),
        (json!({"fields": {"a": {}}, "reducers": {"a": {"order": 1}}}), "definition.reducers.a.order"),
        (json!({"fields": {}, "aliases": ["fine", "no SECRET!"]}), "definition.aliases[1]"),
        (json!({"fields": {}, "aliases": ["task"]}), "definition.aliases[0]"),
        (json!({"fields": {}, "aliases": ["book"]}), "definition.aliases[0]"),
        (json!({"fields": {}, "aliases": ["volume"]}), "definition.aliases[0]"),
        (json!({"fields": {}, "metadata": 1}), "definition.metadata"),
        (json!({"fields": {}, "entity_type": "SECRET"}), "definition.entity_type"),
        (json!({"fields": {"a\u{1}": {}}}), "definition/fields"),
    ];
    for (definition, path) in cases {
        let refused = desk.refused("register_schema", json!({"entity_type": "recipe", "definition": definition})).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!(path)),
            "{refused}"
        );
        assert!(path.contains("SECRET") || !refused.to_string().contains("SECRET"), "{refused}");
    }
    for arguments in [
        json!({}),
        json!({"entity_type": "recipe"}),
        json!({"entity_type": "recipe", "definition": {"fields": {}}, "relationship_type": "X"}),
        json!({"relationship_type": "no way"}),
        json!({"relationship_type": "X", "definition": {}}),
        json!({"relationship_type": "PART_OF", "acyclic": false}),
    ] {
        assert_eq!(desk.refused("register_schema", arguments).await["code"], "VALIDATION_ERROR");
    }
    assert_eq!(desk.commits().await, commits);
}

// N-300
#[tokio::test]
async fn aliases_of_registered_types_fold_for_their_user() {
    let desk = Desk::new();
    register(&desk, json!({"fields": {"title": {}}, "aliases": ["dish"]})).await;
    let id = desk.store(json!([{"entity_type": "Dishes", "title": "Soup"}])).await;
    assert_eq!(desk.snapshot(&id).await["entity_type"], "recipe");
    assert_eq!(desk.ok("retrieve_entities", json!({"entity_type": "dish"})).await["total"], 1);
    assert_eq!(desk.ok("describe_schema", json!({"entity_type": "dish"})).await["schema"]["entity_type"], "recipe");
    let bob = Caller { tenant: "local", user: "bob" };
    let other =
        desk.call_as(bob, "ingest", json!({"entities": [{"entity_type": "dish", "title": "Soup"}]})).await.unwrap();
    assert_eq!(other["entities"][0]["entity_type"], "dish");
}

// N-238
#[tokio::test]
async fn a_relationship_type_keeps_its_rule() {
    let desk = Desk::new();
    let say = |acyclic: bool| json!({"relationship_type": "MENTORS", "acyclic": acyclic});
    assert_eq!(desk.ok("register_schema", say(true)).await["relationship_type"], "MENTORS");
    let commits = desk.commits().await;
    desk.ok("register_schema", say(true)).await;
    assert_eq!(desk.commits().await, commits);
    assert_eq!(desk.refused("register_schema", say(false)).await["code"], "VALIDATION_ERROR");
    let listed = desk.ok("describe_schema", json!({})).await;
    assert!(listed["relationship_types"].as_array().unwrap().contains(&json!({"name": "MENTORS", "acyclic": true})));
}

#[tokio::test]
async fn more_entities_than_one_call_computes_again_are_refused() {
    let desk = Desk::new();
    let recipe = |number: usize| json!({"entity_type": "recipe", "title": format!("recipe {number}x")});
    desk.ok("ingest", json!({"entities": (0..5000).map(recipe).collect::<Vec<_>>()})).await;
    let declare = |fields: Value| json!({"entity_type": "recipe", "definition": {"fields": fields}});
    let answer = desk.ok("register_schema", declare(json!({"title": {}}))).await;
    assert_eq!(answer["entities_recomputed"], 5000);
    desk.ok("ingest", json!({"entities": [recipe(5000)]})).await;
    let commits = desk.commits().await;
    let refused = desk.refused("register_schema", declare(json!({"title": {}, "more": {}}))).await;
    assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("entity_type")));
    assert_eq!(desk.commits().await, commits);
}

#[tokio::test]
async fn a_schema_of_the_users_own_for_a_built_in_type_says_who_an_entity_is() {
    let desk = Desk::new();
    let definition = json!({"fields": {"number": {"type": "string"}}, "identity": [["number"]], "strict": true});
    desk.ok("register_schema", json!({"entity_type": "note", "definition": definition})).await;
    let note = |number: &str| json!({"entity_type": "note", "title": "Shopping", "number": number});
    for many in [1, 20] {
        let notes: Vec<Value> = (0..many).map(|number| note(&format!("{many}-{number}"))).collect();
        let stored = desk.ok("ingest", json!({"entities": notes})).await;
        assert_eq!(stored["interpretation"]["entities_created"], many);
    }
    let unidentified = json!([{"entity_type": "note", "title": "Shopping"}]);
    assert_eq!(desk.refused("ingest", json!({"entities": unidentified})).await["code"], "VALIDATION_ERROR");
}
