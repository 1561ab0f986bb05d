//! What a caller says about time, made one sequence number.

use contract::Context;
use contract::generated::transformation::{ReadContext, Selector};
use ledger::{At, Ledger, Seq};
use scope::Timestamp;

use super::Snapshot;
use crate::Error;

/// A read_context that makes sense, before it is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    pub selector: Selector,
    pub as_of: Option<Timestamp>,
    pub sequence: Option<Seq>,
}

impl Wanted {
    /// Checks a read_context and infers what it leaves out.
    pub fn new(context: Option<&ReadContext>) -> Result<Self, Error> {
        let given = context.cloned().unwrap_or_default();
        let (baseline, as_of) = (given.baseline_id.as_deref(), given.as_of.as_deref());
        let selector = match (given.selector(), baseline, as_of) {
            (Selector::Unspecified, Some(_), Some(_)) => {
                return Err(refuse(
                    "selector",
                    "is missing although baseline_id and as_of are both given",
                    "give only one of the two",
                ));
            }
            (Selector::Unspecified, Some(_), None) => Selector::BaselineId,
            (Selector::Unspecified, None, Some(_)) => Selector::AsOf,
            (Selector::Unspecified, None, None) => Selector::Head,
            (Selector::AsOf, _, None) => {
                return Err(refuse("as_of", "is missing although selector is as_of", "give as_of, or read head"));
            }
            (Selector::BaselineId, None, _) => {
                return Err(refuse(
                    "baseline_id",
                    "is missing although selector is baseline_id",
                    "give baseline_id, or read head",
                ));
            }
            (selector @ (Selector::Head | Selector::AsOf), Some(_), _) => {
                return Err(refuse(
                    "baseline_id",
                    format!("does not go with selector {}", selector.label()),
                    "leave it out",
                ));
            }
            (selector @ (Selector::Head | Selector::BaselineId | Selector::Published), _, Some(_)) => {
                return Err(refuse("as_of", format!("does not go with selector {}", selector.label()), "leave it out"));
            }
            (selector, _, _) => selector,
        };
        match selector {
            Selector::Published => Err(Error::NoPublishedBaseline),
            Selector::BaselineId => Err(Error::NoSuchBaseline { reference: baseline.unwrap_or_default().to_owned() }),
            _ => Ok(Self { selector, as_of: as_of.map(moment).transpose()?, sequence: given.sequence }),
        }
    }

    /// The point this means now.
    pub async fn snapshot<'a>(&self, ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Snapshot<'a>, Error> {
        let at = match (self.sequence, self.as_of) {
            (Some(sequence), _) => At::Seq(sequence),
            (None, Some(moment)) => At::Time(moment),
            (None, None) => At::Head,
        };
        Snapshot::at(ledger, ctx, at).await
    }

    /// What an answer says about the point it was read at: given back, it reads the same bytes.
    pub fn echo(&self, at: Seq) -> ReadContext {
        ReadContext {
            selector: self.selector.into(),
            baseline_id: None,
            as_of: self.as_of.map(|moment| moment.to_string()),
            sequence: Some(at),
        }
    }
}

fn moment(text: &str) -> Result<Timestamp, Error> {
    text.parse()
        .map_err(|_| refuse("as_of", "is not a date and time with an offset", "write it as 2026-07-28T10:30:00Z"))
}

fn refuse(field: &str, reason: impl Into<String>, hint: &str) -> Error {
    Error::argument(format!("read_context.{field}"), reason, hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    //
    #[test]
    fn a_read_context_is_inferred_or_refused() {
        check(json!({}), "head");
        check(json!({"as_of": "2026-07-28T12:30:00+02:00"}), "as_of 2026-07-28T10:30:00.000000Z");
        check(json!({"selector": "head", "sequence": 7}), "head at 7");
        check(json!({"as_of": "yesterday"}), "read_context.as_of is not a date and time with an offset");
        check(json!({"selector": "as_of"}), "read_context.as_of is missing although selector is as_of");
        check(
            json!({"selector": "baseline_id"}),
            "read_context.baseline_id is missing although selector is baseline_id",
        );
        check(
            json!({"selector": "head", "as_of": "2026-07-28T10:30:00Z"}),
            "read_context.as_of does not go with selector head",
        );
        check(
            json!({"selector": "as_of", "as_of": "2026-07-28T10:30:00Z", "baseline_id": "b"}),
            "read_context.baseline_id does not go with selector as_of",
        );
        check(
            json!({"baseline_id": "b", "as_of": "2026-07-28T10:30:00Z"}),
            "read_context.selector is missing although baseline_id and as_of are both given",
        );
        check(json!({"baseline_id": "b"}), "Baseline 'b' not found");
        check(json!({"selector": "published"}), "No baseline is published");
    }

    #[track_caller]
    fn check(context: serde_json::Value, expected: &str) {
        let context: ReadContext = serde_json::from_value(context).unwrap();
        let shown = match Wanted::new(Some(&context)) {
            Err(error) => error.to_string(),
            Ok(Wanted { selector, as_of, sequence }) => {
                let as_of = as_of.map(|moment| format!(" {moment}")).unwrap_or_default();
                let sequence = sequence.map(|at| format!(" at {at}")).unwrap_or_default();
                format!("{}{as_of}{sequence}", selector.label())
            }
        };
        assert_eq!(shown, expected);
    }
}
