//! What a caller says about time, made one point in history.

use contract::Context;
use contract::generated::transformation::{ReadContext, Selector};
use desk::page::other_query;
use desk::points;
use ledger::{At, Ledger, Seq};
use scope::Timestamp;

use super::Snapshot;
use super::baselines::Pinned;
use crate::Error;
use crate::error::BaselineRefusal;

/// A read_context that makes sense, before it is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The argument it came in.
    field: &'static str,
    pub selector: Selector,
    /// Id, key or name.
    pub baseline: Option<String>,
    pub as_of: Option<Timestamp>,
    pub sequence: Option<Seq>,
    /// Reads head when nothing is published.
    or_head: bool,
    /// The id of a proposal to read as if it were accepted.
    proposal: Option<String>,
    /// The baseline that the pages before this one were read through.
    held: Option<String>,
}

impl Wanted {
    /// Checks the argument `read_context` and infers what it leaves out; nothing at all means head.
    pub fn new(context: Option<&ReadContext>) -> Result<Self, Error> {
        Self::given_as("read_context", context)
    }

    /// The same for tools whose answers should be what was agreed on: nothing at all means what is published, or head
    /// when nothing is.
    pub fn or_published(context: Option<&ReadContext>) -> Result<Self, Error> {
        match context {
            Some(context) if *context != ReadContext::default() => Self::new(Some(context)),
            _ => Ok(Self { selector: Selector::Published, or_head: true, ..Self::new(None)? }),
        }
    }

    /// Checks a read_context that came in another argument.
    pub fn given_as(field: &'static str, context: Option<&ReadContext>) -> Result<Self, Error> {
        let given = context.cloned().unwrap_or_default();
        let selector = selector(field, &given)?;
        let as_of = given.as_of.as_deref().map(|text| points::moment(&format!("{field}.as_of"), text)).transpose()?;
        Ok(Self {
            field,
            selector,
            baseline: given.baseline_id,
            as_of,
            sequence: given.sequence,
            or_head: false,
            proposal: given.proposal_id,
            held: None,
        })
    }

    /// The same on a later page: the point of the first one, unless that is not what is asked for.
    pub(super) fn onward(self, point: ReadContext) -> Result<Self, Error> {
        if self.sequence.is_some_and(|sequence| Some(sequence) != point.sequence) {
            return Err(other_query("page_token").into());
        }
        if self.proposal.is_some() && self.proposal != point.proposal_id {
            return Err(other_query("page_token").into());
        }
        Ok(Self { sequence: point.sequence, held: point.baseline_id, proposal: point.proposal_id, ..self })
    }

    /// The state this means now.
    pub async fn snapshot<'a>(&self, ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Snapshot<'a>, Error> {
        let at = match (self.selector, self.sequence, self.as_of) {
            (Selector::Published | Selector::BaselineId, _, _) => return self.through(ledger, ctx).await,
            (_, Some(sequence), _) => At::Seq(sequence),
            (_, None, Some(moment)) => At::Time(moment),
            (_, None, None) => At::Head,
        };
        let snapshot = Snapshot::at(ledger, ctx, &self.path("sequence"), at).await?;
        let snapshot = Snapshot { selector: self.selector, as_of: self.as_of, ..snapshot };
        match &self.proposal {
            None => Ok(snapshot),
            Some(proposal) => snapshot.as_if_accepted(&self.path("proposal_id"), proposal).await,
        }
    }

    async fn through<'a>(&self, ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Snapshot<'a>, Error> {
        let now = Snapshot::head(ledger, ctx).await?;
        let reference = match self.baseline.as_ref().or(self.held.as_ref()) {
            Some(reference) => reference.clone(),
            None => match now.published_baseline_id().await? {
                Some(id) => id,
                None if self.or_head => return Ok(now),
                None => return Err(BaselineRefusal::NothingPublished { field: self.path("selector") }.into()),
            },
        };
        let mut pinned = now.pinned(&self.path("baseline_id"), &reference).await?;
        if let Some(held) = self.held.as_ref().filter(|held| **held != pinned.echoed_id) {
            let given = std::mem::replace(&mut pinned, now.pinned(&self.path("baseline_id"), held).await?);
            if given.exact || given.baseline.id != pinned.baseline.id {
                return Err(other_query("page_token").into());
            }
        }
        self.refuse_contradiction(&pinned)?;
        Ok(now.through(self.selector, &pinned))
    }

    /// Refuses what the baseline says otherwise.
    fn refuse_contradiction(&self, pinned: &Pinned) -> Result<(), Error> {
        let baseline = &pinned.baseline;
        if self.selector == Selector::Published && !baseline.status.was_published() {
            let hint = "read it with selector baseline_id, or leave baseline_id out";
            return Err(Error::argument(self.path("baseline_id"), "names a baseline that was never published", hint));
        }
        if self.sequence.is_some_and(|sequence| sequence != baseline.sequence) {
            let reason = format!("is not the one that the baseline pins, which is {}", baseline.sequence);
            return Err(Error::argument(self.path("sequence"), reason, "leave it out"));
        }
        Ok(())
    }

    fn path(&self, field: &str) -> String {
        format!("{}.{field}", self.field)
    }
}

impl Snapshot<'_> {
    /// What an answer says about the point it was read at: given back, it reads the same bytes.
    pub fn read_context(&self) -> ReadContext {
        ReadContext {
            selector: self.selector.into(),
            baseline_id: self.through.as_ref().map(|through| through.echoed_id.clone()),
            as_of: self.as_of.map(|moment| moment.to_string()),
            sequence: Some(self.at),
            proposal_id: self.proposal.clone(),
        }
    }
}

fn selector(argument: &str, given: &ReadContext) -> Result<Selector, Error> {
    let refuse =
        |field: &str, reason: String, hint: &str| Err(Error::argument(format!("{argument}.{field}"), reason, hint));
    if given.proposal_id.is_some() {
        let other = given.baseline_id.is_some() || given.as_of.is_some();
        if other || !matches!(given.selector(), Selector::Unspecified | Selector::Head) {
            let reason = "is read over head, and another state is asked for too".to_owned();
            return refuse("proposal_id", reason, "leave selector, baseline_id and as_of out");
        }
    }
    match (given.selector(), &given.baseline_id, &given.as_of) {
        (Selector::Unspecified, Some(_), Some(_)) => refuse(
            "selector",
            "is missing although baseline_id and as_of are both given".to_owned(),
            "give only one of the two",
        ),
        (Selector::Unspecified, Some(_), None) => Ok(Selector::BaselineId),
        (Selector::Unspecified, None, Some(_)) => Ok(Selector::AsOf),
        (Selector::Unspecified, None, None) => Ok(Selector::Head),
        (Selector::AsOf, _, None) => {
            refuse("as_of", "is missing although selector is as_of".to_owned(), "give as_of, or read head")
        }
        (Selector::BaselineId, None, _) => refuse(
            "baseline_id",
            "is missing although selector is baseline_id".to_owned(),
            "give baseline_id, or read head",
        ),
        (selector @ (Selector::Head | Selector::AsOf), Some(_), _) => {
            refuse("baseline_id", format!("does not go with selector {}", selector.label()), "leave it out")
        }
        (selector @ (Selector::Head | Selector::BaselineId | Selector::Published), _, Some(_)) => {
            refuse("as_of", format!("does not go with selector {}", selector.label()), "leave it out")
        }
        (selector, _, _) => Ok(selector),
    }
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
            json!({"selector": "published", "as_of": "2026-07-28T10:30:00Z"}),
            "read_context.as_of does not go with selector published",
        );
        check(
            json!({"baseline_id": "b", "as_of": "2026-07-28T10:30:00Z"}),
            "read_context.selector is missing although baseline_id and as_of are both given",
        );
        check(json!({"proposal_id": "p", "sequence": 3}), "head at 3");
        for other in
            [json!({"proposal_id": "p", "baseline_id": "b"}), json!({"proposal_id": "p", "selector": "published"})]
        {
            check(other, "read_context.proposal_id is read over head, and another state is asked for too");
        }
        check(json!({"baseline_id": "b"}), "baseline_id b");
        check(json!({"selector": "published"}), "published");
        check(json!({"selector": "published", "baseline_id": "b", "sequence": 3}), "published b at 3");
    }

    #[test]
    fn nothing_at_all_means_head_or_what_is_published() {
        let default = ReadContext::default();
        assert_eq!(Wanted::new(Some(&default)).unwrap().selector, Selector::Head);
        for nothing in [None, Some(&default)] {
            let wanted = Wanted::or_published(nothing).unwrap();
            assert_eq!((wanted.selector, wanted.or_head), (Selector::Published, true));
        }
        let explicit = ReadContext { selector: Selector::Published.into(), ..ReadContext::default() };
        assert!(!Wanted::or_published(Some(&explicit)).unwrap().or_head);
    }

    #[track_caller]
    fn check(context: serde_json::Value, expected: &str) {
        let context: ReadContext = serde_json::from_value(context).unwrap();
        let shown = match Wanted::new(Some(&context)) {
            Err(error) => error.to_string(),
            Ok(Wanted { selector, baseline, as_of, sequence, .. }) => {
                let baseline = baseline.map(|reference| format!(" {reference}")).unwrap_or_default();
                let as_of = as_of.map(|moment| format!(" {moment}")).unwrap_or_default();
                let sequence = sequence.map(|at| format!(" at {at}")).unwrap_or_default();
                format!("{}{baseline}{as_of}{sequence}", selector.label())
            }
        };
        assert_eq!(shown, expected);
    }
}
