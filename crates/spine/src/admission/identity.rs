//! From a credential to a caller.

use std::net::IpAddr;
use std::sync::Arc;

use futures::future::BoxFuture;
use scope::{Principal, Scope, Timestamp};

use super::{Door, Rejection};

/// Somebody at a door of an endpoint.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub door: Door<'a>,
    /// The capability whose endpoint it is: a token is good for the endpoint that it was issued for.
    pub endpoint: &'a str,
    pub now: Timestamp,
    /// The address it came from, where that is known.
    pub from: Option<IpAddr>,
}

/// Who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    pub principal: Principal,
    /// Its walls; `None` when the credential names no tenant that it could work in.
    pub scope: Option<Scope>,
    /// When the credential ends, if it does. Streams end with it.
    pub expires: Option<Timestamp>,
    /// The definition of the agent that it is, when the credential names one.
    pub definition: Option<Arc<str>>,
}

/// Turns what a door carries into a principal and its walls.
pub trait Identity: Send + Sync {
    /// Who it is, if that can be said at once; `None` when somebody else has to be asked first.
    fn identify(&self, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>>;

    /// Who it is, when they were here before; `None` when that would take any work to find out.
    fn recognise(&self, asked: &Asked<'_>) -> Option<Identified> {
        self.identify(asked)?.ok()
    }

    /// Who it is, after asking whoever knows.
    fn find_out<'a>(&'a self, asked: Asked<'a>) -> BoxFuture<'a, Result<Identified, Rejection>> {
        Box::pin(async move { self.identify(&asked).unwrap_or(Err(Rejection::Unidentified)) })
    }

    /// Where the metadata of an endpoint is that leads a client to a token; `None` when no issuer is known.
    fn metadata_url(&self, _endpoint: &str) -> Option<String> {
        None
    }
}

/// Everyone who reaches this machine's loopback is its owner. Only for listeners on loopback, stdio and the command line.
#[derive(Debug, Clone)]
pub struct LocalIdentity {
    owner: Principal,
    /// Who calls over HTTP and stdio.
    served: Principal,
    scope: Scope,
}

impl LocalIdentity {
    /// `subject` comes from the process, never from a message.
    pub fn new(subject: &str) -> Self {
        Self::of(Principal::local(subject), Scope::local())
    }

    /// The same machine, where those who call over HTTP and stdio are somebody else than its owner.
    pub fn serving(self, served: Principal) -> Self {
        Self { served, ..self }
    }

    /// A caller of your making, for tests of what others may do.
    pub fn of(principal: Principal, scope: Scope) -> Self {
        Self { owner: principal.clone(), served: principal, scope }
    }

    /// Who stands at a door.
    pub fn at(&self, door: Door<'_>) -> Identified {
        let principal = if matches!(door, Door::CommandLine) { &self.owner } else { &self.served };
        let scope = Some(self.scope.clone());
        Identified { principal: principal.clone(), scope, expires: None, definition: None }
    }
}

impl Identity for LocalIdentity {
    fn identify(&self, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        Some(Ok(self.at(asked.door)))
    }
}
