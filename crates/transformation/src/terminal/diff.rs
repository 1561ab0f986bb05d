//! `chancery diff`: what differs between two states.

use std::process::ExitCode;

use clap::Parser;
use contract::generated::transformation::{
    BaselineQueryService as _, ChangeKind, CompareRequest, CompareResponse, ReadContext, Selector,
};
use desk::module::{BoxError, Session, perform, print};

use crate::query::BaselineQuery;

/// Say what differs between two states: head, published, a baseline, a moment, or @SEQUENCE.
#[derive(Debug, Parser)]
#[command(name = "diff")]
pub struct Diff {
    /// The earlier state.
    from: String,
    /// The later state.
    #[arg(default_value = "head")]
    to: String,
    /// Id or key of the model.
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// Print the whole answer as JSON.
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let query = &BaselineQuery::new(session.parts().ledger.clone(), session.parts().page_tokens());
        let request = CompareRequest {
            from: Some(state(&self.from)),
            to: Some(state(&self.to)),
            model_id: self.model,
            page_size: 200,
            page_token: None,
            read_context: None,
        };
        let work = |ctx| async move { all(query, &ctx, request).await };
        let target = format!("{}..{}", self.from, self.to);
        let compared = perform(session, "BaselineQueryService.Compare", &target, work).await?;
        print(session, &compared, self.json, lines)
    }
}

/// The state a word stands for: `head`, `published`, `@SEQUENCE`, a moment, or else a baseline.
fn state(word: &str) -> ReadContext {
    let sequence = word.strip_prefix('@').and_then(|number| number.parse().ok());
    match word {
        "head" => ReadContext { selector: Selector::Head.into(), ..Default::default() },
        "published" => ReadContext { selector: Selector::Published.into(), ..Default::default() },
        _ if sequence.is_some() => ReadContext { sequence, ..Default::default() },
        _ => match moment(word) {
            Some(as_of) => ReadContext { as_of: Some(as_of), ..Default::default() },
            None => ReadContext { baseline_id: Some(word.to_owned()), ..Default::default() },
        },
    }
}

/// A moment as it is written in requests. A date alone is its first moment, in UTC.
fn moment(word: &str) -> Option<String> {
    let at_midnight = format!("{word}T00:00:00Z");
    [word, &at_midnight].into_iter().find(|text| text.parse::<scope::Timestamp>().is_ok()).map(str::to_owned)
}

/// All pages as one.
async fn all(
    query: &BaselineQuery,
    ctx: &contract::Context,
    mut request: CompareRequest,
) -> Result<CompareResponse, contract::CallError> {
    let mut whole = query.compare(ctx, request.clone()).await?;
    while let Some(token) = whole.next_page_token.take() {
        request.page_token = Some(token);
        let page = query.compare(ctx, request.clone()).await?;
        whole.changes.extend(page.changes);
        whole.next_page_token = page.next_page_token;
    }
    whole.summary = summary(&whole);
    Ok(whole)
}

fn lines(compared: &CompareResponse) -> Vec<String> {
    let line = |change: &contract::generated::transformation::StateChange| {
        let mark = match change.change() {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
            ChangeKind::Changed | ChangeKind::Unspecified => '~',
        };
        format!("{mark} {}", change.text)
    };
    compared.changes.iter().map(line).chain([compared.summary.clone()]).collect()
}

fn summary(compared: &CompareResponse) -> String {
    let count = |kind: ChangeKind| compared.changes.iter().filter(|change| change.change() == kind).count();
    let (added, changed, removed) = (count(ChangeKind::Added), count(ChangeKind::Changed), count(ChangeKind::Removed));
    format!("{added} added, {changed} changed, {removed} removed")
}

#[cfg(test)]
mod tests {
    use contract::generated::transformation::StateChange;

    use super::*;

    #[test]
    fn a_word_stands_for_a_state() {
        check("head", r#"{"selector":"head"}"#);
        check("published", r#"{"selector":"published"}"#);
        check("@12", r#"{"sequence":12}"#);
        check("2026-07-28T10:30:00Z", r#"{"as_of":"2026-07-28T10:30:00Z"}"#);
        check("2026-07-28", r#"{"as_of":"2026-07-28T00:00:00Z"}"#);
        check("2026-07-32", r#"{"baseline_id":"2026-07-32"}"#);
        check("Release 1", r#"{"baseline_id":"Release 1"}"#);
        check("@home", r#"{"baseline_id":"@home"}"#);
    }

    #[track_caller]
    fn check(word: &str, expected: &str) {
        assert_eq!(serde_json::to_string(&state(word)).unwrap(), expected);
    }

    #[test]
    fn a_report_marks_every_change_and_ends_with_a_summary() {
        let change = |kind: ChangeKind, text: &str| StateChange {
            change: kind.into(),
            text: text.to_owned(),
            ..StateChange::default()
        };
        let changes = vec![
            change(ChangeKind::Added, "Node 'a'"),
            change(ChangeKind::Changed, "Node 'b': name"),
            change(ChangeKind::Removed, "Node 'c'"),
        ];
        let mut compared = CompareResponse { changes, ..CompareResponse::default() };
        compared.summary = summary(&compared);
        let expected = ["+ Node 'a'", "~ Node 'b': name", "- Node 'c'", "1 added, 1 changed, 1 removed"];
        assert_eq!(lines(&compared), expected);
    }
}
