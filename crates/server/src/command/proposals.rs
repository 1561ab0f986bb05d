//! `chancery proposals`: what waits for a decision, and the decision.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use contract::Context;
use contract::generated::transformation::{
    ApproveProposalRequest, GetProposalRequest, ListProposalsRequest, ListProposalsResponse, Proposal,
    ProposalQueryService, ProposalStatus, ProposalWriteService, RebaseProposalRequest, RejectProposalRequest,
    RiskLevel, TriageProposalRequest, WithdrawProposalRequest,
};
use transformation::query::ProposalQuery;
use transformation::write::ProposalDesk;

use super::typed;
use crate::platform::transformation_settings;
use crate::{Config, Platform};

#[derive(Debug, Subcommand)]
pub enum Act {
    /// List proposals; those that wait, unless a status is given.
    List {
        #[arg(long, value_name = "STATUS")]
        status: Option<String>,
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show a proposal as JSON: what it would change, what it rests on, its decision.
    Show { id: String },
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
    },
    /// Reject a proposal.
    Reject {
        id: String,
        #[arg(long)]
        reason: String,
    },
    /// File the same change again on the current versions.
    Rebase { id: String },
    /// Take a proposal back.
    Withdraw {
        id: String,
        #[arg(long)]
        reason: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Risk {
    Low,
    Med,
    High,
}

pub async fn run(config: Config, act: Act) -> anyhow::Result<ExitCode> {
    let platform = Platform::open(&config).await?;
    let query = ProposalQuery::new(platform.ledger.clone());
    let desk = ProposalDesk::new(platform.ledger.clone(), &transformation_settings(&config)?);
    let decided = match act {
        Act::List { status, limit } => {
            let status = status.as_deref().map_or(Ok(ProposalStatus::ProposalProposed), named_status)?;
            let request = ListProposalsRequest { status: status.into(), page_size: limit, ..Default::default() };
            let work = async |ctx: &Context| query.list_proposals(ctx, request).await;
            let listed = typed::call(&platform, "ProposalQueryService.ListProposals", "", work).await?;
            return typed::print(&listed, false, list_lines);
        }
        Act::Show { id } => {
            let request = GetProposalRequest { proposal_id: id.clone(), read_context: None };
            let work = async |ctx: &Context| query.get_proposal(ctx, request).await;
            let shown = typed::call(&platform, "ProposalQueryService.GetProposal", &id, work).await?;
            return typed::print(&shown, true, |_| Vec::new());
        }
        Act::Triage { id, risk } => {
            let risk_level = risk.map_or(RiskLevel::Unspecified, Risk::level).into();
            let request = TriageProposalRequest { proposal_id: id.clone(), risk_level };
            let work = async |ctx: &Context| desk.triage_proposal(ctx, request).await;
            typed::call(&platform, "ProposalWriteService.TriageProposal", &id, work).await?
        }
        Act::Approve { id, reason } => {
            let request = ApproveProposalRequest { proposal_id: id.clone(), rationale: reason };
            let work = async |ctx: &Context| desk.approve_proposal(ctx, request).await;
            typed::call(&platform, "ProposalWriteService.ApproveProposal", &id, work).await?
        }
        Act::Reject { id, reason } => {
            let request = RejectProposalRequest { proposal_id: id.clone(), rationale: reason };
            let work = async |ctx: &Context| desk.reject_proposal(ctx, request).await;
            typed::call(&platform, "ProposalWriteService.RejectProposal", &id, work).await?
        }
        Act::Rebase { id } => {
            let request = RebaseProposalRequest { proposal_id: id.clone() };
            let work = async |ctx: &Context| desk.rebase_proposal(ctx, request).await;
            typed::call(&platform, "ProposalWriteService.RebaseProposal", &id, work).await?
        }
        Act::Withdraw { id, reason } => {
            let request = WithdrawProposalRequest { proposal_id: id.clone(), rationale: reason };
            let work = async |ctx: &Context| desk.withdraw_proposal(ctx, request).await;
            typed::call(&platform, "ProposalWriteService.WithdrawProposal", &id, work).await?
        }
    };
    typed::print(&decided, false, |decided| decided.proposal.iter().map(line).collect())
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

fn named_status(word: &str) -> anyhow::Result<ProposalStatus> {
    ProposalStatus::from_label(&word.to_uppercase()).ok_or_else(|| {
        let known: Vec<&str> = ProposalStatus::ALL.iter().map(|status| status.label()).collect();
        anyhow::anyhow!("there is no status {word}; there is {}", known.join(", "))
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
