//! The prompt that starts a modelling session.

use contract::{CallError, Content, Prompt, PromptAnswer, PromptArgument, PromptMessage, Speaker};
use serde_json::{Map, Value};

use crate::Error;

pub const MODELLING_SESSION: &str = "modelling-session";

/// The prompts this capability offers.
pub fn prompts() -> Vec<Prompt> {
    vec![Prompt {
        name: MODELLING_SESSION.to_owned(),
        title: "Modelling session".to_owned(),
        description: "Work on the architecture model towards a goal, step by step".to_owned(),
        arguments: vec![PromptArgument {
            name: "goal".to_owned(),
            description: "What the model should show in the end".to_owned(),
            required: true,
        }],
    }]
}

/// Fills in a prompt.
pub fn fill(name: &str, arguments: &Map<String, Value>) -> Result<PromptAnswer, CallError> {
    if name != MODELLING_SESSION {
        return Err(Error::invalid("name", format!("cannot be {name:?}"), format!("use {MODELLING_SESSION}")).into());
    }
    let goal = arguments.get("goal").and_then(Value::as_str).map(str::trim).filter(|goal| !goal.is_empty());
    let Some(goal) = goal else {
        return Err(
            Error::invalid("goal", "is required".to_owned(), "say in a sentence what the model should show").into()
        );
    };
    let text = format!(
        "Goal of this session: {goal}\n\n\
         1. Read before you write: transformation.listModels, then transformation.listElements and transformation.listRelationships for the part the goal is about.\n\
         2. Say which elements and relationships are missing, with their ArchiMate types. transformation.getElementTypes and transformation.getRelationshipTypes list what is permitted.\n\
         3. For each change call transformation.validateWrite first, mend what it refuses, then make the change with a client_request_id of its own.\n\
         4. Give every element a description. Cite the version_id of what you rely on.\n\
         5. At the end list what was created, changed and left open."
    );
    Ok(PromptAnswer {
        description: Some(format!("Modelling towards: {goal}")),
        messages: vec![PromptMessage { speaker: Speaker::User, content: Content::Text(text) }],
    })
}
