//! Baselines, and the index of what a chosen part holds.
//!
//! The index has a record for each member, found by the same type, name and tags as what it stands for, so a listing
//! through a chosen part walks an index too. What a member looked like is read at the point of the baseline.

use ledger::{Effect, Ends, Record};
use serde_json::json;

use super::{blank, key_tag, layer_tag, open_tag, put, repository, unique};
use crate::domain::baseline::fact::Drafted;
use crate::domain::baseline::members::{ElementMember, RelationshipMember};
use crate::domain::baseline::{Baseline, BaselineFact};
use crate::domain::fact;
use crate::projection::members::{item_key, link_key, member_id};

/// What a fact about baselines does to the records.
pub fn effects(fact: &BaselineFact) -> Vec<Effect> {
    match fact {
        BaselineFact::DraftCreated(drafted)
        | BaselineFact::DraftUpdated(drafted)
        | BaselineFact::RollbackCreated(drafted) => draft(drafted),
        BaselineFact::SubmittedForApproval(state)
        | BaselineFact::Approved(state)
        | BaselineFact::Rejected(state)
        | BaselineFact::Promoted(state)
        | BaselineFact::Superseded(state) => vec![put(baseline(state))],
        BaselineFact::RepositoryPublished(state) => vec![put(repository(state))],
    }
}

fn draft(drafted: &Drafted) -> Vec<Effect> {
    let Drafted { baseline: state, joined, left } = drafted;
    let id = state.id.as_str();
    let mut effects = vec![put(baseline(state))];
    effects.extend(left.elements.iter().map(|member| Effect::End(item_key(id, &member.element_id))));
    effects.extend(left.relationships.iter().map(|member| Effect::End(link_key(id, &member.relationship_id))));
    effects.extend(joined.elements.iter().map(|member| put(item(id, member))));
    effects.extend(joined.relationships.iter().map(|member| put(link(id, member))));
    effects
}

fn baseline(state: &Baseline) -> Record {
    let name = state.name.normalised();
    let mut names = vec![unique(format!("baseline:{}", state.repository_id), &name)];
    let mut tags = Vec::new();
    if let Some(key) = &state.key {
        tags.push(key_tag(key));
        names.push(unique(format!("baseline-key:{}", state.repository_id), key));
    }
    if state.status.is_open() {
        tags.push(open_tag(&state.model_id));
    }
    Record {
        scope: state.repository_id.clone(),
        r#type: "Baseline".to_owned(),
        status: Some(state.status.label().to_owned()),
        name: Some(name),
        tags,
        unique: names,
        body: fact::text(state),
        ..blank(state.key())
    }
}

fn item(baseline_id: &str, member: &ElementMember) -> Record {
    let mut tags = vec![layer_tag(member.r#type.layer())];
    tags.extend(member.key.as_deref().map(key_tag));
    Record {
        scope: baseline_id.to_owned(),
        r#type: member.r#type.label().to_owned(),
        name: Some(member.name.normalised()),
        tags,
        body: json!({"element_id": member.element_id, "version": member.version}).to_string(),
        ..blank(item_key(baseline_id, &member.element_id))
    }
}

/// Its ends are members, so a walk along links stays inside.
fn link(baseline_id: &str, member: &RelationshipMember) -> Record {
    let end = |element_id: &str| member_id(baseline_id, element_id);
    Record {
        scope: baseline_id.to_owned(),
        r#type: member.r#type.label().to_owned(),
        tags: vec![super::pair_tag(&member.source_id, &member.target_id)],
        ends: Some(Ends { source: end(&member.source_id), target: end(&member.target_id) }),
        body: json!({"relationship_id": member.relationship_id, "version": member.version}).to_string(),
        ..blank(link_key(baseline_id, &member.relationship_id))
    }
}
