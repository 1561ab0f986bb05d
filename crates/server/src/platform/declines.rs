//! Questions that a person answered with a no, known to every process that shares the data directory.

use futures::future::BoxFuture;
use ledger::{Change, Idempotency, SharedLedger, StoredAnswer};
use scope::{Clock as _, SystemClock};
use spine::{Asked, Declined};

/// What stands in the table of idempotency keys for the name of a tool. A no is kept as long as a key, far longer than
/// the question can be answered.
const OPERATION: &str = "confirmation.declined";

/// Keeps a no in the ledger, under the name of the call that asked.
pub struct Declines {
    ledger: SharedLedger,
    /// For a no that the ledger could not take.
    here: Declined,
}

impl Declines {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger, here: Declined::default() }
    }
}

impl spine::Declines for Declines {
    fn is_declined<'a>(&'a self, question: Asked<'a>) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            // What cannot be looked up is not agreed to.
            self.here.is_declined(question).await
                || !matches!(self.ledger.recall(question.tenant, &key(question)).await, Ok(None))
        })
    }

    fn decline<'a>(&'a self, question: Asked<'a>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.here.decline(question).await;
            let answer = StoredAnswer {
                payload: "{}".to_owned(),
                aggregate_type: "confirmation".to_owned(),
                aggregate_id: Some(question.call.to_owned()),
            };
            let change = Change {
                tenant: question.tenant.clone(),
                at: SystemClock.now(),
                idempotency: Some((key(question), answer)),
                expectations: Vec::new(),
                facts: Vec::new(),
                audit: None,
            };
            if let Err(error) = self.ledger.commit(change).await {
                tracing::warn!(%error, "a declined confirmation is known to this process only");
            }
        })
    }
}

fn key(question: Asked<'_>) -> Idempotency {
    Idempotency {
        principal: question.principal.to_owned(),
        operation: OPERATION.to_owned(),
        key: question.call.to_owned(),
        request_hash: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger_sqlite::{Options, SqliteLedger};
    use scope::Scope;
    use spine::Declines as _;

    use super::*;

    #[tokio::test]
    async fn a_no_holds_in_every_process_on_the_same_data() {
        let folder = tempfile::tempdir().unwrap();
        let process = || Declines::new(Arc::new(SqliteLedger::open(folder.path(), Options::default()).unwrap()));
        let (one, other) = (process(), process());
        let tenant = Scope::local().tenant;
        let asked = |principal, call| Asked { tenant: &tenant, principal, call };
        assert!(!other.is_declined(asked("ada", "call 1")).await);
        one.decline(asked("ada", "call 1")).await;
        assert!(one.is_declined(asked("ada", "call 1")).await);
        assert!(other.is_declined(asked("ada", "call 1")).await);
        assert!(!other.is_declined(asked("ada", "call 2")).await);
        assert!(!other.is_declined(asked("bob", "call 1")).await);
    }
}
