//! What an operator may set for monitor.

use desk::module::{self, BoxError, Section, Setting};
use serde::{Deserialize, Serialize};

use crate::Config;
use crate::authority::AgentType;
use crate::domain::policy::Policy;

const AGENT_TYPES: &[&str] =
    &["", "Orchestrator", "CanonKeeper", "Narrator", "ContextAssembly", "Resolver", "MemoryManager", "Indexer"];

const SETTINGS: &[Setting] = &[
    Setting::new(
        "monitor.agent_type",
        "The type of agent that callers act as who name none in `_meta.agent_type`, where their credential allows it.",
    )
    .one_of(AGENT_TYPES),
    Setting::new("monitor.weight_source", "How much a source counts in canonization, in hundredths.").between(0, 100),
    Setting::new("monitor.weight_gm", "How much the game master counts, in hundredths.").between(0, 100),
    Setting::new("monitor.weight_player", "How much a player counts, in hundredths.").between(0, 100),
    Setting::new("monitor.weight_system", "How much the system counts, in hundredths.").between(0, 100),
    Setting::new(
        "monitor.threshold",
        "What confidence times weight must reach for a proposal to become canon, in hundredths.",
    )
    .between(0, 100),
];

/// All of them, with a field for each name after `monitor.`.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub agent_type: String,
    #[serde(flatten)]
    pub policy: Policy,
}

#[derive(Default, Serialize, Deserialize)]
struct Table {
    monitor: Settings,
}

pub fn section() -> Section {
    Section::of(SETTINGS, &Table::default())
}

impl Settings {
    pub fn of(given: &module::Settings) -> Result<Self, BoxError> {
        Ok(given.read::<Table>()?.monitor)
    }

    pub fn config(&self) -> Config {
        Config { agent_type: AgentType::of(&self.agent_type), policy: self.policy }
    }
}
