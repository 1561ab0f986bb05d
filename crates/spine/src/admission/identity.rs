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
}

impl Identity for LocalIdentity {
    fn identify(&self, door: &Door<'_>) -> Result<(Principal, Scope), Rejection> {
        let principal = if matches!(door, Door::CommandLine) { &self.owner } else { &self.served };
        Ok((principal.clone(), self.scope.clone()))
    }
}
