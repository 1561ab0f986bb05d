//! What keeps a call in bounds: a deadline, a number of calls at once, and no panic that escapes.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use contract::{CallError, ErrorKind, Side, Tool};
use futures::FutureExt;
use tokio::sync::SemaphorePermit;

use super::{Caller, Endpoint};
use crate::shares::Share;

/// After how many seconds a caller with too many calls should look again.
const RETRY_AFTER_S: u64 = 1;

/// What a call holds while it is under way.
struct UnderWay<'a> {
    _share: Share,
    _call: SemaphorePermit<'a>,
    _write: Option<SemaphorePermit<'a>>,
}

impl Endpoint {
    /// Within the limits of a call, and with a panic turned into an answer.
    pub(super) async fn guarded<T>(
        &self,
        caller: &Caller,
        work: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        self.caught(caller, self.limited(caller, Side::Query, work)).await
    }

    /// With a panic turned into an answer.
    pub(super) async fn caught<T>(
        &self,
        caller: &Caller,
        work: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let outcome = AssertUnwindSafe(work).catch_unwind().await;
        outcome.unwrap_or_else(|panic| Err(self.panicked(caller, &*panic)))
    }

    /// Within a deadline, and among a bounded number of calls.
    pub(super) async fn limited<T>(
        &self,
        caller: &Caller,
        side: Side,
        work: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let _under_way = self.begin(caller, side)?;
        within(Duration::from_millis(self.config.limits.call_timeout_ms), caller, work).await
    }

    /// Takes a place among the calls of the caller, of all, and of those that write, which leave some to those that read.
    fn begin(&self, caller: &Caller, side: Side) -> Result<UnderWay<'_>, CallError> {
        let too_many = || {
            CallError::rate_limited(RETRY_AFTER_S)
                .detail("calls_max", self.config.limits.caller_calls_max)
                .hint("you have too many calls under way; wait for some of them")
        };
        let full = |what: &str| {
            CallError::new(ErrorKind::Unavailable, "SERVICE_UNAVAILABLE", format!("too many {what} are under way"))
                .hint("try again in a moment, with the same client_request_id")
        };
        let _share = self.shares.take(caller.id()).ok_or_else(too_many)?;
        let _write = match side {
            Side::Query => None,
            Side::Command => Some(self.write_permits.try_acquire().map_err(|_| full("writes"))?),
        };
        let _call = self.permits.try_acquire().map_err(|_| full("calls"))?;
        Ok(UnderWay { _share, _call, _write })
    }

    /// Not more often than the tool allows. Whoever started this process may call as often as they like.
    pub(super) fn paced(&self, caller: &Caller, tool: &Tool) -> Result<(), CallError> {
        let admitted = &caller.admitted;
        if tool.calls_per_minute == 0 || matches!(admitted.transport, "stdio" | "cli") {
            return Ok(());
        }
        let who = (admitted.scope.tenant.clone(), admitted.principal.id(), tool.name.clone());
        self.buckets.take(who, tool.calls_per_minute, self.clock.now()).map_err(CallError::rate_limited)
    }

    fn panicked(&self, caller: &Caller, panic: &(dyn std::any::Any + Send)) -> CallError {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        self.metrics.panicked();
        tracing::error!(error_id = caller.request.request_id, panic = text.unwrap_or("?"), "a handler panicked");
        CallError::internal(&caller.request.request_id)
    }
}

/// Until a deadline, or until the caller gives up.
pub(super) async fn within<T>(
    limit: Duration,
    caller: &Caller,
    work: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    let ended = |code: &'static str, message: &str| {
        CallError::new(ErrorKind::DeadlineExceeded, code, message)
            .detail("outcome", "unknown")
            .hint("read what is there, or call again with the same client_request_id")
    };
    tokio::select! {
        // Work that is done at once never sets the clock.
        biased;
        outcome = work => outcome,
        () = tokio::time::sleep(limit) => {
            caller.cancelled.cancel();
            Err(ended("TIMEOUT", "the call took too long"))
        }
        () = caller.cancelled.cancelled() => Err(ended("CANCELLED", "the call was cancelled")),
    }
}
