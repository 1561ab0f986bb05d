//! Who may do what: the Product Owner orders and cancels, Developers size and finish.

use std::collections::BTreeSet;

use super::Refusal;
use super::intent::Intent;

/// A role in a Scrum team, as a principal carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    ProductOwner,
    Developer,
    ScrumMaster,
}

/// May do all of it: the owner of the installation.
const ADMIN: &str = "admin";
const TEAM: &[Role] = &[Role::ProductOwner, Role::Developer, Role::ScrumMaster];

impl Role {
    pub fn label(self) -> &'static str {
        match self {
            Self::ProductOwner => "product-owner",
            Self::Developer => "developer",
            Self::ScrumMaster => "scrum-master",
        }
    }
}

/// Refuses an intent that none of the caller's roles covers.
pub fn permit(roles: &BTreeSet<String>, intent: &Intent) -> Result<(), Refusal> {
    let (act, needed) = needed(intent);
    if roles.contains(ADMIN) || needed.iter().any(|role| roles.contains(role.label())) {
        return Ok(());
    }
    Err(Refusal::RoleNeeded { act, roles: needed })
}

/// The roles, as a sentence names them.
pub fn either(roles: &[Role]) -> String {
    roles.iter().map(|role| role.label()).collect::<Vec<_>>().join(" or ")
}

fn needed(intent: &Intent) -> (&'static str, &'static [Role]) {
    match intent {
        Intent::OrderBacklog(_) => ("Ordering the backlog", &[Role::ProductOwner]),
        Intent::CancelSprint(_) => ("Canceling a sprint", &[Role::ProductOwner]),
        Intent::RecordDone(_) => ("Recording an item as done", &[Role::Developer]),
        Intent::CreateItem(command) if command.size.is_some() => ("Sizing an item", &[Role::Developer]),
        Intent::RefineItem(command) if command.size.is_some() => ("Sizing an item", &[Role::Developer]),
        _ => ("Changing a product", TEAM),
    }
}
