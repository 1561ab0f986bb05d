//! Scenes that were left finalizing, by a crash or a failed commit, are brought to their end.

use contract::Context;
use contract::generated::monitor::{CanonizeSceneRequest, NarrativeWriteService};
use ledger::Find;

use super::Write;
use crate::Error;
use crate::domain::narrative::Scene;
use crate::domain::row::kind;
use crate::domain::words::SceneStatus;
use crate::projection::Reader;
use crate::query::listing;

/// Scenes of one universe that are looked for at once.
const SCENES_MAX: usize = 1_000;

impl Write {
    /// Canonizes again whatever is found finalizing, in all tenants. What was decided stays decided. Returns how many were completed.
    pub async fn recover(&self, own: &Context) -> Result<usize, Error> {
        let mut completed = 0;
        for tenant in self.recorder.ledger().tenants().await? {
            let mut ctx = own.clone();
            ctx.scope.tenant = tenant;
            for scene_id in left_finalizing(&self.reader(&ctx)).await? {
                ctx.request.request_id = ctx.ids.next();
                let request =
                    CanonizeSceneRequest { scene_id: scene_id.clone(), evaluate_proposals: true, ..Default::default() };
                match self.canonize_scene(&ctx, request).await {
                    Ok(_) => completed += 1,
                    Err(error) => tracing::warn!(%error, scene_id, "a scene stays finalizing"),
                }
            }
        }
        Ok(completed)
    }
}

async fn left_finalizing(reader: &Reader<'_>) -> Result<Vec<String>, Error> {
    let mut left = Vec::new();
    for universe in listing::scopes(reader, None).await? {
        let status = Some(SceneStatus::Finalizing.to_string());
        let find = Find { scope: Some(universe), status, ..Find::all(kind::SCENE) };
        let (scenes, _) = reader.some::<Scene>(find, SCENES_MAX).await?;
        left.extend(scenes.into_iter().map(|scene| scene.into_row().scene_id));
    }
    Ok(left)
}
