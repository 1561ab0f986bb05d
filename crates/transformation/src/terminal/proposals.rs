//! `chancery proposals`: what waits for a decision, and the decision.

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use contract::generated::transformation::{
    ApproveProposalRequest, GetProposalRequest, ListProposalsRequest, ListProposalsResponse, Proposal,
    ProposalQueryService, ProposalStatus, ProposalWriteService, RebaseProposalRequest, RejectProposalRequest,
    RiskLevel, TriageProposalRequest, WithdrawProposalRequest,
};
use desk::module::{BoxError, Session, perform, print};

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
        /// Also approve the open proposals that it extends, and make all of them at once.
        #[arg(long)]
        together: bool,
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
enum Risk {
    Low,
    Med,
    High,
}

impl Proposals {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let (ledger, config) = (&session.parts().ledger, session.parts().settings.read()?);
        let query = &ProposalQuery::new(ledger.clone(), session.parts().page_tokens());
        let write = &ProposalWrite::new(ledger.clone(), &config);
        let decided = match self.act {
            Act::List { status, limit } => {
                let status = status.as_deref().map_or(Ok(ProposalStatus::ProposalProposed), named_status)?;
                let request = ListProposalsRequest { status: status.into(), page_size: limit, ..Default::default() };
                let work = |ctx| async move { query.list_proposals(&ctx, request).await };
                let listed = perform(session, "ProposalQueryService.ListProposals", "", work).await?;
                return print(session, &listed, false, list_lines);
            }
            Act::Show { id } => {
                let request = GetProposalRequest { proposal_id: id.clone(), read_context: None };
                let work = |ctx| async move { query.get_proposal(&ctx, request).await };
                let shown = perform(session, "ProposalQueryService.GetProposal", &id, work).await?;
                return print(session, &shown, true, |_| Vec::new());
            }
            Act::Triage { id, risk } => {
                let risk_level = risk.map_or(RiskLevel::Unspecified, Risk::level).into();
                let request = TriageProposalRequest { proposal_id: id.clone(), risk_level };
                let work = |ctx| async move { write.triage_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.TriageProposal", &id, work).await?
            }
            Act::Approve { id, reason, together } => {
                let request =
                    ApproveProposalRequest { proposal_id: id.clone(), rationale: reason, together, plan: None };
                let work = |ctx| async move { write.approve_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.ApproveProposal", &id, work).await?
            }
            Act::Reject { id, reason } => {
                let request = RejectProposalRequest { proposal_id: id.clone(), rationale: reason };
                let work = |ctx| async move { write.reject_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.RejectProposal", &id, work).await?
            }
            Act::Rebase { id } => {
                let request = RebaseProposalRequest { proposal_id: id.clone() };
                let work = |ctx| async move { write.rebase_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.RebaseProposal", &id, work).await?
            }
            Act::Withdraw { id, reason } => {
                let request = WithdrawProposalRequest { proposal_id: id.clone(), rationale: reason };
                let work = |ctx| async move { write.withdraw_proposal(&ctx, request).await };
                perform(session, "ProposalWriteService.WithdrawProposal", &id, work).await?
            }
        };
        print(session, &decided, false, |decided| decided.proposal.iter().map(line).collect())
    }
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
