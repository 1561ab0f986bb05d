//! `chancery proposals`: what waits for a decision, and the decision.

use std::process::ExitCode;

use super::review;
use clap::{Parser, Subcommand, ValueEnum};
use contract::generated::transformation::{
    ApproveProposalRequest, CommentProposalRequest, FieldChoice, GetProposalRequest, ListProposalsRequest,
    ListProposalsResponse, Proposal, ProposalQueryService, ProposalStatus, ProposalWriteService, RebaseProposalRequest,
    RejectProposalRequest, RiskLevel, TriageProposalRequest, WithdrawProposalRequest,
};
use desk::module::{BoxError, Session, perform, print};

use crate::Config;
use crate::query::ProposalQuery;
use crate::write::ProposalWrite;

/// Decide the proposals that wait.
#[derive(Debug, Parser)]
#[command(name = "proposals")]
pub struct Proposals {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// List proposals; those that wait, unless a status is given.
    List {
        #[arg(long, value_name = "STATUS")]
        status: Option<String>,
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// List what waits for a decision, the riskiest and then the oldest first.
    Inbox,
    /// Show a proposal on one page: what it would change, what others did since, what people said.
    Show {
        id: String,
        /// Print the same page as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say something about a proposal, or about one field of it.
    Comment {
        id: String,
        text: String,
        /// ID.FIELD of a row that the page shows.
        #[arg(long, value_name = "ID.FIELD")]
        field: Option<String>,
    },
    /// Ask the author of a proposal for changes.
    RequestChanges {
        id: String,
        #[arg(long)]
        reason: String,
        /// ID.FIELD of a row that the page shows.
        #[arg(long, value_name = "ID.FIELD")]
        field: Option<String>,
    },
    /// Mark a proposal as seen, and set its risk.
    Triage {
        id: String,
        #[arg(long, value_enum)]
        risk: Option<Risk>,
    },
    /// Approve a proposal; with enough approvals the change is made.
    Approve {
        id: String,
        #[arg(long)]
        reason: Option<String>,
        /// Also approve the open proposals that it extends, and make all of them at once.
        #[arg(long)]
        together: bool,
        /// Of a change set, only these changes, by their place in the list; the rest becomes a proposal of its own.
        #[arg(long, value_name = "N,N", value_delimiter = ',', conflicts_with = "together")]
        only: Vec<u32>,
    },
    /// Reject a proposal.
    Reject {
        id: String,
        #[arg(long)]
        reason: String,
    },
    /// File the same change again on the current versions.
    Rebase {
        id: String,
        /// Which value stays where others have changed the same field.
        #[arg(long, value_enum)]
        keep: Option<Kept>,
        /// The same for one field; may be given several times.
        #[arg(long = "field", value_name = "ID.FIELD=live|proposed", value_parser = choice)]
        fields: Vec<FieldChoice>,
    },
    /// Take a proposal back.
    Withdraw {
        id: String,
        #[arg(long)]
        reason: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Risk {
    Low,
    Med,
    High,
}

impl Proposals {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let (ledger, config) = (&session.parts().ledger, session.parts().settings.read::<Config>()?);
        let query = &ProposalQuery::new(ledger.clone(), session.parts().page_tokens(), config.governance.clone());
        let write = &ProposalWrite::new(ledger.clone(), &config);
        let decided = match self.act {
            Act::List { status, limit } => {
                let status = status.as_deref().map_or(Ok(ProposalStatus::ProposalProposed), named_status)?;
                let request = ListProposalsRequest { status: status.into(), page_size: limit, ..Default::default() };
                let work = |ctx| async move { query.list_proposals(&ctx, request).await };
                let listed = perform(session, "ProposalQueryService.ListProposals", "", work).await?;
                return print(session, &listed, false, list_lines);
            }
            Act::Inbox => {
                let work = |ctx| async move { inbox(query, &ctx).await };
                let listed = perform(session, "ProposalQueryService.ListProposals", "", work).await?;
                return print(session, &listed, false, list_lines);
            }
            Act::Show { id, json } => {
                let request = GetProposalRequest { proposal_id: id.clone(), read_context: None };
                let work = |ctx| async move { query.review_proposal(&ctx, request).await };
                let shown = perform(session, "ProposalQueryService.ReviewProposal", &id, work).await?;
                return print(session, &shown, json, review::lines);
            }
            Act::Comment { id, text, field } => {
                let request = CommentProposalRequest { proposal_id: id.clone(), text, field, request_changes: false };
                let work = |ctx| async move { write.comment_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.CommentProposal", &id, work).await?
            }
            Act::RequestChanges { id, reason, field } => {
                let request =
                    CommentProposalRequest { proposal_id: id.clone(), text: reason, field, request_changes: true };
                let work = |ctx| async move { write.comment_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.CommentProposal", &id, work).await?
            }
            Act::Triage { id, risk } => {
                let risk_level = risk.map_or(RiskLevel::Unspecified, Risk::level).into();
                let request = TriageProposalRequest { proposal_id: id.clone(), risk_level };
                let work = |ctx| async move { write.triage_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.TriageProposal", &id, work).await?
            }
            Act::Approve { id, reason, together, only } => {
                let request =
                    ApproveProposalRequest { proposal_id: id.clone(), rationale: reason, together, plan: None, only };
                let work = |ctx| async move { write.approve_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.ApproveProposal", &id, work).await?
            }
            Act::Reject { id, reason } => {
                let request = RejectProposalRequest { proposal_id: id.clone(), rationale: reason };
                let work = |ctx| async move { write.reject_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.RejectProposal", &id, work).await?
            }
            Act::Rebase { id, keep, fields } => {
                let keep = keep.map(|kept| kept.word().to_owned());
                let request = RebaseProposalRequest { proposal_id: id.clone(), keep, fields };
                let work = |ctx| async move { write.rebase_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.RebaseProposal", &id, work).await?
            }
            Act::Withdraw { id, reason } => {
                let request = WithdrawProposalRequest { proposal_id: id.clone(), rationale: reason };
                let work = |ctx| async move { write.withdraw_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.WithdrawProposal", &id, work).await?
            }
        };
        print(session, &decided, false, |decided| {
            let rest = decided.rest_id.iter().map(|rest| format!("{rest}  holds the rest"));
            decided.proposal.iter().map(line).chain(rest).collect()
        })
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kept {
    Live,
    Proposed,
}

impl Kept {
    fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Proposed => "proposed",
        }
    }
}

/// Reads `ID.FIELD=live`.
fn choice(text: &str) -> Result<FieldChoice, String> {
    let parts = text.split_once('=').and_then(|(path, keep)| Some((path.split_once('.')?, keep)));
    let ((id, field), keep) = parts.ok_or("give ID.FIELD=live or ID.FIELD=proposed")?;
    Ok(FieldChoice { element_id: id.to_owned(), field: field.to_owned(), keep: keep.to_owned() })
}

/// What waits, the riskiest and then the oldest first; what its author has to change comes last.
async fn inbox(query: &ProposalQuery, ctx: &contract::Context) -> Result<ListProposalsResponse, contract::CallError> {
    let mut all = ListProposalsResponse::default();
    for status in [
        ProposalStatus::ProposalProposed,
        ProposalStatus::ProposalTriaged,
        ProposalStatus::ProposalInReview,
        ProposalStatus::ProposalChangesRequested,
    ] {
        let request = ListProposalsRequest { status: status.into(), page_size: 200, ..Default::default() };
        let page = query.list_proposals(ctx, request).await?;
        all.proposals.extend(page.proposals);
        all.next_page_token = all.next_page_token.or(page.next_page_token);
        all.read_context = page.read_context;
    }
    let waits_for_author = |proposal: &Proposal| proposal.status() == ProposalStatus::ProposalChangesRequested;
    all.proposals.sort_by(|one, other| {
        let order = |proposal: &Proposal| (waits_for_author(proposal), std::cmp::Reverse(proposal.risk_level));
        order(one).cmp(&order(other)).then_with(|| one.created_at.cmp(&other.created_at))
    });
    Ok(all)
}

impl Risk {
    fn level(self) -> RiskLevel {
        match self {
            Self::Low => RiskLevel::RiskLow,
            Self::Med => RiskLevel::RiskMed,
            Self::High => RiskLevel::RiskHigh,
        }
    }
}

fn named_status(word: &str) -> Result<ProposalStatus, BoxError> {
    ProposalStatus::from_label(&word.to_uppercase()).ok_or_else(|| {
        let known: Vec<&str> = ProposalStatus::ALL.iter().map(|status| status.label()).collect();
        format!("there is no status {word}; there is {}", known.join(", ")).into()
    })
}

fn list_lines(listed: &ListProposalsResponse) -> Vec<String> {
    let more = listed.next_page_token.as_ref().map(|_| "… more with a larger --limit".to_owned());
    listed.proposals.iter().map(line).chain(more).collect()
}

/// One line for one proposal.
fn line(proposal: &Proposal) -> String {
    let by = proposal.proposed_by.as_ref().map(|by| by.actor_id.as_str()).unwrap_or_default();
    let stale = if proposal.stale { " (stale)" } else { "" };
    let (status, risk) = (proposal.status().label(), proposal.risk_level().label());
    format!("{}  {status}{stale}  {risk}  {}  by {by}", proposal.id, proposal.summary)
}
