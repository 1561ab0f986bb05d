//! Who may come in. One function, read from top to bottom; each step yields the proof that the next one takes.
//!
//! It decides on the parsed message, never on a header that merely claims what the message says.

mod challenge;
mod identity;
mod origin;
mod pace;

use std::sync::Arc;

use contract::{Manifest, Side};
use http::HeaderMap;
use scope::{Principal, Scope, Timestamp};

pub use identity::{Asked, Identified, Identity, LocalIdentity};
pub use origin::Addresses;
pub(crate) use origin::is_loopback_host;
pub use pace::{Buckets, Pace};

use crate::message::Message;

/// What stands for the tenant of those who have none.
pub const NO_TENANT: &str = "-";

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
    /// When the credential ends, if it does.
    pub expires: Option<Timestamp>,
    /// The definition of the agent that calls, when it names one.
    pub definition: Option<Arc<str>>,
    pub transport: &'static str,
    _proof: Proof,
}

impl Admitted {
    /// One text that names this caller and no other, of any tenant.
    pub fn caller(&self) -> String {
        format!("{}|{}", self.scope.tenant, self.principal.id())
    }
}

/// Cannot be made outside this module.
#[derive(Debug, Clone, Copy)]
struct Proof;

/// Why something may not come in. The text tells nothing that helps an attacker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("header {0} is given twice")]
    DuplicateHeader(&'static str),
    #[error("the request is for another server")]
    Target,
    #[error("host not allowed")]
    Host,
    #[error("origin not allowed")]
    Origin,
    #[error("authentication required")]
    Unidentified,
    #[error("invalid token")]
    Token,
    #[error("invalid audience")]
    Audience,
    #[error("tokens go into the Authorization header")]
    TokenPlace,
    #[error("tokens cannot be checked at the moment; try again later")]
    IssuerDown { retry_after_s: u64 },
    #[error("the token is for no tenant of this server")]
    Tenant,
    #[error("too many requests")]
    Pace { retry_after_s: u64 },
    #[error("too many requests from this address")]
    AddressPace { retry_after_s: u64 },
    #[error("insufficient scope; this needs {0}")]
    Scope(String),
    #[error("your role does not permit this")]
    Role,
}

impl Rejection {
    pub fn status(&self) -> u16 {
        match self {
            Self::DuplicateHeader(_) | Self::Target | Self::TokenPlace => 400,
            Self::Unidentified | Self::Token | Self::Audience => 401,
            Self::Host | Self::Origin | Self::Scope(_) | Self::Role | Self::Tenant => 403,
            Self::Pace { .. } | Self::AddressPace { .. } => 429,
            Self::IssuerDown { .. } => 503,
        }
    }

    /// After how many seconds it is worth coming again, where that is known.
    pub fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::Pace { retry_after_s } | Self::AddressPace { retry_after_s } | Self::IssuerDown { retry_after_s } => {
                Some(*retry_after_s)
            }
            _ => None,
        }
    }

    /// Whether it was known who came when they were turned away.
    pub fn knows_who(&self) -> bool {
        matches!(self, Self::Pace { .. } | Self::Scope(_) | Self::Role | Self::Tenant)
    }

    /// One word for audit and metrics.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::DuplicateHeader(_) => "duplicate_header",
            Self::Target => "target",
            Self::Host => "host",
            Self::Origin => "origin",
            Self::Unidentified => "unidentified",
            Self::Token => "token",
            Self::Audience => "audience",
            Self::TokenPlace => "token_place",
            Self::IssuerDown { .. } => "issuer",
            Self::Tenant => "tenant",
            Self::Pace { .. } => "rate",
            Self::AddressPace { .. } => "address_rate",
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

/// Someone whose host, origin, credential and rate are in order; what is asked for is not known yet.
pub struct Met<'a> {
    door: Door<'a>,
    who: Identified,
}

struct Addressed<'a>(Asked<'a>);
struct Unhurried<'a>(Asked<'a>);
struct Known<'a> {
    met: Met<'a>,
    now: Timestamp,
}
struct Scoped<'a>(Met<'a>);
struct Permitted<'a>(Met<'a>);

impl Admission {
    pub fn new(addresses: Addresses, identity: Arc<dyn Identity>, pace: Pace) -> Self {
        Self { addresses, identity, pace }
    }

    /// Lets a call in, or says why not. The size of the body was checked before it was read. Nobody else is asked who it is.
    pub fn admit(&self, arrival: &Arrival<'_>, manifest: &Manifest) -> Result<Admitted, Rejection> {
        let asked = Asked { door: arrival.door, endpoint: &manifest.name, now: arrival.now, from: None };
        let unhurried = self.address_rate(self.host_and_origin(asked)?)?;
        let who = self.identity.identify(&asked).unwrap_or(Err(Rejection::Unidentified))?;
        self.rate(identified(&unhurried, who))?.admit(arrival.message, manifest)
    }

    /// The steps that need no message, so that nothing is read for those who may not come in.
    pub async fn meet<'a>(&self, asked: Asked<'a>) -> Result<Met<'a>, Rejection> {
        let unhurried = self.address_rate(self.host_and_origin(asked)?)?;
        let known = self.token(unhurried).await?;
        self.rate(known)
    }

    /// Who asks for something that no message names. Host and origin were checked before.
    pub async fn know(&self, asked: Asked<'_>) -> Result<Identified, Rejection> {
        let known = self.token(self.address_rate(Addressed(asked))?).await?;
        Ok(self.rate(known)?.who)
    }

    /// Who stands at a door, for the record of somebody who may not come in.
    pub fn who(&self, asked: &Asked<'_>) -> Option<(Principal, Scope)> {
        let who = self.identity.identify(asked)?.ok()?;
        Some((who.principal, who.scope.unwrap_or_else(nowhere)))
    }

    /// Whether whoever opened a stream may still follow it, and until when that is certain.
    pub async fn identify(&self, asked: Asked<'_>) -> Result<Identified, Rejection> {
        match self.identity.identify(&asked) {
            Some(known) => known,
            None => self.identity.find_out(asked).await,
        }
    }

    /// What `WWW-Authenticate` says to somebody who was turned away at an endpoint.
    pub fn challenge(&self, rejection: &Rejection, endpoint: &str) -> Option<String> {
        rejection.challenge(self.identity.metadata_url(endpoint).as_deref())
    }

    fn host_and_origin<'a>(&self, asked: Asked<'a>) -> Result<Addressed<'a>, Rejection> {
        if let Door::Http(headers) = asked.door {
            self.addresses.check(headers)?;
        }
        Ok(Addressed(asked))
    }

    /// Before anybody looks at a token, which costs more than to refuse it.
    fn address_rate<'a>(&self, addressed: Addressed<'a>) -> Result<Unhurried<'a>, Rejection> {
        let Addressed(asked) = addressed;
        asked.from.map_or(Ok(()), |address| self.pace.arrive(address, asked.now))?;
        Ok(Unhurried(asked))
    }

    async fn token<'a>(&self, unhurried: Unhurried<'a>) -> Result<Known<'a>, Rejection> {
        let asked = unhurried.0;
        if let Some(doubt) = asked.from.and_then(|address| self.pace.doubted(address, asked.now)) {
            // What others at an address did is no reason to refuse those who are known.
            return self.identity.recognise(&asked).map(|who| identified(&unhurried, who)).ok_or(doubt);
        }
        let who = self.identify(asked).await.inspect_err(|rejection| {
            let unknown = matches!(rejection, Rejection::Unidentified | Rejection::Token | Rejection::Audience);
            if let Some(address) = asked.from.filter(|_| unknown) {
                self.pace.failed(address, asked.now);
            }
        })?;
        Ok(identified(&unhurried, who))
    }

    fn rate<'a>(&self, identified: Known<'a>) -> Result<Met<'a>, Rejection> {
        let Known { met, now } = identified;
        match &met.who.scope {
            Some(scope) => self.pace.take(&scope.tenant, &met.who.principal, now)?,
            None => self.pace.take(&nowhere().tenant, &met.who.principal, now)?,
        }
        Ok(met)
    }
}

fn identified<'a>(unhurried: &Unhurried<'a>, who: Identified) -> Known<'a> {
    let Asked { door, now, .. } = unhurried.0;
    Known { met: Met { door, who }, now }
}

/// Where the records of those are kept who have no tenant. No token can name it.
fn nowhere() -> Scope {
    Scope { tenant: scope::TenantId::new(NO_TENANT).expect("a literal that is a valid id"), ..Scope::local() }
}

impl Met<'_> {
    /// The steps that look at the message.
    pub fn admit(self, message: Option<&Message>, manifest: &Manifest) -> Result<Admitted, Rejection> {
        let scoped = scope_of(self, message, manifest)?;
        let permitted = role(scoped, message, manifest)?;
        tenant(permitted)
    }
}

fn scope_of<'a>(met: Met<'a>, message: Option<&Message>, manifest: &Manifest) -> Result<Scoped<'a>, Rejection> {
    let needed = match message {
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
    match needed.iter().find(|scope| !met.who.principal.scopes.contains(*scope)) {
        Some(_) => Err(Rejection::Scope(needed.join(" "))),
        None => Ok(Scoped(met)),
    }
}

fn role<'a>(scoped: Scoped<'a>, message: Option<&Message>, manifest: &Manifest) -> Result<Permitted<'a>, Rejection> {
    let tool = message.and_then(Message::tool).and_then(|name| tool_named(manifest, name));
    let writes = tool.is_some_and(|tool| tool.side == Side::Command);
    let may = |roles: &[&str]| roles.iter().any(|role| scoped.0.who.principal.roles.contains(*role));
    let writer = may(&["contributor", "architect", "curator", "admin", "service"]);
    let reader = writer || may(&["viewer", "analyst"]);
    // A proposal changes nothing yet; whether this write may be one is for the capability's policy to say.
    let proposes = || {
        manifest.readers_propose
            || scoped.0.who.principal.scopes.iter().any(|scope| is_propose_scope(scope, &manifest.name))
    };
    let suffices = if writes { writer || reader && proposes() } else { reader };
    if suffices { Ok(Permitted(scoped.0)) } else { Err(Rejection::Role) }
}

/// `NAME:propose` lets those who may only read propose to the capability of that name.
fn is_propose_scope(scope: &str, capability: &str) -> bool {
    scope.strip_suffix(":propose") == Some(capability)
}

/// The tenant is the credential's; nothing in the message can name another.
fn tenant(permitted: Permitted<'_>) -> Result<Admitted, Rejection> {
    let Met { door, who: Identified { principal, scope, expires, definition } } = permitted.0;
    let scope = scope.ok_or(Rejection::Tenant)?;
    Ok(Admitted { principal, scope, expires, definition, transport: door.name(), _proof: Proof })
}

fn tool_named<'a>(manifest: &'a Manifest, name: &str) -> Option<&'a contract::Tool> {
    manifest.tools.iter().find(|tool| crate::names::names(&tool.name, name))
}

#[cfg(test)]
mod tests;
