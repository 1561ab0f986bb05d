//! What the definition of an agent says: where it runs, what wakes it, what it may call.

use contract::agent::AgentTools;
use serde_json::Value;

use super::document::{Fields, Node};
use crate::Error;

const API_VERSION: &str = "ameide.io/v1";
const KIND: &str = "AgentDefinition";

/// An agent that the platform runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    pub name: String,
    /// The container that runs it.
    pub image: String,
    pub triggers: Vec<Trigger>,
    pub workflows: Vec<String>,
    pub tools: AgentTools,
    pub scope: Option<Scope>,
    /// The highest risk of a tool that it may call.
    pub risk_tier: Option<RiskTier>,
    pub domains: Vec<String>,
    pub processes: Vec<String>,
}

/// What wakes an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigger {
    Fact {
        topic: String,
    },
    /// Five fields, as cron has them.
    Schedule {
        cron: String,
    },
    Signal {
        name: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    ReadOnly,
    ReadWrite,
    CodeGen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskTier {
    Low,
    Medium,
    High,
}

impl AgentDefinition {
    /// Reads a definition; what is wrong with it is named by its path.
    pub fn parse(document: &Value) -> Result<Self, Error> {
        let whole = Node::root(document).fields(&["apiVersion", "kind", "metadata", "spec"])?;
        whole.required("apiVersion")?.one_of(&[API_VERSION])?;
        whole.required("kind")?.one_of(&[KIND])?;
        let metadata =
            whole.required("metadata")?.fields(&["name", "namespace", "description", "labels", "annotations"])?;
        let spec = whole.required("spec")?.fields(&[
            "runtime",
            "triggers",
            "workflows",
            "tools",
            "scope",
            "risk_tier",
            "domains",
            "processes",
        ])?;
        let image = spec.required("runtime")?.fields(&["image"])?.required("image")?.text()?;
        Ok(Self {
            name: metadata.required("name")?.text()?.to_owned(),
            image: image.to_owned(),
            triggers: triggers(&spec)?,
            workflows: texts(&spec, "workflows")?,
            tools: tools(&spec)?,
            scope: scope(&spec)?,
            risk_tier: risk_tier(&spec)?,
            domains: texts(&spec, "domains")?,
            processes: texts(&spec, "processes")?,
        })
    }
}

fn triggers(spec: &Fields<'_>) -> Result<Vec<Trigger>, Error> {
    let Some(list) = spec.optional("triggers") else { return Ok(Vec::new()) };
    list.list()?.iter().map(trigger).collect()
}

fn trigger(node: &Node<'_>) -> Result<Trigger, Error> {
    let any = node.fields(&["type", "topic", "cron", "name"])?;
    let text = |fields: &Fields<'_>, key| Ok::<_, Error>(fields.required(key)?.text()?.to_owned());
    match any.required("type")?.one_of(&["fact", "schedule", "signal"])? {
        "fact" => Ok(Trigger::Fact { topic: text(&node.fields(&["type", "topic"])?, "topic")? }),
        "schedule" => {
            let cron = text(&node.fields(&["type", "cron"])?, "cron")?;
            if cron.split_whitespace().count() != 5 {
                let reason = format!("cannot be {cron:?}");
                return Err(any.required("cron")?.refuse(reason, "give the five fields of cron, such as 0 6 * * 1"));
            }
            Ok(Trigger::Schedule { cron })
        }
        _ => Ok(Trigger::Signal { name: text(&node.fields(&["type", "name"])?, "name")? }),
    }
}

/// Without tools of its own an agent has none.
fn tools(spec: &Fields<'_>) -> Result<AgentTools, Error> {
    let risk_tier = risk_tier(spec)?.map(|tier| match tier {
        RiskTier::Low => contract::RiskTier::Low,
        RiskTier::Medium => contract::RiskTier::Medium,
        RiskTier::High => contract::RiskTier::High,
    });
    let reads_only = scope(spec)? == Some(Scope::ReadOnly);
    let Some(tools) = spec.optional("tools") else {
        return Ok(AgentTools { risk_tier, reads_only, ..AgentTools::default() });
    };
    let lists = tools.fields(&["allow", "deny"])?;
    Ok(AgentTools { allow: texts(&lists, "allow")?, deny: texts(&lists, "deny")?, risk_tier, reads_only })
}

fn scope(spec: &Fields<'_>) -> Result<Option<Scope>, Error> {
    let Some(node) = spec.optional("scope") else { return Ok(None) };
    Ok(Some(match node.one_of(&["read-only", "read/write", "code-gen"])? {
        "read-only" => Scope::ReadOnly,
        "read/write" => Scope::ReadWrite,
        _ => Scope::CodeGen,
    }))
}

fn risk_tier(spec: &Fields<'_>) -> Result<Option<RiskTier>, Error> {
    let Some(node) = spec.optional("risk_tier") else { return Ok(None) };
    Ok(Some(match node.one_of(&["low", "medium", "high"])? {
        "low" => RiskTier::Low,
        "medium" => RiskTier::Medium,
        _ => RiskTier::High,
    }))
}

fn texts(fields: &Fields<'_>, key: &'static str) -> Result<Vec<String>, Error> {
    fields.optional(key).map_or_else(|| Ok(Vec::new()), |node| node.texts())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reviewer() -> Value {
        json!({
            "apiVersion": "ameide.io/v1",
            "kind": "AgentDefinition",
            "metadata": {"name": "architecture-reviewer"},
            "spec": {
                "runtime": {"image": "ameide/architecture-reviewer:v1"},
                "triggers": [
                    {"type": "fact", "topic": "transformation.architecture.domain.facts.v1"},
                    {"type": "schedule", "cron": "0 6 * * 1"},
                    {"type": "signal", "name": "review-now"},
                ],
                "workflows": ["review"],
                "tools": {"allow": ["transformation.listElements"], "deny": ["transformation.submit*"]},
                "scope": "read-only",
                "risk_tier": "low",
                "domains": ["orders"],
                "processes": ["review"],
            },
        })
    }

    //
    #[test]
    fn a_definition_states_runtime_triggers_workflows_and_tools() {
        let agent = AgentDefinition::parse(&reviewer()).unwrap();
        assert_eq!(
            (agent.name.as_str(), agent.image.as_str()),
            ("architecture-reviewer", "ameide/architecture-reviewer:v1")
        );
        assert_eq!(
            agent.triggers,
            [
                Trigger::Fact { topic: "transformation.architecture.domain.facts.v1".to_owned() },
                Trigger::Schedule { cron: "0 6 * * 1".to_owned() },
                Trigger::Signal { name: "review-now".to_owned() },
            ]
        );
        assert_eq!(
            (agent.workflows, agent.tools.deny),
            (vec!["review".to_owned()], vec!["transformation.submit*".to_owned()])
        );
        assert_eq!((agent.scope, agent.risk_tier), (Some(Scope::ReadOnly), Some(RiskTier::Low)));
    }

    //
    #[test]
    fn what_is_wrong_is_named_by_its_path() {
        check("/apiVersion", json!("ameide.io/v2"), "apiVersion cannot be \"ameide.io/v2\" (use ameide.io/v1)");
        check("/metadata", json!({}), "metadata.name is missing (give metadata.name)");
        check("/spec/runtime", json!({"imge": "x"}), "spec.runtime.imge is not known (use image)");
        check("/spec/runtime/image", json!(" "), "spec.runtime.image is empty (say something, or leave it out)");
        check(
            "/spec/triggers/1/type",
            json!("scheduled"),
            "spec.triggers[1].type cannot be \"scheduled\" (use schedule)",
        );
        check(
            "/spec/triggers/0",
            json!({"type": "fact"}),
            "spec.triggers[0].topic is missing (give spec.triggers[0].topic)",
        );
        check(
            "/spec/triggers/1/cron",
            json!("daily"),
            "spec.triggers[1].cron cannot be \"daily\" (give the five fields of cron, such as 0 6 * * 1)",
        );
        check("/spec/tools/allow", json!("all"), "spec.tools.allow is text (give a list)");
        check("/spec/tools/deny/0", json!(7), "spec.tools.deny[0] is a number (give text)");
        check("/spec/risk_tier", json!("hihg"), "spec.risk_tier cannot be \"hihg\" (use high)");
    }

    #[track_caller]
    fn check(pointer: &str, value: Value, expected: &str) {
        let mut document = reviewer();
        *document.pointer_mut(pointer).unwrap() = value;
        let Error::Invalid { field, reason, hint } = AgentDefinition::parse(&document).unwrap_err() else {
            panic!("a document that is wrong is invalid");
        };
        assert_eq!(format!("{field} {reason} ({hint})"), expected);
    }
}
