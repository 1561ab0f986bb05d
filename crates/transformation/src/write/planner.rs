//! From a command to a decision: loads what the rules want to see, at one point, and writes nothing.

mod changes;
mod element;
mod relationship;
mod template;
mod undo;
mod view;

use contract::Context;
use ledger::SharedLedger;

pub use changes::Applied;

use super::Command;
use super::scrum::ScrumPlanner;
use crate::Error;
use crate::domain::element::{Created, Deleted, Updated};
use crate::domain::relationship::{Link, Settled};
use crate::domain::scrum::Changed;
use crate::domain::template::Made;
use crate::domain::view::Saved;
use crate::domain::{Decision, Notes};
use crate::metamodel::Profile;

/// Decides writes without making them.
#[derive(Clone)]
pub struct Planner {
    ledger: SharedLedger,
    profile: Profile,
}

impl Planner {
    pub fn new(ledger: SharedLedger, profile: Profile) -> Self {
        Self { ledger, profile }
    }

    /// The same rules over another ledger.
    pub fn over(&self, ledger: SharedLedger) -> Self {
        Self { ledger, profile: self.profile }
    }

    pub fn ledger(&self) -> SharedLedger {
        self.ledger.clone()
    }

    /// What any write would lead to, as far as the caller is told: warnings and suggestions, or the refusal.
    pub async fn rehearse(&self, ctx: &Context, command: &Command) -> Result<Notes, Error> {
        let mut notes = self.decide(ctx, command).await?.notes;
        if let Command::CreateElement(command) | Command::CreateCapability(command) = command {
            notes.suggestions.extend(self.neighbours(ctx, command).await?);
        }
        Ok(notes)
    }

    /// Decides any write.
    pub async fn decide(&self, ctx: &Context, command: &Command) -> Result<Decision<Outcome>, Error> {
        Ok(match command {
            Command::CreateElement(command) | Command::CreateCapability(command) => {
                self.create_element(ctx, command).await?.map(Outcome::Created)
            }
            Command::UpdateElement(command) => self.update_element(ctx, command).await?.map(Outcome::Updated),
            Command::DeleteElement(command) => self.delete_element(ctx, command).await?.map(Outcome::Deleted),
            Command::CreateRelationship(command) => self.create_relationship(ctx, command).await?.map(Outcome::Linked),
            Command::UpdateRelationship(command) => self.update_relationship(ctx, command).await?.map(Outcome::Settled),
            Command::DeleteRelationship(command) => self.delete_relationship(ctx, command).await?.map(Outcome::Settled),
            Command::CreateStructure(command) => self.create_structure(ctx, command).await?.map(Outcome::Made),
            Command::AddComponent(command) => self.add_component(ctx, command).await?.map(Outcome::Made),
            Command::SaveView(command) => self.save_view(ctx, command).await?.map(Outcome::Saved),
            Command::DeleteView(command) => self.delete_view(ctx, command).await?.map(Outcome::Saved),
            Command::Changes(set) => self.apply(ctx, set).await?.map(Outcome::Applied),
            Command::Undo(undo) => self.undo(ctx, undo).await?.map(Outcome::Applied),
            Command::Scrum(submission) => {
                let planner = ScrumPlanner::new(self.ledger.clone());
                planner.decide(ctx, submission).await?.map(|changed| Outcome::Scrum(Box::new(changed)))
            }
        })
    }
}

/// What any write leads to.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one value per write")]
pub enum Outcome {
    Created(Created),
    Updated(Updated),
    Deleted(Deleted),
    Linked(Link),
    Settled(Settled),
    Made(Made),
    Saved(Saved),
    Applied(Applied),
    Scrum(Box<Changed>),
}
