//! What the tests of this crate share.

use std::sync::Arc;

use contract::{AuditDraft, Context, NoClient, RequestMeta, Verdict};
use scope::{Principal, Scope, SequentialIds};
use tokio_util::sync::CancellationToken;

/// A call of the local owner.
pub fn context() -> Context {
    Context {
        scope: Scope::local(),
        principal: Principal::local("tester"),
        request: RequestMeta { request_id: "r1".to_owned(), ..RequestMeta::default() },
        now: "2026-07-28T10:00:00Z".parse().unwrap(),
        ids: Arc::new(SequentialIds::default()),
        client: Arc::new(NoClient),
        cancelled: CancellationToken::new(),
        effect: None,
        verdict: Verdict::default(),
        audit: AuditDraft::default(),
    }
}
