//! Classes of mistakes, made with every argument of every tool. A refusal names the field, the reason and the fix; where
//! the fix is certain it carries the corrected arguments, ready to be sent.

mod case;
mod measure;

use serde_json::{Map, Value, json};

use self::case::{Case, camel_case, case, cases, example};
use crate::world::World;

type Arguments = Map<String, Value>;

/// The refusal of a mistake has the published shape; returns its suggestions.
async fn refused(world: &World, case: &Case, arguments: Value, field: &str) -> Value {
    let shown = format!("{} {arguments}", case.tool);
    let answer = world.call(&case.tool, arguments).await;
    let error = &answer["error"];
    assert_eq!(answer["success"], false, "{shown}: {answer}");
    assert_eq!(error["field"], field, "{shown}: {answer}");
    assert!(!error["message"].as_str().unwrap().is_empty(), "{shown}: {answer}");
    assert!(!error["suggestions"]["hint"].as_str().unwrap().is_empty(), "{shown}: {answer}");
    error["suggestions"].clone()
}

/// The refusal also carries the valid call.
async fn corrected(world: &World, case: &Case, arguments: Value, field: &str) -> Value {
    let suggestions = refused(world, case, arguments.clone(), field).await;
    let given = without_defaults(world, case, &suggestions["corrected_arguments"]);
    assert_eq!(given, without_defaults(world, case, &case.arguments), "{} {arguments}: {suggestions}", case.tool);
    suggestions
}

fn without_defaults(world: &World, case: &Case, arguments: &Value) -> Arguments {
    let tool = world.platform.endpoints[0].tool(&format!("transformation.{}", case.tool)).unwrap();
    let mut arguments = arguments.as_object().cloned().unwrap_or_default();
    arguments.retain(|name, value| tool.input_schema["properties"][name].get("default") != Some(value));
    arguments
}

/// The schema has nothing against the call, whatever the capability says to it.
async fn fits(world: &World, case: &Case, arguments: Value) {
    let answer = world.call(&case.tool, arguments.clone()).await;
    let complains = answer["error"]["code"] == "VALIDATION_ERROR"
        || answer["error"]["code"] == "INVALID_ELEMENT_TYPE"
        || answer["error"]["suggestions"].get("valid_values").is_some();
    assert!(!complains, "{} {arguments}: {answer}", case.tool);
}

/// The word with two letters in its middle changed over, or without its last but one.
fn misspelt(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let swap = (1..letters.len() - 1)
        .find(|&at| letters[at] != letters[at + 1] && letters[at + 1] != '_' && letters[at] != '_');
    match swap {
        Some(at) => letters.swap(at, at + 1),
        None => drop(letters.remove(letters.len() - 2)),
    }
    letters.into_iter().collect()
}

/// ApplicationComponent as words.
fn parts(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for letter in word.chars() {
        match parts.last_mut() {
            Some(part) if !letter.is_uppercase() && letter != '_' => part.push(letter),
            _ if letter == '_' => parts.push(String::new()),
            _ => parts.push(letter.to_string()),
        }
    }
    parts
}

// R-803, R-804 (transformation): a misspelt or camel-cased name.
#[tokio::test]
async fn a_misspelt_argument_name_is_refused_with_the_right_one() {
    let world = World::new().await;
    for case in cases(&world).iter().filter(|case| case.name().len() >= 4) {
        let mut wrong = vec![misspelt(case.name())];
        if case.name().contains('_') {
            wrong.push(camel_case(case.name()));
        }
        for wrong in wrong {
            let arguments = case.with(&wrong, case.value().clone());
            let suggestions = corrected(&world, case, arguments, &case.beside(&wrong)).await;
            assert_eq!(suggestions["did_you_mean"][0], case.name(), "{} {wrong}", case.tool);
        }
    }
}

// what the server makes itself is refused with that reason, by every tool.
#[tokio::test]
async fn what_the_server_makes_is_refused_as_an_argument() {
    let world = World::new().await;
    let mut made = 0;
    for tool in world.platform.endpoints[0].tools() {
        for name in
            ["id", "tenant_id", "message_id", "correlation_id", "aggregate_version", "occurred_at", "layer", "version"]
        {
            let properties = &tool.whole_schema()["properties"].as_object().unwrap().clone();
            // An argument of the tool, or of one of its objects, which is then what is meant.
            let takes = |schema: &Value| schema["properties"].get(name).is_some();
            if properties.contains_key(name) || properties.values().any(takes) {
                continue;
            }
            let case = case(tool, name.to_owned(), &Map::new(), example(tool));
            let mut arguments = case.arguments.clone();
            arguments[name] = json!("x");
            let suggestions = corrected(&world, &case, arguments, name).await;
            assert!(suggestions["hint"].as_str().unwrap().contains("made for you"), "{}: {suggestions}", tool.name);
            assert!(suggestions.get("did_you_mean").is_none(), "{}: {suggestions}", tool.name);
            made += 1;
        }
    }
    assert!(made > 80);
}

// the same in the object that carries an intent.
#[tokio::test]
async fn what_the_server_makes_is_refused_in_an_intent() {
    let world = World::new().await;
    let cases = cases(&world);
    let mut objects = 0;
    for case in cases.iter().filter(|case| case.tool.ends_with("Intent") && case.r#type() == "object") {
        if case.path.contains('.') || !case.schema.contains_key("properties") {
            continue;
        }
        for name in ["tenant_id", "aggregate_version", "layer"] {
            let mut arguments = case.arguments.clone();
            arguments[&case.path][name] = json!("x");
            let suggestions = corrected(&world, case, arguments, &format!("{}.{name}", case.path)).await;
            assert!(suggestions["hint"].as_str().unwrap().contains("made for you"), "{}: {suggestions}", case.path);
        }
        objects += 1;
    }
    assert!(objects >= 9);
}

// R-804 (transformation): a word that is not one of the permitted ones.
#[tokio::test]
async fn a_misspelt_word_is_refused_with_the_right_one() {
    let world = World::new().await;
    let mut words = 0;
    for case in cases(&world).iter().filter(|case| case.schema.contains_key("enum")) {
        let wrong = misspelt(case.value().as_str().unwrap());
        let suggestions = corrected(&world, case, case.with(case.name(), json!(wrong)), &case.path).await;
        assert_eq!(&suggestions["did_you_mean"][0], case.value(), "{} {}", case.tool, case.path);
        let nonsense = refused(&world, case, case.with(case.name(), json!("qqqq")), &case.path).await;
        assert!(nonsense.get("corrected_arguments").is_none());
        let lists = ["valid_values", "valid_types_for_context", "valid_relationships"];
        assert!(lists.iter().any(|list| nonsense[list].is_array()), "{} {}: {nonsense}", case.tool, case.path);
        words += 1;
    }
    assert!(words >= 10);
}

// R-804 (transformation): types that queries and intents take as text are corrected in the same way.
#[tokio::test]
async fn a_misspelt_type_given_as_text_is_refused_with_the_right_one() {
    let world = World::new().await;
    let mut filters = 0;
    for case in cases(&world) {
        let meant = match (case.name(), case.path.as_str()) {
            ("element_type" | "source_type" | "target_type", _) | (_, "create_element.type") => "ApplicationComponent",
            ("relationship_type", _) | (_, "create_relationship.type") => "Realization",
            _ => continue,
        };
        let case = Case { arguments: case.with(case.name(), json!(meant)), ..case };
        let arguments = case.with(case.name(), json!(misspelt(meant)));
        let suggestions = corrected(&world, &case, arguments, &case.path).await;
        assert_eq!(suggestions["did_you_mean"][0], meant, "{} {}", case.tool, case.path);
        filters += 1;
    }
    assert!(filters >= 7);
}

// another case or form of a permitted word is understood.
#[tokio::test]
async fn another_form_of_a_word_is_understood() {
    let world = World::new().await;
    for case in cases(&world).iter().filter(|case| case.schema.contains_key("enum")) {
        let word = case.value().as_str().unwrap();
        let parts = parts(word);
        for form in
            [word.to_lowercase(), word.to_uppercase(), parts.join("_").to_uppercase(), parts.join("-"), parts.join(" ")]
        {
            fits(&world, case, case.with(case.name(), json!(form))).await;
        }
        fits(&world, case, case.with(case.name(), json!(format!("transformation.{word}")))).await;
    }
}

// R-804 (transformation): every required argument of every tool.
#[tokio::test]
async fn a_missing_argument_is_named() {
    let world = World::new().await;
    let mut missing = 0;
    // What has a default is filled in.
    for case in cases(&world).iter().filter(|case| case.is_required && case.schema.get("default").is_none()) {
        let suggestions = refused(&world, case, case.without(), &case.path).await;
        assert!(suggestions["hint"].as_str().unwrap().contains(case.name()), "{} {suggestions}", case.tool);
        missing += 1;
    }
    assert!(missing >= 12);
}

// C-B11: a call without model_id is told the models, and with one model the call to make.
#[tokio::test]
async fn a_missing_model_comes_with_the_models_there_are() {
    let world = World::new().await;
    let models = world.call("listModels", json!({})).await["models"].clone();
    let mut missing = 0;
    let is_model = |case: &&Case| case.path == "model_id" && case.schema.get("default").is_none();
    for case in cases(&world).iter().filter(is_model) {
        let mut arguments =
            example(world.platform.endpoints[0].tool(&format!("transformation.{}", case.tool)).unwrap());
        if arguments.as_object_mut().unwrap().shift_remove("model_id").is_none() {
            continue;
        }
        let suggestions = refused(&world, case, arguments, "model_id").await;
        assert_eq!(suggestions["active_model_id"], models[0]["id"], "{}", case.tool);
        assert_eq!(suggestions["models"][0]["key"], "default", "{}", case.tool);
        assert_eq!(suggestions["corrected_arguments"]["model_id"], models[0]["id"], "{}", case.tool);
        let again = world.call(&case.tool, suggestions["corrected_arguments"].clone()).await;
        assert_ne!(again["error"]["field"], "model_id", "{again}");
        missing += 1;
    }
    assert!(missing >= 1);
}

// R-020, R-804 (transformation): a number or a truth value in quotes, a number where a text belongs.
#[tokio::test]
async fn a_value_of_another_type_is_refused_with_the_right_one() {
    let world = World::new().await;
    let mut seen = std::collections::BTreeSet::new();
    for case in cases(&world) {
        let r#type = case.r#type().to_owned();
        let plain_text = r#type == "string" && !case.schema.contains_key("enum") && !case.schema.contains_key("format");
        let (case, wrong) = match r#type.as_str() {
            "integer" | "number" | "boolean" => {
                let wrong = case.with(case.name(), json!(case.value().to_string()));
                (case, wrong)
            }
            "string" if plain_text => {
                let right = Case { arguments: case.with(case.name(), json!("7")), ..case };
                let wrong = right.with(right.name(), json!(7));
                (right, wrong)
            }
            _ => continue,
        };
        corrected(&world, &case, wrong, &case.path).await;
        seen.insert(r#type);
    }
    assert_eq!(seen.len(), 4);
}

// R-804 (transformation): a list of one value where one value belongs, and one value where a list belongs.
#[tokio::test]
async fn a_list_and_its_only_value_are_told_apart() {
    let world = World::new().await;
    for case in cases(&world) {
        let value = case.value();
        let wrong = match case.r#type() {
            "array" => value[0].clone(),
            _ => json!([value]),
        };
        corrected(&world, &case, case.with(case.name(), wrong), &case.path).await;
        if case.r#type() != "array" {
            let two = refused(&world, &case, case.with(case.name(), json!([value, value])), &case.path).await;
            assert!(two.get("corrected_arguments").is_none(), "{} {}", case.tool, case.path);
        }
    }
}

// An object sent as JSON text is understood, and anything else in its place is refused.
#[tokio::test]
async fn an_object_as_text_is_understood() {
    let world = World::new().await;
    let mut objects = 0;
    for case in cases(&world).iter().filter(|case| case.r#type() == "object") {
        fits(&world, case, case.with(case.name(), json!(case.value().to_string()))).await;
        refused(&world, case, case.with(case.name(), json!("no object")), &case.path).await;
        objects += 1;
    }
    assert!(objects >= 8);
}

// R-147 (transformation): a name works wherever the id of an element belongs.
#[tokio::test]
async fn a_name_works_where_an_id_belongs() {
    let world = World::new().await;
    let create = async |r#type: &str, name: &str| {
        let element = json!({ "type": r#type, "name": name, "description": "d" });
        world.call("createElement", element).await["element"]["id"].as_str().unwrap().to_owned()
    };
    let ids = [create("Capability", "Sales").await, create("Capability", "Retail").await];
    let calls = [
        ("createRelationship", json!({ "type": "Serving", "source_id": "SALES", "target_id": "retail" })),
        ("createElement", json!({ "type": "Capability", "name": "Online", "parent_id": "sales" })),
        ("updateElement", json!({ "id": "Sales", "description": "other" })),
        ("listRelationships", json!({ "model_id": "default", "element_id": "Sales" })),
        ("semanticSearch", json!({ "query": "online", "filters": { "capability": "sales" } })),
    ];
    for (tool, arguments) in calls {
        let answer = world.call(tool, arguments.clone()).await;
        assert!(answer.get("error").is_none(), "{tool} {arguments}: {answer}");
        assert!(answer.to_string().contains(&ids[0]) || tool == "semanticSearch", "{tool}: {answer}");
    }
}

// R-804 (transformation), R-804 (neotoma): two ends in the place of each other, in both capabilities.
#[tokio::test]
async fn reversed_ends_come_with_the_call_the_other_way_round() {
    let world = World::new().await;
    for (r#type, name) in [("ApplicationComponent", "Shop"), ("ApplicationService", "Selling")] {
        world.call("createElement", json!({ "type": r#type, "name": name })).await;
    }
    let reversed = json!({ "type": "Realization", "source_id": "Selling", "target_id": "Shop" });
    let refused = world.call("createRelationship", reversed).await;
    let corrected = refused["error"]["suggestions"]["corrected_arguments"].clone();
    assert_eq!(corrected, json!({ "type": "Realization", "source_id": "Shop", "target_id": "Selling" }), "{refused}");
    assert_eq!(world.call("createRelationship", corrected).await["success"], true);

    let reversed = json!({ "after_date": "2026-07-28", "before_date": "2026-07-01", "limit": 10 });
    let refused = world.call_neotoma("list_timeline_events", reversed).await;
    let corrected = refused["error"]["details"]["corrected_arguments"].clone();
    assert_eq!(
        (&corrected["after_date"], &corrected["before_date"]),
        (&json!("2026-07-01"), &json!("2026-07-28")),
        "{refused}"
    );
    assert!(world.call_neotoma("list_timeline_events", corrected).await.get("error").is_none());
}

// a dry run offers the corrected payload too.
#[tokio::test]
async fn a_dry_run_offers_the_corrected_payload() {
    let world = World::new().await;
    let payload = json!({ "type": "Capabilty", "nmae": "x" });
    let answer = world.call("validateWrite", json!({ "operation": "createElement", "payload": payload })).await;
    assert_eq!(answer["valid"], false);
    let corrected = json!({ "type": "Capability", "name": "x" });
    assert_eq!(answer["errors"][0]["suggestions"]["corrected_arguments"], corrected);
}
