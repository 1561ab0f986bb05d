//! `chancery undo`: takes a committed change back.

use std::process::ExitCode;

use clap::Parser;
use contract::generated::transformation::{
    ApplyChangesResponse, ChangeMade, ChangeWriteService as _, UndoChangeRequest,
};
use desk::module::{BoxError, Session, perform, print};

use crate::write::ArchitectureWrite;

/// Take a committed change back, as a new change.
#[derive(Debug, Parser)]
#[command(name = "undo")]
pub struct Undo {
    /// Id of the call or of the accepted proposal, or the number of a fact.
    id: String,
    /// Only say what would happen.
    #[arg(long)]
    dry_run: bool,
    /// Print the whole answer as JSON.
    #[arg(long)]
    json: bool,
}

impl Undo {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let config = session.parts().settings.read()?;
        let write = &ArchitectureWrite::new(session.parts().ledger.clone(), &config);
        let change_id = self.id.clone();
        let request = UndoChangeRequest { change_id, dry_run: Some(self.dry_run), ..Default::default() };
        let work = |ctx| async move { write.undo_change(&ctx, request).await };
        let undone = perform(session, "ChangeWriteService.UndoChange", &self.id, work).await?;
        print(session, &undone, self.json, lines)
    }
}

fn lines(undone: &ApplyChangesResponse) -> Vec<String> {
    let line = |made: &ChangeMade| {
        let name = made.name.as_deref().unwrap_or(&made.id);
        format!("  {} {} {name}", made.change().label(), made.kind)
    };
    let first = undone.message.iter().cloned().chain([undone.summary.clone()]);
    first.chain(undone.changes.iter().map(line)).chain(undone.suggestions.iter().cloned()).collect()
}
