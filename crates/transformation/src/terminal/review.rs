//! The review page as text.

use contract::Json;
use contract::generated::transformation::{ChangeMade, ProposalReview};
use serde_json::Value;

/// The page, from the headline to the hint what to do.
pub fn lines(page: &ProposalReview) -> Vec<String> {
    let stale = if page.stale { ", stale: rebase it first" } else { "" };
    let mut lines = vec![
        page.headline.clone(),
        format!(
            "{}  risk {}  approvals {} of {}  {}{stale}",
            page.summary,
            page.risk_level().label(),
            page.approvals_given,
            page.approvals_needed,
            page.status().label(),
        ),
    ];
    for (title, mark, made) in
        [("Deletes", '-', &page.removed), ("Changes", '~', &page.changed), ("Adds", '+', &page.added)]
    {
        if !made.is_empty() {
            lines.push(format!("{title}:"));
            lines.extend(made.iter().flat_map(|made| rows(mark, made)));
        }
    }
    lines.extend(page.reason.iter().map(|reason| format!("Reason: {reason}")));
    section(&mut lines, "Changed by others since:", page.drift.iter(), |drift| {
        let meets = if drift.meets { "  (meets this proposal)" } else { "" };
        let name = drift.name.as_deref().unwrap_or(&drift.element_id);
        format!("{name} {}: {} → {}{meets}", drift.field, shown(&drift.base), shown(&drift.live))
    });
    section(&mut lines, "Decided on the way:", page.settled.iter(), |settled| {
        let (live, proposed) = (shown(&settled.live), shown(&settled.proposed));
        format!("{} {}: {} of live {live}, proposed {proposed}", settled.element_id, settled.field, settled.kept)
    });
    section(&mut lines, "Next to it:", page.affected.iter(), |near| {
        let kind = near.r#type.as_deref().unwrap_or("element");
        format!("{kind} {} by {}", near.name.as_deref().unwrap_or(&near.element_id), near.through)
    });
    section(&mut lines, "Warnings:", page.warnings.iter(), |warning| format!("{}: {}", warning.code, warning.message));
    section(&mut lines, "Said:", page.comments.iter(), |said| {
        let about = said.field.as_ref().map(|field| format!(" on {field}")).unwrap_or_default();
        format!("{} {}{about}: {}", said.at, said.by, said.text)
    });
    section(&mut lines, "Builds upon:", page.extends.iter(), Clone::clone);
    section(&mut lines, "Others touch the same:", page.conflicts_with.iter(), Clone::clone);
    section(&mut lines, "Rests on:", page.targets.iter(), |pin| pin.version_id.clone());
    if let Some(by) = &page.proposed_by {
        let call = page.call_id.as_ref().map(|call| format!(" in call {call}")).unwrap_or_default();
        lines.push(format!("By {} {} with {}{call}, {}", by.actor_type, by.actor_id, by.tool_id, page.created_at));
    }
    for approval in &page.approvals {
        lines.push(format!("Approved by {} at {}", approval.by, approval.at));
    }
    if let Some(decision) = &page.decision {
        let why = decision.rationale.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        lines.push(format!("{} by {} at {}{why}", decision.verdict, decision.decided_by, decision.decided_at));
    } else if page.headline.starts_with("Nothing changed yet") {
        lines.push(format!("Decide: chancery proposals approve {0}, or reject {0} --reason TEXT", page.proposal_id));
    }
    lines
}

fn section<T>(lines: &mut Vec<String>, title: &str, items: impl Iterator<Item = T>, line: impl Fn(T) -> String) {
    let mut items = items.peekable();
    if items.peek().is_some() {
        lines.push(title.to_owned());
        lines.extend(items.map(|item| format!("  {}", line(item))));
    }
}

fn rows(mark: char, made: &ChangeMade) -> Vec<String> {
    let kind = made.r#type.as_deref().unwrap_or(&made.kind);
    let name = made.name.as_deref().unwrap_or(&made.id);
    let field = |field: &contract::generated::transformation::FieldChange| match &field.before {
        None | Some(Json(Value::Null)) => format!("      {}: {}", field.field, shown(&field.after)),
        before => format!("      {}: {} → {}", field.field, shown(before), shown(&field.after)),
    };
    std::iter::once(format!("  {mark} {kind} {name}  {}", made.id)).chain(made.fields.iter().map(field)).collect()
}

fn shown(value: &Option<Json>) -> String {
    match value {
        None | Some(Json(Value::Null)) => "nothing".to_owned(),
        Some(Json(Value::String(text))) => text.clone(),
        Some(Json(other)) => other.to_string(),
    }
}
