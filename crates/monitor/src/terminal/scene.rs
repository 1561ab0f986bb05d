//! `chancery scene show`: what was told in a scene, what became canon, and why.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use contract::Context;
use desk::module::{BoxError, Session, perform, print};
use serde::Serialize;

use crate::Error;
use crate::domain::narrative::{Proposal, Scene, Turn};
use crate::domain::node::Entity;
use crate::domain::row::kind;
use crate::projection::Reader;
use crate::query::{last_turns, proposals_of, scene_of};

/// Turns that a transcript shows, the last ones.
const TURNS_MAX: usize = 10_000;

/// Read scenes.
#[derive(Parser)]
#[command(name = "scene", about = "Read the scenes of a story")]
pub struct Scenes {
    #[command(subcommand)]
    command: Show,
}

#[derive(Subcommand)]
enum Show {
    /// Print what was told in a scene, what became canon, and why
    Show {
        /// The id of the scene
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A scene with everything that was told in it.
#[derive(Serialize)]
pub struct Transcript {
    scene: Scene,
    /// Who takes part, and where it plays.
    names: Vec<(String, String)>,
    turns: Vec<Turn>,
    proposals: Vec<Proposal>,
}

impl Scenes {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let Show::Show { id, json } = self.command;
        let ledger = session.parts().ledger.clone();
        let work = async |ctx: Context| Ok(transcript(&Reader::at(ledger.as_ref(), &ctx, None).await?, &id).await?);
        let transcript = perform(session, "scene show", &id, work).await?;
        print(session, &transcript, json, Transcript::lines)
    }
}

async fn transcript(reader: &Reader<'_>, id: &str) -> Result<Transcript, Error> {
    let scene = scene_of(reader, id).await?.into_row();
    let turns = last_turns(reader, &scene.scene_id, TURNS_MAX).await?;
    let (proposals, _) = proposals_of(reader, &scene.scene_id).await?;
    let speakers = turns.iter().filter_map(|turn| turn.entity_id.clone());
    let mut ids: Vec<String> = scene.participating_entities.iter().chain(&scene.location_ref).cloned().collect();
    ids.extend(speakers);
    ids.sort();
    ids.dedup();
    let found = reader.all::<Entity>(kind::ENTITY, &ids).await?.into_iter().flatten();
    let names = found.map(|entity| (entity.entity_id.clone(), entity.name.clone())).collect();
    Ok(Transcript { scene, names, turns, proposals })
}

impl Transcript {
    fn lines(&self) -> Vec<String> {
        let Self { scene, turns, proposals, .. } = self;
        let mut lines = vec![format!("{} ({})", scene.title, scene.status)];
        lines.extend((!scene.purpose.is_empty()).then(|| scene.purpose.clone()));
        let cast: Vec<&str> = scene.participating_entities.iter().map(|id| self.name(id)).collect();
        lines.extend((!cast.is_empty()).then(|| format!("with {}", cast.join(", "))));
        lines.extend(scene.location_ref.iter().map(|id| format!("at {}", self.name(id))));
        lines.push(String::new());
        lines.extend(turns.iter().map(|turn| {
            let speaker = turn.entity_id.as_deref().map_or(turn.speaker.as_str(), |id| self.name(id));
            format!("{:>4}  {speaker}: {}", turn.number, turn.text)
        }));
        lines.push(String::new());
        for proposal in proposals {
            lines.push(format!("{} by {}: {}", proposal.r#type, proposal.proposer_type, wanted(proposal)));
            let why = proposal.rationale.as_deref().unwrap_or("pending");
            let became = proposal.canonical_id.as_ref().map(|id| format!(" -> {id}")).unwrap_or_default();
            lines.push(format!("      {why}{became}"));
        }
        lines.extend((!scene.summary.is_empty()).then(|| format!("\nSummary: {}", scene.summary)));
        lines
    }

    fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.names.iter().find(|(known, _)| known == id).map_or(id, |(_, name)| name)
    }
}

/// What a proposal wants, in a line.
fn wanted(proposal: &Proposal) -> String {
    let said = ["statement", "title", "name"].into_iter().find_map(|name| proposal.content.get(name)?.as_str());
    said.map_or_else(|| serde_json::to_string(&proposal.content).unwrap_or_default(), str::to_owned)
}
