//! Each rule refuses the stub once it is spoiled in one place, and names the line and the fix.

use crate::fixture::{STUB, changed, compiled, source};

/// Spoils the stub and expects exactly these problems.
#[track_caller]
fn check(from: &str, to: &str, expected: &[&str]) {
    let (_, _, problems) = compiled(&changed(from, to));
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, expected, "after replacing {from:?} by {to:?}");
}

#[test]
fn the_stub_is_without_fault() {
    assert_eq!(compiled(STUB).2, []);
}

#[test]
fn a_proto_that_does_not_parse_is_reported_with_its_line() {
    let problem = source(&changed("string street = 1;", "string street = ;")).err().map(|problem| problem.to_string());
    let text = problem.unwrap_or_default();
    assert!(text.starts_with("stub.proto:34: error: "), "{text}");
}

// R-021, R-022, R-025, R-460, R-512
#[test]
fn tool_names_follow_the_convention() {
    let fix = "use the form stub.lowerCamelCase";
    for name in ["stub.DeleteThing", "stub.delete_thing", "other.deleteThing", "delete_thing", "stub.", "stub.a.b"] {
        let expected = format!("stub.proto:22: error: tool_name {name:?} breaks the convention; {fix}");
        check("stub.deleteThing", name, &[&expected]);
    }
    let expected =
        "stub.proto:22: error: tool_name stub.deleteThingAndEverythingThatTouchesIt has 42 characters; use at most 40";
    check("stub.deleteThing", "stub.deleteThingAndEverythingThatTouchesIt", &[expected]);
}

#[test]
fn a_capability_without_dots_keeps_to_underscores() {
    let plain = STUB.replace("stub.listThings", "neo4j_list_things");
    let problems = |text: &str| compiled(text).2.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(problems(&plain.replace("stub.deleteThing", "neo4j_delete_thing")), [""; 0]);
    assert_eq!(
        problems(&plain),
        [r#"stub.proto:22: error: tool_name "stub.deleteThing" breaks the convention; use the form [a-z0-9_]+"#]
    );
}

#[test]
fn tool_names_differ_in_every_spelling() {
    check(
        "stub.deleteThing",
        "stub.listthings",
        &[
            "stub.proto:22: error: tool stub.listthings is the same as stub.listThings at stub.proto:9 to clients that fold \
           case or dots; rename one of them",
        ],
    );
}

#[test]
fn titles_are_short_and_descriptions_exist() {
    check(
        "\"List things\"",
        "\"List every single thing that anyone has ever put into the store\"",
        &["stub.proto:9: error: the title of stub.listThings has 63 characters; use at most 60"],
    );
    let expected = "error: tool stub.listThings has no description; write a comment above the method";
    check("  // List things.\n", "\n", &[&format!("stub.proto:9: {expected}")]);
}

#[test]
fn names_of_capabilities_fit_paths() {
    check(
        "name: \"stub\"",
        "name: \"Stub\"",
        &[
            "stub.proto:2: error: capability name \"Stub\" cannot be a path and a URI scheme; use lower-case letters, \
             digits and underscores, a letter first",
            "stub.proto:9: error: tool_name \"stub.listThings\" breaks the convention; use the form Stub.lowerCamelCase",
            "stub.proto:22: error: tool_name \"stub.deleteThing\" breaks the convention; use the form Stub.lowerCamelCase",
            "stub.proto:48: error: entity uri \"stub://thing/{id}\" of Thing is of another capability; start it with Stub://",
        ],
    );
}

#[test]
fn services_belong_to_a_capability() {
    let fix = "set option (ameide.mcp.capability) in one file of package stub.v1";
    let read = format!("stub.proto:7: error: service ThingQueryService belongs to no capability; {fix}");
    let write = format!("stub.proto:20: error: service ThingWriteService belongs to no capability; {fix}");
    let option = "option (ameide.mcp.capability) = { name: \"stub\" title: \"Stub\" instructions: \"Things.\" };";
    check(option, "", &[&read, &write]);
}

// R-365, R-366
#[test]
fn hints_are_stated() {
    check(
        "hints: { read_only: true destructive: false idempotent: true }",
        "hints: { read_only: true }",
        &[
            "stub.proto:9: error: tool stub.listThings does not state destructive, idempotent; state read_only, destructive \
           and idempotent in hints",
        ],
    );
}

// R-368
#[test]
fn hints_agree_with_the_side() {
    let query = "stub.proto:9: error: tool stub.listThings is a query and says that it changes something; set read_only: \
                 true and destructive: false, or move it to a WriteService";
    check("read_only: true destructive: false", "read_only: false destructive: false", &[query]);
    let asks =
        "stub.proto:9: error: tool stub.listThings is destructive and asks nobody; state the question in confirm";
    check("read_only: true destructive: false", "read_only: true destructive: true", &[query, asks]);
    check(
        "read_only: false",
        "read_only: true",
        &[
            "stub.proto:22: error: tool stub.deleteThing is a command and says that it is read-only; set read_only: false, \
           or move it to a QueryService",
        ],
    );
    check(
        "ThingWriteService",
        "ThingService",
        &[
            "stub.proto:22: error: tool stub.deleteThing is in ThingService, which is neither query nor command; end the \
           service's name in QueryService or WriteService",
        ],
    );
}

#[test]
fn destructive_tools_ask_about_an_argument() {
    check(
        "confirm: \"Delete {thing_id}?\"",
        "",
        &["stub.proto:22: error: tool stub.deleteThing is destructive and asks nobody; state the question in confirm"],
    );
    check(
        "Delete {thing_id}?",
        "Delete {id}?",
        &[
            "stub.proto:22: error: confirm of stub.deleteThing names {id}, which is no argument; use the name of an argument",
        ],
    );
}

#[test]
fn writes_take_a_client_request_id() {
    check(
        "client_request_id",
        "request_id",
        &["stub.proto:22: error: tool stub.deleteThing writes and takes no client_request_id; add optional string \
           client_request_id to the request"],
    );
}

#[test]
fn tools_do_not_stream() {
    check(
        "returns (ListThingsResponse)",
        "returns (stream ListThingsResponse)",
        &["stub.proto:9: error: tool stub.listThings streams; return one message, with pages if it is long"],
    );
}

// R-374
#[test]
fn arguments_nest_two_levels_at_most() {
    let two = "string street = 1; Door door = 2; } message Door { string colour = 1;";
    check("string street = 1;", two, &[]);
    check(
        "string street = 1;",
        "string street = 1; Door door = 2; } message Door {\n Lock lock = 1; } message Lock { string key = 1;",
        &["stub.proto:35: error: lock of tool stub.listThings nests deeper than 2 levels; flatten the message"],
    );
}

#[test]
fn arguments_do_not_contain_themselves() {
    check(
        "string street = 1;",
        "Spot within = 1;",
        &["stub.proto:34: error: within of tool stub.listThings contains itself; use a list with references by id"],
    );
}

// R-373
#[test]
fn messages_have_portable_shapes() {
    check(
        "string street = 1;",
        "oneof where { string street = 1; string square = 2; }",
        &[
            "stub.proto:34: error: where of Spot is a oneof, which becomes a combinator; use optional fields and check in the \
           service",
        ],
    );
    check(
        "string street = 1;",
        "map<string, string> streets = 1;",
        &["stub.proto:34: error: streets of Spot is a map; use google.protobuf.Struct"],
    );
    check(
        "string street = 1;",
        "bytes street = 1;",
        &["stub.proto:34: error: street of Spot is bytes; use a string that holds base64"],
    );
    check(
        "string street = 1;",
        "repeated google.protobuf.Timestamp seen = 1;",
        &["stub.proto:34: error: seen of Spot is a list of timestamps; use repeated string with format date-time"],
    );
    check(
        "string street = 1;",
        "google.protobuf.NullValue street = 1;",
        &[
            "stub.proto:34: error: street is google.protobuf.NullValue, from outside package stub.v1; declare the type in this \
           package, or use google.protobuf.Struct, Value, ListValue or Timestamp",
        ],
    );
}

// R-376
#[test]
fn examples_fit_the_schema() {
    let about = "stub.proto:9: error: example \"Five\" of stub.listThings";
    let fix = "correct its input or the options of the field";
    let json = format!("{about} is not JSON: expected `:` at line 1 column 13; correct its input");
    check(r#"{\"page_size\": 5}"#, r#"{\"page_size\"}"#, &[&json]);
    let bound = format!("{about} does not fit the schema: 50 is greater than the maximum of 9; {fix}");
    check(r#"{\"page_size\": 5}"#, r#"{\"page_size\": 50}"#, &[&bound]);
    let unknown = format!(
        "{about} does not fit the schema: Additional properties are not allowed ('pagesize' was unexpected); {fix}"
    );
    check(r#"{\"page_size\": 5}"#, r#"{\"pagesize\": 5}"#, &[&unknown]);
    let hidden = unknown.replace("pagesize", "internal_note");
    check(r#"{\"page_size\": 5}"#, r#"{\"internal_note\": \"x\"}"#, &[&hidden]);
}

#[test]
fn defaults_fit_the_schema() {
    let about = "stub.proto:41: error: the default of page_size in tool stub.listThings does not fit:";
    let fix = "correct the default, which is JSON text";
    check("default: \"3\"", "default: \"30\"", &[&format!("{about} 30 is greater than the maximum of 9; {fix}")]);
    let json = format!("{about} it is not JSON: expected value at line 1 column 1; {fix}");
    check("default: \"3\"", "default: \"many\"", &[&json]);
}

// R-023
#[test]
fn resources_name_fields_that_exist() {
    check(
        "thing/{thing_id}",
        "thing/{id}",
        &[
            "stub.proto:15: error: resource pattern \"thing/{id}\" names {id}, which is no string field of GetThingRequest; \
           use the name of a field",
        ],
    );
    for pattern in ["thing", "{thing_id}", "thing/{thing_id}/more", "a/b/{thing_id}"] {
        let expected = format!(
            "stub.proto:15: error: resource pattern {pattern:?} is not of the form type/{{field}}; use one type and one field"
        );
        check("thing/{thing_id}", pattern, &[&expected]);
    }
}

#[test]
fn entities_name_fields_that_exist() {
    check(
        "stub://thing/{id}",
        "stub://thing/{key}",
        &[
            "stub.proto:48: error: entity uri \"stub://thing/{key}\" names {key}, which is no string field of Thing; use the \
           name of a field",
        ],
    );
}

#[test]
fn labels_of_an_enum_differ() {
    check(
        "BLUE = 2;",
        "BLUE = 2 [(ameide.mcp.value).label = \"dark red\"];",
        &["stub.proto:30: error: BLUE of Colour has the label \"dark red\" of DARK_RED; give it another label"],
    );
}

// R-375
#[test]
fn large_schemas_are_reported() {
    let with_comment = |words: usize| format!("// {}\n  string street = 1;", "word ".repeat(words));
    let expected = |severity: &str, tokens: usize, limit: usize| {
        format!(
            "stub.proto:9: {severity}: the input schema of tool stub.listThings takes about {tokens} tokens; shorten it \
             below {limit}: fewer fields, shorter comments"
        )
    };
    check("string street = 1;", &with_comment(1600), &[&expected("warning", 2130, 2000)]);
    check("string street = 1;", &with_comment(3200), &[&expected("error", 4130, 4000)]);
}

#[test]
fn capabilities_stay_small() {
    let tools = |count: usize| -> String {
        let one = |number| {
            format!(
                "// Count.\n rpc Count{number}(GetThingRequest) returns (GetThingResponse) {{ option (ameide.mcp.expose) = {{ \
                 tool_name: \"stub.count{number}\" hints: {{ read_only: true destructive: false idempotent: true }} }}; }}\n"
            )
        };
        (0..count).map(one).collect::<String>() + "  // List things.\n"
    };
    let expected = |severity: &str, count: usize| {
        format!("stub.proto:2: {severity}: capability stub has {count} tools; split the capability or merge tools")
    };
    check("  // List things.\n", &tools(48), &[]);
    check("  // List things.\n", &tools(49), &[&expected("warning", 51)]);
    check("  // List things.\n", &tools(99), &[&expected("error", 101)]);
}
