//! Who may do what, beyond writing.

use scope::{Principal, PrincipalKind};

/// The scope that direct commits need.
const WRITE_SCOPE: &str = "transformation:write";
/// Roles that decide what is published.
const APPROVING_ROLES: [&str; 2] = ["admin", "curator"];

/// True for a person who may approve, reject and promote. An agent or a service never may, whatever its roles say.
pub fn may_approve(principal: &Principal) -> bool {
    principal.kind == PrincipalKind::User
        && principal.scopes.contains(WRITE_SCOPE)
        && APPROVING_ROLES.iter().any(|role| principal.roles.contains(*role))
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn only_a_person_with_role_and_scope_approves() {
        check(PrincipalKind::User, "admin", "transformation:write", true);
        check(PrincipalKind::User, "curator", "transformation:write", true);
        check(PrincipalKind::User, "architect", "transformation:write", false);
        check(PrincipalKind::User, "admin", "mcp:tools", false);
        check(PrincipalKind::Agent, "admin", "transformation:write", false);
        check(PrincipalKind::Service, "curator", "transformation:write", false);
    }

    #[track_caller]
    fn check(kind: PrincipalKind, role: &str, scope: &str, expected: bool) {
        let word = |word: &str| std::iter::once(word.to_owned()).collect();
        let principal = Principal { kind, roles: word(role), scopes: word(scope), ..Principal::local("p") };
        assert_eq!(may_approve(&principal), expected, "{kind:?} {role} {scope}");
    }
}
