//! Arguments far longer than they are meant to be, for every tool: whatever is refused is refused in a few words.

use serde_json::{Map, Value, json};

use crate::world::World;

/// Largest refusal, in bytes.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;
const LONG: usize = 80_000;

async fn call(world: &World, tool: &str, arguments: Value) -> Value {
    match tool.strip_prefix("transformation.") {
        Some(tool) => world.call(tool, arguments).await,
        None => world.call_neotoma(tool, arguments).await,
    }
}

/// Long ways to get one argument wrong, and some that only the capability can judge.
fn long_values() -> [Value; 3] {
    let many: Map<String, Value> = (0..5_000).map(|number| (format!("name{number}"), json!(number))).collect();
    [json!("é\n".repeat(LONG / 3)), json!(vec![json!({ "x": 1 }); 5_000]), many.into()]
}

// Of both capabilities, at every argument.
#[tokio::test]
async fn every_refusal_is_short_however_long_the_argument() {
    let world = World::new().await;
    let tools = world.platform.endpoints.iter().flat_map(|endpoint| endpoint.tools().to_vec());
    let mut refused = 0;
    for tool in tools {
        let example = tool.examples[0].input.clone();
        let names = tool.input_schema["properties"].as_object().unwrap().keys().cloned();
        for name in names.chain(["no_such_argument".to_owned(), "x".repeat(LONG)]) {
            for value in long_values() {
                let mut arguments = example.clone();
                arguments[&name] = value;
                let answer = call(&world, &tool.name, arguments).await;
                if answer.get("error").is_none() {
                    continue;
                }
                let bytes = answer.to_string().len();
                assert!(bytes < REFUSAL_BYTES_MAX, "{} {name:.40}: {bytes} bytes", tool.name);
                refused += 1;
            }
        }
    }
    assert!(refused > 500, "{refused}");
}
