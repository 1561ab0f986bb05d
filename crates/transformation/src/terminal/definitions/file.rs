//! A definition in a file. YAML is read here and nowhere else; JSON is YAML too.

use std::path::Path;

use contract::generated::transformation::DefinitionKind;
use desk::module::{BoxError, Refused};
use serde_json::{Map, Value};

use crate::domain::definition::agent::AgentDefinition;

/// What a file says, checked as far as it can be without the data.
pub struct DefinitionFile {
    pub kind: DefinitionKind,
    pub name: String,
    pub payload: Map<String, Value>,
}

impl DefinitionFile {
    pub fn read(path: &Path) -> Result<Self, BoxError> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        Self::parse(&text).map_err(|reason| format!("{shown} is not a definition: {reason}").into())
    }

    fn parse(text: &str) -> Result<Self, BoxError> {
        const KINDS: &str = "AgentDefinition, ProcessDefinition or ExtensionDefinition";
        let document: Value = serde_saphyr::from_str(text)?;
        let kind = match document.get("kind").and_then(Value::as_str) {
            Some("AgentDefinition") => {
                AgentDefinition::parse(&document).map_err(|error| Refused(error.into()))?;
                DefinitionKind::DefinitionAgent
            }
            Some("ProcessDefinition") => DefinitionKind::DefinitionProcess,
            Some("ExtensionDefinition") => DefinitionKind::DefinitionExtension,
            Some(other) => return Err(format!("kind cannot be {other:?}: use {KINDS}").into()),
            None => return Err(format!("kind is missing: give {KINDS}").into()),
        };
        let name = document.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.is_empty() {
            return Err("metadata.name is missing: give the definition a name".into());
        }
        let Value::Object(payload) = document else { return Err("the document is not an object".into()) };
        Ok(Self { kind, name, payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEWER: &str = "
apiVersion: ameide.io/v1
kind: AgentDefinition
metadata: {name: architecture-reviewer}
spec:
  runtime: {image: 'ameide/architecture-reviewer:v1'}
  triggers:
    - topic: transformation.architecture.domain.facts.v1
      type: fact
  tools:
    allow: [transformation.listElements, transformation.getView, transformation.searchCapabilities]
    deny: [transformation.submit*]   # it only reads
";

    //
    #[test]
    fn the_reviewer_of_the_specification_is_read() {
        let file = DefinitionFile::parse(REVIEWER).unwrap();
        assert_eq!((file.kind.label(), file.name.as_str()), ("agent", "architecture-reviewer"));
        let agent = AgentDefinition::parse(&Value::Object(file.payload)).unwrap();
        assert_eq!(agent.tools.allow.len(), 3);
        let tools = contract::generated::transformation::manifest().tools;
        let permitted: Vec<&str> =
            tools.iter().filter(|tool| agent.tools.permits(tool)).map(|tool| tool.name.as_str()).collect();
        assert_eq!(permitted.len(), 3, "{permitted:?}");
        assert!(!permitted.contains(&"transformation.submitScrumIntent"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        check("a: [", "");
        check("kind: Agent", "kind cannot be \"Agent\": use AgentDefinition, ProcessDefinition or ExtensionDefinition");
        check("kind: ProcessDefinition", "metadata.name is missing: give the definition a name");
        check(
            &REVIEWER.replace("type: fact", "type: facts"),
            "spec.triggers[0].type cannot be \"facts\" (VALIDATION_ERROR); use fact",
        );
        check(&format!("{REVIEWER}\nkind: AgentDefinition"), "");
    }

    #[test]
    fn a_small_file_that_unfolds_into_a_huge_one_is_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let before = vec![format!("*a{}", level - 1); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{before}]\n"));
        }
        check(&format!("{text}kind: ProcessDefinition\nmetadata: {{name: bomb}}\n"), "");
    }

    /// An empty expectation leaves the words to the parser.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = DefinitionFile::parse(text).err().expect("it is wrong").to_string();
        assert!(expected.is_empty() || error == expected, "{error}");
    }
}
