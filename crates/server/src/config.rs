//! What an operator may set, and where it is set.
//!
//! Four sources, each stronger than the one before: the default, the file, the environment, the flag. The file is TOML with
//! the names of [`SETTINGS`]; in the environment `limits.calls_max` is `CHANCERY_LIMITS_CALLS_MAX`.

mod reference;
mod source;

use std::net::SocketAddr;
use std::path::PathBuf;

use scope::{Principal, PrincipalKind};
use serde::{Deserialize, Serialize};
use transformation::domain::policy::Governance;

use crate::platform::neotoma;

pub use reference::page;
pub use source::{Problem, Sources};

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub data: PathBuf,
    pub listen: SocketAddr,
    pub public_url: String,
    pub user: String,
    pub log: String,
    pub log_format: LogFormat,
    pub gather_log: bool,
    pub capabilities: Vec<String>,
    pub profile: String,
    pub role: Role,
    pub governance: Governance,
    pub neotoma: neotoma::Settings,
    /// The client is a process of this machine that started us, so its paths are ours.
    #[serde(skip)]
    pub local_client: bool,
    #[serde(flatten)]
    pub spine: spine::Config,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

/// What callers over HTTP and stdio are; the command line is always the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Admin,
    Architect,
    Viewer,
    Agent,
}

impl Role {
    /// The caller that has this role and nothing more.
    pub fn principal(self, user: &str) -> Principal {
        let owner = Principal::local(user);
        let with =
            |kind, role: &str| Principal { kind, roles: [role.to_owned()].into_iter().collect(), ..owner.clone() };
        match self {
            Self::Admin => owner,
            Self::Architect => with(PrincipalKind::User, "architect"),
            Self::Viewer => with(PrincipalKind::User, "viewer"),
            Self::Agent => Principal { subject: format!("{user}/agent"), ..with(PrincipalKind::Agent, "service") },
        }
    }
}

impl Config {
    /// Where files are kept.
    pub fn blobs(&self) -> PathBuf {
        self.data.join("blobs")
    }

    /// What addresses that we hand out start with.
    pub fn public_base(&self) -> String {
        if self.public_url.is_empty() { format!("http://{}", self.listen) } else { self.public_url.clone() }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data: default_data(),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: String::new(),
            user: "owner".to_owned(),
            log: "info".to_owned(),
            log_format: LogFormat::Text,
            gather_log: true,
            capabilities: Vec::new(),
            profile: "ameide".to_owned(),
            role: Role::Admin,
            governance: Governance::default(),
            neotoma: neotoma::Settings::default(),
            local_client: false,
            spine: spine::Config::default(),
        }
    }
}

/// Where the data of this person lives: the platform's data folder, or the current one.
fn default_data() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_DATA_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".local/share")))
        .map_or_else(|| PathBuf::from("chancery-data"), |base| base.join("chancery"))
}

/// A setting as the reference shows it.
pub struct Setting {
    pub name: &'static str,
    pub about: &'static str,
}

/// Every setting, in the order of the reference.
pub const SETTINGS: &[Setting] = &[
    Setting { name: "data", about: "The data directory. It is made when it does not exist." },
    Setting {
        name: "listen",
        about: "Address and port of the HTTP server. Port 0 takes a free one, which is then reported.",
    },
    Setting {
        name: "public_url",
        about: "How clients reach the server, such as `https://mcp.example.org`; addresses of files start with it. When empty, the address that it listens on.",
    },
    Setting { name: "user", about: "The name under which local calls are recorded." },
    Setting { name: "log", about: "What is logged to stderr: a level, or a filter such as `info,spine=debug`." },
    Setting { name: "log_format", about: "`text` or `json`." },
    Setting {
        name: "gather_log",
        about: "Whether a commit goes to the database's log in one piece, which is faster. Switch it off to leave the log to SQLite alone.",
    },
    Setting { name: "capabilities", about: "Which capabilities to mount; all when empty." },
    Setting { name: "profile", about: "The metamodel of transformation: `ameide` or `archimate-3.2-strict`." },
    Setting {
        name: "role",
        about: "What callers over HTTP and stdio are: `admin`, `architect`, `viewer` or `agent`. The command line is always the owner.",
    },
    Setting {
        name: "governance.default",
        about: "`review`: writes are proposals unless role and scope permit a commit. `direct`: all who may write commit.",
    },
    Setting {
        name: "governance.direct_tier",
        about: "The highest risk that architects commit without review: `LOW`, `MEDIUM`, `HIGH` or `CRITICAL`.",
    },
    Setting { name: "governance.readers_propose", about: "Whether those who may only read may propose." },
    Setting { name: "governance.self_approval", about: "Whether people may approve what they proposed themselves." },
    Setting { name: "governance.approvals_low", about: "Approvals that a proposal of low risk needs." },
    Setting { name: "governance.approvals_med", about: "Approvals that a proposal of medium risk needs." },
    Setting { name: "governance.approvals_high", about: "Approvals that a proposal of high risk needs." },
    Setting { name: "neotoma.file_bytes_max", about: "Largest file, in bytes." },
    Setting { name: "neotoma.interpretations_max", about: "Interpretations per user in 30 days." },
    Setting {
        name: "neotoma.upload_roots",
        about: "Folders that `upload_file` may read from; over stdio only. None when empty.",
    },
    Setting {
        name: "neotoma.interpreter_url",
        about: "An OpenAI-compatible endpoint that interprets files, such as `http://127.0.0.1:11434/v1` or `https://models.example.org/v1`. The embedded rules when empty.",
    },
    Setting { name: "neotoma.interpreter_model", about: "The model to ask there." },
    Setting { name: "neotoma.interpreter_key", about: "Its bearer token; better given by the environment." },
    Setting {
        name: "neotoma.interpreter_ca",
        about: "A PEM file of certificate authorities that an https endpoint is checked with. Those of the system when empty.",
    },
    Setting { name: "hosts", about: "Host names besides loopback that requests may name." },
    Setting {
        name: "origins",
        about: "Browser origins besides loopback that may call, such as `https://app.example.org` or `vscode-webview://*`.",
    },
    Setting {
        name: "tool_names",
        about: "Form of listed tool names: `auto` (by client), `dot` or `underscore`. Both forms can always be called.",
    },
    Setting {
        name: "confirm",
        about: "Before a destructive call: `ask` where the client can be asked, `always` (in two steps where it cannot), `never`.",
    },
    Setting { name: "toolsets", about: "Which groups of tools to mount; all when empty." },
    Setting {
        name: "limits.body_bytes_max",
        about: "Largest request, except where a capability takes files and says that it takes more.",
    },
    Setting { name: "limits.depth_max", about: "Deepest nesting of JSON." },
    Setting { name: "limits.call_timeout_ms", about: "How long a call may take." },
    Setting { name: "limits.calls_max", about: "Calls under way at once." },
    Setting { name: "limits.connections_max", about: "Open connections." },
    Setting { name: "limits.read_timeout_ms", about: "How long a client may take to send its headers, or its body." },
    Setting { name: "limits.sessions_max", about: "Open sessions of initialize-era clients." },
    Setting { name: "limits.session_idle_s", about: "Seconds after which an idle session ends." },
    Setting { name: "limits.subscriptions_max", about: "Open streams that follow changes." },
    Setting { name: "limits.calls_per_minute", about: "Calls per minute and caller; 0 for no limit." },
    Setting {
        name: "limits.tools",
        about: "Calls per minute and caller of single tools over HTTP, in place of what the tools state; 0 for no limit. A table such as `{ ingest = 100 }`; in the environment `ingest=100,upload_file=10`.",
    },
    Setting { name: "limits.shutdown_ms", about: "How long calls under way may go on after a stop was asked for." },
];

#[cfg(test)]
mod tests;
