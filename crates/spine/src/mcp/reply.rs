//! Whether what a client sends back answers what it was asked.

use contract::Ask;
use serde_json::{Value, json};

/// True when the answer has the protocol's shape, and an accepted form fits the schema it was sent with.
pub fn fits(ask: &Ask, answer: &Value) -> bool {
    match ask {
        Ask::Elicit { schema, .. } => match answer["action"].as_str() {
            Some("decline" | "cancel") => true,
            Some("accept") => {
                let empty = json!({});
                let content = answer.get("content").unwrap_or(&empty);
                jsonschema::validator_for(schema).is_ok_and(|validator| validator.is_valid(content))
            }
            _ => false,
        },
        Ask::Sample { .. } => {
            answer["role"].is_string() && (answer["content"].is_object() || answer["content"].is_array())
        }
        Ask::Roots => answer["roots"].is_array(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ask: &Ask, answer: Value, expected: bool) {
        assert_eq!(fits(ask, &answer), expected, "{answer}");
    }

    //
    #[test]
    fn a_form_is_accepted_whole_or_not_at_all() {
        let schema = json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] });
        let ask = Ask::Elicit { message: String::new(), schema };
        check(&ask, json!({ "action": "accept", "content": { "ok": true } }), true);
        check(&ask, json!({ "action": "accept", "content": { "ok": "yes" } }), false);
        check(&ask, json!({ "action": "accept" }), false);
        check(&ask, json!({ "action": "decline" }), true);
        check(&ask, json!({ "action": "maybe" }), false);
        check(&ask, json!(12345), false);
    }

    #[test]
    fn completions_and_roots_have_their_shape() {
        let sample = Ask::Sample { params: json!({}) };
        check(&sample, json!({ "role": "assistant", "content": { "type": "text", "text": "x" } }), true);
        check(&sample, json!({ "roots": [] }), false);
        check(&Ask::Roots, json!({ "roots": [] }), true);
        check(&Ask::Roots, json!(null), false);
    }
}
