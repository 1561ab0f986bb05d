//! Subscriptions: what changed reaches those who asked.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use contract::{Capability, Changed};
use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use scope::TenantId;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::Endpoint;
use crate::admission::Admitted;
use crate::metrics::Metrics;
use crate::shares::Share;

/// An open stream: one of all, and one of its caller's. It counts until it is dropped, however it ends.
pub struct Open<'a> {
    metrics: &'a Metrics,
    _share: Share,
}

impl<'a> Open<'a> {
    /// `None` when there are as many as there may be.
    pub fn begin(endpoint: &'a Endpoint, admitted: &Admitted) -> Option<Self> {
        let most = i64::try_from(endpoint.config.limits.subscriptions_max).unwrap_or(i64::MAX);
        let share = endpoint.streams.take(admitted.caller())?;
        let before = endpoint.metrics.subscriptions.inc();
        let open = Self { metrics: &endpoint.metrics, _share: share };
        (before < most).then_some(open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.metrics.subscriptions.dec();
    }
}

/// The resources that a session of the initialize era follows.
pub type Followed = Arc<Mutex<HashSet<String>>>;

/// Tells a session of the initialize era about lists and about the resources it follows, until it ends.
pub fn session(
    capability: &dyn Capability,
    peer: Peer<RoleServer>,
    tenant: TenantId,
    followed: Followed,
    ended: CancellationToken,
) {
    let Some(mut changes) = capability.changes() else { return };
    tokio::spawn(async move {
        loop {
            let changed = tokio::select! {
                changed = changes.recv() => changed,
                () = ended.cancelled() => return,
            };
            let sent = match changed {
                Ok(Changed::Tools) => peer.notify_tool_list_changed().await,
                Ok(Changed::Prompts) => peer.notify_prompt_list_changed().await,
                Ok(Changed::Resources) => peer.notify_resource_list_changed().await,
                Ok(Changed::Resource { tenant: owner, uri }) => {
                    let wanted =
                        owner == tenant && followed.lock().expect("nothing panics while holding this").contains(&uri);
                    if !wanted {
                        continue;
                    }
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
                }
                // Too slow to see every change: say that each followed resource may have changed.
                Err(RecvError::Lagged(_)) => {
                    let uris: Vec<String> =
                        followed.lock().expect("nothing panics while holding this").iter().cloned().collect();
                    for uri in uris {
                        let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
                    }
                    continue;
                }
                Err(RecvError::Closed) => return,
            };
            if sent.is_err() || peer.is_transport_closed() {
                return;
            }
        }
    });
}

/// Serves one `subscriptions/listen` until the client or the server ends it.
pub async fn listen(
    capability: &dyn Capability,
    tenant: &TenantId,
    context: &SubscriptionContext,
    stopping: &CancellationToken,
) {
    let Some(mut changes) = capability.changes() else {
        tokio::select! { () = context.cancelled() => {}, () = stopping.cancelled() => {} }
        return;
    };
    let sink = context.sink();
    let accepted = context.accepted().clone();
    loop {
        let changed = tokio::select! {
            changed = changes.recv() => changed,
            () = context.cancelled() => return,
            () = stopping.cancelled() => return,
        };
        let sent = match changed {
            Ok(Changed::Tools) if accepted.tools_list_changed == Some(true) => sink.notify_tool_list_changed().await,
            Ok(Changed::Prompts) if accepted.prompts_list_changed == Some(true) => {
                sink.notify_prompt_list_changed().await
            }
            Ok(Changed::Resources) if accepted.resources_list_changed == Some(true) => {
                sink.notify_resource_list_changed().await
            }
            Ok(Changed::Resource { tenant: owner, uri }) if owner == *tenant && follows(&accepted, &uri) => {
                sink.notify_resource_updated(uri).await
            }
            Ok(_) => continue,
            Err(RecvError::Lagged(_)) => {
                for uri in accepted.resource_subscriptions.iter().flatten() {
                    let _ = sink.notify_resource_updated(uri.clone()).await;
                }
                continue;
            }
            Err(RecvError::Closed) => return,
        };
        if sent.is_err() {
            return;
        }
    }
}

fn follows(accepted: &SubscriptionFilter, uri: &str) -> bool {
    accepted.resource_subscriptions.iter().flatten().any(|followed| followed == uri)
}
