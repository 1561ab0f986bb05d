//! The proposals of one scene while they are decided.

use std::collections::{BTreeMap, BTreeSet};

use scope::Timestamp;

use super::apply::Work;
use super::{Canon, Ruling};
use crate::domain::content::{self, Content};
use crate::domain::narrative::{Evidence, Proposal};
use crate::domain::node::Entity;
use crate::domain::policy::{self, Case, Policy, Reason, Verdict};
use crate::domain::row::Row;
use crate::domain::words::{Authority, CanonLevel, EntityClass, EvidenceKind, ProposalStatus, ProposalType, Speaker};
use crate::domain::{contradiction, graph};

pub(super) struct Batch<'a> {
    policy: &'a Policy,
    now: Timestamp,
    canon: Canon,
    /// The pending ones, in the order in which they are decided.
    members: Vec<Member<'a>>,
    names: Names,
}

struct Member<'a> {
    proposal: &'a Proposal,
    /// The id of what it brings, should it be accepted.
    id: String,
    content: Result<Content, String>,
}

/// How proposals of a scene call what others of them bring.
#[derive(Default)]
pub(super) struct Names {
    entities: BTreeMap<String, String>,
    events: BTreeMap<String, String>,
}

impl Names {
    /// The first who takes a name keeps it.
    fn add(&mut self, proposal: &Proposal, id: &str) {
        let names = match proposal.r#type {
            ProposalType::Entity => &mut self.entities,
            ProposalType::Event => &mut self.events,
            _ => return,
        };
        let title =
            proposal.content.get("name").or_else(|| proposal.content.get("title")).and_then(|name| name.as_str());
        for name in
            [Some(proposal.proposal_id.as_str()), content::local_ref(&proposal.content), title].into_iter().flatten()
        {
            names.entry(name.trim().to_lowercase()).or_insert_with(|| id.to_owned());
        }
    }

    fn entity<'a>(&'a self, reference: &'a str) -> &'a str {
        self.entities.get(&reference.trim().to_lowercase()).map_or(reference, String::as_str)
    }

    fn event<'a>(&'a self, reference: &'a str) -> &'a str {
        self.events.get(&reference.trim().to_lowercase()).map_or(reference, String::as_str)
    }
}

/// What has to be loaded before these proposals can be decided.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct References {
    pub entities: BTreeSet<String>,
    pub events: BTreeSet<String>,
    pub facts: BTreeSet<String>,
    /// Statements with the entities that they are about.
    pub statements: Vec<(String, Vec<String>)>,
    /// Entities whose relationships are looked at.
    pub related: BTreeSet<String>,
    pub evidence: BTreeSet<(EvidenceKind, String)>,
}

/// What the pending ones of a scene's proposals name.
pub fn references(proposals: &[Proposal]) -> References {
    let mut names = Names::default();
    for proposal in proposals {
        proposal.canonical_id.iter().for_each(|id| names.add(proposal, id));
    }
    let mut wanted = References::default();
    for proposal in proposals.iter().filter(|proposal| proposal.status != ProposalStatus::Rejected) {
        wanted.evidence.extend(proposal.evidence.iter().map(|one| (one.r#type, one.ref_id.clone())));
        let Ok(content) = content::parse(proposal.r#type, &proposal.content) else { continue };
        let entities: Vec<String> =
            content.entity_refs().into_iter().map(|reference| names.entity(reference).to_owned()).collect();
        wanted.events.extend(content.event_refs().iter().map(|reference| names.event(reference).to_owned()));
        match content {
            Content::Fact(fact) => {
                wanted.facts.extend(fact.replaces);
                wanted.statements.push((fact.statement, entities.clone()));
            }
            Content::Relationship(_) => wanted.related.extend(entities.first().cloned()),
            _ => {}
        }
        wanted.entities.extend(entities);
        wanted.entities.extend(proposal.canonical_id.clone().filter(|_| proposal.r#type == ProposalType::Entity));
        wanted.events.extend(proposal.canonical_id.clone().filter(|_| proposal.r#type == ProposalType::Event));
    }
    wanted
}

impl<'a> Batch<'a> {
    pub fn new(
        policy: &'a Policy,
        proposals: &'a [Proposal],
        canon: Canon,
        now: Timestamp,
        next_id: &mut dyn FnMut() -> String,
    ) -> Self {
        let mut filed: Vec<&Proposal> = proposals.iter().collect();
        filed.sort_by_key(|proposal| (proposal.created_at, &proposal.proposal_id));
        let (mut names, mut members) = (Names::default(), Vec::new());
        for proposal in filed {
            match proposal.status {
                ProposalStatus::Pending => {
                    let id = next_id();
                    names.add(proposal, &id);
                    let content = content::parse(proposal.r#type, &proposal.content);
                    members.push(Member { proposal, id, content });
                }
                _ => proposal.canonical_id.iter().for_each(|id| names.add(proposal, id)),
            }
        }
        order(&mut members, &names);
        Self { policy, now, canon, members, names }
    }

    pub fn rule(mut self) -> Vec<Ruling> {
        let members = std::mem::take(&mut self.members);
        let first_other = members.iter().take_while(|member| member.proposal.r#type == ProposalType::Entity).count();
        let (entities, others) = members.split_at(first_other);
        let brought: Vec<Brought> = entities.iter().map(|member| self.bring(member)).collect();
        let mut needed = BTreeSet::new();
        let mut rulings = Vec::with_capacity(members.len());
        for member in others {
            let (case, content) = self.case(member);
            let verdict = policy::judge(self.policy, &case);
            if let (true, Some(content)) = (verdict.is_accepted(), &content) {
                needed.extend(content.entity_refs().into_iter().map(str::to_owned));
            }
            rulings.push(self.decide(member, verdict, &case, content));
        }
        // From the last to the first: what derives comes after its archetype.
        let mut first = Vec::with_capacity(entities.len());
        for (member, brought) in entities.iter().zip(brought).rev() {
            let is_needed = needed.contains(&member.id);
            let judge = if is_needed { policy::judge_needed } else { policy::judge };
            let verdict = judge(self.policy, &brought.case);
            if let (true, Some(entity)) = (verdict.is_accepted(), &brought.entity) {
                needed.extend(entity.derives_from.clone());
            }
            let rows = brought.entity.filter(|_| verdict.is_accepted()).map(graph::entity).unwrap_or_default();
            first.push(self.ruling(member, verdict, rows, Vec::new()));
        }
        first.into_iter().rev().chain(rulings).collect()
    }

    /// Carries out one of them without asking the threshold.
    pub fn accept(mut self, chosen: &str) -> Option<Ruling> {
        let members = std::mem::take(&mut self.members);
        let member = members.iter().find(|member| member.proposal.proposal_id == chosen)?;
        let (case, content) = self.case(member);
        let mut verdict = policy::judge(self.policy, &case);
        if verdict.is_accepted() || verdict.reason == Reason::BelowThreshold {
            let rationale = format!("accepted (decided): CanonKeeper decided it; by the policy {}", verdict.rationale);
            verdict = Verdict { reason: Reason::Decided, rationale, ..verdict };
        }
        Some(self.decide(member, verdict, &case, content))
    }

    /// Carries out the only one; at a low score its rows are of level proposed.
    pub fn direct(mut self) -> Option<Ruling> {
        let member = std::mem::take(&mut self.members).pop()?;
        let (case, content) = self.case(&member);
        let verdict = policy::judge(self.policy, &case);
        match content {
            Some(content) if verdict.reason == Reason::BelowThreshold => {
                let (rows, retconned, id) = self.work(&member, CanonLevel::Proposed).carry_out(content, &[]);
                let mut ruling = self.ruling(&member, verdict, rows, retconned);
                ruling.proposal.canonical_id = Some(id);
                Some(ruling)
            }
            content => Some(self.decide(&member, verdict, &case, content)),
        }
    }

    /// Puts an entity that may be accepted into the canon, for what names it.
    fn bring(&mut self, member: &Member<'_>) -> Brought {
        let (case, content) = self.case(member);
        let entity = content.and_then(|content| self.entity(member, &content, CanonLevel::Canon));
        if let (true, Some(entity)) = (policy::judge_needed(self.policy, &case).is_accepted(), &entity) {
            self.canon.entities.insert(member.id.clone(), entity.clone());
        }
        Brought { case, entity }
    }

    fn entity(&self, member: &Member<'_>, content: &Content, level: CanonLevel) -> Option<Entity> {
        match content {
            Content::Entity(content) => Some(self.work(member, level).entity(content)),
            _ => None,
        }
    }

    fn decide(&mut self, member: &Member<'_>, verdict: Verdict, case: &Case, content: Option<Content>) -> Ruling {
        let Some(content) = content.filter(|_| verdict.is_accepted()) else {
            return self.ruling(member, verdict, Vec::new(), Vec::new());
        };
        let against: Vec<&str> = case.contradictions.iter().map(|one| one.id.as_str()).collect();
        let (rows, retconned, canonical_id) = self.work(member, CanonLevel::Canon).carry_out(content, &against);
        self.learn(&rows);
        let mut ruling = self.ruling(member, verdict, rows, retconned);
        ruling.proposal.canonical_id = Some(canonical_id);
        ruling
    }

    fn ruling(&self, member: &Member<'_>, verdict: Verdict, rows: Vec<Row>, retconned: Vec<String>) -> Ruling {
        let accepted = verdict.is_accepted();
        let proposal = Proposal {
            status: if accepted { ProposalStatus::Accepted } else { ProposalStatus::Rejected },
            reason: Some(verdict.reason.as_str().to_owned()),
            rationale: Some(verdict.rationale.clone()),
            score: Some(verdict.score),
            retconned: retconned.clone(),
            canonical_id: accepted.then(|| member.id.clone()),
            evaluated_at: Some(self.now),
            ..member.proposal.clone()
        };
        Ruling { proposal, verdict, rows, retconned }
    }

    fn work<'b>(&'b self, member: &'b Member<'_>, level: CanonLevel) -> Work<'b> {
        let resolves = |one: &&Evidence| self.canon.evidence.contains_key(&(one.r#type, one.ref_id.clone()));
        let kept = member.proposal.evidence.iter().filter(resolves);
        let mut evidence_refs: Vec<String> = kept.map(|one| format!("{}:{}", one.r#type, one.ref_id)).collect();
        let scene = Some(&member.proposal.scene_id).filter(|scene| !scene.is_empty());
        let told = scene.map(|scene| format!("scene:{scene}")).filter(|told| !evidence_refs.contains(told));
        evidence_refs.extend(told);
        Work { canon: &self.canon, proposal: member.proposal, id: &member.id, evidence_refs, level, now: self.now }
    }

    /// The canon as it is once these rows are in it.
    fn learn(&mut self, rows: &[Row]) {
        for row in rows.iter().cloned() {
            match row {
                Row::Entity(row) => drop(self.canon.entities.insert(row.entity_id.clone(), row)),
                Row::Event(row) => drop(self.canon.events.insert(row.event_id.clone(), row)),
                Row::Fact(row) => drop(self.canon.facts.insert(row.fact_id.clone(), row)),
                Row::Relationship(row) => drop(self.canon.relationships.insert(row.relationship_id.clone(), row)),
                _ => {}
            }
        }
    }

    /// What the policy looks at, and the content with ids in place of names.
    fn case(&self, member: &Member<'_>) -> (Case, Option<Content>) {
        let proposal = member.proposal;
        let resolved = |one: &Evidence| self.canon.evidence.get(&(one.r#type, one.ref_id.clone()));
        let speaks = |speaker: &Option<Speaker>| *speaker == Some(Speaker::Gm);
        let case = Case {
            authority: proposal.authority,
            confidence: proposal.confidence,
            has_evidence: proposal.evidence.iter().any(|one| resolved(one).is_some()),
            is_vouched: proposal.authority == Authority::Gm
                && (proposal.by_gm || proposal.evidence.iter().filter_map(resolved).any(speaks)),
            ..Case::default()
        };
        match &member.content {
            Err(invalid) => (Case { invalid: Some(invalid.clone()), ..case }, None),
            Ok(content) => self.weigh(case, content),
        }
    }

    fn weigh(&self, mut case: Case, content: &Content) -> (Case, Option<Content>) {
        let content = self.resolved(content);
        let lacks = |id: &&str| !self.canon.entities.contains_key(*id);
        case.missing.extend(content.entity_refs().into_iter().filter(lacks).map(|id| format!("entity {id}")));
        let unknown = |id: &&String| !self.canon.events.contains_key(*id);
        case.missing.extend(content.event_refs().iter().filter(unknown).map(|id| format!("event {id}")));
        if case.missing.is_empty() {
            self.compare(&mut case, &content);
        }
        (case, Some(content))
    }

    /// Compares with the canon what names only what is there.
    fn compare(&self, case: &mut Case, content: &Content) {
        let canon = &self.canon;
        let found = |ids: &[String]| ids.iter().filter_map(|id| canon.entities.get(id)).collect::<Vec<_>>();
        match content {
            Content::Fact(fact) => {
                case.contradictions = contradiction::statement(&fact.statement, &fact.entities, canon.facts.values());
                if contradiction::is_action(fact.fact_type) {
                    let involved = found(&fact.entities).into_iter();
                    case.contradictions.extend(contradiction::action(fact.time_ref, involved, canon.facts.values()));
                }
                if let Some(replaced) = &fact.replaces {
                    replaces(case, replaced, canon);
                }
            }
            Content::Event(event) => {
                let effects = event.causes.iter().filter_map(|id| canon.events.get(id));
                case.contradictions = contradiction::causes(event.time_ref, effects);
                // Whoever is named first acts; a funeral involves the dead as well.
                let actor = found(&event.entities).into_iter().take(1);
                case.contradictions.extend(contradiction::action(event.time_ref, actor, canon.facts.values()));
            }
            Content::Entity(entity) => {
                let archetype = entity.derives_from.as_ref().and_then(|id| canon.entities.get(id));
                let fits = |archetype: &Entity| {
                    archetype.entity_class == EntityClass::Axiomatica && archetype.entity_type == entity.entity_type
                };
                if archetype.is_some_and(|archetype| !fits(archetype)) {
                    case.invalid = Some(format!(
                        "content.derives_from is no EntityAxiomatica of type {}; name one that is, or leave it out",
                        entity.entity_type
                    ));
                }
            }
            Content::Relationship(wanted) if wanted.remove => {
                if super::apply::existing(canon, wanted).is_none() {
                    case.missing.push(format!("relationship {} {} {}", wanted.from, wanted.rel_type, wanted.to));
                }
            }
            Content::Relationship(wanted) => {
                let wanted = (&*wanted.from, &*wanted.to, &*wanted.rel_type, &wanted.properties);
                case.contradictions = contradiction::relationship(wanted, canon.relationships.values());
            }
            Content::StateChange(change) => match canon.entities.get(&change.entity_id) {
                Some(entity) if entity.entity_class == EntityClass::Concreta => {
                    case.contradictions = contradiction::state(entity, change, canon.facts.values());
                }
                _ => {
                    let fix = "name an EntityConcreta";
                    case.invalid = Some(format!("content.entity_id is an archetype, which has no state; {fix}"));
                }
            },
        }
    }

    fn resolved(&self, content: &Content) -> Content {
        let mut content = content.clone();
        let entity = |reference: &mut String| *reference = self.names.entity(reference).to_owned();
        match &mut content {
            Content::Fact(fact) => fact.entities.iter_mut().for_each(entity),
            Content::Event(event) => {
                event.entities.iter_mut().for_each(entity);
                event.causes.iter_mut().for_each(|reference| *reference = self.names.event(reference).to_owned());
            }
            Content::Entity(wanted) => wanted.derives_from.iter_mut().for_each(entity),
            Content::Relationship(wanted) => [&mut wanted.from, &mut wanted.to].into_iter().for_each(entity),
            Content::StateChange(change) => entity(&mut change.entity_id),
        }
        content
    }
}

/// An entity that may be accepted, and what speaks for it.
struct Brought {
    case: Case,
    entity: Option<Entity>,
}

fn replaces(case: &mut Case, replaced: &str, canon: &Canon) {
    match canon.facts.get(replaced) {
        None => case.missing.push(format!("fact {replaced}")),
        Some(fact) if fact.canon_level == CanonLevel::Retconned => {
            case.invalid = Some(format!("content.replaces names {replaced}, which is retconned; leave it out"));
        }
        Some(fact) if case.contradictions.iter().all(|one| one.id != fact.fact_id) => {
            let (id, why) = (fact.fact_id.clone(), format!("it says {:?}", fact.statement));
            case.contradictions.push(policy::Contradiction { id, why, can_be_retconned: true });
        }
        Some(_) => {}
    }
}

/// Sorts into the order of decision, and marks those whose references lead round in a circle.
fn order(members: &mut Vec<Member<'_>>, names: &Names) {
    let depths = depths(members, names);
    for member in members.iter_mut().filter(|member| !depths.contains_key(&member.id)) {
        let field = if member.proposal.r#type == ProposalType::Event { "causes_event_ids" } else { "derives_from" };
        member.content = Err(format!("content.{field} leads round in a circle; leave one of its links out"));
    }
    let rank = |kind: ProposalType| match kind {
        ProposalType::Entity => 0,
        ProposalType::Fact | ProposalType::Event => 1,
        ProposalType::StateChange => 2,
        ProposalType::Relationship => 3,
    };
    // Stable, so that equals stay in the order of filing.
    members.sort_by_key(|member| (rank(member.proposal.r#type), depths.get(&member.id).copied().unwrap_or(0)));
}

/// How many steps each member is away from one that rests on no other; without those that rest on themselves.
fn depths(members: &[Member<'_>], names: &Names) -> BTreeMap<String, usize> {
    let pending: BTreeSet<&str> = members.iter().map(|member| member.id.as_str()).collect();
    let rests_on = |member: &Member<'_>| -> Vec<String> {
        let refs: Vec<&str> = match &member.content {
            Ok(content @ Content::Event(_)) => content.event_refs().iter().map(|name| names.event(name)).collect(),
            Ok(content @ Content::Entity(_)) => content.entity_refs().iter().map(|name| names.entity(name)).collect(),
            _ => Vec::new(),
        };
        refs.into_iter().filter(|id| pending.contains(id)).map(str::to_owned).collect()
    };
    let mut open: Vec<(&str, Vec<String>)> = members.iter().map(|member| (&*member.id, rests_on(member))).collect();
    let mut depths = BTreeMap::new();
    loop {
        let before = open.len();
        open.retain(|(id, rests_on)| {
            let known: Option<Vec<usize>> = rests_on.iter().map(|other| depths.get(other).copied()).collect();
            let Some(known) = known else { return true };
            let depth = known.into_iter().max().map_or(0, |depth| depth + 1);
            depths.insert((*id).to_owned(), depth);
            false
        });
        if open.len() == before {
            return depths;
        }
    }
}
