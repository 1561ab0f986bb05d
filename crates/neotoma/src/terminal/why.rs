//! `chancery why`: where a value comes from, down to the file.

use std::process::ExitCode;

use clap::Parser;
use desk::module::{BoxError, Outcome, Session};
use serde_json::{Map, Value};

/// Say where the value of an entity's field comes from.
#[derive(Debug, Parser)]
#[command(name = "why")]
pub struct Why {
    /// Id, or a unique name or identifier.
    entity: String,
    field: String,
}

impl Why {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let mut arguments = Map::new();
        arguments.insert("entity_id".to_owned(), self.entity.into());
        arguments.insert("field".to_owned(), self.field.into());
        match session.call("get_field_provenance", arguments).await? {
            Outcome::Answered(answer) => {
                session.print(&chain(&answer))?;
                Ok(ExitCode::SUCCESS)
            }
            Outcome::Refused(envelope) => {
                let error = &envelope["error"];
                session.print(&format!("{}: {}", word(error, "code"), word(error, "message")))?;
                session.print(&word(&error["details"], "fix"))?;
                Ok(ExitCode::FAILURE)
            }
        }
    }
}

/// The value, the observation and the source it rests on, and what it was preferred to.
fn chain(answer: &Value) -> String {
    let (observation, source) = (&answer["source_observation"], &answer["source_material"]);
    let mut lines = vec![
        format!("{} = {}", word(answer, "field"), answer["value"]),
        format!("  observation {}", word(observation, "id")),
        format!("    observed {}", word(observation, "observed_at")),
        format!("  source {} ({})", word(source, "id"), word(source, "kind")),
        format!("    stored {}, content {}", word(source, "created_at"), word(source, "content_hash")),
    ];
    // What a document says is data, and stands in quotes.
    lines.extend(answer["quote"].as_str().map(|quote| format!("    says {quote:?}")));
    let name = source["original_filename"].as_str().map(|name| format!("  file {name}"));
    lines.extend(name);
    let paths = source["file_urls"].as_array().into_iter().flatten();
    lines.extend(paths.filter_map(Value::as_str).map(|path| format!("    kept as {path}")));
    let others = answer["other_observations"].as_array().cloned().unwrap_or_default();
    if !others.is_empty() {
        lines.push("preferred to".to_owned());
    }
    for other in &others {
        lines.push(format!("  {} ({})", other["value"], word(other, "reason")));
        lines.push(format!(
            "    observation {}, observed {}, source {}",
            word(other, "id"),
            word(other, "observed_at"),
            word(other, "source_id")
        ));
    }
    lines.join("\n")
}

fn word(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}
