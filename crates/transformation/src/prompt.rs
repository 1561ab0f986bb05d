//! Prompts: how to go about a task with the tools of this capability.

use contract::{CallError, Content, Prompt, PromptAnswer, PromptArgument, PromptMessage, Speaker};
use serde_json::{Map, Value, json};

use crate::Error;

const MODELLING_SESSION: &str = "modelling-session";
const CAPABILITY_REVIEW: &str = "capability-review";
const IMPACT_ANALYSIS: &str = "impact-analysis";

/// The prompts this capability offers.
pub fn prompts() -> Vec<Prompt> {
    vec![
        prompt(
            MODELLING_SESSION,
            "Modelling session",
            "Work on the architecture model towards a goal, step by step",
            vec![required("goal", "What the model should show in the end")],
        ),
        prompt(
            CAPABILITY_REVIEW,
            "Capability review",
            "Look at what supports a capability and what is missing",
            vec![required("capability", "Name, key or id of the capability")],
        ),
        prompt(
            IMPACT_ANALYSIS,
            "Impact analysis",
            "Find what a change of an element would touch",
            vec![
                required("element", "Name, key or id of the element that is to change"),
                optional("as_of", "Analyse the model as it was then, such as 2026-07-28T10:30:00Z"),
                optional("baseline", "Analyse this baseline; as_of is not used then"),
            ],
        ),
    ]
}

/// Fills in a prompt.
pub fn fill(name: &str, arguments: &Map<String, Value>) -> Result<PromptAnswer, CallError> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let needed = |name: &str, hint: &str| {
        given(name).ok_or_else(|| CallError::from(Error::invalid(name, "is required".to_owned(), hint)))
    };
    match name {
        MODELLING_SESSION => {
            let goal = needed("goal", "say in a sentence what the model should show")?;
            Ok(answer(format!("Modelling towards: {goal}"), modelling_session(goal)))
        }
        CAPABILITY_REVIEW => {
            let capability = needed("capability", "name a capability; transformation.searchCapabilities finds them")?;
            Ok(answer(format!("Review of {capability}"), capability_review(capability)))
        }
        IMPACT_ANALYSIS => {
            let element = needed("element", "name an element; transformation.semanticSearch finds them")?;
            let point = point(given("as_of"), given("baseline"));
            Ok(answer(format!("Impact of changing {element}"), impact_analysis(element, &point)))
        }
        _ => {
            let names = [MODELLING_SESSION, CAPABILITY_REVIEW, IMPACT_ANALYSIS].join(", ");
            Err(Error::invalid("name", format!("cannot be {name:?}"), format!("use one of {names}")).into())
        }
    }
}

fn modelling_session(goal: &str) -> String {
    format!(
        "Goal of this session: {goal}\n\n\
         1. Read before you write: transformation.listModels, then transformation.listElements and transformation.listRelationships for the part the goal is about.\n\
         2. Say which elements and relationships are missing, with their ArchiMate types. transformation.getElementTypes and transformation.getRelationshipTypes list what is permitted.\n\
         3. For each change call transformation.validateWrite first, mend what it refuses, then make the change with a client_request_id of its own.\n\
         4. Give every element a description. Cite the version_id of what you rely on.\n\
         5. At the end list what was created, changed and left open."
    )
}

fn capability_review(capability: &str) -> String {
    format!(
        "Review the capability {capability}. Read only; propose changes, do not make them.\n\n\
         1. Find it with transformation.searchCapabilities. If several fit, ask which one is meant.\n\
         2. List what touches it with transformation.listRelationships, and read what belongs to it with transformation.semanticSearch and filters.capability.\n\
         3. Say what realizes it, who is responsible, which data and technology it rests on, and which capabilities it is made of.\n\
         4. Name gaps: no realization, no owner among the properties, missing descriptions, parts that nothing uses, two parts that do the same.\n\
         5. End with a short list of proposed writes in the order of their value. Cite the version_id of what you rely on."
    )
}

fn impact_analysis(element: &str, point: &str) -> String {
    format!(
        "Find what a change of {element} would touch. Read only.\n\n\
         1. Read everything at the same point: {point}. Once an answer has echoed its read_context, give that one to each further call.\n\
         2. Find the element with transformation.semanticSearch. If several fit, ask which one is meant.\n\
         3. Follow its relationships with transformation.listRelationships: first those of the element, then those of what it serves, realizes, triggers or is accessed by. Stop after three steps.\n\
         4. Say for each element that is reached by which path, and whether it would break, need a test or only need to know.\n\
         5. End with the capabilities and business processes that are affected, the most severe first. Cite the version_id of what you rely on."
    )
}

/// The read_context that a prompt asks for, as a model would give it.
fn point(as_of: Option<&str>, baseline: Option<&str>) -> String {
    match (baseline, as_of) {
        (Some(id), _) => format!("read_context {}", json!({"baseline_id": id})),
        (None, Some(moment)) => format!("read_context {}", json!({"as_of": moment})),
        (None, None) => format!("read_context {}", json!({"selector": "head"})),
    }
}

fn answer(description: String, text: String) -> PromptAnswer {
    PromptAnswer {
        description: Some(description),
        messages: vec![PromptMessage { speaker: Speaker::User, content: Content::Text(text) }],
    }
}

fn prompt(name: &str, title: &str, description: &str, arguments: Vec<PromptArgument>) -> Prompt {
    Prompt { name: name.to_owned(), title: title.to_owned(), description: description.to_owned(), arguments }
}

fn required(name: &str, description: &str) -> PromptArgument {
    PromptArgument { required: true, ..optional(name, description) }
}

fn optional(name: &str, description: &str) -> PromptArgument {
    PromptArgument { name: name.to_owned(), description: description.to_owned(), required: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-033, R-046.
    #[test]
    fn a_prompt_is_filled_in_or_says_what_it_lacks() {
        check(MODELLING_SESSION, json!({"goal": "show payments"}), "Goal of this session: show payments");
        check(CAPABILITY_REVIEW, json!({"capability": " Billing "}), "Review the capability Billing.");
        check(IMPACT_ANALYSIS, json!({"element": "CRM"}), r#"{"selector":"head"}"#);
        check(IMPACT_ANALYSIS, json!({"element": "CRM", "as_of": "2026-01-01T00:00:00Z"}), r#"{"as_of":"2026-01-01"#);
        check(IMPACT_ANALYSIS, json!({"element": "CRM", "baseline": "b1", "as_of": "t"}), r#"{"baseline_id":"b1"}"#);
        check(IMPACT_ANALYSIS, json!({}), "element is required");
        check(CAPABILITY_REVIEW, json!({"capability": "  "}), "capability is required");
        check("retrospective", json!({}), "name cannot be \"retrospective\"");
    }

    #[test]
    fn a_prompt_names_only_tools_that_exist() {
        let manifest = contract::generated::transformation::manifest();
        for text in [modelling_session("g"), capability_review("c"), impact_analysis("e", "p")] {
            for word in text.split(|letter: char| !letter.is_alphanumeric() && letter != '.') {
                let tool = word.trim_end_matches('.');
                let known = manifest.tools.iter().any(|known| known.name == tool);
                assert!(known || !tool.starts_with("transformation."), "{tool}");
            }
        }
    }

    #[track_caller]
    fn check(name: &str, arguments: Value, part: &str) {
        let shown = match fill(name, arguments.as_object().unwrap()) {
            Err(error) => error.message,
            Ok(answer) => match &answer.messages[0].content {
                Content::Text(text) => text.clone(),
                other => panic!("{other:?}"),
            },
        };
        assert!(shown.contains(part), "{shown}");
    }
}
