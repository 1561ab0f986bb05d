//! `chancery monitor export` and `import`: one universe as one file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use contract::Context;
use desk::module::{BoxError, Session, perform};

use crate::portable::{self, World};
use crate::projection::Reader;

/// Move universes between installations.
#[derive(Parser)]
#[command(name = "monitor", about = "Export a universe as one file, and import it")]
pub struct Worlds {
    #[command(subcommand)]
    command: Move,
}

#[derive(Subcommand)]
enum Move {
    /// Write a universe with everything in it as JSON
    Export {
        /// The id of the universe
        universe: String,
        /// Where to; to the terminal if absent
        file: Option<PathBuf>,
    },
    /// Read a universe that was exported
    Import {
        /// The file
        file: PathBuf,
    },
}

impl Worlds {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let ledger = session.parts().ledger.clone();
        match self.command {
            Move::Export { universe, file } => {
                let work = async |ctx: Context| {
                    Ok(portable::export(&Reader::at(ledger.as_ref(), &ctx, None).await?, &universe).await?)
                };
                let world = perform(session, "monitor export", &universe, work).await?;
                let text = serde_json::to_string_pretty(&world)?;
                match file {
                    Some(file) => {
                        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
                        session.note(&format!("{} records in {}", world.rows.len(), file.display()));
                    }
                    None => session.print(&text)?,
                }
            }
            Move::Import { file } => {
                let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                let world: World = serde_json::from_str(&text)
                    .map_err(|error| format!("{} is no exported universe: {error}", file.display()))?;
                let (target, records) = (world.universe_id.clone(), world.rows.len());
                let work = async |ctx: Context| Ok(portable::import(ledger.clone(), &ctx, world).await?);
                perform(session, "monitor import", &target, work).await?;
                session.note(&format!("{records} records of universe {target}"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
