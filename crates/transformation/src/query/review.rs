//! A proposal as the one page that a reviewer reads: what it deletes first, then what it changes and adds, what others did since,
//! and what lies next to it.

use std::collections::BTreeSet;

use contract::generated::transformation as proto;
use ledger::RecordKey;
use serde_json::{Map, Value};

use crate::Error;
use crate::domain::Stored;
use crate::domain::compare::Change;
use crate::domain::diff::{self, Row, flat};
use crate::domain::fact::kind;
use crate::domain::policy::Governance;
use crate::domain::proposal::{Proposal, Status, needed};
use crate::projection::{Snapshot, message};

/// How many neighbours the page names.
const AFFECTED_MAX: usize = 50;

/// The page about a proposal.
pub async fn page(
    snapshot: &Snapshot<'_>,
    proposal: &Stored<Proposal>,
    governance: &Governance,
) -> Result<proto::ProposalReview, Error> {
    let base = snapshot.rested_on(proposal).await?;
    let rows = rows(&base, proposal).await?;
    let current = snapshot.pins_with_extended(proposal).await?;
    let rivals = snapshot.rivals(proposal).await?;
    let shown = message::proposal(proposal, &current, rivals, true);
    let of = |change: Change| -> Vec<proto::ChangeMade> {
        let wanted = rows.iter().enumerate().filter(|(_, row)| row.change == change);
        wanted.map(|(place, row)| message::change_made(place, row)).collect()
    };
    let warnings = proposal.would_be.0.get("warnings").cloned().unwrap_or_default();
    Ok(proto::ProposalReview {
        headline: headline(proposal),
        summary: diff::counts(&rows),
        status: shown.status,
        risk_level: shown.risk_level,
        approvals_given: proposal.given(),
        approvals_needed: needed(governance, proposal),
        stale: shown.stale,
        removed: of(Change::Removed),
        changed: of(Change::Changed),
        added: of(Change::Added),
        drift: drift(&base, snapshot, proposal).await?,
        affected: affected(snapshot, &rows).await?,
        warnings: serde_json::from_value(warnings).unwrap_or_default(),
        comments: shown.comments,
        settled: shown.settled,
        reason: shown.reason,
        proposed_by: shown.proposed_by,
        call_id: shown.call_id,
        created_at: shown.created_at,
        targets: shown.targets,
        extends: shown.extends,
        conflicts_with: shown.conflicts_with,
        approvals: shown.approvals,
        decision: shown.decision,
        proposal_id: shown.id,
        plan: shown.plan,
        read_context: Some(snapshot.read_context()),
    })
}

fn headline(proposal: &Proposal) -> String {
    let what = &proposal.summary;
    match proposal.status {
        Status::Accepted => format!("In the model: {what}"),
        Status::Rejected => format!("Nothing changed, and it will not: {what} was rejected"),
        Status::Withdrawn => match &proposal.rebased_to {
            Some(next) => format!("Nothing changed: {what} was filed anew as {next}"),
            None => format!("Nothing changed, and it will not: {what} was withdrawn"),
        },
        _ => format!("Nothing changed yet: {what} waits for a decision"),
    }
}

/// What the proposal does to what it rests on.
async fn rows(base: &Snapshot<'_>, proposal: &Proposal) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (key, proposed) in proposal.proposed_states() {
        let before = base.body_of(&key).await?;
        let after = proposed.map(|state| Value::Object(state).to_string());
        let version = before.as_ref().map_or(0, |(_, version)| *version);
        let before = before.as_ref().map(|(body, version)| (body.as_str(), *version));
        rows.extend(diff::row(&key, before, after.as_deref().map(|body| (body, version + 1))));
    }
    Ok(rows)
}

/// What others have changed since of what the proposal changes or deletes.
async fn drift(
    base: &Snapshot<'_>,
    live: &Snapshot<'_>,
    proposal: &Proposal,
) -> Result<Vec<proto::DriftedField>, Error> {
    let mut drifted = Vec::new();
    if !proposal.status.is_open() {
        return Ok(drifted);
    }
    for (key, proposed) in proposal.proposed_states() {
        let (Some(before), now) = (base.state_of(&key).await?, live.state_of(&key).await?) else { continue };
        let name = before.get("name").and_then(Value::as_str).map(str::to_owned);
        let mut note = |field: &str, base: Value, live: Value, meets: bool| {
            drifted.push(proto::DriftedField {
                element_id: key.id.clone(),
                name: name.clone(),
                field: field.to_owned(),
                base: Some(contract::Json(base)),
                live: Some(contract::Json(live)),
                meets,
            });
        };
        let Some(now) = now else {
            note("deletion", Value::Bool(false), Value::Bool(true), true);
            continue;
        };
        let (before, now) = (flat(&before), flat(&now));
        let proposed: Option<Map<String, Value>> = proposed.as_ref().map(flat);
        let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let value = |state: &Map<String, Value>, name: &str| state.get(name).cloned().unwrap_or_default();
        for field in names.into_iter().filter(|name| before.get(*name) != now.get(*name)) {
            let (old, new) = (value(&before, field), value(&now, field));
            let meets = proposed.as_ref().is_none_or(|proposed| {
                let wanted = value(proposed, field);
                wanted != old && wanted != new
            });
            note(field, old, new, meets);
        }
    }
    Ok(drifted)
}

/// What is linked to what is changed or deleted, without being part of the proposal.
async fn affected(snapshot: &Snapshot<'_>, rows: &[Row]) -> Result<Vec<proto::AffectedNeighbour>, Error> {
    let own: BTreeSet<&str> = rows.iter().map(|row| row.key.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let touched = |row: &&Row| row.key.kind == kind::ELEMENT && row.change != Change::Added;
    for row in rows.iter().filter(touched) {
        for link in snapshot.relationships_of(&row.key.id).await? {
            let other = if link.source_id == row.key.id { &link.target_id } else { &link.source_id };
            if own.contains(other.as_str()) || !seen.insert(other.clone()) || found.len() == AFFECTED_MAX {
                continue;
            }
            let state = snapshot.state_of(&RecordKey::new(kind::ELEMENT, other)).await?.unwrap_or_default();
            let text = |name: &str| state.get(name).and_then(Value::as_str).map(str::to_owned);
            found.push(proto::AffectedNeighbour {
                element_id: other.clone(),
                name: text("name"),
                r#type: text("type"),
                through: link.r#type.label().to_owned(),
            });
        }
    }
    Ok(found)
}
