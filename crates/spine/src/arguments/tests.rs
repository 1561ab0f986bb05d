use serde_json::json;

use super::*;

fn checker() -> Checker {
    let schema = json!({
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["ApplicationComponent", "ApplicationService", "Node"] },
            "name": { "type": "string", "minLength": 1 },
            "properties": { "type": "object", "additionalProperties": true },
            "page_size": { "type": "integer", "minimum": 1, "default": 50 },
            "read_context": {
                "type": "object",
                "properties": { "selector": { "type": "string", "enum": ["head", "as_of"] } },
                "additionalProperties": false
            },
            "nodes": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "element_id": { "type": "string" },
                        "width": { "type": "integer", "default": 120 }
                    },
                    "required": ["element_id"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["type", "name"],
        "additionalProperties": false
    });
    compiled(schema)
}

fn compiled(schema: Value) -> Checker {
    Checker::new(schema.as_object().unwrap(), "transformation").unwrap()
}

fn check(arguments: Value) -> Result<Value, Misfit> {
    check_with(&checker(), arguments)
}

fn check_with(checker: &Checker, arguments: Value) -> Result<Value, Misfit> {
    let checked = checker.check(arguments.as_object().unwrap().clone(), &CancellationToken::new());
    checked.map(|checked| Value::Object(checked.arguments))
}

#[track_caller]
fn refused(arguments: Value, path: &str, part: &str) {
    let violations = check(arguments).unwrap_err().violations;
    let first = &violations[0];
    assert_eq!(first.path, path, "{violations:?}");
    assert!(format!("{:?}", first.kind).contains(part), "{violations:?}");
}

// R-234
#[test]
fn what_is_certain_is_put_right() {
    for spelling in
        ["ApplicationComponent", "APPLICATION_COMPONENT", "application component", "archimate:application-component"]
    {
        let checked = check(json!({ "type": spelling, "name": "x", "properties": "{\"a\": 1}", "read_context": null }));
        let expected =
            json!({ "type": "ApplicationComponent", "name": "x", "properties": { "a": 1 }, "page_size": 50 });
        assert_eq!(checked, Ok(expected));
    }
}

// R-803
#[test]
fn a_misspelt_name_is_refused_with_the_nearest() {
    refused(json!({ "type": "Node", "nmae": "x" }), "nmae", r#"nearest: ["name"]"#);
    refused(
        json!({ "type": "Node", "name": "x", "read_context": { "selektor": "head" } }),
        "read_context.selektor",
        r#"nearest: ["selector"]"#,
    );
}

// R-142
#[test]
fn what_the_platform_supplies_is_refused_as_an_argument() {
    refused(json!({ "type": "Node", "name": "x", "tenant_id": "t" }), "tenant_id", "Unknown");
}

#[test]
fn each_class_of_mistake_names_its_field() {
    refused(json!({ "type": "Node" }), "name", "Missing");
    refused(json!({ "type": "AppComponent", "name": "x" }), "type", r#"nearest: ["ApplicationComponent""#);
    refused(json!({ "type": "Node", "name": "" }), "name", "Other");
    refused(json!({ "type": "Node", "name": "x", "page_size": "5" }), "page_size", "WrongType");
    refused(json!({ "type": "Node", "name": "a\u{0}b" }), "name", "NUL");
}

// what is certain is offered, ready to send.
#[test]
fn certain_corrections_are_offered() {
    offered(json!({ "type": "Nodee", "name": "x" }), json!({ "type": "Node", "name": "x" }));
    offered(json!({ "type": "Node", "nmae": "x" }), json!({ "type": "Node", "name": "x" }));
    offered(
        json!({ "type": "Node", "name": "x", "pageSize": "5" }),
        json!({ "type": "Node", "name": "x", "page_size": 5 }),
    );
    offered(json!({ "type": ["Node"], "name": 7 }), json!({ "type": "Node", "name": "7" }));
    offered(
        json!({ "type": "Node", "name": "x", "readContext": { "Selector": "HEAD" } }),
        json!({ "type": "Node", "name": "x", "read_context": { "selector": "head" } }),
    );
    offered(
        json!({ "type": "Node", "name": "x", "nodes": [{ "elementId": "e" }, { "element_id": 7, "width": "9" }] }),
        json!({ "type": "Node", "name": "x", "nodes": [{ "element_id": "e" }, { "element_id": "7", "width": 9 }] }),
    );
}

// R-234: a namespace is left out where it is known; any other word in front changes the meaning.
#[test]
fn only_known_namespaces_are_left_out() {
    for spelling in
        ["archimate:Node", "transformation.Node", "type.Node", "ElementType.NODE", "transformation:ElementType.Node"]
    {
        let checked = check(json!({ "type": spelling, "name": "x" })).unwrap();
        assert_eq!(checked["type"], "Node", "{spelling}");
    }
    for spelling in ["not.Node", "Application.Node", "no:Node", "ApplicationService.Node", "monitor.Node"] {
        refused(json!({ "type": spelling, "name": "x" }), "type", "NotOneOf");
    }
    left_open(json!({ "type": "not.Node", "name": "x" }), "type");
}

fn changing() -> Checker {
    compiled(json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "name": { "type": "string", "minLength": 1 },
            "description": { "type": "string" },
            "lifecycle": { "type": "string", "enum": ["Planned", "Active"] },
            "properties": { "type": "object", "additionalProperties": true },
            "cascade": { "type": "boolean", "default": true },
            "expected_version": { "type": "integer" },
            "client_request_id": { "type": "string" }
        },
        "required": ["id"]
    }))
}

#[test]
fn null_clears_what_can_be_cleared_and_is_refused_where_nothing_can() {
    let given =
        json!({ "id": "e", "description": null, "expected_version": null, "client_request_id": null, "cascade": null });
    let understood = json!({ "id": "e", "description": "", "cascade": true });
    assert_eq!(check_with(&changing(), given), Ok(understood));
    for name in ["name", "lifecycle", "properties"] {
        let misfit = check_with(&changing(), json!({ "id": "e", name: null })).unwrap_err();
        let shown = format!("{:?}", misfit.violations);
        assert!(shown.contains("cannot be cleared") && shown.contains(&format!("leave {name} out")), "{shown}");
        assert_eq!(misfit.open, [name]);
    }
    // Where something is made, there is nothing to clear.
    assert_eq!(check(json!({ "type": "Node", "name": "x", "nodes": null })).unwrap().get("nodes"), None);
}

// R-282: one rule for keys, whatever a schema says about them.
#[test]
fn a_key_is_printable_and_bounded() {
    let given = |key: Value| json!({ "id": "e", "client_request_id": key });
    let recommended = ["createElement-20260728T100000Z-1f2e3d", "createElement-0198c5a4-1111-7000-8000-000000000001"];
    for key in ["k", "create element 1", &"k".repeat(255), recommended[0], recommended[1]] {
        assert!(check_with(&changing(), given(json!(key))).is_ok(), "{key}");
    }
    for key in ["", "a\nb", "\u{7f}", "clé", "a\u{200b}b", &"k".repeat(256)] {
        let misfit = check_with(&changing(), given(json!(key))).unwrap_err();
        let shown = format!("{:?}", misfit.violations);
        assert_eq!(misfit.violations[0].path, "client_request_id");
        assert!(shown.contains("1 to 255 printable ASCII characters"), "{shown}");
    }
}

// What only names something is searched for, so it is bounded though no schema says so.
#[test]
fn what_names_something_is_not_long() {
    let checker = compiled(json!({
        "type": "object",
        "properties": {
            "entity_id": { "type": "string" },
            "element_ids": { "type": "array", "items": { "type": "string" } },
            "text": { "type": "string" }
        }
    }));
    let long = "é".repeat(4_097);
    assert!(check_with(&checker, json!({ "entity_id": "é".repeat(4_096), "text": long })).is_ok());
    for (arguments, path) in
        [(json!({ "entity_id": long }), "entity_id"), (json!({ "element_ids": ["a", long] }), "element_ids.1")]
    {
        let misfit = check_with(&checker, arguments).unwrap_err();
        assert_eq!(misfit.violations[0].path, path);
        assert!(format!("{:?}", misfit.violations).contains("is longer than 4096 characters"), "{misfit:?}");
    }
}

#[test]
fn what_is_missing_comes_with_what_it_takes() {
    let checker = compiled(json!({
        "type": "object",
        "properties": { "profile": {
            "type": "object",
            "properties": { "criticality": { "type": "string", "enum": ["Low", "High"] }, "owner": { "type": "string", "maxLength": 9 } },
            "required": ["criticality", "owner"]
        } },
        "required": ["profile"]
    }));
    let wanted = |arguments: Value| match check_with(&checker, arguments).unwrap_err().violations.remove(0).kind {
        ViolationKind::Missing { wanted } => wanted,
        other => panic!("{other:?}"),
    };
    assert_eq!(wanted(json!({ "profile": { "owner": "o" } })), "one of Low, High");
    assert_eq!(wanted(json!({ "profile": { "criticality": "Low" } })), "a text of at most 9 characters");
    assert_eq!(wanted(json!({})), "an object with criticality (one of Low, High), owner");
}

// a word that means one of the permitted ones.
#[test]
fn synonyms_are_offered() {
    offered(
        json!({ "type": "Node", "title": "x", "limit": 5, "read_context": { "selector": "latest" } }),
        json!({ "type": "Node", "name": "x", "page_size": 5, "read_context": { "selector": "head" } }),
    );
    offered(
        json!({ "type": { "value": "Node" }, "name": "x", "nodes": [{ "element": { "id": "e", "name": "n" } }] }),
        json!({ "type": "Node", "name": "x", "nodes": [{ "element_id": "e" }] }),
    );
}

// one object too many, one too few.
#[test]
fn wrong_nesting_is_put_right() {
    let right = json!({ "type": "Node", "name": "x", "read_context": { "selector": "head" } });
    offered(
        json!({ "arguments": { "type": "Node", "name": "x", "read_context": { "selector": "head" } } }),
        right.clone(),
    );
    offered(json!({ "type": "Node", "name": "x", "selector": "head" }), right.clone());
    offered(json!({ "type": "Node", "read_context": { "selector": "head", "name": "x" } }), right.clone());
    offered(json!({ "type": "Node", "name": "x", "read_context": [{ "selector": "head" }] }), right);
    let intent = compiled(json!({
        "type": "object",
        "properties": {
            "operation": { "type": "string", "enum": ["createView", "deleteView"] },
            "create_view": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
            "delete_view": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] }
        },
        "required": ["operation"]
    }));
    let misfit = check_with(&intent, json!({ "operation": "createView", "name": "v" })).unwrap_err();
    assert_eq!(Value::Object(misfit.corrected), json!({ "operation": "createView", "create_view": { "name": "v" } }));
    assert_eq!(misfit.open, Vec::<String>::new());
}

#[test]
fn dates_and_settings_past_their_bound_are_put_right() {
    let checker = compiled(json!({
        "type": "object",
        "properties": {
            "as_of": { "type": "string", "format": "date-time" },
            "limit": { "type": "integer", "minimum": 1, "maximum": 200, "default": 50 },
            "width": { "type": "integer", "maximum": 200 }
        }
    }));
    let corrected = |arguments: Value| {
        let misfit = check_with(&checker, arguments).unwrap_err();
        (Value::Object(misfit.corrected), misfit.open)
    };
    assert_eq!(corrected(json!({ "as_of": "28 July 2026" })).0, json!({ "as_of": "2026-07-28T00:00:00Z" }));
    assert_eq!(corrected(json!({ "limit": 5000 })).0, json!({ "limit": 200 }));
    assert_eq!(corrected(json!({ "as_of": "soon" })).1, ["as_of"]);
    // Data is not cut to fit.
    assert_eq!(corrected(json!({ "width": 5000 })).1, ["width"]);
}

// The longest input that is let in, at every kind of check. The explanation stays small, and the work behind it is in
// proportion to the input: anything else would not end here.
#[test]
fn the_longest_input_is_refused_with_a_short_answer() {
    const BYTES: usize = 4 * 1024 * 1024;
    let long = "a".repeat(BYTES);
    let names = |count: usize| -> Value {
        (0..count).map(|number| (format!("name{number}"), Value::from(number))).collect::<Map<_, _>>().into()
    };
    let many = |item: Value, count: usize| Value::Array(vec![item; count]);
    let with = |name: &str, value: Value| json!({ "type": "Node", "name": "x", name: value });
    let mut wide = names(400_000);
    wide["type"] = "Node".into();
    let inputs = [
        ("unknown names", wide),
        ("unknown names further in", with("read_context", names(400_000))),
        ("a long unknown name", json!({ "type": "Node", "name": "x", long.clone(): 1 })),
        ("a long word", json!({ "type": long, "name": "x" })),
        ("a word of separators", json!({ "type": " _-".repeat(BYTES / 3), "name": "x" })),
        ("a word in namespaces", json!({ "type": "archimate:".repeat(BYTES / 10), "name": "x" })),
        ("an object where a word belongs", with("type", names(400_000))),
        ("a list where a word belongs", with("type", many(json!("Node"), 500_000))),
        ("a text in place of an object", with("read_context", json!(long))),
        ("a text that is nearly an object", with("properties", json!("{\"a\":".repeat(60) + &long))),
        ("wrong items", with("nodes", many(json!(0), 2_000_000))),
        ("items with unknown names", with("nodes", many(json!({ "elementId": "e" }), 200_000))),
        ("items that lack a name", with("nodes", many(json!({}), 500_000))),
        ("long items", with("nodes", many(json!({ "element_id": "e".repeat(1000), "width": "9" }), 4_000))),
        ("a wide item", with("nodes", json!([names(400_000)]))),
        ("a NUL at the end", with("name", json!(long.clone() + "\0"))),
        ("a long key", json!({ "type": "Node", "name": "x", "page_size": 0, "properties": { long.clone(): long } })),
    ];
    for (kind, input) in inputs {
        let misfit = check(input).expect_err(kind);
        let shown = format!("{misfit:?}");
        assert!(!misfit.violations.is_empty() && misfit.violations.len() <= 33, "{kind}");
        assert!(shown.len() < 40_000, "{kind}: {} bytes", shown.len());
    }
}

// what only the capability knows is completed to a call that can be sent.
#[test]
fn corrections_of_a_refusal_are_completed() {
    let arguments = json!({ "type": "Serving", "from": { "id": "a" }, "to": "b", "at": "soon" });
    let completed = |refusal: CallError| {
        let kept = Kept::of(arguments.as_object().unwrap());
        kept.completed(refusal).suggestions.get("corrected_arguments").cloned()
    };
    let refusal = || CallError::invalid("no");
    let swapped = json!({ "type": "Serving", "from": { "id": "b" }, "to": "a", "at": "soon" });
    assert_eq!(completed(refusal().swap("from.id", "to")), Some(swapped));
    let set = json!({ "type": "Flow", "from": { "id": "a" }, "to": "b", "at": "now" });
    assert_eq!(completed(refusal().correct("type", "Flow").correct("at", "now")), Some(set));
    assert_eq!(completed(refusal().correct("from.name", "x")), None);
    assert_eq!(completed(refusal()), None);
    assert_eq!(completed(refusal().suggest("corrected_arguments", 7).correct("type", "Flow")), Some(json!(7)));
}

#[test]
fn who_is_gone_is_not_worked_for() {
    let gone = CancellationToken::new();
    gone.cancel();
    let arguments = json!({ "type": "Node", "name": "x", "nodes": vec![json!({ "element_id": 1 }); 10] });
    let misfit = checker().check(arguments.as_object().unwrap().clone(), &gone).unwrap_err();
    assert!(misfit.violations.len() <= 1, "{misfit:?}");
}

#[test]
fn what_is_uncertain_stays_open() {
    left_open(json!({ "type": "Node" }), "name");
    left_open(json!({ "type": "Node", "name": "x", "tenant_id": "t" }), "tenant_id");
    left_open(json!({ "type": "ApplicationSomething", "name": "x" }), "type");
    left_open(json!({ "type": "Node", "name": ["x", "y"] }), "name");
    left_open(json!({ "type": "Node", "name": "x", "page_size": 0 }), "page_size");
    left_open(
        json!({ "type": "Node", "name": "x", "nodes": [{ "element_id": "e", "colour": "red" }] }),
        "nodes.0.colour",
    );
}

#[track_caller]
fn offered(arguments: Value, expected: Value) {
    let misfit = check(arguments).unwrap_err();
    assert_eq!((Value::Object(misfit.corrected), misfit.open), (expected, vec![]));
}

#[track_caller]
fn left_open(arguments: Value, path: &str) {
    assert_eq!(check(arguments).unwrap_err().open, [path]);
}
