//! `chancery proposals`: what waits for a decision, and the decision.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use contract::generated::transformation::{
    ApproveProposalRequest, GetProposalRequest, ListProposalsRequest, Proposal, ProposalQueryService, ProposalStatus,
    ProposalWriteService, RebaseProposalRequest, RejectProposalRequest, RiskLevel, TriageProposalRequest,
    WithdrawProposalRequest,
};

use super::typed::Typed;
use crate::Config;

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
    let typed = Typed::open(&config).await?;
    match act {
        Act::List { status, limit } => list(&typed, status, limit).await?,
        Act::Show { id } => {
            let request = GetProposalRequest { proposal_id: id.clone(), read_context: None };
            let found = typed
                .perform("proposals/show", &id, async |this, ctx| {
                    this.services().proposal_query.get_proposal(ctx, request).await
                })
                .await?;
            say(&serde_json::to_string_pretty(&found)?);
        }
        Act::Triage { id, risk } => {
            let risk_level = match risk {
                None => RiskLevel::Unspecified,
                Some(Risk::Low) => RiskLevel::RiskLow,
                Some(Risk::Med) => RiskLevel::RiskMed,
                Some(Risk::High) => RiskLevel::RiskHigh,
            };
            let request = TriageProposalRequest { proposal_id: id.clone(), risk_level: risk_level.into() };
            let decided = typed
                .perform("proposals/triage", &id, async |this, ctx| {
                    this.proposals().triage_proposal(ctx, request).await
                })
                .await?;
            report(decided.proposal);
        }
        Act::Approve { id, reason } => {
            let request = ApproveProposalRequest { proposal_id: id.clone(), rationale: reason };
            let decided = typed
                .perform("proposals/approve", &id, async |this, ctx| {
                    this.proposals().approve_proposal(ctx, request).await
                })
                .await?;
            report(decided.proposal);
        }
        Act::Reject { id, reason } => {
            let request = RejectProposalRequest { proposal_id: id.clone(), rationale: reason };
            let decided = typed
                .perform("proposals/reject", &id, async |this, ctx| {
                    this.proposals().reject_proposal(ctx, request).await
                })
                .await?;
            report(decided.proposal);
        }
        Act::Rebase { id } => {
            let request = RebaseProposalRequest { proposal_id: id.clone() };
            let decided = typed
                .perform("proposals/rebase", &id, async |this, ctx| {
                    this.proposals().rebase_proposal(ctx, request).await
                })
                .await?;
            report(decided.proposal);
        }
        Act::Withdraw { id, reason } => {
            let request = WithdrawProposalRequest { proposal_id: id.clone(), rationale: reason };
            let decided = typed
                .perform("proposals/withdraw", &id, async |this, ctx| {
                    this.proposals().withdraw_proposal(ctx, request).await
                })
                .await?;
            report(decided.proposal);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(typed: &Typed, status: Option<String>, limit: u32) -> anyhow::Result<()> {
    let status = match status.as_deref() {
        None => ProposalStatus::ProposalProposed,
        Some(word) => ProposalStatus::from_label(&word.to_uppercase()).ok_or_else(|| {
            let known: Vec<&str> = ProposalStatus::ALL.iter().map(|status| status.label()).collect();
            anyhow::anyhow!("there is no status {word}; there is {}", known.join(", "))
        })?,
    };
    let request = ListProposalsRequest { status: status.into(), page_size: limit, ..Default::default() };
    let found = typed
        .perform("proposals/list", status.label(), async |this, ctx| {
            this.services().proposal_query.list_proposals(ctx, request).await
        })
        .await?;
    for proposal in found.proposals {
        report(Some(proposal));
    }
    if found.next_page_token.is_some() {
        say("… more with a larger --limit");
    }
    Ok(())
}

/// One line for one proposal.
fn report(proposal: Option<Proposal>) {
    let Some(proposal) = proposal else { return };
    let by = proposal.proposed_by.as_ref().map(|by| by.actor_id.as_str()).unwrap_or_default();
    let stale = if proposal.stale { " (stale)" } else { "" };
    let (status, risk) = (proposal.status().label(), proposal.risk_level().label());
    say(&format!("{}  {status}{stale}  {risk}  {}  by {by}", proposal.id, proposal.summary));
}

#[expect(clippy::print_stdout, reason = "the answer belongs on stdout")]
fn say(line: &str) {
    println!("{line}");
}
