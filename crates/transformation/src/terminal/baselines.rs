//! `chancery baselines`: what was agreed on, and the steps to it that no tool offers.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use contract::generated::transformation::{
    ApproveBaselineRequest, Baseline, BaselineQueryService as _, BaselineWriteResponse, BaselineWriteService as _,
    GetBaselineRequest, GetBaselineResponse, ListBaselinesRequest, ListBaselinesResponse, PromoteBaselineRequest,
    RejectBaselineRequest, RollbackBaselineRequest, SubmitBaselineRequest,
};
use desk::module::{BoxError, Session, perform, print};

use crate::query::BaselineQuery;
use crate::write::BaselineWrite;

/// List, show, approve and publish baselines.
#[derive(Debug, Parser)]
#[command(name = "baselines")]
pub struct Baselines {
    #[command(subcommand)]
    action: Action,
    /// Print the whole answer as JSON.
    #[arg(long, global = true)]
    json: bool,
}

/// What to do; ID stands for the id, key or name of a baseline.
#[derive(Debug, Subcommand)]
enum Action {
    /// List all baselines, oldest first.
    List,
    /// Show one baseline and the first versions it pins.
    Show { id: String },
    /// Freeze a draft and ask for approval.
    Submit { id: String },
    /// Approve a submitted baseline.
    Approve {
        id: String,
        /// Why, for the record.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Reject a submitted or approved baseline.
    Reject {
        id: String,
        /// What has to change.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Publish a baseline.
    Promote { id: String },
    /// Publish again what an earlier baseline held, as a new baseline.
    Rollback { id: String },
}

impl Baselines {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let (ledger, config) = (&session.parts().ledger, session.parts().settings.read()?);
        let query = &BaselineQuery::new(ledger.clone(), session.parts().page_tokens());
        let write = &BaselineWrite::new(ledger.clone(), &config);
        let json = self.json;
        let done = match self.action {
            Action::List => {
                let work = |ctx| async move { all(query, &ctx).await };
                let listed = perform(session, "BaselineQueryService.ListBaselines", "", work).await?;
                return print(session, &listed, json, list_lines);
            }
            Action::Show { id } => {
                let request = GetBaselineRequest { baseline_id: id.clone(), ..Default::default() };
                let work = |ctx| async move { query.get_baseline(&ctx, request).await };
                let shown = perform(session, "BaselineQueryService.GetBaseline", &id, work).await?;
                return print(session, &shown, json, show_lines);
            }
            Action::Submit { id } => {
                let request = SubmitBaselineRequest { baseline_id: id.clone() };
                let work = |ctx| async move { write.submit_baseline(&ctx, request).await };
                perform(session, "BaselineWriteService.SubmitBaseline", &id, work).await?
            }
            Action::Approve { id, reason } => {
                let request = ApproveBaselineRequest { baseline_id: id.clone(), rationale: reason };
                let work = |ctx| async move { write.approve_baseline(&ctx, request).await };
                perform(session, "BaselineWriteService.ApproveBaseline", &id, work).await?
            }
            Action::Reject { id, reason } => {
                let request = RejectBaselineRequest { baseline_id: id.clone(), rationale: reason };
                let work = |ctx| async move { write.reject_baseline(&ctx, request).await };
                perform(session, "BaselineWriteService.RejectBaseline", &id, work).await?
            }
            Action::Promote { id } => {
                let request = PromoteBaselineRequest { baseline_id: id.clone(), ..Default::default() };
                let work = |ctx| async move { write.promote_baseline(&ctx, request).await };
                perform(session, "BaselineWriteService.PromoteBaseline", &id, work).await?
            }
            Action::Rollback { id } => {
                let request = RollbackBaselineRequest { baseline_id: id.clone(), ..Default::default() };
                let work = |ctx| async move { write.rollback_baseline(&ctx, request).await };
                perform(session, "BaselineWriteService.RollbackBaseline", &id, work).await?
            }
        };
        print(session, &done, json, step_lines)
    }
}

/// All pages as one.
async fn all(query: &BaselineQuery, ctx: &contract::Context) -> Result<ListBaselinesResponse, contract::CallError> {
    let mut request = ListBaselinesRequest { page_size: 200, ..Default::default() };
    let mut whole = query.list_baselines(ctx, request.clone()).await?;
    while let Some(token) = whole.next_page_token.take() {
        request.page_token = Some(token);
        let page = query.list_baselines(ctx, request.clone()).await?;
        whole.baselines.extend(page.baselines);
        whole.next_page_token = page.next_page_token;
    }
    Ok(whole)
}

fn list_lines(listed: &ListBaselinesResponse) -> Vec<String> {
    if listed.baselines.is_empty() {
        return vec!["no baselines yet; transformation.createBaseline makes one".to_owned()];
    }
    listed.baselines.iter().map(line).collect()
}

fn line(baseline: &Baseline) -> String {
    let Baseline { id, name, sequence, .. } = baseline;
    let held = match baseline.chosen_elements {
        Some(elements) => format!("{elements} elements"),
        None => "whole model".to_owned(),
    };
    format!("{:<10} {id}  @{sequence}  {held}  {name}", baseline.status().label())
}

fn show_lines(shown: &GetBaselineResponse) -> Vec<String> {
    let Some(baseline) = &shown.baseline else { return Vec::new() };
    let mut lines = vec![line(baseline), format!("created    {} by {}", baseline.created_at, baseline.created_by)];
    lines.extend(baseline.submitted_at.iter().map(|at| format!("submitted  {at}")));
    lines.extend(baseline.approvals.iter().map(|decided| format!("approved   {} by {}", decided.at, decided.by)));
    lines.extend(baseline.rejection.iter().map(|decided| format!("rejected   {} by {}", decided.at, decided.by)));
    lines.extend(baseline.rationale.iter().map(|reason| format!("because    {reason}")));
    lines.extend(baseline.promoted_at.iter().map(|at| format!("promoted   {at}")));
    lines.extend(shown.items.iter().map(|item| format!("  {}  {} '{}'", item.version_id, item.r#type, item.name)));
    if shown.next_page_token.is_some() {
        lines.push("  and more; `chancery call transformation.listElements` reads through it".to_owned());
    }
    lines
}

fn step_lines(answer: &BaselineWriteResponse) -> Vec<String> {
    let Some(baseline) = &answer.baseline else { return Vec::new() };
    let done = format!("baseline '{}' ({}) is {}", baseline.name, baseline.id, baseline.status().label());
    std::iter::once(done).chain(answer.suggestions.iter().cloned()).collect()
}
