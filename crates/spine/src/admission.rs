//! Who may come in. One function, read from top to bottom; each step yields the proof that the next one takes.
//!
//! It decides on the parsed message, never on a header that merely claims what the message says.

mod identity;
mod origin;
mod pace;

use std::sync::Arc;

use contract::{Manifest, Side};
use http::HeaderMap;
use scope::{Principal, Scope, Timestamp};

pub use identity::{Identity, LocalIdentity};
pub use origin::Addresses;
pub use pace::{Buckets, Pace};

use crate::message::Message;

/// Something that wants to come in.
pub struct Arrival<'a> {
    pub door: Door<'a>,
    /// Absent for streams that are opened without a message.
    pub message: Option<&'a Message>,
    pub now: Timestamp,
}

/// Which way it came.
#[derive(Clone, Copy)]
pub enum Door<'a> {
    Http(&'a HeaderMap),
    Stdio,
    CommandLine,
}

impl Door<'_> {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Http(_) => "http",
            Self::Stdio => "stdio",
            Self::CommandLine => "cli",
        }
    }
}

/// Proof that a call passed every step. Only [`Admission::admit`] makes one.
#[derive(Debug, Clone)]
pub struct Admitted {
    pub principal: Principal,
    pub scope: Scope,
    pub transport: &'static str,
    _proof: Proof,
}

/// Cannot be made outside this module.
#[derive(Debug, Clone, Copy)]
struct Proof;

/// Why something may not come in. The text tells nothing that helps an attacker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("header {0} is given twice")]
    DuplicateHeader(&'static str),
    #[error("host not allowed")]
    Host,
    #[error("origin not allowed")]
    Origin,
    #[error("authentication required")]
    Unidentified,
    #[error("too many requests")]
    Pace { retry_after_s: u64 },
    #[error("insufficient scope; this needs {0}")]
    Scope(String),
    #[error("your role does not permit this")]
    Role,
}

impl Rejection {
    pub fn status(&self) -> u16 {
        match self {
            Self::DuplicateHeader(_) => 400,
            Self::Unidentified => 401,
            Self::Host | Self::Origin | Self::Scope(_) | Self::Role => 403,
            Self::Pace { .. } => 429,
        }
    }

    /// One word for audit and metrics.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::DuplicateHeader(_) => "duplicate_header",
            Self::Host => "host",
            Self::Origin => "origin",
            Self::Unidentified => "unidentified",
            Self::Pace { .. } => "rate",
            Self::Scope(_) => "scope",
            Self::Role => "role",
        }
    }
}

/// The rules of one listener.
pub struct Admission {
    addresses: Addresses,
    identity: Arc<dyn Identity>,
    pace: Pace,
}

struct Addressed<'a>(&'a Arrival<'a>);
struct Identified<'a> {
    arrival: &'a Arrival<'a>,
    principal: Principal,
    scope: Scope,
}
struct Paced<'a>(Identified<'a>);
struct Scoped<'a>(Identified<'a>);
struct Permitted<'a>(Identified<'a>);

impl Admission {
    pub fn new(addresses: Addresses, identity: Arc<dyn Identity>, pace: Pace) -> Self {
        Self { addresses, identity, pace }
    }

    /// Lets a call in, or says why not. The size of the body was checked before it was read.
    pub fn admit(&self, arrival: &Arrival<'_>, manifest: &Manifest) -> Result<Admitted, Rejection> {
        let addressed = self.host_and_origin(arrival)?;
        let identified = self.token(addressed)?;
        let paced = self.rate(identified)?;
        let scoped = scope_of(paced, manifest)?;
        let permitted = role(scoped, manifest)?;
        Ok(tenant(permitted))
    }

    /// Whether we know who sends something, before what it says is read.
    pub fn knows(&self, headers: &HeaderMap, now: Timestamp) -> Result<(), Rejection> {
        let arrival = Arrival { door: Door::Http(headers), message: None, now };
        self.token(self.host_and_origin(&arrival)?).map(|_| ())
    }

    fn host_and_origin<'a>(&self, arrival: &'a Arrival<'a>) -> Result<Addressed<'a>, Rejection> {
        if let Door::Http(headers) = arrival.door {
            self.addresses.check(headers)?;
        }
        Ok(Addressed(arrival))
    }

    fn token<'a>(&self, addressed: Addressed<'a>) -> Result<Identified<'a>, Rejection> {
        let arrival = addressed.0;
        let (principal, scope) = self.identity.identify(&arrival.door)?;
        Ok(Identified { arrival, principal, scope })
    }

    fn rate<'a>(&self, identified: Identified<'a>) -> Result<Paced<'a>, Rejection> {
        let caller = (&identified.scope.tenant, &identified.principal);
        self.pace.take(caller, identified.arrival.now)?;
        Ok(Paced(identified))
    }
}

fn scope_of<'a>(paced: Paced<'a>, manifest: &Manifest) -> Result<Scoped<'a>, Rejection> {
    let needed = match paced.0.arrival.message {
        Some(message) if message.method == "tools/call" => {
            let tool = message.tool().and_then(|name| tool_named(manifest, name));
            match tool {
                Some(tool) if !tool.scopes.is_empty() => tool.scopes.clone(),
                _ => vec!["mcp:tools".to_owned()],
            }
        }
        Some(message) if message.method == "resources/read" => vec!["mcp:resources".to_owned()],
        _ => Vec::new(),
    };
    match needed.iter().find(|scope| !paced.0.principal.scopes.contains(*scope)) {
        Some(_) => Err(Rejection::Scope(needed.join(" "))),
        None => Ok(Scoped(paced.0)),
    }
}

fn role<'a>(scoped: Scoped<'a>, manifest: &Manifest) -> Result<Permitted<'a>, Rejection> {
    let tool = scoped.0.arrival.message.and_then(Message::tool).and_then(|name| tool_named(manifest, name));
    let writes = tool.is_some_and(|tool| tool.side == Side::Command);
    let may = |roles: &[&str]| roles.iter().any(|role| scoped.0.principal.roles.contains(*role));
    let writer = may(&["contributor", "architect", "curator", "admin", "service"]);
    let reader = writer || may(&["viewer", "analyst"]);
    if if writes { writer } else { reader } { Ok(Permitted(scoped.0)) } else { Err(Rejection::Role) }
}

/// The tenant is the credential's; nothing in the message can name another.
fn tenant(permitted: Permitted<'_>) -> Admitted {
    let Identified { arrival, principal, scope } = permitted.0;
    Admitted { principal, scope, transport: arrival.door.name(), _proof: Proof }
}

fn tool_named<'a>(manifest: &'a Manifest, name: &str) -> Option<&'a contract::Tool> {
    manifest.tools.iter().find(|tool| crate::names::names(&tool.name, name))
}

#[cfg(test)]
mod tests;
