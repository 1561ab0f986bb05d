//! What an operator may set, and where it is set.
//!
//! Four sources, each stronger than the one before: the default, the file, the environment, the flag. The file is TOML with
//! the names of [`Known`]; in the environment `limits.calls_max` is `CHANCERY_LIMITS_CALLS_MAX`. Capabilities bring settings
//! of their own, which are kept here and read there.

mod check;
mod known;
mod reference;
mod settings;
mod source;
mod whole;

use std::net::SocketAddr;
use std::path::PathBuf;

use scope::{Principal, PrincipalKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use check::log_filter;
pub use known::Known;
pub use reference::page;
pub use source::{Gathered, Origin, Problem, Sources, TOKEN};
pub use whole::{may_serve, may_serve_stdio};

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    pub data: PathBuf,
    pub listen: SocketAddr,
    pub public_url: String,
    pub user: String,
    pub log: String,
    pub log_format: LogFormat,
    pub gather_log: bool,
    pub capabilities: Vec<String>,
    pub role: Role,
    /// Whether callers on loopback need no token.
    pub open: bool,
    pub production: bool,
    /// Whether a client may start the server over stdio in production too.
    pub stdio_in_production: bool,
    pub tls: TlsFiles,
    pub auth: gate::Config,
    pub search: search::Config,
    /// The token that the environment gives to a client over stdio.
    #[serde(skip)]
    pub token: Option<String>,
    /// The client is a process of this machine that started us, so its paths are ours.
    #[serde(skip)]
    pub local_client: bool,
    /// What is set for the capabilities, under the names that they publish.
    #[serde(skip)]
    pub modules: Map<String, Value>,
    #[serde(flatten)]
    pub spine: spine::Config,
}

/// The certificate of the listener; none when both are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TlsFiles {
    pub certificate: String,
    pub key: String,
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

    /// The host under which clients know us, if one is configured.
    pub fn public_host(&self) -> Option<String> {
        let (_, rest) = self.public_url.split_once("://")?;
        Some(rest.split('/').next().unwrap_or(rest).to_owned())
    }

    /// What addresses that we hand out start with.
    pub fn public_base(&self) -> String {
        let scheme = if self.has_tls() { "https" } else { "http" };
        if self.public_url.is_empty() { format!("{scheme}://{}", self.listen) } else { self.public_url.clone() }
    }

    /// Whether the listener has a certificate of its own.
    pub fn has_tls(&self) -> bool {
        !self.tls.certificate.is_empty() && !self.tls.key.is_empty()
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
            role: Role::Admin,
            open: false,
            production: false,
            stdio_in_production: false,
            tls: TlsFiles::default(),
            auth: gate::Config::default(),
            search: search::Config::default(),
            token: None,
            local_client: false,
            modules: Map::new(),
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

#[cfg(test)]
mod tests;
