//! Separation: what one tenant has, another cannot see, name, count, find or guess, whatever the tool.
//!
//! The tools, their examples and the resources come from the catalog of what is mounted, so a new tool is covered by itself, and
//! one without an example fails. `acme` is filled with the examples of every write; `zenith` then asks for what is acme's, and
//! each answer must be that for something that does not exist, byte for byte, except for what `zenith` sent itself.

mod site;
mod values;

use std::collections::BTreeMap;

use contract::{Side, Tool};
use serde_json::{Value, json};

use site::{Answer, Site, Who};
use values::{MARK, Values, is_name, leaves, made_up, marked, put_at, unique};

/// A tool with the input of one of its examples.
struct Case {
    capability: String,
    tool: Tool,
    input: Value,
}

/// Every example of every mounted tool.
fn cases(site: &Site) -> Vec<Case> {
    let mut cases = Vec::new();
    for endpoint in &site.platform.endpoints {
        let manifest = endpoint.capability.manifest();
        for tool in endpoint.tools() {
            assert!(
                !tool.examples.is_empty(),
                "{} has no example, so nothing shows that it separates tenants",
                tool.name
            );
            for example in &tool.examples {
                let (capability, tool) = (manifest.name.clone(), tool.clone());
                cases.push(Case { capability, tool, input: example.input.clone() });
            }
        }
    }
    cases
}

/// Makes every example of every write as somebody of acme, and keeps what the answers say.
async fn fill(site: &Site, who: &Who, values: &mut Values) -> BTreeMap<String, Value> {
    let mut keyed = BTreeMap::new();
    for (number, case) in cases(site).into_iter().enumerate() {
        let mut input = marked(&case.input);
        if case.tool.side == Side::Command && case.tool.input_schema["properties"].get("client_request_id").is_some() {
            input["client_request_id"] = json!(format!("seed-{number}"));
        }
        let answer = site.call(who, &case.capability, &case.tool.name, &input).await;
        values.collect(&case.capability, &answer.value);
        if case.tool.side == Side::Command && answer.succeeded() {
            keyed.insert(format!("{number} {}", case.tool.name), input);
        }
    }
    for endpoint in &site.platform.endpoints {
        let name = &endpoint.capability.manifest().name;
        let listed = site.ask(who, name, "resources/list", json!({})).await;
        values.collect(name, &listed.value);
    }
    keyed
}

async fn reads(site: &Site, who: &Who) -> Vec<(String, String)> {
    let mut answers = Vec::new();
    for case in cases(site).into_iter().filter(|case| case.tool.side == Side::Query) {
        let answer = site.call(who, &case.capability, &case.tool.name, &case.input).await;
        answers.push((format!("{} {}", case.tool.name, case.input), answer.plain()));
    }
    for endpoint in &site.platform.endpoints {
        let name = &endpoint.capability.manifest().name;
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            answers.push((format!("{name} {method}"), site.ask(who, name, method, json!({})).await.plain()));
        }
    }
    answers
}

// R-331 (page token), R-331 (search): by id, name, page token, idempotency key, resource URI and search, for every tool and resource.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_tenant_has_does_not_exist() {
    let site = Site::new().await;
    let (ann, zoe) = (site.issue("ann", "acme", "admin"), site.issue("zoe", "zenith", "admin"));
    let empty = reads(&site, &zoe).await;
    let mut values = Values::default();
    let made = fill(&site, &ann, &mut values).await;
    values.without(&shared(&site, &zoe).await);
    assert!(made.len() >= 10, "acme has next to nothing: {:?}", made.keys());
    // Neither counts, suggestions, scores nor lists change when somebody else has more.
    for (before, after) in empty.iter().zip(&reads(&site, &zoe).await) {
        assert_eq!(before, after);
    }
    let of_acme = reads(&site, &ann).await;
    let mut compared = 0;
    // Places where a write names something new come last: what zenith calls so exists from then on.
    let mut naming = Vec::new();
    for (number, case) in cases(&site).into_iter().enumerate() {
        for path in leaves(&case.tool, &case.input) {
            if names_something(&site, &zoe, &case, &path, number).await {
                naming.push((number, path));
            } else {
                compared += as_if_absent(&site, &zoe, &case, &values, (number, path, MARK)).await;
            }
        }
    }
    let cases = cases(&site);
    for (number, path) in naming {
        // From here on zenith has called things by names of acme's itself.
        compared += as_if_absent(&site, &zoe, &cases[number], &values, (number, path, "token|ann")).await;
    }
    assert!(compared >= 400, "only {compared} answers were compared");
    println!("{compared} answers for what is another tenant's, each as if it did not exist");
    // And nothing that zenith tried touched acme.
    for (before, after) in of_acme.iter().zip(&reads(&site, &ann).await) {
        assert_eq!(before, after);
    }
}

/// What somebody reads who has made nothing.
async fn shared(site: &Site, who: &Who) -> String {
    let mut texts = String::new();
    for case in cases(site).into_iter().filter(|case| case.tool.side == Side::Query) {
        texts.push_str(&site.call(who, &case.capability, &case.tool.name, &case.input).await.text);
    }
    for endpoint in &site.platform.endpoints {
        texts.push_str(&site.ask(who, &endpoint.capability.manifest().name, "resources/list", json!({})).await.text);
    }
    texts
}

/// Whether a write succeeds with a text at this place that nobody has.
async fn names_something(site: &Site, zoe: &Who, case: &Case, path: &[String], number: usize) -> bool {
    if case.tool.side == Side::Query {
        return false;
    }
    let mut input = unique(&case.input, path, 7_000_000 + number);
    put_at(&mut input, path, json!(format!("nobody-has-this-{number}-{}", path.join("-"))));
    is_name(path) || site.call(zoe, &case.capability, &case.tool.name, &input).await.succeeded()
}

/// Asks for each thing of acme at a place where a text is taken, and for something made up.
async fn as_if_absent(
    site: &Site,
    zoe: &Who,
    case: &Case,
    values: &Values,
    (number, path, never): (usize, Vec<String>, &str),
) -> usize {
    let mut compared = 0;
    for (nth, value) in values.of(&case.capability, &path).into_iter().enumerate() {
        let absent = made_up(&value);
        let mut said = Vec::new();
        for (turn, sent) in [(0, &absent), (1, &value)] {
            let mut input = unique(&case.input, &path, number * 10_000 + nth * 10 + turn);
            put_at(&mut input, &path, json!(sent));
            let answer = site.call(zoe, &case.capability, &case.tool.name, &input).await;
            let text = answer.text.replace(sent.as_str(), "<sent>");
            assert!(!text.contains(never), "{} with {path:?} {sent}: {text}", case.tool.name);
            said.push((answer.succeeded(), Answer { text, ..answer }.plain()));
        }
        // What zenith made itself stands in its own history, so only refusals and reads are the same to the byte.
        if case.tool.side == Side::Command && said[0].0 && said[1].0 {
            continue;
        }
        // Where zenith gives names, hints quote its own; there it counts that both are taken or both are not.
        let is_same = if never == MARK { said[0] == said[1] } else { said[0].0 == said[1].0 };
        assert!(is_same, "{} with {path:?}: {absent} and {value}: {said:#?}", case.tool.name);
        compared += 1;
    }
    compared
}

// R-331 (resource): a resource of another tenant is one that does not exist, for every template.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resources_of_another_tenant_do_not_exist() {
    let site = Site::new().await;
    let (ann, zoe) = (site.issue("ann", "acme", "admin"), site.issue("zoe", "zenith", "admin"));
    let mut values = Values::default();
    fill(&site, &ann, &mut values).await;
    values.without(&shared(&site, &zoe).await);
    let mut read_by_owner = 0;
    for endpoint in &site.platform.endpoints {
        let name = &endpoint.capability.manifest().name;
        let listed = site.ask(&zoe, name, "resources/templates/list", json!({})).await;
        let templates = listed.value.pointer("/result/resourceTemplates").cloned().unwrap_or(json!([]));
        for template in templates.as_array().unwrap() {
            let template = template["uriTemplate"].as_str().unwrap();
            let (start, rest) = template.split_once('{').unwrap_or((template, "}"));
            let (argument, end) = rest.split_once('}').unwrap_or(("", ""));
            for value in values.of(name, &["id".to_owned()]) {
                let uri = |id: &str| format!("{start}{id}{end}");
                let read =
                    async |who: &Who, id: &str| site.ask(who, name, "resources/read", json!({ "uri": uri(id) })).await;
                read_by_owner += usize::from(read(&ann, &value).await.value.pointer("/result/contents").is_some());
                let absent = made_up(&value);
                let said = [
                    read(&zoe, &value).await.text.replace(&value, "<sent>"),
                    read(&zoe, &absent).await.text.replace(&absent, "<sent>"),
                ];
                assert_eq!(values::plain(&said[0]), values::plain(&said[1]), "{template} {value}");
                let complete = async |typed: &str| {
                    let reference = json!({ "type": "ref/resource", "uri": template });
                    let params = json!({ "ref": reference, "argument": { "name": argument, "value": typed } });
                    site.ask(&zoe, name, "completion/complete", params).await.text
                };
                assert_eq!(
                    values::plain(&complete(&value[..4]).await),
                    values::plain(&complete("zqzq").await),
                    "{template}"
                );
            }
        }
    }
    assert!(read_by_owner > 0, "acme itself could read none of its resources");
}

// R-331 (key): the key of a request belongs to its caller: neither another tenant nor another person has its answer repeated.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idempotency_keys_are_their_callers_own() {
    let site = Site::new().await;
    let ann = site.issue("ann", "acme", "admin");
    let others = [site.issue("bob", "acme", "admin"), site.issue("zoe", "zenith", "admin")];
    let made = fill(&site, &ann, &mut Values::default()).await;
    let mut repeated = 0;
    for (name, input) in &made {
        let tool = name.split_once(' ').unwrap().1;
        let capability = site.capability_of(tool);
        if input.get("client_request_id").is_none() {
            continue;
        }
        for other in &others {
            let answer = site.call(other, &capability, tool, input).await;
            assert!(!answer.text.contains("idempotent_replay\":true"), "{tool} {}: {}", other.name, answer.text);
        }
        // Whoever asked first has it repeated.
        repeated +=
            usize::from(site.call(&ann, &capability, tool, input).await.text.contains("idempotent_replay\":true"));
    }
    assert!(repeated >= 5, "only {repeated} answers were repeated to their own caller");
}

// Instructions in stored text raise nobody's rights and reach no list of tools: SECURITY 2 L.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_instructions_raise_no_rights_and_reach_no_list() {
    let site = Site::new().await;
    let (ann, vic) = (site.issue("ann", "acme", "admin"), site.issue("vic", "acme", "viewer"));
    let attempts = async || {
        let mut said = Vec::new();
        for case in cases(&site).into_iter().filter(|case| case.tool.side == Side::Command) {
            let answer = site.call(&vic, &case.capability, &case.tool.name, &case.input).await;
            assert!(!answer.succeeded(), "a viewer called {}: {}", case.tool.name, answer.text);
            said.push((case.tool.name.clone(), answer.status, answer.plain()));
        }
        for endpoint in &site.platform.endpoints {
            let name = &endpoint.capability.manifest().name;
            for (who, method) in
                [(&vic, "tools/list"), (&ann, "tools/list"), (&ann, "prompts/list"), (&ann, "resources/templates/list")]
            {
                let answer = site.ask(who, name, method, json!({})).await;
                assert!(!answer.text.contains(MARK), "{}", answer.text);
                said.push((method.to_owned(), answer.status, answer.text));
            }
        }
        said
    };
    let before = attempts().await;
    let mut values = Values::default();
    fill(&site, &ann, &mut values).await;
    // They are stored, and given back as what they are.
    let seen =
        site.call(&vic, "transformation", "transformation.listElements", &json!({ "model_id": "default" })).await;
    assert!(seen.text.contains(MARK), "{}", seen.text);
    assert_eq!(before, attempts().await);
}
