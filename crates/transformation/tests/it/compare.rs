//! compareStates, and reads that are made again after everything else has happened.

use serde_json::{Value, json};

use crate::world::{World, column, outcome};

fn lines(answer: &Value) -> Vec<String> {
    let line = |change: &Value| format!("{} {}", change["change"].as_str().unwrap(), change["text"].as_str().unwrap());
    answer["changes"].as_array().unwrap_or_else(|| panic!("{answer}")).iter().map(line).collect()
}

/// A model with a baseline, and changes of every sort since.
async fn changed_world() -> (World, String, Vec<String>) {
    let world = World::new().await;
    let ids =
        vec![world.element("Node", "a").await, world.element("Node", "b").await, world.element("Node", "c").await];
    world.relate("Flow", "a", "b").await;
    let id = world.baseline("before").await;
    world.promote(&id).await;
    world.call("updateElement", json!({"id": "a", "name": "alpha", "properties": {"x": 1}})).await;
    world.call("deleteElement", json!({"id": "b", "even_if_published": true})).await;
    world.element("Capability", "d").await;
    world.relate("Association", "d", "c").await;
    (world, id, ids)
}

#[tokio::test]
async fn a_comparison_says_what_came_changed_and_went() {
    let (world, id, ids) = changed_world().await;
    let answer = world.call("compareStates", json!({"from": {"selector": "published"}})).await;
    assert_eq!(
        lines(&answer),
        [
            "changed Node 'a', now 'alpha': name, properties",
            "removed Node 'b'",
            "added Capability 'd'",
            "removed Flow from 'a' to 'b'",
            "added Association from 'd' to 'c'",
        ]
    );
    assert_eq!(answer["summary"], "elements: 1 added, 1 changed, 1 removed; relationships: 1 added, 1 removed");
    let first = &answer["changes"][0];
    assert_eq!(first["fields"], json!(["name", "properties"]));
    assert_eq!(
        (&first["from_version_id"], &first["to_version_id"]),
        (&json!(format!("{}@1", ids[0])), &json!(format!("{}@2", ids[0])))
    );
    assert!(answer["changes"][1].get("to_version_id").is_none());
    assert_eq!((&answer["from"]["baseline_id"], &answer["to"]["selector"]), (&json!(id), &json!("head")));
    // The other way round, everything is reversed.
    let back = json!({"from": {"selector": "head"}, "to": {"baseline_id": "before"}});
    assert!(lines(&world.call("compareStates", back).await).contains(&"added Node 'b'".to_owned()));
    let same = json!({"from": {"baseline_id": id}, "to": {"selector": "published"}});
    assert_eq!(world.call("compareStates", same).await["summary"], "no difference");
}

//
#[tokio::test]
async fn a_comparison_can_be_made_again() {
    let (world, _, _) = changed_world().await;
    let answer = world.call("compareStates", json!({"from": {"selector": "published"}})).await;
    world.element("Node", "later").await;
    let again = json!({"from": answer["from"], "to": answer["to"]});
    assert_eq!(world.call("compareStates", again).await.to_string(), answer.to_string());
}

//
#[tokio::test]
async fn pages_together_are_the_whole_comparison() {
    let (world, id, _) = changed_world().await;
    let from = json!({"baseline_id": id});
    for size in [1, 2, 4] {
        let whole = lines(&world.call("compareStates", json!({"from": from})).await);
        let (mut seen, mut pages) = (Vec::new(), 0);
        let mut arguments = json!({"from": from, "page_size": size});
        loop {
            let page = world.call("compareStates", arguments.clone()).await;
            seen.extend(lines(&page));
            pages += 1;
            world.element("Node", &format!("later {size} {pages}")).await;
            match page.get("next_page_token") {
                Some(token) => arguments["page_token"] = token.clone(),
                None => break,
            }
        }
        assert_eq!(seen, whole, "{size} at a time");
    }
    let page = world.call("compareStates", json!({"from": from, "page_size": 1})).await;
    let other = json!({"from": {"sequence": 2}, "page_size": 1, "page_token": page["next_page_token"]});
    assert_eq!(outcome(&world.call("compareStates", other).await), "INVALID_ARGUMENT page_token");
}

#[tokio::test]
async fn facts_and_a_walk_find_the_same() {
    let world = World::new().await;
    let mut names = Vec::new();
    for number in 0..7 {
        names.push(world.element("Node", &format!("n{number}")).await);
    }
    world.relate("Flow", "n0", "n1").await;
    world.relate("Flow", "n1", "n2").await;
    let whole = world.baseline("whole").await;
    let all = json!({"name": "all of it", "element_ids": names, "read_context": {"baseline_id": "whole"}});
    let part = world.call("createBaseline", all).await["baseline"]["id"].as_str().unwrap().to_owned();
    for id in [&whole, &part] {
        world.submit(id).await;
        world.reject(id, "only to compare").await;
    }
    world.call("deleteElement", json!({"id": "n1"})).await;
    world.call("updateElement", json!({"id": "n5", "description": "new"})).await;
    world.element("Device", "extra").await;
    let compare = async |from: &str| {
        let answer = world.call("compareStates", json!({"from": {"baseline_id": from}})).await;
        (answer["changes"].to_string(), answer["summary"].clone())
    };
    assert_eq!(compare(&whole).await, compare(&part).await);
    // Against a smaller part, everything else has come.
    let small = json!({"name": "small", "element_ids": ["n2", "n5"]});
    let small = world.call("createBaseline", small).await["baseline"]["id"].clone();
    let answer = world.call("compareStates", json!({"from": {"baseline_id": small}})).await;
    assert_eq!(answer["summary"], "elements: 5 added");
}

#[tokio::test]
async fn states_that_cannot_be_compared_are_refused() {
    let (world, id, _) = changed_world().await;
    let second = world.second_model().await;
    for (arguments, expected) in [
        (json!({}), "VALIDATION_ERROR from"),
        (json!({"from": {"baseline_id": "none"}}), "BASELINE_NOT_FOUND from.baseline_id"),
        (json!({"from": {"baseline_id": id}, "to": {"as_of": "yesterday"}}), "INVALID_ARGUMENT to.as_of"),
        (json!({"from": {"sequence": 99999}}), "INVALID_ARGUMENT from.sequence"),
        (json!({"from": {"baseline_id": id}, "model_id": second}), "OUTSIDE_BASELINE model_id"),
        (json!({"from": {"baseline_id": id}, "model_id": "none"}), "MODEL_NOT_FOUND model_id"),
        (json!({"from": {"baseline_id": id}, "page_token": "x"}), "INVALID_ARGUMENT page_token"),
    ] {
        assert_eq!(outcome(&world.call("compareStates", arguments.clone()).await), expected, "{arguments}");
    }
}

#[tokio::test]
async fn a_search_for_alternatives_stays_inside_a_part() {
    let world = World::new().await;
    for name in ["Order entry", "Order archive", "Order desk"] {
        world.element("Node", name).await;
    }
    let part = json!({"name": "part", "element_ids": ["Order desk"]});
    let id = world.call("createBaseline", part).await["baseline"]["id"].clone();
    let missing = json!({"model_id": "default", "element_id": "Order", "read_context": {"baseline_id": id}});
    let answer = world.call("listRelationships", missing).await;
    assert_eq!(column(&answer["error"]["suggestions"]["similar_elements"], "name"), ["Order desk"]);
}
