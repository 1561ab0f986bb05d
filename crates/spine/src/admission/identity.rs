//! From a credential to a caller.

use scope::{Principal, Scope};

use super::{Door, Rejection};

/// Turns what a door carries into a principal and its walls. Tokens will be verified here.
pub trait Identity: Send + Sync {
    fn identify(&self, door: &Door<'_>) -> Result<(Principal, Scope), Rejection>;
}

/// Everyone who reaches this machine's loopback is its owner. Only for listeners on loopback, stdio and the command line.
#[derive(Debug, Clone)]
pub struct LocalIdentity {
    principal: Principal,
    scope: Scope,
}

impl LocalIdentity {
    /// `subject` comes from the process, never from a message.
    pub fn new(subject: &str) -> Self {
        Self { principal: Principal::local(subject), scope: Scope::local() }
    }

    /// A caller of your making, for tests of what others may do.
    pub fn of(principal: Principal, scope: Scope) -> Self {
        Self { principal, scope }
    }
}

impl Identity for LocalIdentity {
    fn identify(&self, _: &Door<'_>) -> Result<(Principal, Scope), Rejection> {
        Ok((self.principal.clone(), self.scope.clone()))
    }
}
