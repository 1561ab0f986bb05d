//! Points in history, as callers name them.

use ledger::{At, Ledger, ReadError, Seq};
use scope::{TenantId, Timestamp};

use crate::Failure;

/// A point that was written in one argument: a sequence number, or a moment.
pub fn parse(field: &str, text: &str) -> Result<At, Failure> {
    match text.parse::<Seq>() {
        Ok(seq) => Ok(At::Seq(seq)),
        Err(_) => moment(field, text).map(At::Time),
    }
}

/// A moment that was written in an argument.
pub fn moment(field: &str, text: &str) -> Result<Timestamp, Failure> {
    let fix = "write it as 2026-07-28T10:30:00Z";
    text.parse().map_err(|_| Failure::argument(field, "is not a date and time with an offset", fix))
}

/// The sequence number that `at` means now; `field` is the argument that it came in. A number that has not happened yet
/// is refused with the last one that has.
pub async fn resolve(ledger: &dyn Ledger, tenant: &TenantId, field: &str, at: At) -> Result<Seq, Failure> {
    ledger.point(tenant, at).await.map_err(|error| match error {
        ReadError::NotYet { at, head } => Failure::NotYet { field: field.to_owned(), at, head },
        error => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::LIVE;
    use ledger::model::ModelLedger;
    use scope::{FixedClock, Scope};

    use super::*;

    #[tokio::test]
    async fn a_number_beyond_the_last_fact_is_refused_and_so_is_the_one_that_means_live() {
        let ledger = ModelLedger::new(Arc::new(FixedClock::at(Timestamp(0))));
        let tenant = Scope::local().tenant;
        for at in [1, LIVE, Seq::MAX] {
            let refused = resolve(&ledger, &tenant, "at", At::Seq(at)).await;
            assert_eq!(refused, Err(Failure::NotYet { field: "at".to_owned(), at, head: 0 }));
        }
        assert_eq!(resolve(&ledger, &tenant, "at", At::Seq(0)).await, Ok(0));
    }

    #[test]
    fn a_point_is_a_number_or_a_moment() {
        assert_eq!(parse("at", "17"), Ok(At::Seq(17)));
        assert_eq!(parse("at", "1970-01-01T00:00:01Z"), Ok(At::Time(Timestamp(1_000_000))));
        let refused = parse("at", "yesterday").map_err(|failure| failure.to_string());
        assert_eq!(refused, Err("at is not a date and time with an offset".to_owned()));
    }
}
