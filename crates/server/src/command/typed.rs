//! Commands that use the typed interface: what people decide, and never a tool.

use std::sync::Arc;

use contract::{CallError, Context, NoClient, RequestMeta};
use spine::Caller;
use spine::admission::{Arrival, Door};
use tokio_util::sync::CancellationToken;
use transformation::Transformation;

use crate::platform::{checkers, typed_transformation};
use crate::{Config, Platform};

/// The typed interface of transformation, used by the owner of the data directory.
pub struct Typed {
    platform: Platform,
    transformation: Transformation,
}

impl Typed {
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let platform = Platform::open(config).await?;
        let checkers = checkers(platform.endpoint("transformation")?.capability.manifest())?;
        let transformation = typed_transformation(config, &platform.ledger, &checkers)?;
        Ok(Self { platform, transformation })
    }

    /// Does one thing, with the guards and the audit record of any call. `method` names it in the record.
    pub async fn perform<T>(
        &self,
        method: &'static str,
        target: &str,
        work: impl AsyncFnOnce(&Transformation, &Context) -> Result<T, CallError>,
    ) -> anyhow::Result<T> {
        let endpoint = self.platform.endpoint("transformation")?;
        let arrival = Arrival { door: Door::CommandLine, message: None, now: endpoint.clock.now() };
        let admitted = self.platform.admission.admit(&arrival, endpoint.capability.manifest())?;
        let request_id = endpoint.ids.next();
        let caller = Caller {
            admitted,
            request: RequestMeta {
                correlation_id: request_id.clone(),
                request_id,
                client: Some("chancery".to_owned()),
                ..RequestMeta::default()
            },
            client: Arc::new(NoClient),
            cancelled: CancellationToken::new(),
            verdict: contract::Verdict::default(),
        };
        let outcome =
            endpoint.perform(&caller, method, target, async |ctx| work(&self.transformation, ctx).await).await;
        self.platform.audit.flush().await;
        outcome.map_err(|error| refusal(&error))
    }
}

/// A refusal as a person reads it: what is wrong, and the fix.
fn refusal(error: &CallError) -> anyhow::Error {
    let hint = error.suggestions.get("hint").and_then(|hint| hint.as_str());
    match hint {
        Some(hint) => anyhow::anyhow!("{} ({}): {hint}", error.message, error.code),
        None => anyhow::anyhow!("{} ({})", error.message, error.code),
    }
}
