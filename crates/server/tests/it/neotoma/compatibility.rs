//! The tools of today against the committed tools of version 1.0.0.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::documents;

/// What was published with 1.0.0. It is never changed.
const PUBLISHED: &str = include_str!("actions-1.0.0.json");

/// What callers rely on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Actions {
    version: String,
    tools: BTreeMap<String, Schemas>,
    codes: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Schemas {
    input: Value,
    output: Value,
}

/// Which part of the version has to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bump {
    Nothing,
    Patch,
    Minor,
    Major,
}

impl fmt::Display for Bump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{self:?}").to_lowercase())
    }
}

/// What differs, each with the part of the version that has to grow for it.
fn differences(before: &Actions, now: &Actions) -> Vec<(Bump, String)> {
    let mut found = Vec::new();
    for (name, was) in &before.tools {
        let Some(is) = now.tools.get(name) else {
            found.push((Bump::Major, format!("{name} is gone")));
            continue;
        };
        compare(name, true, &was.input, &is.input, &mut found);
        compare(&format!("{name}:"), false, &was.output, &is.output, &mut found);
    }
    let added = now.tools.keys().filter(|name| !before.tools.contains_key(*name));
    found.extend(added.map(|name| (Bump::Minor, format!("{name} is new"))));
    found.extend(before.codes.difference(&now.codes).map(|code| (Bump::Major, format!("{code} is gone"))));
    found.extend(now.codes.difference(&before.codes).map(|code| (Bump::Patch, format!("{code} is new"))));
    found
}

/// Compares the schemas of one place: arguments, or fields of an answer.
fn compare(path: &str, arguments: bool, was: &Value, is: &Value, found: &mut Vec<(Bump, String)>) {
    // In an answer, what has no type is text or null.
    let unstated = if arguments { Value::Null } else { "string".into() };
    let of = |schema: &Value| schema.get("type").unwrap_or(&unstated).clone();
    if of(was) != of(is) {
        found.push((Bump::Major, format!("{path} has another type")));
        return;
    }
    if arguments {
        tightened(path, was, is, found);
    }
    let none = Map::new();
    let fields = |schema: &Value| schema["properties"].as_object().unwrap_or(&none).clone();
    let (before, now) = (fields(was), fields(is));
    for (name, was) in &before {
        match now.get(name) {
            Some(is) => compare(&format!("{path}.{name}"), arguments, was, is, found),
            None => found.push((Bump::Major, format!("{path}.{name} is gone"))),
        }
    }
    let required = |schema: &Value| schema["required"].as_array().cloned().unwrap_or_default();
    for name in required(is).iter().filter(|name| arguments && !required(was).contains(name)) {
        found.push((Bump::Major, format!("{path}.{} is required now", name.as_str().unwrap_or_default())));
    }
    let added = now.keys().filter(|name| !before.contains_key(*name) && !required(is).contains(&json!(name)));
    found.extend(added.map(|name| (Bump::Minor, format!("{path}.{name} is new"))));
    if let (Some(was), Some(is)) = (was.get("items"), is.get("items")) {
        compare(&format!("{path}[]"), arguments, was, is, found);
    }
}

/// An argument that takes less than before breaks who sends it.
fn tightened(path: &str, was: &Value, is: &Value, found: &mut Vec<(Bump, String)>) {
    let lower = |name: &str| match (was[name].as_f64(), is[name].as_f64()) {
        (None, Some(_)) => true,
        (Some(was), Some(is)) => is < was,
        _ => false,
    };
    let higher = |name: &str| match (was[name].as_f64(), is[name].as_f64()) {
        (None, Some(_)) => true,
        (Some(was), Some(is)) => is > was,
        _ => false,
    };
    if ["maximum", "maxLength", "maxItems"].into_iter().any(lower) || ["minimum", "minLength"].into_iter().any(higher) {
        found.push((Bump::Major, format!("{path} takes less")));
    }
    let words = |schema: &Value| schema["enum"].as_array().cloned();
    match (words(was), words(is)) {
        (None, Some(_)) => found.push((Bump::Major, format!("{path} takes less"))),
        (Some(was), Some(is)) if was.iter().any(|word| !is.contains(word)) => {
            found.push((Bump::Major, format!("{path} takes less")));
        }
        (Some(was), Some(is)) if is.len() > was.len() => found.push((Bump::Minor, format!("{path} takes more"))),
        _ => {}
    }
    if was["default"] != is["default"] && was.get("default").is_some() {
        found.push((Bump::Major, format!("{path} has another default")));
    }
}

/// The least version that these differences ask for.
fn due(version: &str, found: &[(Bump, String)]) -> [u64; 3] {
    let [major, minor, patch] = parts(version);
    match found.iter().map(|(bump, _)| *bump).max().unwrap_or(Bump::Nothing) {
        Bump::Nothing => [major, minor, patch],
        Bump::Patch => [major, minor, patch + 1],
        Bump::Minor => [major, minor + 1, 0],
        Bump::Major => [major + 1, 0, 0],
    }
}

fn parts(version: &str) -> [u64; 3] {
    let parts: Vec<u64> = version.split('.').map(|part| part.parse().unwrap()).collect();
    parts.try_into().unwrap()
}

/// The tools as they are.
fn served() -> Actions {
    let manifest = contract::generated::neotoma::manifest();
    let schemas = |tool: contract::Tool| {
        let output = Value::Object(tool.output_schema.unwrap());
        (tool.name, Schemas { input: Value::Object(tool.input_schema), output })
    };
    Actions {
        version: manifest.version,
        tools: manifest.tools.into_iter().map(schemas).collect(),
        codes: documents::codes().into_iter().map(str::to_owned).collect(),
    }
}

// N-254, N-255, N-256
#[test]
fn the_tools_are_compatible_with_what_was_published() {
    let (published, served): (Actions, _) = (serde_json::from_str(PUBLISHED).unwrap(), served());
    assert_eq!(published.version, "1.0.0");
    let found = differences(&published, &served);
    let due = due(&published.version, &found);
    let told: Vec<String> = found.iter().map(|(bump, what)| format!("{bump}: {what}")).collect();
    assert!(
        parts(&served.version) >= due,
        "version {due:?} is due, not {}; these differ from 1.0.0:\n{}",
        served.version,
        told.join("\n")
    );
}

/// One tool, with a change made to it.
#[track_caller]
fn check(change: impl FnOnce(&mut Actions), expected: &[&str], version: [u64; 3]) {
    let input = json!({
        "type": "object", "required": ["id"],
        "properties": {
            "id": { "type": "string" },
            "limit": { "type": "integer", "maximum": 10, "default": 5 },
            "way": { "type": "string", "enum": ["in", "out"] },
            "list": { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } } },
        },
    });
    let output = json!({ "type": "object", "properties": { "total": { "type": "integer" } } });
    let before = Actions {
        version: "1.0.0".to_owned(),
        tools: [("read".to_owned(), Schemas { input, output })].into(),
        codes: ["GONE".to_owned()].into(),
    };
    let mut now = before.clone();
    change(&mut now);
    let found = differences(&before, &now);
    assert_eq!(found.iter().map(|(bump, what)| format!("{bump}: {what}")).collect::<Vec<_>>(), expected);
    assert_eq!(due("1.0.0", &found), version);
}

fn input(actions: &mut Actions) -> &mut Value {
    &mut actions.tools.get_mut("read").unwrap().input
}

fn output(actions: &mut Actions) -> &mut Value {
    &mut actions.tools.get_mut("read").unwrap().output
}

// N-254
#[test]
fn without_a_difference_the_version_stays() {
    check(|_| {}, &[], [1, 0, 0]);
    check(|now| input(now)["description"] = "Reads".into(), &[], [1, 0, 0]);
}

// N-254, N-255
#[test]
fn a_code_more_is_a_patch() {
    check(|now| now.codes.extend(["NEW".to_owned()]), &["patch: NEW is new"], [1, 0, 1]);
}

// N-254, N-255
#[test]
fn what_may_be_left_out_or_ignored_is_a_minor_change() {
    let text = json!({ "type": "string" });
    check(|now| input(now)["properties"]["at"] = text.clone(), &["minor: read.at is new"], [1, 1, 0]);
    check(|now| output(now)["properties"]["more"] = text.clone(), &["minor: read:.more is new"], [1, 1, 0]);
    check(
        |now| input(now)["properties"]["way"]["enum"] = json!(["in", "out", "both"]),
        &["minor: read.way takes more"],
        [1, 1, 0],
    );
    check(
        |now| drop(now.tools.insert("more".to_owned(), now.tools["read"].clone())),
        &["minor: more is new"],
        [1, 1, 0],
    );
}

// N-254, N-256
#[test]
fn what_breaks_a_caller_is_a_major_change() {
    fn remove(schema: &mut Value, name: &str) {
        schema["properties"].as_object_mut().unwrap().remove(name);
    }
    let major = [2, 0, 0];
    check(|now| now.tools.clear(), &["major: read is gone"], major);
    check(|now| now.codes.clear(), &["major: GONE is gone"], major);
    check(|now| remove(input(now), "id"), &["major: read.id is gone"], major);
    check(|now| remove(input(now), "limit"), &["major: read.limit is gone"], major);
    check(|now| remove(output(now), "total"), &["major: read:.total is gone"], major);
    check(|now| input(now)["properties"]["id"]["type"] = "integer".into(), &["major: read.id has another type"], major);
    check(
        |now| output(now)["properties"]["total"]["type"] = "string".into(),
        &["major: read:.total has another type"],
        major,
    );
    check(|now| input(now)["required"] = json!(["id", "way"]), &["major: read.way is required now"], major);
    check(|now| input(now)["properties"]["limit"]["maximum"] = 9.into(), &["major: read.limit takes less"], major);
    check(
        |now| input(now)["properties"]["limit"]["default"] = 6.into(),
        &["major: read.limit has another default"],
        major,
    );
    check(|now| input(now)["properties"]["way"]["enum"] = json!(["in"]), &["major: read.way takes less"], major);
    check(
        |now| {
            input(now)["properties"]["new"] = json!({ "type": "string" });
            input(now)["required"] = json!(["id", "new"]);
        },
        &["major: read.new is required now"],
        major,
    );
    check(|now| remove(&mut input(now)["properties"]["list"]["items"], "a"), &["major: read.list[].a is gone"], major);
}

/// Every field of every message of 1.1.0, at every depth. It is never changed.
const MESSAGES: &str = include_str!("messages-1.1.0.txt");
const PROTOS: [&str; 3] = [
    include_str!("../../../../../proto/ameide_core_proto/neotoma/v1/common.proto"),
    include_str!("../../../../../proto/ameide_core_proto/neotoma/v1/query.proto"),
    include_str!("../../../../../proto/ameide_core_proto/neotoma/v1/write.proto"),
];

/// The fields of messages and the values of enums, as `Message label type name = number`.
fn fields(proto: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut of = None;
    for line in proto.lines().map(str::trim) {
        let opened = line.strip_prefix("message ").or_else(|| line.strip_prefix("enum "));
        if let Some(name) = opened.and_then(|rest| rest.strip_suffix(" {")) {
            of = Some(name);
        } else if line.starts_with('}') {
            of = None;
        } else if let (Some(of), Some((field, rest))) = (of, line.split_once(" = "))
            && !line.starts_with("//")
        {
            let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
            found.insert(format!("{of} {field} = {number}"));
        }
    }
    found
}

// N-256: whatever an answer or a request is made of.
#[test]
fn no_field_of_a_published_message_is_gone_or_of_another_type() {
    let now: BTreeSet<String> = PROTOS.iter().flat_map(|proto| fields(proto)).collect();
    let published: BTreeSet<String> = MESSAGES.lines().map(str::to_owned).collect();
    assert!(published.len() > 200, "{}", published.len());
    let gone: Vec<&String> = published.difference(&now).collect();
    assert!(gone.is_empty(), "{gone:?}");
    let other = fields("message A {\n  optional string b = 1 [(x) = { y: 1 }];\n  // C = 2\n}\nenum D {\n  E = 0;\n}");
    assert_eq!(other.into_iter().collect::<Vec<_>>(), ["A optional string b = 1", "D E = 0"]);
}
